/* SPDX-License-Identifier: BSD-2-Clause */
/* Pages in bands and slices, and the files of parts. Any plan of bands owns every window once, and
 * each window is complete in its band. The reader gives the pixels of the file, and decodes every
 * tile once. */
#include "band_rules.h"
#include "csv.h"
#include "kit/kit.h"
#include "ledger.h"
#include "npy_write.h"
#include "tiff_write.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A window with this top row: which bands own it, and whether it is complete there. */
static int owners(const app_band_plan *p, int32_t top)
{
    int count = 0;
    for (int32_t i = 0; i < p->count; i++) {
        const app_band_rows r = app_band_plan_rows(p, i);
        if (top < r.from || top >= r.to)
            continue;
        const int64_t above = (int64_t)top - p->need.above, below = (int64_t)top + p->need.below;
        const int32_t highest = above < p->need.first ? p->need.first : (int32_t)above,
                      lowest = below > p->need.end ? p->need.end : (int32_t)below;
        if (r.first > highest || r.end < lowest)
            return 99;
        count++;
    }
    return count;
}

static void check_plan(const app_band_need *need)
{
    app_band_plan p;
    const int made = app_band_plan_make(need, &p);
    CHECK(made || need->max_memory < app_band_plan_least(need) + 2 * need->per_row);
    if (!made)
        return;
    const int32_t from = need->from == INT32_MIN ? need->first - 5 : need->from,
                  to = need->to == INT32_MAX ? need->end + 5 : need->to;
    int right = owners(&p, from - 1) == (need->from == INT32_MIN) &&
                owners(&p, to) == (need->to == INT32_MAX);
    for (int32_t top = from; top < to; top++)
        right &= owners(&p, top) == 1;
    CHECK(right);
    int32_t end = p.start, aligned = 1;
    for (int32_t i = 0; i < p.count; i++) {
        const app_band_rows r = app_band_plan_rows(&p, i);
        CHECK(r.fresh == end && r.end > r.fresh && r.first <= r.fresh && r.end - r.first <= p.most);
        aligned &= r.end % need->together == 0 || r.end == p.end;
        end = r.end;
    }
    CHECK(end == p.end);
    const uint64_t taken = need->fixed + (uint64_t)p.most * need->per_row;
    CHECK(taken <= need->max_memory);
    const uint64_t ample = need->fixed +
                           (uint64_t)(need->above + need->below + 3 * need->together) *
                               need->per_row;
    CHECK(aligned || need->max_memory < ample);
}

static void check_plans(void)
{
    uint32_t seed = 7;
    for (int i = 0; i < 20000; i++) {
        uint32_t r[8];
        for (int k = 0; k < 8; k++)
            r[k] = seed = seed * 1664525u + 1013904223u;
        app_band_need need = { .first = (int32_t)(r[0] >> 8) % 50,
                               .from = INT32_MIN,
                               .to = INT32_MAX,
                               .above = (int32_t)(r[1] >> 8) % 9,
                               .below = 1 + (int32_t)(r[2] >> 8) % 40,
                               .together = 1 + (int32_t)(r[3] >> 8) % 33,
                               .fixed = (r[4] >> 8) % 500,
                               .per_row = 1 + (r[5] >> 8) % 100,
                               .max_memory = (r[6] >> 8) % 20000 };
        need.row_bytes = i % 3 ? need.per_row : 1u << 24; /* also with the least bands */
        need.end = need.first + 1 + (int32_t)(r[7] >> 8) % 300;
        if (i & 1)
            need.from = need.first + (int32_t)(r[7] >> 20) % (need.end - need.first);
        if (i & 2)
            need.to = (i & 1 ? need.from : need.first) + 1 + (int32_t)(r[0] >> 20) % 100;
        check_plan(&need);
    }
}

/* Reads a page in bands and compares with the page read at once. Returns how many tiles were
 * decoded. */
