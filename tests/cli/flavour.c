/* SPDX-License-Identifier: BSD-2-Clause */
#include "flavour.h"

#include <stdlib.h>
#include <string.h>
#include <tiffio.h>

#define GREY SAMPLEFORMAT_UINT, 1, PHOTOMETRIC_MINISBLACK
#define COLOUR SAMPLEFORMAT_UINT, 3, PHOTOMETRIC_RGB
enum { NONE = COMPRESSION_NONE, LZW = COMPRESSION_LZW, ZIP = COMPRESSION_ADOBE_DEFLATE };

/* PixarLog is left out, because libtiff 4.5 does not read back what it writes. Word-aligned RLE has
 * the same fault with more than one row per strip. */
const flavour flavours[] = {
    { "u8", 8, GREY, NONE, 0, 0, 0, NULL, 0, 0 },
    { "u8-odd-strips", 8, GREY, NONE, 0, 7, 0, NULL, 0, 0 },
    { "u8-tiles", 8, GREY, NONE, 0, 0, 16, NULL, 0, 0 },
    { "u8-big-tiles", 8, GREY, ZIP, 0, 0, 64, NULL, 0, 0 },
    { "u8-bigtiff", 8, GREY, LZW, 0, 5, 0, "w8", 0, 0 },
    { "u16-big-endian", 16, GREY, NONE, 0, 3, 0, "wb", 0, 0 },
    { "u16-little-endian", 16, GREY, ZIP, 0, 3, 0, "wl", 2, 0 },
    { "u16-big-endian-bigtiff-tiles", 16, GREY, ZIP, 0, 0, 32, "wb8", 0, 0 },
    { "s8", 8, SAMPLEFORMAT_INT, 1, PHOTOMETRIC_MINISBLACK, NONE, 0, 0, 0, NULL, 0, 0 },
    { "s16", 16, SAMPLEFORMAT_INT, 1, PHOTOMETRIC_MINISBLACK, NONE, 0, 4, 0, "wb", 0, 0 },
    { "u32", 32, GREY, LZW, 0, 4, 0, "wb", 0, 0 },
    { "s32", 32, SAMPLEFORMAT_INT, 1, PHOTOMETRIC_MINISBLACK, NONE, 0, 4, 0, NULL, 0, 0 },
    { "f32", 32, SAMPLEFORMAT_IEEEFP, 1, PHOTOMETRIC_MINISBLACK, NONE, 0, 4, 0, NULL, 0, 0 },
    { "f32-predictor", 32, SAMPLEFORMAT_IEEEFP, 1, PHOTOMETRIC_MINISBLACK, ZIP, 0, 0, 16, NULL, 3,
      0 },
    { "f64", 64, SAMPLEFORMAT_IEEEFP, 1, PHOTOMETRIC_MINISBLACK, LZW, 0, 9, 0, "wb", 0, 0 },
    { "minwhite", 8, SAMPLEFORMAT_UINT, 1, PHOTOMETRIC_MINISWHITE, LZW, 0, 6, 0, NULL, 0, 0 },
    { "minwhite-u16", 16, SAMPLEFORMAT_UINT, 1, PHOTOMETRIC_MINISWHITE, LZW, 0, 6, 0, NULL, 0, 0 },
    { "minwhite-s16", 16, SAMPLEFORMAT_INT, 1, PHOTOMETRIC_MINISWHITE, NONE, 0, 6, 0, NULL, 0, 0 },
    { "minwhite-f32", 32, SAMPLEFORMAT_IEEEFP, 1, PHOTOMETRIC_MINISWHITE, NONE, 0, 6, 0, NULL, 0,
      0 },
    { "minwhite-u32", 32, SAMPLEFORMAT_UINT, 1, PHOTOMETRIC_MINISWHITE, NONE, 0, 6, 0, NULL, 0, 0 },
    { "minwhite-s32", 32, SAMPLEFORMAT_INT, 1, PHOTOMETRIC_MINISWHITE, ZIP, 0, 0, 16, NULL, 0, 0 },
    { "bilevel", 1, GREY, NONE, 0, 0, 0, NULL, 0, 0 },
    { "bilevel-tiles", 1, GREY, ZIP, 0, 0, 16, NULL, 0, 0 },
    { "bilevel-g4", 1, SAMPLEFORMAT_UINT, 1, PHOTOMETRIC_MINISWHITE, COMPRESSION_CCITTFAX4, 0, 11,
      0, NULL, 0, 0 },
    { "bilevel-g3", 1, SAMPLEFORMAT_UINT, 1, PHOTOMETRIC_MINISWHITE, COMPRESSION_CCITTFAX3, 0, 11,
      0, NULL, 0, 0 },
    { "bilevel-rle", 1, SAMPLEFORMAT_UINT, 1, PHOTOMETRIC_MINISWHITE, COMPRESSION_CCITTRLE, 0, 11,
      0, NULL, 0, 0 },
    { "bilevel-rlew", 1, SAMPLEFORMAT_UINT, 1, PHOTOMETRIC_MINISWHITE, COMPRESSION_CCITTRLEW, 0, 1,
      0, NULL, 0, 0 },
    { "bilevel-jbig", 1, SAMPLEFORMAT_UINT, 1, PHOTOMETRIC_MINISWHITE, COMPRESSION_JBIG, 0, 0, 0,
      NULL, 0, 0 },
    { "two-bits", 2, GREY, NONE, 0, 0, 0, NULL, 0, 0 },
    { "four-bits", 4, GREY, LZW, 0, 5, 0, NULL, 0, 0 },
    { "palette", 8, SAMPLEFORMAT_UINT, 1, PHOTOMETRIC_PALETTE, COMPRESSION_PACKBITS, 0, 8, 0, NULL,
      0, 0 },
    { "palette-four-bits", 4, SAMPLEFORMAT_UINT, 1, PHOTOMETRIC_PALETTE, NONE, 0, 0, 0, NULL, 0,
      0 },
    { "rgb", 8, COLOUR, LZW, 0, 8, 0, NULL, 2, 0 },
    { "rgb-planes", 8, COLOUR, LZW, 1, 8, 0, NULL, 0, 0 },
    { "rgb-u16-planes-tiles", 16, COLOUR, ZIP, 1, 0, 32, "wb", 0, 0 },
    { "rgb-f32", 32, SAMPLEFORMAT_IEEEFP, 3, PHOTOMETRIC_RGB, NONE, 0, 8, 0, NULL, 0, 0 },
    { "rgb-s16", 16, SAMPLEFORMAT_INT, 3, PHOTOMETRIC_RGB, NONE, 0, 8, 0, NULL, 0, 0 },
    { "rgb-u32", 32, COLOUR, NONE, 0, 8, 0, "wb", 0, 0 },
    { "rgb-s8", 8, SAMPLEFORMAT_INT, 3, PHOTOMETRIC_RGB, NONE, 0, 8, 0, NULL, 0, 0 },
    { "rgb-f64-planes", 64, SAMPLEFORMAT_IEEEFP, 3, PHOTOMETRIC_RGB, ZIP, 1, 8, 0, NULL, 0, 0 },
    { "rgba-planes", 16, SAMPLEFORMAT_UINT, 4, PHOTOMETRIC_RGB, ZIP, 1, 0, 16, NULL, 0, 0 },
    { "rgba", 8, SAMPLEFORMAT_UINT, 4, PHOTOMETRIC_RGB, ZIP, 0, 8, 0, NULL, 0, 0 },
    { "grey-alpha", 8, SAMPLEFORMAT_UINT, 2, PHOTOMETRIC_MINISBLACK, NONE, 0, 8, 0, NULL, 0, 0 },
    { "bands", 16, SAMPLEFORMAT_UINT, 6, PHOTOMETRIC_MINISBLACK, ZIP, 0, 8, 0, NULL, 0, 0 },
    { "bands-planes", 16, SAMPLEFORMAT_UINT, 6, PHOTOMETRIC_MINISBLACK, ZIP, 1, 8, 0, NULL, 0, 0 },
    { "packbits", 8, GREY, COMPRESSION_PACKBITS, 0, 8, 0, NULL, 0, 0 },
    { "old-deflate", 8, GREY, COMPRESSION_DEFLATE, 0, 8, 0, NULL, 2, 0 },
    { "lzma", 8, GREY, COMPRESSION_LZMA, 0, 8, 0, NULL, 0, 0 },
    { "zstd", 16, GREY, COMPRESSION_ZSTD, 0, 8, 0, NULL, 2, 0 },
    { "lerc", 32, SAMPLEFORMAT_IEEEFP, 1, PHOTOMETRIC_MINISBLACK, COMPRESSION_LERC, 0, 8, 0, NULL,
      0, 0 },
    { "lerc-u8", 8, GREY, COMPRESSION_LERC, 0, 0, 16, NULL, 0, 0 },
    { "webp", 8, COLOUR, COMPRESSION_WEBP, 0, 16, 0, NULL, 0, 0 },
    { "jpeg", 8, GREY, COMPRESSION_JPEG, 0, 16, 0, NULL, 0, 20 },
    { "jpeg-ycbcr", 8, SAMPLEFORMAT_UINT, 3, PHOTOMETRIC_YCBCR, COMPRESSION_JPEG, 0, 16, 0, NULL, 0,
      20 },
    { "jpeg-tiles", 8, COLOUR, COMPRESSION_JPEG, 0, 0, 32, NULL, 0, 20 },
    { "sgilog", 32, SAMPLEFORMAT_IEEEFP, 1, PHOTOMETRIC_LOGL, COMPRESSION_SGILOG, 0, 8, 0, NULL, 0,
      2 },
};
const int flavour_count = sizeof flavours / sizeof flavours[0];

