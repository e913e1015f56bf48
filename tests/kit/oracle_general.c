/* SPDX-License-Identifier: BSD-2-Clause */
/* The oracle for masks, no-data values, borders, several channels and all pixel types. */
#include "kit/oracle_general.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- pixels of the image and its border ---- */

/* Finds the pixel that a border position repeats by walking there one step at a time. Returns -1 if
 * there is none. */
static int64_t pixel_at(xncc_border border, int64_t i, int64_t length)
{
    while (i < 0 || i >= length) {
        if (border == XNCC_BORDER_CLAMP)
            i = i < 0 ? i + 1 : i - 1;
        else if (border == XNCC_BORDER_WRAP)
            i = i < 0 ? i + length : i - length;
        else if (border == XNCC_BORDER_MIRROR && length == 1)
            i = 0;
        else if (border == XNCC_BORDER_MIRROR)
            i = i < 0 ? -i : 2 * (length - 1) - i;
        else
            return -1;
    }
    return i;
}

static int is_no_data(const xncc_image *image, int32_t x, int32_t y)
{
    int equal = 0, nan = 0, channels = kit_channels(image);
    for (int32_t c = 0; c < channels; c++) {
        double v = kit_sample(image, x, y, c);
        equal += v == image->no_data;
        nan += isnan(v) != 0;
    }
    return isnan(image->no_data) ? nan > 0 : equal == channels;
}

static int pixel_counts(const xncc_image *image, int32_t x, int32_t y)
{
    if (image->mask && !kit_mask(image, x, y))
        return 0;
    return !(image->has_no_data && is_no_data(image, x, y));
}

static void plane_put(oracle_plane *plane, size_t at, double value)
{
    if (plane->whole)
        plane->whole[at] = (int64_t)value;
    else
        plane->real[at] = (long double)value;
}

/* Copies the rectangle of width x height pixels at (x0, y0), which may reach beyond the image. */
static oracle_plane plane_make(const xncc_image *image, xncc_border border, int64_t x0, int64_t y0,
                               int64_t width, int64_t height)
{
    const int is_float = image->pixel == XNCC_F32 || image->pixel == XNCC_F64;
    const size_t pixels = (size_t)width * (size_t)height, channels = (size_t)kit_channels(image);
    oracle_plane plane = { .width = width, .height = height, .counts = calloc(pixels, 1) };
    if (is_float)
        plane.real = calloc(pixels * channels, sizeof *plane.real);
    else
        plane.whole = calloc(pixels * channels, sizeof *plane.whole);
    if (!plane.counts || (is_float ? (void *)plane.real : (void *)plane.whole) == NULL)
        kit_give_up("no memory for a plane of %lld x %lld", (long long)width, (long long)height);
    for (int64_t j = 0; j < height; j++)
        for (int64_t i = 0; i < width; i++) {
            size_t at = (size_t)(j * width + i);
            int64_t x = pixel_at(border, x0 + i, image->width),
                    y = pixel_at(border, y0 + j, image->height);
            if (x < 0 || y < 0) {
                plane.counts[at] =
                    border == XNCC_BORDER_ZERO; /* with the value 0 that the memory has already */
                continue;
            }
            plane.counts[at] = (unsigned char)pixel_counts(image, (int32_t)x, (int32_t)y);
            for (size_t c = 0; c < channels; c++)
                plane_put(&plane, at * channels + c,
                          kit_sample(image, (int32_t)x, (int32_t)y, (int32_t)c));
        }
    return plane;
}

oracle_general oracle_general_make(const xncc_image *image, const xncc_image *templ, xncc_mode mode,
                                   xncc_border border)
{
    oracle_general general = { .pixel = image->pixel, .channels = kit_channels(image) };
    const int32_t w = templ->width, h = templ->height;
    general.width = mode == XNCC_VALID  ? image->width - w + 1
                    : mode == XNCC_SAME ? image->width
                                        : image->width + w - 1;
    general.height = mode == XNCC_VALID  ? image->height - h + 1
                     : mode == XNCC_SAME ? image->height
                                         : image->height + h - 1;
    general.x0 = mode == XNCC_VALID ? 0 : mode == XNCC_SAME ? -(w / 2) : 1 - w;
    general.y0 = mode == XNCC_VALID ? 0 : mode == XNCC_SAME ? -(h / 2) : 1 - h;
    general.image = plane_make(image, border, general.x0, general.y0,
                               (int64_t)general.width + w - 1, (int64_t)general.height + h - 1);
    general.templ = plane_make(templ, XNCC_BORDER_ZERO, 0, 0, w, h);
    for (int64_t i = 0; i < (int64_t)w * h; i++)
        general.templ_counts += general.templ.counts[i];
    return general;
}

static void plane_free(oracle_plane *plane)
{
    free(plane->counts);
    free(plane->whole);
    free(plane->real);
}

void oracle_general_free(oracle_general *general)
{
    plane_free(&general->image);
    plane_free(&general->templ);
    memset(general, 0, sizeof *general);
}

/* ---- pairs of pixels that both count ---- */

/* Steps through a window: *i and *t become the indices of the next pair of pixels that both count.
 * Returns 0 at the end. *at is 0 to begin with. */
static int next_pair(const oracle_general *o, int32_t x, int32_t y, int64_t *at, size_t *i,
                     size_t *t)
{
    const int64_t w = o->templ.width, end = w * o->templ.height;
    for (int64_t k = *at; k < end; k++) {
        int64_t of_image = (y + k / w) * o->image.width + x + k % w;
        if (o->templ.counts[k] && o->image.counts[of_image]) {
            *at = k + 1;
            *i = (size_t)of_image * (size_t)o->channels;
            *t = (size_t)k * (size_t)o->channels;
            return 1;
        }
    }
    return 0;
}

static int64_t count_pairs(const oracle_general *o, int32_t x, int32_t y)
{
    int64_t n = 0;
    for (int64_t j = 0; j < o->templ.height; j++)
        for (int64_t k = 0; k < o->templ.width; k++)
            n += o->templ.counts[j * o->templ.width + k] &&
                 o->image.counts[(y + j) * o->image.width + x + k];
    return n;
}

static int has_score(const oracle_general *o, double min_valid, int64_t n)
{
    double fraction = min_valid == 0.0 ? 0.5 : min_valid;
    return n >= 1 && (double)n >= fraction * (double)o->templ_counts;
}

/* ---- integers ---- */

float oracle_general_score(const oracle_general *o, const kit_options *options, int32_t x,
                           int32_t y)
{
    oracle_terms terms = { .n = count_pairs(o, x, y), .whole = o->templ_counts };
    if (options->method == XNCC_COVERAGE)
        return oracle_formula(XNCC_COVERAGE, options->flat, &terms);
    if (!has_score(o, options->min_valid, (int64_t)terms.n))
        return NAN;
    for (int32_t c = 0; c < o->channels; c++) {
        __int128 S = 0, Q = 0, X = 0, T = 0, T2 = 0;
        int64_t at = 0;
        for (size_t i, t; next_pair(o, x, y, &at, &i, &t);) {
            __int128 a = o->image.whole[i + (size_t)c], b = o->templ.whole[t + (size_t)c];
            S += a;
            T += b;
            Q += a * a;
            X += a * b;
            T2 += b * b;
        }
        terms.spread += terms.n * X - S * T;
        terms.var_image += terms.n * Q - S * S;
        terms.var_templ += terms.n * T2 - T * T;
        terms.X += X;
        terms.Q += Q;
        terms.T2 += T2;
    }
    return oracle_formula(options->method, options->flat, &terms);
}
