/* SPDX-License-Identifier: BSD-2-Clause */
#include "hostile.h"

#include <string.h>
#include <tiff.h>

void hostile_put(hostile_bytes *f, const void *bytes, size_t size)
{
    if (f->size + size <= sizeof f->data) {
        memcpy(f->data + f->size, bytes, size);
        f->size += size;
    }
}

void hostile_put16(hostile_bytes *f, uint16_t v)
{
    const uint8_t b[2] = { (uint8_t)v, (uint8_t)(v >> 8) };
    hostile_put(f, b, 2);
}

void hostile_put32(hostile_bytes *f, uint32_t v)
{
    hostile_put16(f, (uint16_t)v);
    hostile_put16(f, (uint16_t)(v >> 16));
}

void hostile_header(hostile_bytes *f)
{
    f->size = 0;
    hostile_put(f, "II*\0", 4);
    hostile_put32(f, 8);
}

void hostile_directory(hostile_bytes *f, const hostile_entry *entries, int count, uint32_t next)
{
    hostile_put16(f, (uint16_t)count);
    for (int i = 0; i < count; i++) {
        hostile_put16(f, entries[i].tag);
        hostile_put16(f, entries[i].type);
        hostile_put32(f, entries[i].count);
        hostile_put32(f, entries[i].value);
    }
    hostile_put32(f, next);
}

/* Writes a grey image in a strip; its data are the last bytes of the file. */
static void strips(hostile_bytes *f, uint32_t width, uint32_t height, uint16_t bits,
                   uint16_t samples, uint16_t compression, uint32_t rows)
{
    const uint32_t bytes = 64, offset = 8 + 2 + 9 * 12 + 4;
    const hostile_entry e[] = { { TIFFTAG_IMAGEWIDTH, TIFF_LONG, 1, width },
                                { TIFFTAG_IMAGELENGTH, TIFF_LONG, 1, height },
                                { TIFFTAG_BITSPERSAMPLE, TIFF_SHORT, 1, bits },
                                { TIFFTAG_COMPRESSION, TIFF_SHORT, 1, compression },
                                { TIFFTAG_PHOTOMETRIC, TIFF_SHORT, 1, 1 },
                                { TIFFTAG_STRIPOFFSETS, TIFF_LONG, 1, offset },
                                { TIFFTAG_SAMPLESPERPIXEL, TIFF_SHORT, 1, samples },
                                { TIFFTAG_ROWSPERSTRIP, TIFF_LONG, 1, rows },
                                { TIFFTAG_STRIPBYTECOUNTS, TIFF_LONG, 1, bytes } };
    hostile_header(f);
    hostile_directory(f, e, 9, 0);
    for (uint32_t i = 0; i < bytes; i++)
        hostile_put(f, "\x78", 1);
}

static void tiles(hostile_bytes *f, uint32_t width, uint32_t height, uint32_t tile_width,
                  uint32_t tile_height, uint16_t compression)
{
    const uint32_t bytes = 64, offset = 8 + 2 + 10 * 12 + 4;
    const hostile_entry e[] = { { TIFFTAG_IMAGEWIDTH, TIFF_LONG, 1, width },
                                { TIFFTAG_IMAGELENGTH, TIFF_LONG, 1, height },
                                { TIFFTAG_BITSPERSAMPLE, TIFF_SHORT, 1, 8 },
                                { TIFFTAG_COMPRESSION, TIFF_SHORT, 1, compression },
                                { TIFFTAG_PHOTOMETRIC, TIFF_SHORT, 1, 1 },
                                { TIFFTAG_SAMPLESPERPIXEL, TIFF_SHORT, 1, 1 },
                                { TIFFTAG_TILEWIDTH, TIFF_LONG, 1, tile_width },
                                { TIFFTAG_TILELENGTH, TIFF_LONG, 1, tile_height },
                                { TIFFTAG_TILEOFFSETS, TIFF_LONG, 1, offset },
                                { TIFFTAG_TILEBYTECOUNTS, TIFF_LONG, 1, bytes } };
    hostile_header(f);
    hostile_directory(f, e, 10, 0);
    for (uint32_t i = 0; i < bytes; i++)
        hostile_put(f, "\x78", 1);
}

enum { NONE = COMPRESSION_NONE, ZIP = COMPRESSION_ADOBE_DEFLATE };

static void empty(hostile_bytes *f)
{
    f->size = 0;
}

static void not_tiff(hostile_bytes *f)
{
    f->size = 0;
    hostile_put(f, "\x89PNG\r\n\x1a\n and so on", 18);
}

static void side_2_31(hostile_bytes *f)
{
    strips(f, 0x80000000u, 0x80000000u, 8, 1, NONE, 0x80000000u);
}

static void side_2_31_less_1(hostile_bytes *f)
{
    strips(f, 0x7fffffffu, 0x7fffffffu, 8, 1, ZIP, 1);
}

static void side_all_ones(hostile_bytes *f)
{
    strips(f, 0xffffffffu, 0xffffffffu, 16, 4, ZIP, 0xffffffffu);
}

static void one_strip_deflate(hostile_bytes *f)
{
    strips(f, 200000, 200000, 8, 1, ZIP, 200000);
}

static void one_strip_none(hostile_bytes *f)
{
    strips(f, 200000, 200000, 8, 1, NONE, 200000);
}

static void one_strip_lzw(hostile_bytes *f)
{
    strips(f, 200000, 200000, 8, 1, COMPRESSION_LZW, 200000);
}

static void one_strip_packbits(hostile_bytes *f)
{
    strips(f, 200000, 200000, 8, 1, COMPRESSION_PACKBITS, 200000);
}