/* The level of a grey value in a sample with few bits. */
static unsigned quantize(const flavour *f, uint8_t grey)
{
    return (unsigned)grey >> (8 - f->bits);
}

/* A palette whose entries are not ordered by brightness: entry i has level (i * 37) modulo the
 * number of entries. */
static unsigned palette_index(unsigned level, unsigned entries)
{
    for (unsigned i = 0; i < entries; i++)
        if (i * 37 % entries == level)
            return i;
    return 0;
}

static int32_t signed_level(uint8_t grey)
{
    return grey * 200 - 20000;
}

/* A value with more digits than a float has. */
static int32_t long_level(uint8_t grey)
{
    return (grey - 128) * 16777213 - 1;
}

double flavour_expect(const flavour *f, uint8_t grey)
{
    if (f->format == SAMPLEFORMAT_IEEEFP)
        return grey / 4.0 + 0.5;
    if (f->format == SAMPLEFORMAT_INT)
        return f->bits == 8 ? grey - 128 : f->bits == 16 ? signed_level(grey) : long_level(grey);
    if (f->bits == 32)
        return grey * 16843009.0;
    if (f->bits == 16)
        return grey * 257;
    return f->bits < 8 ? (double)(quantize(f, grey) * 255 / ((1u << f->bits) - 1)) : grey;
}

