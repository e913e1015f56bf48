/* SPDX-License-Identifier: BSD-2-Clause */
/* Tags that the tool reads in addition to the pixels, correct and wrong. */
#include "hostile.h"

#include <string.h>
#include <tiff.h>

enum { SIDE = 6, SAMPLES = 4, ENTRIES = 16, DATA = 8 + 2 + ENTRIES * 12 + 4, NO_DATA = 42113 };

/* The offsets of the values that do not fit into a directory entry. */
enum {
    BITS = DATA,
    SCALE = BITS + 8,
    TIES = SCALE + 24,
    KEYS = TIES + 48,
    TEXT = KEYS + 16,
    PIXELS = TEXT + 8
};

static void build(hostile_bytes *f, const hostile_entry *other)
{
    const double scale[] = { 0.5, 0.5, 0 }, ties[] = { 0, 0, 0, 1000, 2000, 0 };
    hostile_entry e[ENTRIES] = {
        { TIFFTAG_IMAGEWIDTH, TIFF_LONG, 1, SIDE },
        { TIFFTAG_IMAGELENGTH, TIFF_LONG, 1, SIDE },
        { TIFFTAG_BITSPERSAMPLE, TIFF_SHORT, SAMPLES, BITS },
        { TIFFTAG_COMPRESSION, TIFF_SHORT, 1, COMPRESSION_NONE },
        { TIFFTAG_PHOTOMETRIC, TIFF_SHORT, 1, PHOTOMETRIC_RGB },
        { TIFFTAG_STRIPOFFSETS, TIFF_LONG, 1, PIXELS },
        { TIFFTAG_SAMPLESPERPIXEL, TIFF_SHORT, 1, SAMPLES },
        { TIFFTAG_ROWSPERSTRIP, TIFF_LONG, 1, SIDE },
        { TIFFTAG_STRIPBYTECOUNTS, TIFF_LONG, 1, SIDE * SIDE * SAMPLES },
        { TIFFTAG_EXTRASAMPLES, TIFF_SHORT, 1, EXTRASAMPLE_UNASSALPHA },
        { 33550, TIFF_DOUBLE, 3, SCALE },
        { 33922, TIFF_DOUBLE, 6, TIES },
        { 34735, TIFF_SHORT, 8, KEYS },
        { 34736, TIFF_DOUBLE, 1, SCALE },
        { 34737, TIFF_ASCII, 8, TEXT },
        { NO_DATA, TIFF_ASCII, 2, '7' },
    };
    for (int i = 0; i < ENTRIES && other; i++)
        if (e[i].tag == other->tag)
            e[i] = *other;
    hostile_header(f);
    hostile_directory(f, e, ENTRIES, 0);
    for (int i = 0; i < SAMPLES; i++)
        hostile_put16(f, 8);
    hostile_put(f, scale, sizeof scale);
    hostile_put(f, ties, sizeof ties);
    for (uint16_t i = 0; i < 8; i++)
        hostile_put16(f, (uint16_t)(i == 3 ? 1 : i < 4 ? i == 0 || i == 1 : 1024 * (i == 4)));
    hostile_put(f, "a\nb\x7f|\x80 ", 8);
    for (int i = 0; i < SIDE * SIDE * SAMPLES; i++)
        hostile_put(f, &(uint8_t){ (uint8_t)(i * 37) }, 1);
}

void hostile_tagged(hostile_bytes *f)
{
    build(f, NULL);
}

#define TEXT4(a, b, c, d)                                                                          \
    ((uint32_t)(a) | (uint32_t)(b) << 8 | (uint32_t)(c) << 16 | (uint32_t)(d) << 24)

