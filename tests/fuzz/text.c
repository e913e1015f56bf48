/* SPDX-License-Identifier: BSD-2-Clause */
/* Text files: filters, tables of items, points, ledgers of shards and journals of maps. The first
 * byte says which. */
#include "csv.h"
#include "filters.h"
#include "fuzz/fuzz.h"
#include "journal.h"
#include "ledger.h"
#include "track_points.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void read_filter(const char *path)
{
    static app_filter filter;
    app_error error = { .text = "" };
    const xncc_status status = app_filter_load(path, &filter, &error);
    fuzz_check_failure(status, error.text);
    if (status)
        return;
    FUZZ_HOLDS(filter.width >= 1 && filter.width <= XNCC_MAX_FILTER);
    FUZZ_HOLDS(filter.height >= 1 && filter.height <= XNCC_MAX_FILTER);
    for (int32_t i = 0; i < filter.width * filter.height; i++)
        FUZZ_HOLDS(isfinite(filter.value[i]));
}

static void read_table(const char *path)
{
    app_csv csv;
    app_error error = { .text = "" };
    const xncc_status status = app_csv_read(path, &csv, &error);
    fuzz_check_failure(status, error.text);
    FUZZ_HOLDS(status || csv.rows > 0);
    size_t length = 0;
    for (size_t row = 0; row < csv.rows && !status; row++)
        for (int column = 0; column < 4; column++)
            length += strlen(app_csv_field(&csv, row, column));
    if (!status)
        (void)app_csv_column(&csv, "image");
    FUZZ_HOLDS(length < SIZE_MAX / 2);
    app_csv_free(&csv);
}

static void read_points(const char *path)
{
    static track_image image[2];
    const track_images images = { .image = image, .pairs = 1 };
    app_options options;
    app_error error = { .text = "" };
    track_points points = { .point = NULL };
    app_options_init(&options);
    options.track_points = path;
    const xncc_status status = track_points_make(&options, &images, &points, &error);
    fuzz_check_failure(status, error.text);
    for (size_t i = 0; i < points.count && !status; i++)
        FUZZ_HOLDS(isfinite(points.point[i].x) && isfinite(points.point[i].dy));
    free(points.point);
}

/* Every record that the ledger has can be read or is refused. */
static void read_ledger(const char *path, int adds)
{
    app_ledger *ledger = NULL;
    app_error error = { .text = "" };
    char *head = NULL;
    xncc_status status = adds ? app_ledger_open(path, "head", &ledger, &error)
                              : app_ledger_read(path, &head, &ledger, &error);
    fuzz_check_failure(status, error.text);
    FUZZ_HOLDS(status != XNCC_ERROR_MEMORY); /* files are small */
    FUZZ_HOLDS(!status == (ledger != NULL));
    for (uint64_t i = 0; ledger && i < 20; i++) {
        const app_item_id id = { i % 2, i / 2 };
        app_record r;
        if (adds && i < 3) {
            char text[] = "text\n";
            r = (app_record){ .id = id, .text = text, .length = strlen(text) };
            status = app_ledger_add(ledger, &r, &error);
            fuzz_check_failure(status, error.text);
            FUZZ_HOLDS(status || app_ledger_is_done(ledger, id));
        }
        if (!app_ledger_has(ledger, id))
            continue;
        status = app_ledger_get(ledger, id, &r, &error);
        fuzz_check_failure(status, error.text);
        if (status)
            continue;
        FUZZ_HOLDS(r.text[r.length] == 0);
        FUZZ_HOLDS((r.failed != 0) != app_ledger_is_done(ledger, id));
        free(r.text);
    }
    app_ledger_close(ledger, 0);
    free(head);
}

static void write_file(const char *name, const void *bytes, size_t size)
{
    FILE *file = fopen(name, "wb");
    if (!file || fwrite(bytes, 1, size, file) != size || fclose(file) != 0) {
        perror(name);
        exit(2);
    }
}

/* A map that an earlier process has begun. It takes files with names, in a folder of its own. */
static void read_journal(const uint8_t *data, size_t size)
{
    static char folder[] = "/tmp/exactncc-fuzz-XXXXXX";
    static char path[64], name[80], partial[80];
    if (!path[0]) {
        if (!mkdtemp(folder))
            exit(2);
        (void)snprintf(path, sizeof path, "%s/map", folder);
        (void)snprintf(name, sizeof name, "%s.journal", path);
        (void)snprintf(partial, sizeof partial, "%s.partial", path);
    }
    app_journal *journal = NULL;
    app_progress_line done = { 0, 0, NAN, NAN };
    app_error error = { .text = "" };
    write_file(name, data, size);
    write_file(partial, "rows", 4);
    xncc_status status = app_journal_open(path, "key of the map", &journal, &done, &error);
    fuzz_check_failure(status, error.text);
    if (!status) {
        done.rows++;
        status = app_journal_add(journal, &done, &error);
        fuzz_check_failure(status, error.text);
        status = app_journal_close(journal, status, &error);
        fuzz_check_failure(status, error.text);
        FUZZ_HOLDS(status || access(path, F_OK) == 0);
    }
    (void)unlink(path);
    (void)unlink(name);
    (void)unlink(partial);
    (void)rmdir(folder);
    path[0] = 0;
    (void)strcpy(folder, "/tmp/exactncc-fuzz-XXXXXX");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_bytes bytes = { data, size };
    const unsigned kind = fuzz_below(&bytes, 6);
    switch (kind) {
    case 0: read_filter(fuzz_file(0, bytes.at, bytes.left)); break;
    case 1: read_table(fuzz_file(0, bytes.at, bytes.left)); break;
    case 2: read_points(fuzz_file(0, bytes.at, bytes.left)); break;
    case 3:
    case 4: read_ledger(fuzz_file(0, bytes.at, bytes.left), kind == 4); break;
    default: read_journal(bytes.at, bytes.left); break;
    }
    return 0;
}
