/* SPDX-License-Identifier: BSD-2-Clause */
/* The TIFF reader against damaged files. Nothing may crash, every failure must say in one line what
 * is wrong, and memory must stay small. robust_tiff GROUP DIRECTORY: the directory gets one file,
 * which is written again for each input. The groups:
 *
 * - corrupt: small files of some kinds; in every byte each bit is flipped, and several values are
 * set
 *
 * - others: the same for all other kinds
 *
 * - truncated: the same files, cut at every length
 *
 * - claims: files that claim absurd sizes
 *
 * - tags: alpha, geo tags and no-data values, wrong and damaged
 *
 * - formats: small files of the other formats: each bit flipped, cut at every length, and several
 * changes at a time, drawn at random. robust_tiff formats DIRECTORY SECONDS draws for so long, from
 * another seed each time, which is printed. */
#include "hostile.h"

#include "flavour.h"
#include "small_files.h"
#include "kit/sanitized.h"
#include "picture.h"
#include "tiff_write.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { WIDTH = 21, HEIGHT = 13, FILE_ROOM = 1 << 16 };

/* The largest peak of resident memory that is allowed, without what the sanitizers use themselves.
 */
static const long peak_limit_kb = KIT_SANITIZED ? 2048 << 10 : 512 << 10;

static char path[4096];
static long tried, opened, refused, failures;
static double slowest;
static char slowest_name[128];

static void fail(const char *name, size_t at, int value, const char *what)
{
    if (failures++ < 20)
        printf("FAIL %s, byte %zu, value %d: %s\n", name, at, value, what);
}

static int write_bytes(const uint8_t *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    if (!file)
        return 0;
    int ok = fwrite(bytes, 1, size, file) == size;
    return fclose(file) == 0 && ok;
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Copies the geo tags to a map, as exactncc correlate does. */
static xncc_status write_geo(const app_picture *picture, app_error *error)
{
    static const float map = 1.0f;
    char name[sizeof path + 8];
    const app_geo *g = &picture->geo;
    if (!g->tie && !g->key && !g->text && !g->number && !g->has_scale && !g->has_matrix)
        return XNCC_OK;
    snprintf(name, sizeof name, "%s.map", path);
    const app_tiff_out out = {
        .pixels = &map, .width = 1, .height = 1, .place = { g, 3, -4 }, .has_nan = 1
    };
    xncc_status status = app_tiff_write(name, &out, error);
    unlink(name);
    return status;
}

/* Reads every page, as exactncc find --page all does, with one channel or all. Returns the first
 * failure. */
static xncc_status read_all(app_channels channels, app_error *error)
{
    app_file *file;
    app_reading reading = app_default_reading;
    reading.channels = channels;
    xncc_status status = app_file_open(path, &reading, &file, error);
    if (status)
        return status;
    int has = 1;
    for (uint32_t page = 0; page < 4 && has && !status; page++) {
        app_page info;
        app_picture picture = { .pixels = NULL };
        status = app_file_select(file, page, &info, error);
        if (!status)
            status = app_picture_read(file, &info, &picture, error);
        if (!status)
            status = write_geo(&picture, error);
        app_picture_free(&picture);
        if (!status)
            status = app_file_has(file, page + 1, &has, error);
    }
    app_file_close(file);
    return status;
}

/* Tests one input. expected: 0 if it must fail, 1 if it may fail, 2 if it must be read. */
static void try_bytes(const char *name, const uint8_t *bytes, size_t size, size_t at, int value,
                      int expected)
{
    app_error error;
    memset(error.text, 0, sizeof error.text);
    if (!write_bytes(bytes, size)) {
        fail(name, at, value, "the test cannot write its file");
        return;
    }
    const double start = seconds();
    xncc_status status = read_all(tried % 2 ? APP_SUM : APP_LUMA, &error);
    const double took = seconds() - start;
    if (took > slowest) {
        slowest = took;
        snprintf(slowest_name, sizeof slowest_name, "%s, byte %zu, value %d", name, at, value);
    }
    tried++;
    opened += status == XNCC_OK;
    refused += status != XNCC_OK;
    if (status && (!error.text[0] || strpbrk(error.text, "\n\r")))
        fail(name, at, value, "a failure without a text of one line");
    if (status < XNCC_OK || status >= XNCC_ERROR_INTERNAL)
        fail(name, at, value, "a status that should not be");
    if (!status && expected == 0)
        fail(name, at, value, "was read, and must not be");
    if (status && expected == 2)
        fail(name, at, value, error.text);
}

static size_t make_flavour(const flavour *f, uint8_t *bytes)
{
    if (flavour_write(path, f, WIDTH, HEIGHT, flavour_scene) != 1)
        return 0;
    FILE *file = fopen(path, "rb");
    size_t size = file ? fread(bytes, 1, FILE_ROOM, file) : 0;
    if (file)
        fclose(file);
    return size < FILE_ROOM ? size : 0;
}

static int is_first_half(const flavour *f)
{
    static const char *const names[] = { "u8",         "u8-tiles",
                                         "u8-bigtiff", "u16-little-endian",
                                         "rgb-planes", "packbits",
                                         "bilevel-g4", "zstd",
                                         "lerc",       "jpeg" };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(names[i], f->name) == 0)
            return 1;
    return 0;
}