double flavour_tolerance(const flavour *f)
{
    return f->format == SAMPLEFORMAT_IEEEFP ? f->tolerance / 4.0 : f->tolerance;
}

xncc_pixel flavour_sample(const flavour *f)
{
    if (f->format == SAMPLEFORMAT_IEEEFP)
        return f->bits == 64 ? XNCC_F64 : XNCC_F32;
    if (f->format == SAMPLEFORMAT_INT)
        return f->bits == 32 ? XNCC_F64 : f->bits == 16 ? XNCC_S16 : XNCC_S8;
    return f->bits == 32 ? XNCC_U32 : f->bits == 16 ? XNCC_U16 : XNCC_U8;
}

uint8_t flavour_extra(int s)
{
    return (uint8_t)(90 + 50 * s);
}

/* Stores sample s of a pixel in a row or tile; index counts samples from its start. Extra samples
 * have other values. */
static void put_sample(const flavour *f, uint8_t *row, uint64_t index, int s, uint8_t grey)
{
    const int white = f->photometric == PHOTOMETRIC_MINISWHITE,
              colours = f->photometric == PHOTOMETRIC_RGB || f->photometric == PHOTOMETRIC_YCBCR;
    if (s >= (colours ? 3 : 1))
        grey = flavour_extra(s);
    if (f->format == SAMPLEFORMAT_IEEEFP) {
        double d = flavour_expect(f, grey) * (white ? -1.0 : 1.0);
        float v = (float)d;
        memcpy(row + index * f->bits / 8, f->bits == 64 ? (void *)&d : (void *)&v, f->bits / 8u);
    } else if (f->format == SAMPLEFORMAT_INT && f->bits == 16) {
        int16_t v = (int16_t)(white ? -1 - signed_level(grey) : signed_level(grey));
        memcpy(row + 2 * index, &v, 2);
    } else if (f->bits == 32) {
        int32_t v = white ? -1 - long_level(grey) : long_level(grey);
        uint32_t u = grey * 16843009u;
        u = white ? UINT32_MAX - u : u;
        memcpy(row + 4 * index, f->format == SAMPLEFORMAT_INT ? (void *)&v : (void *)&u, 4);
    } else if (f->bits == 16) {
        uint16_t v = (uint16_t)(white ? 65535 - grey * 257 : grey * 257);
        memcpy(row + 2 * index, &v, 2);
    } else if (f->format == SAMPLEFORMAT_INT) {
        row[index] = (uint8_t)(grey - 128);
    } else {
        unsigned entries = 1u << f->bits, v = quantize(f, grey);
        v = white                                   ? entries - 1 - v
            : f->photometric == PHOTOMETRIC_PALETTE ? palette_index(v, entries)
                                                    : v;
        uint64_t bit = index * f->bits;
        row[bit / 8] |= (uint8_t)(v << (8 - f->bits - bit % 8));
    }
}