int hostile_tag(int i, hostile_bytes *f, const char **name, int *may_open)
{
    static const struct {
        const char *name;
        hostile_entry entry;
        int may_open;
    } cases[] = {
        { "no-data of 4 GB", { NO_DATA, TIFF_ASCII, 0xffffffffu, 8 }, 1 },
        { "no-data beyond the end", { NO_DATA, TIFF_ASCII, 100, 1u << 30 }, 1 },
        { "no-data of no bytes", { NO_DATA, TIFF_ASCII, 0, 0 }, 1 },
        { "no-data without an end", { NO_DATA, TIFF_ASCII, 4, TEXT4('1', '2', '3', '4') }, 2 },
        { "no-data of blanks", { NO_DATA, TIFF_ASCII, 4, TEXT4(' ', '\t', ' ', 0) }, 2 },
        { "no-data of line breaks", { NO_DATA, TIFF_ASCII, 4, TEXT4('\n', '7', '\r', '\n') }, 2 },
        { "no-data in two lines", { NO_DATA, TIFF_ASCII, 4, TEXT4('7', '\n', '7', 0) }, 0 },
        { "no-data of controls", { NO_DATA, TIFF_ASCII, 4, TEXT4(27, '[', 'm', 0) }, 0 },
        { "no-data of high bytes", { NO_DATA, TIFF_ASCII, 4, TEXT4(0xff, 0xfe, 0x80, 0xc0) }, 0 },
        { "no-data of binary", { NO_DATA, TIFF_ASCII, SIDE * SIDE * SAMPLES, PIXELS }, 1 },
        { "no-data as double", { NO_DATA, TIFF_DOUBLE, 3, SCALE }, 0 },
        { "no-data as long", { NO_DATA, TIFF_LONG, 1, 7 }, 0 },
        { "scale of 2^29", { 33550, TIFF_DOUBLE, 1u << 29, SCALE }, 1 },
        { "scale of 2", { 33550, TIFF_DOUBLE, 2, SCALE }, 2 },
        { "scale as text", { 33550, TIFF_ASCII, 24, SCALE }, 2 },
        { "ties of 2^32 - 2", { 33922, TIFF_DOUBLE, 0xfffffffeu, TIES }, 1 },
        { "ties of 5", { 33922, TIFF_DOUBLE, 5, TIES }, 2 },
        { "ties beyond the end", { 33922, TIFF_DOUBLE, 600, TIES }, 1 },
        { "ties of none", { 33922, TIFF_DOUBLE, 0, TIES }, 1 },
        { "keys of 3", { 34735, TIFF_SHORT, 3, KEYS }, 2 },
        { "keys of 2^31", { 34735, TIFF_SHORT, 1u << 31, KEYS }, 1 },
        { "keys as long", { 34735, TIFF_LONG, 4, KEYS }, 2 },
        { "text of 4 GB", { 34737, TIFF_ASCII, 0xffffffffu, TEXT }, 1 },
        { "extra samples: 3", { TIFFTAG_EXTRASAMPLES, TIFF_SHORT, 2, TEXT4(2, 0, 2, 0) }, 1 },
        { "extra samples: all", { TIFFTAG_EXTRASAMPLES, TIFF_SHORT, SAMPLES, KEYS }, 1 },
        { "extra samples: 9", { TIFFTAG_EXTRASAMPLES, TIFF_SHORT, 9, KEYS }, 1 },
        { "extra samples: 65535", { TIFFTAG_EXTRASAMPLES, TIFF_SHORT, 65535, KEYS }, 1 },
        { "extra samples: of a kind", { TIFFTAG_EXTRASAMPLES, TIFF_SHORT, 1, 4711 }, 1 },
        { "65535 samples", { TIFFTAG_SAMPLESPERPIXEL, TIFF_SHORT, 1, 65535 }, 0 },
        { "65 samples", { TIFFTAG_SAMPLESPERPIXEL, TIFF_SHORT, 1, 65 }, 0 },
        { "2 samples", { TIFFTAG_SAMPLESPERPIXEL, TIFF_SHORT, 1, 2 }, 0 },
    };
    if (i < 0 || i >= (int)(sizeof cases / sizeof cases[0]))
        return 0;
    *name = cases[i].name;
    *may_open = cases[i].may_open;
    build(f, &cases[i].entry);
    return 1;
}