static void one_strip_zstd(hostile_bytes *f)
{
    strips(f, 200000, 200000, 8, 1, COMPRESSION_ZSTD, 200000);
}

static void one_strip_lerc(hostile_bytes *f)
{
    strips(f, 200000, 200000, 8, 1, COMPRESSION_LERC, 200000);
}

static void one_strip_g4(hostile_bytes *f)
{
    strips(f, 1000000, 1000000, 1, 1, COMPRESSION_CCITTFAX4, 1000000);
}

/* A claim that is accepted without a check of the file's size: memory must not be used before data
 * arrives. */
static void modest_claim(hostile_bytes *f)
{
    strips(f, 4000, 4000, 8, 1, ZIP, 4000);
}

static void many_strips(hostile_bytes *f)
{
    strips(f, 1, 1000000000, 8, 1, ZIP, 1);
}

static void zero_width(hostile_bytes *f)
{
    strips(f, 0, 10, 8, 1, NONE, 10);
}

static void zero_height(hostile_bytes *f)
{
    strips(f, 10, 0, 8, 1, NONE, 10);
}

static void zero_rows(hostile_bytes *f)
{
    strips(f, 8, 8, 8, 1, NONE, 0);
}

static void zero_samples(hostile_bytes *f)
{
    strips(f, 8, 8, 8, 0, NONE, 8);
}

static void zero_bits(hostile_bytes *f)
{
    strips(f, 8, 8, 0, 1, NONE, 8);
}

static void many_samples(hostile_bytes *f)
{
    strips(f, 8, 8, 8, 65529, NONE, 8);
}

static void many_samples_deflate(hostile_bytes *f)
{
    strips(f, 100000, 100000, 16, 65529, ZIP, 100000);
}

static void many_bits(hostile_bytes *f)
{
    strips(f, 8, 8, 65535, 1, NONE, 8);
}

static void tile_2_20(hostile_bytes *f)
{
    tiles(f, 1, 1, 1u << 20, 1u << 20, ZIP);
}

static void tile_2_30(hostile_bytes *f)
{
    tiles(f, 1, 1, 1u << 30, 1u << 30, NONE);
}

static void tile_2_31(hostile_bytes *f)
{
    tiles(f, 1, 1, 1u << 31, 1u << 31, ZIP);
}

static void tile_zero(hostile_bytes *f)
{
    tiles(f, 8, 8, 0, 0, NONE);
}

static void tile_flat(hostile_bytes *f)
{
    tiles(f, 1u << 30, 1, 16, 16, ZIP);
}

/* Directories whose next directory is the first one, or themselves. */
static void loop_to_self(hostile_bytes *f)
{
    strips(f, 8, 8, 8, 1, NONE, 8);
    f->data[8 + 2 + 9 * 12] = 8;
}

static void loop_of_two(hostile_bytes *f)
{
    strips(f, 8, 8, 8, 1, NONE, 8);
    const uint8_t second = (uint8_t)f->size,
                  back[] = { 1, 0, 0, 1, 4, 0, 1, 0, 0, 0, 8, 0, 0, 0, 8, 0, 0, 0 };
    f->data[8 + 2 + 9 * 12] = second;
    hostile_put(f, back, sizeof back);
}

/* A claim of 2^32 - 1 strip offsets at byte 8. */
static void many_offsets(hostile_bytes *f)
{
    strips(f, 8, 8, 8, 1, NONE, 1);
    memset(f->data + 8 + 2 + 5 * 12 + 4, 0xff, 4);
}

static void directory_beyond_end(hostile_bytes *f)
{
    hostile_header(f);
    memset(f->data + 4, 0xf0, 4);
}

static void many_entries(hostile_bytes *f)
{
    hostile_header(f);
    hostile_put16(f, 65535);
    for (int i = 0; i < 100; i++)
        hostile_put32(f, 0x01000100u);
}

const hostile_file hostile_files[] = {
    { "empty", empty, 0 },
    { "not-tiff", not_tiff, 0 },
    { "side-2^31", side_2_31, 0 },
    { "side-2^31-1", side_2_31_less_1, 0 },
    { "side-2^32-1", side_all_ones, 0 },
    { "one-strip-deflate", one_strip_deflate, 0 },
    { "one-strip-none", one_strip_none, 0 },
    { "one-strip-lzw", one_strip_lzw, 0 },
    { "one-strip-packbits", one_strip_packbits, 0 },
    { "one-strip-zstd", one_strip_zstd, 0 },
    { "one-strip-lerc", one_strip_lerc, 0 },
    { "one-strip-g4", one_strip_g4, 0 },
    { "modest-claim", modest_claim, 0 },
    { "many-strips", many_strips, 0 },
    { "zero-width", zero_width, 0 },
    { "zero-height", zero_height, 0 },
    { "zero-rows", zero_rows, 1 },
    { "zero-samples", zero_samples, 0 },
    { "zero-bits", zero_bits, 0 },
    { "many-samples", many_samples, 0 },
    { "many-samples-deflate", many_samples_deflate, 0 },
    { "many-bits", many_bits, 0 },
    { "tile-2^20", tile_2_20, 0 },
    { "tile-2^30", tile_2_30, 0 },
    { "tile-2^31", tile_2_31, 0 },
    { "tile-zero", tile_zero, 0 },
    { "tile-flat", tile_flat, 0 },
    { "loop-to-self", loop_to_self, 1 },
    { "loop-of-two", loop_of_two, 1 },
    { "many-offsets", many_offsets, 1 },
    { "directory-beyond-end", directory_beyond_end, 0 },
    { "many-entries", many_entries, 0 },
};
const int hostile_count = sizeof hostile_files / sizeof hostile_files[0];