static uint64_t read_all(const char *path, uint64_t max_memory, int32_t threads, int32_t *count)
{
    app_reading reading = app_default_reading;
    app_picture whole;
    app_bands *bands;
    app_band *band = NULL;
    app_error error = { .text = "" };
    CHECK(app_picture_load(path, 0, &reading, &whole, &error) == XNCC_OK);
    reading.max_memory = max_memory;
    reading.trusted = 1;
    const app_bands_rule rule = { .path = path,
                                  .reading = reading,
                                  .threads = threads,
                                  .rows = whole.height,
                                  .from = INT32_MIN,
                                  .to = INT32_MAX,
                                  .above = 1,
                                  .below = 20 };
    xncc_status status = app_bands_open(&rule, &bands, &error);
    const size_t row = app_picture_samples(&whole) / (size_t)whole.height *
                       xncc_pixel_size(whole.pixel);
    *count = 0;
    while (!status && !(status = app_bands_next(bands, &band, &error)) && band) {
        const app_band_rows *r = &band->rows;
        CHECK(memcmp(band->scene.picture.pixels, (char *)whole.pixels + (size_t)r->first * row,
                     (size_t)(r->end - r->first) * row) == 0);
        ++*count;
    }
    CHECK(status == XNCC_OK);
    if (status)
        printf("%s\n", error.text);
    const uint64_t decoded = app_bands_decoded(bands);
    app_bands_close(bands);
    app_picture_free(&whole);
    return decoded;
}

enum { WIDTH = 1000, HEIGHT = 700, TILES = 16 * 11 };

/* Slices own each row once, too. */
static void check_slices(void)
{
    for (int32_t together = 1; together < 80; together += 13)
        for (int32_t height = 1; height < 3000; height += 191) {
            const app_feed_page page = {
                .together = together,
                .scene = { .picture = { .width = 100, .height = height, .channels = 1 } }
            };
            const app_bands_rule whole = { .first = height / 7,
                                           .rows = height - height / 7,
                                           .from = INT32_MIN,
                                           .to = INT32_MAX,
                                           .above = 1,
                                           .below = 20 };
            const uint64_t count = app_bands_work(&whole, &page).items;
            int32_t from = INT32_MIN;
            for (uint64_t i = 0; i < count; i++) {
                const app_bands_rule r = app_bands_slice(&whole, &page, i);
                CHECK(r.from == from && r.to > r.from);
                CHECK(r.to == INT32_MAX || (r.to + r.below) % together == 0);
                from = r.to;
            }
            CHECK(from == INT32_MAX);
        }
}

static void add_record(app_ledger *l, uint64_t item, int failed, const char *text)
{
    app_error error;
    char copy[32];
    snprintf(copy, sizeof copy, "%s", text);
    const app_record r = { { 7, item }, failed, copy, strlen(text) };
    CHECK(app_ledger_add(l, &r, &error) == XNCC_OK);
}

/* The text of an item, or "none". */
static const char *text_of(app_ledger *l, uint64_t item, char *text)
{
    app_error error;
    app_record r;
    const app_item_id id = { 7, item };
    strcpy(text, "none");
    if (app_ledger_has(l, id)) {
        CHECK(app_ledger_get(l, id, &r, &error) == XNCC_OK);
        CHECK(r.length == strlen(r.text) && r.failed == !app_ledger_is_done(l, id));
        strcpy(text, r.text);
        free(r.text);
    }
    return text;
}

/* Adds a record whose text does not end where its line says. */
static void add_damaged(const char *name)
{
    FILE *file = fopen(name, "ab");
    CHECK(file && fputs("item 7 4 0 3\nlonger\n", file) >= 0);
    if (file)
        fclose(file);
}

