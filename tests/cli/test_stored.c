/* SPDX-License-Identifier: BSD-2-Clause */
/* TIFFs whose strips are missing, cut or misdescribed, and tags that libtiff passes over: what is
 * not stored reads as no-data or 0, and everything else is refused by name. The file is 8 x 4
 * pixels of 8 bits in two strips; strip 0 is 16 times 7, strip 1 is 16 times 9. */
#include "picture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tiff.h>
#include <unistd.h>

enum { ENTRIES = 16, STRIP = 16, DATA = 400, GONE = -1 };

typedef struct stored_case {
    const char *name;
    int offset[2], count[2];                        /* GONE: the list ends before it */
    int photometric, compression, predictor, depth; /* 0: no such tag */
    const char *no_data;
    const char *text; /* part of the refusal; NULL: it is read */
    double value[2];  /* of the strips' pixels */
    int counts[2];    /* whether they count */
} stored_case;

#define GOOD { DATA, DATA + STRIP }, { STRIP, STRIP }, 1, 1
static const stored_case cases[] = {
    { "whole", GOOD, 0, 0, NULL, NULL, { 7, 9 }, { 1, 1 } },
    { "a strip is not stored",
      { DATA, 0 },
      { STRIP, 0 },
      1,
      1,
      0,
      0,
      NULL,
      NULL,
      { 7, 0 },
      { 1, 1 } },
    { "no strip is stored", { 0, 0 }, { 0, 0 }, 1, 1, 0, 0, NULL, NULL, { 0, 0 }, { 1, 1 } },
    { "nor with no-data", { DATA, 0 }, { STRIP, 0 }, 1, 1, 0, 0, "99", NULL, { 7, 99 }, { 1, 0 } },
    { "nor with MinIsWhite",
      { DATA, 0 },
      { STRIP, 0 },
      0,
      1,
      0,
      0,
      NULL,
      NULL,
      { 248, 255 },
      { 1, 1 } },
    { "nor with compression", { 0, 0 }, { 0, 0 }, 1, 32773, 0, 0, "3", NULL, { 3, 3 }, { 0, 0 } },
    { "offset 0",
      { DATA, 0 },
      { STRIP, STRIP },
      1,
      1,
      0,
      0,
      NULL,
      "its offset is 0",
      { 0 },
      { 0 } },
    { "size 0", { DATA, DATA }, { STRIP, 0 }, 1, 1, 0, 0, NULL, "its size is 0", { 0 }, { 0 } },
    { "size 7",
      { DATA, DATA },
      { STRIP, 7 },
      1,
      1,
      0,
      0,
      NULL,
      "fewer bytes are stored",
      { 0 },
      { 0 } },
    { "one offset",
      { DATA, GONE },
      { STRIP, STRIP },
      1,
      1,
      0,
      0,
      NULL,
      "lists of offsets and sizes are too short",
      { 0 },
      { 0 } },
    { "one size",
      { DATA, DATA },
      { STRIP, GONE },
      1,
      1,
      0,
      0,
      NULL,
      "lists of offsets and sizes are too short",
      { 0 },
      { 0 } },
    { "one of both",
      { DATA, GONE },
      { STRIP, GONE },
      1,
      1,
      0,
      0,
      NULL,
      "lists of offsets and sizes are too short",
      { 0 },
      { 0 } },
    { "beyond the end",
      { DATA, 9999 },
      { STRIP, STRIP },
      1,
      1,
      0,
      0,
      NULL,
      "cannot be decoded",
      { 0 },
      { 0 } },
    { "PackBits with a predictor",
      { DATA, DATA },
      { STRIP, STRIP },
      1,
      32773,
      2,
      0,
      NULL,
      "Predictor 2 with Compression 32773",
      { 0 },
      { 0 } },
    { "a predictor without compression", GOOD, 2, 0, NULL, NULL, { 7, 9 }, { 1, 1 } },
    { "palette without colours",
      { DATA, DATA },
      { STRIP, STRIP },
      3,
      1,
      0,
      0,
      NULL,
      "has no ColorMap",
      { 0 },
      { 0 } },
    { "old-style JPEG",
      { DATA, DATA },
      { STRIP, STRIP },
      1,
      6,
      0,
      0,
      NULL,
      "Compression 6 (old-style JPEG) is not supported",
      { 0 },
      { 0 } },
    { "two slices", GOOD, 0, 2, NULL, "ImageDepth 2", { 0 }, { 0 } },
    { "no-data as 15 digits of -DBL_MAX",
      GOOD,
      0,
      0,
      "-1.79769313486232e+308",
      NULL,
      { 7, 9 },
      { 1, 1 } },
    { "no-data beyond double", GOOD, 0, 0, "1e999", NULL, { 7, 9 }, { 1, 1 } },
    { "no-data of another library", GOOD, 0, 0, "-1.#IND", NULL, { 7, 9 }, { 1, 1 } },
    { "no-data that is no number",
      GOOD,
      0,
      0,
      "1e999x",
      "\"1e999x\" is not a number",
      { 0 },
      { 0 } },
};

