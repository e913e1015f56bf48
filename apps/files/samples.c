/* SPDX-License-Identifier: BSD-2-Clause */
/* Which samples make a pixel, and the conversion of rows of samples to rows of the picture. */
#include "samples.h"

#include <float.h>

#include <math.h>
#include <string.h>

enum {
    CHUNK = 2048
}; /* pixels converted at a time, so that the buffers stay small for any width */

/* A few pixels of a row. */
typedef struct chunk {
    const app_samples *l;
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
    const app_samples *l = c->l;
    *row = c->row[l->separate ? k : 0];
    *step = l->separate ? 1 : l->per_pixel;
    return c->first * *step + (l->separate ? 0 : l->pick[k]);
}

/* Reads the k-th picked samples (up to 16 bits, or 32 bits unsigned) as unsigned numbers. Half of
 * the range is added to signed ones. */
static void gather_integers(const chunk *c, unsigned k, uint32_t *out)
{
    const app_samples *l = c->l;
    const uint8_t *row;
    uint64_t step, at = locate(c, k, &row, &step);
    const int is_signed = l->kind == APP_SIGNED;
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
        } else if (c->l->kind == APP_SIGNED) {
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

/* Stores one channel of the pixels. Half of the range was added to signed samples. */
static void store_integers(const chunk *c, unsigned channel, const uint32_t *v)
{
    const size_t step = c->l->channels;
    size_t at = (size_t)c->first * step + channel;
    const size_t bytes = xncc_pixel_size(c->l->pixel);
    const uint32_t half = app_pixel_kind(c->l->pixel) == APP_SIGNED ? 1u << (8 * bytes - 1) : 0;
    for (size_t i = 0; i < c->count; i++, at += step) {
        switch (bytes) {
        case 1: ((uint8_t *)c->out)[at] = (uint8_t)(v[i] ^ half); break;
        case 2: ((uint16_t *)c->out)[at] = (uint16_t)(v[i] ^ half); break;
        default: ((uint32_t *)c->out)[at] = v[i] ^ half; break;
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
    const app_samples *l = c->l;
    const uint32_t top = l->bits == 32 ? UINT32_MAX : l->bits == 16 ? 65535 : 255;
    for (size_t i = 0; i < c->count && l->invert; i++)
        v[i] = top - v[i];
    store_integers(c, channel, v);
}

static void finish_reals(const chunk *c, unsigned channel, double *v)
{
    const double top = c->l->kind == APP_SIGNED ? -1.0 : 0.0;
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
    const app_samples *l = c->l;
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
    const app_samples *l = c->l;
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

static int has_reals(const app_samples *l)
{
    return app_pixel_kind(l->pixel) == APP_FLOAT;
}

/* Alpha is the last picked sample. Half of the range was added to signed samples. */
static void mask_alpha(const chunk *c)
{
    const app_samples *l = c->l;
    const unsigned k = (unsigned)l->picked - 1;
    const uint32_t zero = l->kind == APP_SIGNED ? 1u << (l->bits - 1) : 0;
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
static int is_plain(const app_samples *l)
{
    return !l->luma && !l->invert && !l->palette && l->bits == 8 * xncc_pixel_size(l->pixel) &&
           l->channels == l->picked && (l->kind != APP_SIGNED || l->pixel != XNCC_F64) &&
           (l->separate ? l->channels == 1 : l->per_pixel == l->channels);
}

/* A pixel whose colours are all those of the key does not count. */
static void mask_key(const chunk *c)
{
    const app_samples *l = c->l;
    uint32_t v[CHUNK];
    uint8_t other[CHUNK] = { 0 };
    for (unsigned k = 0; k < l->keys; k++) {
        gather_integers(c, k, v);
        for (size_t i = 0; i < c->count; i++)
            other[i] |= v[i] != l->key[k];
    }
    for (size_t i = 0; i < c->count; i++)
        c->mask[i] = c->mask[i] && other[i];
}

static void mask_palette(const chunk *c)
{
    uint32_t index[CHUNK];
    gather_integers(c, 0, index);
    for (size_t i = 0; i < c->count; i++)
        c->mask[i] = c->mask[i] && !c->l->clear[index[i] & 255];
}

void app_samples_convert(const app_samples *l, const uint8_t *const *row, uint32_t count, void *out,
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
        if (mask && l->keys)
            mask_key(&c);
        if (mask && l->clears)
            mask_palette(&c);
    }
}

/* Colour samples are never alpha, whatever the file says. */
xncc_status app_samples_pick(app_samples *s, const app_pick *how, app_channels channels,
                             app_error *error)
{
    const int sum = channels == APP_SUM, all = sum && how->first == 0 && !s->palette;
    const unsigned most = all ? XNCC_MAX_CHANNELS : how->colours == 3 && how->first == 0 ? 3 : 1;
    uint16_t alpha = 0;
    for (uint16_t i = how->first; i < s->per_pixel; i++) {
        if (i >= how->colours && how->is_alpha && how->is_alpha(how->data, i)) {
            alpha = s->alpha ? alpha : i;
            s->alpha = 1;
        } else if (s->picked < most) {
            s->pick[s->picked++] = i;
        } else if (all) {
            return app_fail(error, XNCC_ERROR_UNSUPPORTED,
                            "SamplesPerPixel %u: --channels sum takes at most %d; use --channels "
                            "luma, or split the file",
                            s->per_pixel, XNCC_MAX_CHANNELS);
        }
    }
    s->luma = !all && s->picked == 3;
    s->channels = all ? s->picked : sum && s->palette ? 3 : 1;
    if (s->alpha)
        s->pick[s->picked++] = alpha;
    return XNCC_OK;
}

void app_samples_no_data(app_samples *s, double value)
{
    if (s->kind == APP_FLOAT) {
        /* The decimal form of the lowest float can be slightly beyond it. */
        const int beyond = isfinite(value) && fabs(value) > (double)FLT_MAX;
        if (s->bits == 32 && beyond && fabs(value) > 3.4028236e38)
            return;
        if (s->bits == 32)
            value = beyond ? copysign((double)FLT_MAX, value) : (double)(float)value;
        s->has_no_data = 1;
        s->no_data = value;
        return;
    }
    const int is_signed = s->kind == APP_SIGNED;
    const double span = ldexp(1.0, s->bits), low = is_signed ? -span / 2 : 0.0;
    if (!(value >= low && value < low + span) || value != floor(value))
        return;
    s->has_no_data = 1;
    s->no_data = value;
    s->no_data_level = (uint32_t)(value - low) *
                       (s->bits < 8 && !s->palette ? 255u / ((1u << s->bits) - 1) : 1u);
}

int app_samples_masked(const app_samples *s)
{
    return s->alpha || s->has_no_data || s->keys || s->clears;
}
