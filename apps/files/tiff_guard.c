/* SPDX-License-Identifier: BSD-2-Clause */
/* Strips and tiles before libtiff reads them.
 *
 * Some streams contain their own picture size. libtiff passes them to the codec
 * unchecked, and a few wrong bits make the codec allocate and fill gigabytes before libtiff
 * compares the result with the tags. So the header of the stream is checked first. */
#include "tiff_layout.h"

#include "geo.h"

#include <math.h>
#include <string.h>

static uint32_t big_endian(const uint8_t *b)
{
    return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

/* ITU-T T.82, 6.6.2: DL, D, P, a fill byte, XD, YD, L0, MX, MY, order, options. */
static int jbig_header_fits(const uint8_t *b, uint32_t width, uint32_t height)
{
    enum { LAYERS = 8 };
    return b[0] <= b[1] && b[1] <= LAYERS && b[2] == 1 && big_endian(b + 4) == width &&
           big_endian(b + 8) == height;
}

int tiff_guard_segment(TIFF *tif, const tiff_layout *l, uint32_t segment, uint32_t rows)
{
    enum { HEADER = 20 };
    uint8_t header[HEADER];
    uint16_t order = FILLORDER_MSB2LSB;
    if (l->compression != COMPRESSION_JBIG)
        return 1;
    tmsize_t got = l->tiled ? TIFFReadRawTile(tif, segment, header, HEADER)
                            : TIFFReadRawStrip(tif, segment, header, HEADER);
    if (got != HEADER)
        return 0;
    /* libtiff reverses the bits of the stream if the fill order is the usual one. */
    TIFFGetFieldDefaulted(tif, TIFFTAG_FILLORDER, &order);
    if (order == FILLORDER_MSB2LSB)
        TIFFReverseBits(header, HEADER);
    return jbig_header_fits(header, l->segment_width, rows);
}

tiff_stored tiff_guard_stored(TIFF *tif, const tiff_layout *l, uint32_t segment, uint64_t bytes,
                              const char **why)
{
    const uint64_t offset = TIFFGetStrileOffset(tif, segment),
                   count = TIFFGetStrileByteCount(tif, segment);
    *why = "";
    if (count == 0 && offset == 0 && !l->short_lists)
        return TIFF_MISSING;
    if (l->short_lists && (count == 0 || offset == 0))
        *why = "the lists of offsets and sizes are too short";
    else if (offset == 0)
        *why = "its offset is 0";
    else if (count == 0)
        *why = "its size is 0";
    else if (l->compression == COMPRESSION_NONE && count < bytes)
        *why = "fewer bytes are stored than it has";
    return **why ? TIFF_DAMAGED : TIFF_STORED;
}

/* A value as a sample of the file, if the type can hold it, else 0. Returns its bytes. */
static unsigned sample_of(const app_samples *s, double value, uint8_t *sample)
{
    const unsigned bytes = s->bits < 8 ? 1 : s->bits / 8u;
    const double span = ldexp(1.0, s->bits), low = s->kind == APP_SIGNED ? -span / 2 : 0;
    memset(sample, 0, 8);
    if (s->kind == APP_FLOAT) {
        const float narrow = fabs(value) <= 3.4028236e38 || !isfinite(value) ? (float)value : 0.0f;
        memcpy(sample, s->bits == 64 ? (const void *)&value : &narrow, bytes);
    } else if (value >= low && value < low + span && floor(value) == value) {
        const int64_t whole = (int64_t)value;
        uint32_t all = (uint32_t)whole;
        const uint16_t two = (uint16_t)all;
        for (unsigned i = s->bits; i < 8; i += s->bits)
            all |= all << s->bits; /* packed samples: the byte repeats them */
        const uint8_t one = (uint8_t)all;
        memcpy(sample,
               bytes == 1   ? (const void *)&one
               : bytes == 2 ? (const void *)&two
                            : &all,
               bytes);
    }
    return bytes;
}

void tiff_guard_fill(TIFF *tif, const tiff_layout *l, uint8_t *to, uint64_t bytes)
{
    double value = 0;
    char text[64];
    uint8_t sample[8];
    const int has = app_no_data_read(tif, &value, text, sizeof text) > 0;
    const unsigned size = sample_of(&l->s, has ? value : 0, sample);
    for (uint64_t i = 0; i < bytes; i++)
        to[i] = sample[i % size];
}