typedef struct made {
    uint8_t bytes[DATA + 2 * STRIP];
    size_t entries, extra; /* extra: where the next values go that do not fit into an entry */
} made;

static void put(uint8_t *to, unsigned bytes, uint32_t value)
{
    for (unsigned i = 0; i < bytes; i++)
        to[i] = (uint8_t)(value >> (8 * i));
}

static void entry(made *m, int tag, int type, uint32_t count, uint32_t value)
{
    uint8_t *e = m->bytes + 10 + 12 * m->entries++;
    put(e, 2, (uint32_t)tag);
    put(e + 2, 2, (uint32_t)type);
    put(e + 4, 4, count);
    put(e + 8, 4, value);
    put(m->bytes + 8, 2, (uint32_t)m->entries);
}

static void list(made *m, int tag, const int *value)
{
    if (value[1] == GONE) {
        entry(m, tag, TIFF_LONG, 1, (uint32_t)value[0]);
        return;
    }
    entry(m, tag, TIFF_LONG, 2, (uint32_t)m->extra);
    for (int i = 0; i < 2; i++, m->extra += 4)
        put(m->bytes + m->extra, 4, (uint32_t)value[i]);
}

static void make(const stored_case *c, made *m)
{
    *m = (made){ .extra = 300 };
    memcpy(m->bytes, "II*\0\x8\0\0\0", 8);
    entry(m, TIFFTAG_IMAGEWIDTH, TIFF_SHORT, 1, 8);
    entry(m, TIFFTAG_IMAGELENGTH, TIFF_SHORT, 1, 4);
    entry(m, TIFFTAG_BITSPERSAMPLE, TIFF_SHORT, 1, 8);
    entry(m, TIFFTAG_COMPRESSION, TIFF_SHORT, 1, (uint32_t)c->compression);
    entry(m, TIFFTAG_PHOTOMETRIC, TIFF_SHORT, 1, (uint32_t)c->photometric);
    list(m, TIFFTAG_STRIPOFFSETS, c->offset);
    entry(m, TIFFTAG_SAMPLESPERPIXEL, TIFF_SHORT, 1, 1);
    entry(m, TIFFTAG_ROWSPERSTRIP, TIFF_SHORT, 1, 2);
    list(m, TIFFTAG_STRIPBYTECOUNTS, c->count);
    if (c->predictor)
        entry(m, TIFFTAG_PREDICTOR, TIFF_SHORT, 1, (uint32_t)c->predictor);
    if (c->depth)
        entry(m, TIFFTAG_IMAGEDEPTH, TIFF_LONG, 1, (uint32_t)c->depth);
    if (c->no_data) {
        const size_t size = strlen(c->no_data) + 1;
        uint32_t text = size > 4 ? (uint32_t)m->extra : 0;
        for (size_t i = 0; i < size && size <= 4; i++)
            text |= (uint32_t)(unsigned char)c->no_data[i] << 8 * i;
        if (size > 4)
            memcpy(m->bytes + m->extra, c->no_data, size);
        entry(m, 42113, TIFF_ASCII, (uint32_t)size, text);
        m->extra += size > 4 ? size : 0;
    }
    memset(m->bytes + DATA, 7, STRIP);
    memset(m->bytes + DATA + STRIP, 9, STRIP);
}

/* What is wrong with the picture, or NULL. */
static const char *compare(const stored_case *c, const app_picture *p)
{
    if (p->width != 8 || p->height != 4 || p->pixel != XNCC_U8)
        return "another form";
    for (size_t i = 0; i < 32; i++) {
        if (app_picture_value(p, i) != c->value[i / STRIP])
            return "other pixels";
        if ((!p->mask || p->mask[i]) != c->counts[i / STRIP])
            return "other pixels count";
    }
    return NULL;
}