/* Flips each of the 8 bits of a byte and sets 7 values; with a sanitizer only 2 values and one bit,
 * another one for each byte. */
static void corrupt(const char *name, uint8_t *bytes, size_t size)
{
    const int thorough = !KIT_SANITIZED;
    static const uint8_t values[] = { 0x00, 0xff, 0x01, 0x7f, 0x80, 0xfe, 0x10 };
    try_bytes(name, bytes, size, 0, -1, 2);
    for (size_t at = 0; at < size; at++) {
        const uint8_t was = bytes[at];
        for (int i = 0; i < 8 + (thorough ? (int)sizeof values : 2); i++) {
            if (!thorough && i < 8 && i != (int)(at % 8))
                continue;
            bytes[at] = (uint8_t)(i < 8 ? was ^ (1 << i) : values[i - 8]);
            if (bytes[at] != was)
                try_bytes(name, bytes, size, at, bytes[at], 1);
        }
        bytes[at] = was;
    }
}

static void truncate_everywhere(const char *name, uint8_t *bytes, size_t size)
{
    for (size_t length = 0; length < size; length++)
        try_bytes(name, bytes, length, length, -1, 1);
}

/* xorshift64* */
static uint64_t draw(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * 0x2545f4914f6cdd1du;
}

/* Changes, inserts, removes and doubles bytes in a file, up to eight times. */
static void try_random(const small_file *f, uint64_t *state)
{
    static const uint8_t values[] = { 0x00, 0xff, 0x7f, 0x80, 0x01, '0', '9', '\n' };
    uint8_t bytes[4096];
    size_t size = f->size;
    if (size > sizeof bytes / 2)
        return;
    memcpy(bytes, f->bytes, size);
    for (uint64_t changes = 1 + draw(state) % 8; changes > 0 && size > 0; changes--) {
        const size_t at = (size_t)(draw(state) % size);
        const size_t some = 1 + (size_t)(draw(state) % 16),
                     part = some < size - at ? some : size - at;
        switch (draw(state) % 5) {
        case 0: bytes[at] ^= (uint8_t)(1u << draw(state) % 8); break;
        case 1: bytes[at] = (uint8_t)draw(state); break;
        case 2: bytes[at] = values[draw(state) % sizeof values]; break;
        case 3:
            memmove(bytes + at, bytes + at + part, size - at - part);
            size -= part;
            break;
        default:
            if (size + part <= sizeof bytes) {
                memmove(bytes + at + part, bytes + at, size - at);
                size += part;
            }
            break;
        }
    }
    try_bytes(f->name, bytes, size, 0, -1, 1);
}

static void try_formats(double how_long)
{
    uint64_t state = how_long > 0 ? (uint64_t)time(NULL) * 2654435761u | 1 : 20261122;
    const double start = seconds();
    printf("seed %llu\n", (unsigned long long)state);
    for (size_t i = 0; i < small_file_count; i++) {
        uint8_t bytes[1024];
        const small_file *f = &small_files[i];
        if (!f->needs || f->size > sizeof bytes)
            continue;
        memcpy(bytes, f->bytes, f->size);
        corrupt(f->name, bytes, f->size);
        truncate_everywhere(f->name, bytes, f->size);
    }
    for (long round = 0; how_long > 0 ? seconds() - start < how_long : round < 400; round++)
        for (size_t i = 0; i < small_file_count; i++)
            if (small_files[i].needs)
                try_random(&small_files[i], &state);
}

