/* Conversion of rows of samples as libtiff decodes them (native byte order, packed bits) to rows of
 * the picture. */
#include "tiff_layout.h"

#include <math.h>
#include <string.h>

enum {
    CHUNK = 2048
}; /* pixels converted at a time, so that the buffers stay small for any width */

/* A few pixels of a row. */
typedef struct chunk {
    const tiff_layout *l;
    const uint8_t *const *row;
    uint64_t first; /* index of the first pixel in the row */
    size_t count;   /* pixels */
    void *out;      /* the whole row of the picture */
    uint8_t *mask;  /* of these pixels, or NULL */
} chunk;

/* The index of the k-th picked sample of pixel `first` in its row. *step: samples from one pixel to
 * the next. */
static uint64_t locate(const chunk *c, unsigned k, const uint8_t **row, uint64_t *step)
{
    const tiff_layout *l = c->l;
    *row = c->row[l->separate ? k : 0];
    *step = l->separate ? 1 : l->samples;
    return c->first * *step + (l->separate ? 0 : l->pick[k]);
}

/* Reads the k-th picked samples (up to 16 bits, or 32 bits unsigned) as unsigned numbers. Half of
 * the range is added to signed ones. */
static void gather_integers(const chunk *c, unsigned k, uint32_t *out)
{
    const tiff_layout *l = c->l;
    const uint8_t *row;
    uint64_t step, at = locate(c, k, &row, &step);
    const int is_signed = l->format == SAMPLEFORMAT_INT;
    const unsigned mask = l->bits < 8 ? (1u << l->bits) - 1 : 255,
                   scale = l->palette ? 1 : 255 / mask;
    for (size_t i = 0; i < c->count; i++, at += step) {
        if (l->bits == 32) {
            memcpy(&out[i], row + 4 * at, 4);
        } else if (l->bits == 16) {
            uint16_t v;
            memcpy(&v, row + 2 * at, 2);
            out[i] = is_signed ? v ^ 0x8000u : v;
        } else if (l->bits == 8) {
            out[i] = is_signed ? row[at] ^ 0x80u : row[at];
        } else {
            const uint64_t bit = at * l->bits;
            const unsigned v = (unsigned)row[bit >> 3] >> (8 - l->bits - (unsigned)(bit & 7));
            out[i] = (v & mask) * scale;
        }
    }
}

/* Reads the k-th picked samples: floats, or 32-bit signed. */
static void gather_reals(const chunk *c, unsigned k, double *out)
{
    const uint8_t *row;
    uint64_t step, at = locate(c, k, &row, &step);
    for (size_t i = 0; i < c->count; i++, at += step) {
        float f;
        int32_t n;
        if (c->l->bits == 64) {
            memcpy(&out[i], row + 8 * at, 8);
        } else if (c->l->format == SAMPLEFORMAT_INT) {
            memcpy(&n, row + 4 * at, 4);
            out[i] = n;
        } else {
            memcpy(&f, row + 4 * at, 4);
            out[i] = (double)f;
        }
    }
}

/* The mask before the first sample. A pixel counts as soon as one sample differs from the no-data
 * value; if that is NaN, until one sample is NaN. */
static void mask_begin(const chunk *c)
{
    if (c->mask)
        memset(c->mask, !c->l->has_no_data || isnan(c->l->no_data), c->count);
}

static void mask_integers(const chunk *c, const uint32_t *v)
{
    if (c->mask && c->l->has_no_data)
        for (size_t i = 0; i < c->count; i++)
            c->mask[i] |= v[i] != c->l->no_data_level;
}

static void mask_reals(const chunk *c, const double *v)
{
    if (!c->mask || !c->l->has_no_data)
        return;
    for (size_t i = 0; i < c->count; i++) {
        if (isnan(c->l->no_data))
            c->mask[i] = c->mask[i] && !isnan(v[i]);
        else
            c->mask[i] |= v[i] != c->l->no_data;
    }
}

/* Stores one channel of the pixels. */
static void store_integers(const chunk *c, unsigned channel, const uint32_t *v)
{
    const size_t step = c->l->channels;
    size_t at = (size_t)c->first * step + channel;
    for (size_t i = 0; i < c->count; i++, at += step) {
        switch (c->l->pixel) {
        case XNCC_U8: ((uint8_t *)c->out)[at] = (uint8_t)v[i]; break;
        case XNCC_S8: ((uint8_t *)c->out)[at] = (uint8_t)(v[i] ^ 0x80u); break;
        case XNCC_U16: ((uint16_t *)c->out)[at] = (uint16_t)v[i]; break;
        case XNCC_S16: ((uint16_t *)c->out)[at] = (uint16_t)(v[i] ^ 0x8000u); break;
        default: ((uint32_t *)c->out)[at] = v[i]; break;
        }
    }
}

static void store_reals(const chunk *c, unsigned channel, const double *v)
{
    const size_t step = c->l->channels;
    size_t at = (size_t)c->first * step + channel;
    for (size_t i = 0; i < c->count; i++, at += step) {
        if (c->l->pixel == XNCC_F32)
            ((float *)c->out)[at] = (float)v[i];
        else
            ((double *)c->out)[at] = v[i];
    }
}