static const char *check(const stored_case *c, const char *path, app_error *error)
{
    made m;
    app_picture picture;
    make(c, &m);
    FILE *file = fopen(path, "wb");
    const int written = file && fwrite(m.bytes, 1, sizeof m.bytes, file) == sizeof m.bytes;
    if (!file || fclose(file) != 0 || !written)
        return "the test cannot write its file";
    if (app_picture_load(path, 0, &app_default_reading, &picture, error))
        return !c->text ? "was refused" : strstr(error->text, c->text) ? NULL : "other words";
    const char *what = c->text ? "was read" : compare(c, &picture);
    app_picture_free(&picture);
    return what;
}

/* The calls of read that this process has made; 0 where the system does not say. */
static unsigned long reads(void)
{
    unsigned long count = 0;
    char line[64];
    FILE *file = fopen("/proc/self/io", "r");
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "syscr: %lu", &count) == 1)
            break;
    if (file)
        fclose(file);
    return count;
}

enum { ACROSS = 300, DOWN = 200, TILES = ACROSS * DOWN, AT_PIXELS = 400 };

/* A file of tiles of one pixel each. */
static int write_tiles(const char *path)
{
    static uint8_t pixel[TILES], place[4 * TILES], size[2 * TILES];
    const uint32_t offsets = AT_PIXELS + TILES, counts = offsets + 4 * TILES;
    made m = { .entries = 0 };
    for (uint32_t i = 0; i < TILES; i++) {
        pixel[i] = (uint8_t)(i % 251);
        put(place + 4 * i, 4, AT_PIXELS + i);
        put(size + 2 * i, 2, 1);
    }
    memcpy(m.bytes, "II*\0\x8\0\0\0", 8);
    entry(&m, TIFFTAG_IMAGEWIDTH, TIFF_SHORT, 1, ACROSS);
    entry(&m, TIFFTAG_IMAGELENGTH, TIFF_SHORT, 1, DOWN);
    entry(&m, TIFFTAG_BITSPERSAMPLE, TIFF_SHORT, 1, 8);
    entry(&m, TIFFTAG_COMPRESSION, TIFF_SHORT, 1, 1);
    entry(&m, TIFFTAG_PHOTOMETRIC, TIFF_SHORT, 1, 1);
    entry(&m, TIFFTAG_SAMPLESPERPIXEL, TIFF_SHORT, 1, 1);
    entry(&m, TIFFTAG_TILEWIDTH, TIFF_SHORT, 1, 1);
    entry(&m, TIFFTAG_TILELENGTH, TIFF_SHORT, 1, 1);
    entry(&m, TIFFTAG_TILEOFFSETS, TIFF_LONG, TILES, offsets);
    entry(&m, TIFFTAG_TILEBYTECOUNTS, TIFF_SHORT, TILES, counts);
    FILE *file = fopen(path, "wb");
    const int written = file && fwrite(m.bytes, AT_PIXELS, 1, file) == 1 &&
                        fwrite(pixel, sizeof pixel, 1, file) == 1 &&
                        fwrite(place, sizeof place, 1, file) == 1 &&
                        fwrite(size, sizeof size, 1, file) == 1;
    return (!file || fclose(file) == 0) && written;
}

/* Tiles of one pixel are read many at a time, not by a system call each. */
static const char *check_tiles(const char *path, app_error *error)
{
    app_picture picture;
    if (!write_tiles(path))
        return "the test cannot write its file";
    const unsigned long before = reads();
    if (app_picture_load(path, 0, &app_default_reading, &picture, error))
        return "was refused";
    const char *what = reads() - before > TILES / 100 ? "too many calls of read" : NULL;
    for (size_t i = 0; i < TILES && !what; i++)
        if (app_picture_value(&picture, i) != (double)(i % 251))
            what = "other pixels";
    app_picture_free(&picture);
    return what;
}

static int report(const char *name, const char *what, const app_error *error)
{
    if (what)
        printf("FAIL %s: %s: %s\n", name, what, error->text);
    return what != NULL;
}

int main(void)
{
    static const char path[] = "stored.tmp.tif";
    const size_t count = sizeof cases / sizeof cases[0];
    int failures = 0;
    for (size_t i = 0; i < count; i++) {
        app_error error = { .text = "" };
        failures += report(cases[i].name, check(&cases[i], path, &error), &error);
    }
    app_error error = { .text = "" };
    failures += report("tiles of one pixel", check_tiles(path, &error), &error);
    unlink(path);
    printf("%zu checks, %d failed\n", count + 1, failures);
    return failures != 0;
}