/* Fills rows or a tile, for one plane or for all samples. */
static void fill_block(const flavour *f, uint8_t *block, tmsize_t row_bytes, const int *area,
                       int plane, flavour_grey grey)
{
    memset(block, 0, (size_t)row_bytes * (size_t)area[3]);
    for (int y = 0; y < area[3]; y++)
        for (int x = 0; x < area[2]; x++)
            for (int s = 0; s < (f->separate ? 1 : f->samples); s++)
                put_sample(f, block + y * row_bytes,
                           (uint64_t)x * (f->separate ? 1u : f->samples) + (unsigned)s,
                           f->separate ? plane : s, grey(area[0] + x, area[1] + y));
}

static void set_tags(TIFF *tif, const flavour *f, int width, int height)
{
    TIFFSetField(tif, TIFFTAG_IMAGEWIDTH, (uint32_t)width);
    TIFFSetField(tif, TIFFTAG_IMAGELENGTH, (uint32_t)height);
    TIFFSetField(tif, TIFFTAG_SAMPLESPERPIXEL, f->samples);
    TIFFSetField(tif, TIFFTAG_BITSPERSAMPLE, f->bits);
    TIFFSetField(tif, TIFFTAG_SAMPLEFORMAT, f->format);
    TIFFSetField(tif, TIFFTAG_COMPRESSION, f->compression);
    TIFFSetField(tif, TIFFTAG_PHOTOMETRIC, f->photometric);
    TIFFSetField(tif, TIFFTAG_PLANARCONFIG,
                 f->separate ? PLANARCONFIG_SEPARATE : PLANARCONFIG_CONTIG);
    if (f->predictor)
        TIFFSetField(tif, TIFFTAG_PREDICTOR, f->predictor);
    if (f->compression == COMPRESSION_WEBP)
        TIFFSetField(tif, TIFFTAG_WEBP_LOSSLESS, 1);
    if (f->compression == COMPRESSION_JPEG)
        TIFFSetField(tif, TIFFTAG_JPEGQUALITY, 90);
    if (f->photometric == PHOTOMETRIC_YCBCR)
        TIFFSetField(tif, TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
    if (f->compression == COMPRESSION_SGILOG)
        TIFFSetField(tif, TIFFTAG_SGILOGDATAFMT, SGILOGDATAFMT_FLOAT);
    if (f->tile) {
        TIFFSetField(tif, TIFFTAG_TILEWIDTH, f->tile);
        TIFFSetField(tif, TIFFTAG_TILELENGTH, f->tile);
    } else {
        TIFFSetField(tif, TIFFTAG_ROWSPERSTRIP, f->strip_rows ? f->strip_rows : (uint32_t)height);
    }
    uint16_t extra[16] = { EXTRASAMPLE_UNASSALPHA };
    int used = f->photometric == PHOTOMETRIC_RGB || f->photometric == PHOTOMETRIC_YCBCR ? 3 : 1;
    if (f->samples > used)
        TIFFSetField(tif, TIFFTAG_EXTRASAMPLES, f->samples - used, extra);
    if (f->photometric == PHOTOMETRIC_PALETTE) {
        uint16_t map[256];
        unsigned entries = 1u << f->bits;
        for (unsigned i = 0; i < entries; i++)
            map[i] = (uint16_t)(i * 37 % entries * (65535 / (entries - 1)));
        TIFFSetField(tif, TIFFTAG_COLORMAP, map, map, map);
    }
}

static int write_tiles(TIFF *tif, const flavour *f, int width, int height, uint8_t *block,
                       flavour_grey grey)
{
    const int side = (int)f->tile;
    for (int plane = 0; plane < (f->separate ? f->samples : 1); plane++)
        for (int y = 0; y < height; y += side)
            for (int x = 0; x < width; x += side) {
                const int area[4] = { x, y, side, side };
                fill_block(f, block, TIFFTileRowSize(tif), area, plane, grey);
                uint32_t tile = TIFFComputeTile(tif, (uint32_t)x, (uint32_t)y, 0, (uint16_t)plane);
                if (TIFFWriteEncodedTile(tif, tile, block, TIFFTileSize(tif)) < 0)
                    return 0;
            }
    return 1;
}

static int write_strips(TIFF *tif, const flavour *f, int width, int height, uint8_t *block,
                        flavour_grey grey)
{
    const int rows = f->strip_rows ? (int)f->strip_rows : height;
    for (int plane = 0; plane < (f->separate ? f->samples : 1); plane++)
        for (int y = 0; y < height; y += rows) {
            const int area[4] = { 0, y, width, height - y < rows ? height - y : rows };
            fill_block(f, block, TIFFScanlineSize(tif), area, plane, grey);
            uint32_t strip = TIFFComputeStrip(tif, (uint32_t)y, (uint16_t)plane);
            if (TIFFWriteEncodedStrip(tif, strip, block, TIFFVStripSize(tif, (uint32_t)area[3])) <
                0)
                return 0;
        }
    return 1;
}

int flavour_write(const char *path, const flavour *f, int width, int height, flavour_grey grey)
{
    const char *mode = f->mode ? f->mode : "w";
    if (!TIFFIsCODECConfigured(f->compression))
        return 0;
    TIFF *tif = TIFFOpen(path, mode);
    if (!tif)
        return -1;
    set_tags(tif, f, width, height);
    uint8_t *block = malloc((size_t)(f->tile ? TIFFTileSize(tif) : TIFFStripSize(tif)));
    int ok = block && (f->tile ? write_tiles(tif, f, width, height, block, grey)
                               : write_strips(tif, f, width, height, block, grey));
    ok = TIFFFlush(tif) && ok;
    free(block);
    TIFFClose(tif);
    return ok ? 1 : -1;
}

uint8_t flavour_scene(int x, int y)
{
    /* Blobs of several pixels, so that lossy codecs and 1-bit samples preserve them. */
    uint32_t h = (uint32_t)(x / 3) * 2654435761u ^ (uint32_t)(y / 3) * 2246822519u;
    h ^= h >> 15;
    h *= 2654435761u;
    return (uint8_t)(h >> 24);
}