/* Records survive, the last one of an item counts, and one that is not complete does not. */
static void check_ledger(void)
{
    app_ledger *l = NULL;
    app_error error;
    char name[64], text[64];
    snprintf(name, sizeof name, "bands-%ld.part", (long)getpid());
    for (long lost = 0; lost < 60; lost += 3) {
        CHECK(app_ledger_open(name, "head", &l, &error) == XNCC_OK);
        add_record(l, 3, 1, "it failed");
        add_record(l, 1, 0, "one\ntwo lines\n");
        add_record(l, 3, 0, "three");
        CHECK_TEXT(text_of(l, 3, text), "three");
        app_ledger_close(l, 0);
        FILE *file = fopen(name, "r+b");
        CHECK(file && fseek(file, 0, SEEK_END) == 0);
        const long size = file ? ftell(file) : 0;
        if (file)
            fclose(file);
        CHECK(truncate(name, size - lost) == 0);
        CHECK(app_ledger_open(name, "head", &l, &error) == XNCC_OK);
        /* The last record takes 19 bytes, the one before it 29. */
        CHECK_TEXT(text_of(l, 3, text), lost == 0 ? "three" : lost <= 48 ? "it failed" : "none");
        CHECK_TEXT(text_of(l, 1, text), lost <= 19 ? "one\ntwo lines\n" : "none");
        CHECK_TEXT(text_of(l, 2, text), "none");
        add_record(l, 2, 0, "");
        app_ledger_close(l, 0);
        add_damaged(name);
        CHECK(app_ledger_open(name, "head", &l, &error) == XNCC_OK);
        CHECK_TEXT(text_of(l, 2, text), "");
        CHECK_TEXT(text_of(l, 4, text), "none");
        CHECK(app_ledger_open(name, "head", &(app_ledger *){ NULL }, &error) != XNCC_OK &&
              strstr(error.text, "another process is writing it"));
        app_ledger_close(l, 0);
        CHECK(app_ledger_open(name, "other", &l, &error) != XNCC_OK &&
              strstr(error.text, "of another command"));
        unlink(name);
    }
}

static void check_csv(void)
{
    app_csv csv;
    app_error error;
    char name[64];
    snprintf(name, sizeof name, "bands-%ld.csv", (long)getpid());
    FILE *file = fopen(name, "wb");
    CHECK(file != NULL);
    if (!file)
        return;
    fputs("a,b,c\r\n\r\n1,\"two, \"\"2\"\"\",\n\"\",\"x\ny\",z,more", file);
    fclose(file);
    CHECK(app_csv_read(name, &csv, &error) == XNCC_OK && csv.rows == 3);
    CHECK_INT(app_csv_column(&csv, "c"), 2);
    CHECK_INT(app_csv_column(&csv, "d"), -1);
    CHECK_TEXT(app_csv_field(&csv, 1, 1), "two, \"2\"");
    CHECK_TEXT(app_csv_field(&csv, 1, 2), "");
    CHECK_TEXT(app_csv_field(&csv, 1, 3), "");
    CHECK_TEXT(app_csv_field(&csv, 2, 0), "");
    CHECK_TEXT(app_csv_field(&csv, 2, 1), "x\ny");
    CHECK_TEXT(app_csv_field(&csv, 2, 3), "more");
    app_csv_free(&csv);
    unlink(name);
}

static char tiles[64], lines[64]; /* file names */

static void write_pictures(void)
{
    snprintf(tiles, sizeof tiles, "bands-%ld.tif", (long)getpid());
    snprintf(lines, sizeof lines, "bands-%ld.npy", (long)getpid());
    static float pixels[WIDTH * HEIGHT];
    app_error error;
    for (int i = 0; i < WIDTH * HEIGHT; i++)
        pixels[i] = (float)((uint32_t)i * 7919u % 65521u);
    const app_tiff_out tiled = { .pixels = pixels, .width = WIDTH, .height = HEIGHT, .tile = 64 };
    const xncc_image view = { .data = pixels, .width = WIDTH, .height = HEIGHT, .pixel = XNCC_F32 };
    CHECK(app_tiff_write(tiles, &tiled, &error) == XNCC_OK);
    CHECK(app_npy_write(lines, &view, &error) == XNCC_OK);
}

int main(int argc, char **argv)
{
    int32_t count;
    kit_start(argc, argv);
    check_plans();
    check_slices();
    check_ledger();
    check_csv();
    write_pictures();
    /* A row takes 4000 bytes. */
    for (int32_t threads = 0; threads <= 4; threads++) {
        CHECK(read_all(tiles, 1u << 30, threads, &count) == TILES && count == 1);
        CHECK(read_all(tiles, 2000000, threads, &count) == TILES && count > 3);
        CHECK(read_all(tiles, 400000, threads, &count) > TILES && count > 20);
        CHECK(read_all(lines, 400000, threads, &count) == 0 && count > 20);
    }
    unlink(tiles);
    unlink(lines);
    return kit_finish("bands");
}