static void finish_integers(const chunk *c, unsigned channel, uint32_t *v)
{
    const tiff_layout *l = c->l;
    const uint32_t top = l->bits == 32 ? UINT32_MAX : l->bits == 16 ? 65535 : 255;
    for (size_t i = 0; i < c->count && l->invert; i++)
        v[i] = top - v[i];
    store_integers(c, channel, v);
}

static void finish_reals(const chunk *c, unsigned channel, double *v)
{
    const double top = c->l->format == SAMPLEFORMAT_INT ? -1.0 : 0.0;
    for (size_t i = 0; i < c->count && c->l->invert; i++)
        v[i] = top == 0.0 ? -v[i] : top - v[i];
    store_reals(c, channel, v);
}

/* Converts palette indices to luma, or to three channels. */
static void finish_palette(const chunk *c, const uint32_t *index)
{
    uint32_t v[CHUNK];
    for (unsigned channel = 0; channel < c->l->channels; channel++) {
        for (size_t i = 0; i < c->count; i++) {
            const uint8_t *rgb = c->l->colour[index[i] & 255];
            v[i] = c->l->channels == 3
                       ? rgb[channel]
                       : (299u * rgb[0] + 587u * rgb[1] + 114u * rgb[2] + 500u) / 1000u;
        }
        store_integers(c, channel, v);
    }
}

static void convert_integers(const chunk *c)
{
    const tiff_layout *l = c->l;
    const unsigned colours = (unsigned)l->picked - (l->alpha ? 1 : 0);
    uint32_t v[3][CHUNK];
    for (unsigned k = 0; k < colours; k++) {
        uint32_t *to = v[l->luma ? k : 0];
        gather_integers(c, k, to);
        mask_integers(c, to);
        if (l->palette)
            finish_palette(c, to);
        else if (!l->luma)
            finish_integers(c, k, to);
    }
    if (!l->luma)
        return;
    for (size_t i = 0; i < c->count; i++)
        v[0][i] = (uint32_t)((299ull * v[0][i] + 587ull * v[1][i] + 114ull * v[2][i] + 500u) /
                             1000u);
    finish_integers(c, 0, v[0]);
}

static void convert_reals(const chunk *c)
{
    const tiff_layout *l = c->l;
    const unsigned colours = (unsigned)l->picked - (l->alpha ? 1 : 0);
    double v[3][CHUNK];
    for (unsigned k = 0; k < colours; k++) {
        double *to = v[l->luma ? k : 0];
        gather_reals(c, k, to);
        mask_reals(c, to);
        if (!l->luma)
            finish_reals(c, k, to);
    }
    if (!l->luma)
        return;
    for (size_t i = 0; i < c->count; i++)
        v[0][i] = (299.0 * v[0][i] + 587.0 * v[1][i] + 114.0 * v[2][i]) / 1000.0;
    finish_reals(c, 0, v[0]);
}

static int has_reals(const tiff_layout *l)
{
    return l->pixel == XNCC_F32 || l->pixel == XNCC_F64;
}

/* Alpha is the last picked sample. Half of the range was added to signed samples. */
static void mask_alpha(const chunk *c)
{
    const tiff_layout *l = c->l;
    const unsigned k = (unsigned)l->picked - 1;
    const uint32_t zero = l->format == SAMPLEFORMAT_INT ? 1u << (l->bits - 1) : 0;
    uint32_t level[CHUNK];
    double v[CHUNK];
    if (has_reals(l))
        gather_reals(c, k, v);
    else
        gather_integers(c, k, level);
    for (size_t i = 0; i < c->count; i++)
        c->mask[i] = c->mask[i] && (has_reals(l) ? v[i] < 0.0 || v[i] > 0.0 : level[i] != zero);
}

/* 1 if the samples in the file are those of the picture, in the same layout. */
static int is_plain(const tiff_layout *l)
{
    return !l->luma && !l->invert && !l->palette && l->bits == 8 * xncc_pixel_size(l->pixel) &&
           l->channels == l->picked && (l->format != SAMPLEFORMAT_INT || l->pixel != XNCC_F64) &&
           (l->separate ? l->channels == 1 : l->samples == l->channels);
}

void tiff_row_convert(const tiff_layout *l, const uint8_t *const *row, uint32_t count, void *out,
                      uint8_t *mask)
{
    if (!mask && is_plain(l)) {
        memcpy(out, row[0], (size_t)count * l->channels * xncc_pixel_size(l->pixel));
        return;
    }
    for (uint64_t first = 0; first < count; first += CHUNK) {
        const size_t pixels = count - first < CHUNK ? (size_t)(count - first) : CHUNK;
        const chunk c = { l, row, first, pixels, out, mask ? mask + first : NULL };
        mask_begin(&c);
        if (has_reals(l))
            convert_reals(&c);
        else
            convert_integers(&c);
        if (mask && l->alpha)
            mask_alpha(&c);
    }
}