/* Files with additional tags: one tag is wrong at a time, with one channel and with all; and the
 * correct file, damaged everywhere. */
static void try_tags(void)
{
    hostile_bytes file;
    const char *name;
    int may_open;
    for (int i = 0; hostile_tag(i, &file, &name, &may_open); i++)
        for (int again = 0; again < 2; again++)
            try_bytes(name, file.data, file.size, 0, i, may_open);
    hostile_tagged(&file);
    corrupt("tagged", file.data, file.size);
    truncate_everywhere("tagged", file.data, file.size);
}

/* Cuts files at every length. libtiff writes the directory last, so pixels are cut, too. */
static void truncate_pixels(void)
{
    hostile_bytes file;
    for (int i = 0; i < hostile_count; i++)
        if (strcmp(hostile_files[i].name, "loop-to-self") == 0) {
            hostile_files[i].make(&file);
            for (size_t length = 0; length < file.size; length++)
                try_bytes("plain", file.data, length, length, -1, 0);
        }
}

/* With --max-memory the user trusts the file: only that limit applies, and selecting a page still
 * allocates nothing. */
static void check_trust(void)
{
    const app_reading limits[3] = { { .max_memory = (uint64_t)1 << 40 },
                                    { .max_memory = (uint64_t)1 << 40, .trusted = 1 },
                                    { .max_memory = 1 << 20, .trusted = 1 } };
    static const xncc_status want[3] = { XNCC_ERROR_UNSUPPORTED, XNCC_OK, XNCC_ERROR_MEMORY };
    for (int i = 0; i < hostile_count; i++) {
        hostile_bytes made;
        if (strcmp(hostile_files[i].name, "one-strip-deflate") != 0)
            continue;
        hostile_files[i].make(&made);
        for (int k = 0; k < 3; k++) {
            app_file *file = NULL;
            app_page info;
            app_error error = { .text = "" };
            if (!write_bytes(made.data, made.size) ||
                app_file_open(path, &limits[k], &file, &error) ||
                app_file_select(file, 0, &info, &error) != want[k])
                fail("trust", 0, k, error.text);
            app_file_close(file);
        }
    }
}

static long peak_kb(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

int main(int argc, char **argv)
{
    const char *group = argc >= 3 ? argv[1] : "";
    if (argc < 3) {
        fprintf(stderr, "usage: robust_tiff corrupt|others|truncated|claims|tags|formats DIRECTORY "
                        "[SECONDS]\n");
        return 2;
    }
    /* In memory if possible, because the file is written a few hundred thousand times. */
    snprintf(path, sizeof path, "%s/hostile-%s-%ld.tif",
             access("/dev/shm", W_OK) == 0 ? "/dev/shm" : argv[2], group, (long)getpid());
    uint8_t *bytes = malloc(FILE_ROOM);
    if (!bytes)
        return 1;
    if (strcmp(group, "claims") == 0) {
        for (int i = 0; i < hostile_count; i++) {
            hostile_bytes file;
            hostile_files[i].make(&file);
            try_bytes(hostile_files[i].name, file.data, file.size, 0, -1,
                      hostile_files[i].may_open);
        }
        check_trust();
    } else if (strcmp(group, "tags") == 0) {
        try_tags();
    } else if (strcmp(group, "formats") == 0) {
        try_formats(argc > 3 ? atof(argv[3]) : 0);
    } else {
        if (strcmp(group, "truncated") == 0)
            truncate_pixels();
        for (int i = 0; i < flavour_count; i++) {
            size_t size = make_flavour(&flavours[i], bytes);
            const int first_half = is_first_half(&flavours[i]);
            if (size > 0 && strcmp(group, "truncated") == 0)
                truncate_everywhere(flavours[i].name, bytes, size);
            else if (size > 0 && first_half == (strcmp(group, "corrupt") == 0))
                corrupt(flavours[i].name, bytes, size);
        }
    }
    if (peak_kb() > peak_limit_kb)
        fail("memory", 0, -1, "the peak is too high");
    printf("%s: %ld inputs: %ld read, %ld refused, %ld failures; peak memory %ld MB; slowest %.3f "
           "s (%s)\n",
           group, tried, opened, refused, failures, peak_kb() >> 10, slowest, slowest_name);
    unlink(path);
    free(bytes);
    return failures != 0 || tried == 0;
}
