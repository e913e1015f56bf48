/* SPDX-License-Identifier: BSD-2-Clause */
/* Upper bounds of scores (bounds.h). */
#include "cpu/kernels/bounds.h"

#include <math.h>

/* What the bound needs of a template's quads: how many there are; the sums of the quads, of their
 * squares and of the half pixels; the sums of f and of f^2, where f = 4 * half pixel - quad; and
 * the sum of |quad - mean|. */
typedef struct quads {
    int64_t count, sum, sum2, half, f, f2;
    double off;
} quads;

static int64_t quad_at(const xncc_template *templ, int32_t i, int32_t j)
{
    const uint8_t *p = (const uint8_t *)templ->pixels + (size_t)(2 * j) * (size_t)templ->width +
                       2 * (size_t)i;
    return (int64_t)p[0] + p[1] + p[templ->width] + p[templ->width + 1];
}

/* Sums up the quads, and writes the half pixels. */
static quads sum_up(const xncc_template *templ, xncc_template *half, uint8_t *pixels)
{
    quads q = { .count = (int64_t)half->width * half->height };
    for (int32_t j = 0; j < half->height; j++)
        for (int32_t i = 0; i < half->width; i++) {
            const int64_t quad = quad_at(templ, i, j), rounded = (quad + 2) >> 2,
                          f = 4 * rounded - quad;
            *pixels++ = (uint8_t)rounded;
            q.sum += quad;
            q.sum2 += quad * quad;
            q.half += rounded;
            q.f += f;
            q.f2 += f * f;
        }
    for (int32_t j = 0; j < half->height; j++)
        for (int32_t i = 0; i < half->width; i++)
            q.off += fabs((double)quad_at(templ, i, j) - (double)q.sum / (double)q.count);
    return q;
}

/* In the words of docs/numerics.md: norm is |T'|, rest |R_T|, deviation |f - F|. */
int xncc_bound_templ_make(const xncc_template *templ, uint8_t *pixels, xncc_bound_templ *bound)
{
    const int64_t n = (int64_t)templ->width * templ->height, T = (int64_t)templ->sum,
                  V = n * (int64_t)templ->sum2 - T * T;
    if (V == 0)
        return 0;
    *bound = (xncc_bound_templ){ .half = { .width = templ->width / 2,
                                           .height = templ->height / 2,
                                           .pixel = XNCC_U8,
                                           .channels = 1,
                                           .pixels = pixels } };
    const quads q = sum_up(templ, &bound->half, pixels);
    bound->half.sum = (uint64_t)q.half;
    /* 4 n^2 times the squared norm of what the quads see; n <= 2^14 */
    const int64_t seen = n * n * q.sum2 - 8 * n * T * q.sum + 16 * T * T * q.count;
    const double count = (double)q.count, norm = sqrt((double)V / (double)n),
                 rest = sqrt((double)(4 * n * V - seen) / 4.0) / (double)n,
                 deviation = sqrt((double)(q.count * q.f2 - q.f * q.f) / count);
    const double mean = (double)q.half / count - 128.0;
    bound->shift = -(int32_t)lround(mean);
    bound->per_product = (float)(4.0 / norm);
    bound->per_sum = (float)(-4.0 / norm * (mean + (double)bound->shift));
    bound->constant = (float)(0x1.00001p0 / norm *
                              (0.375 * (q.off + deviation * sqrt(count)) + 0x1p-10 * count));
    bound->per_rest = (float)(rest / norm);
    bound->always = (float)(0.5 * deviation / norm + 0x1p-16);
    return 1;
}

void xncc_bounds_row(const xncc_bounds *bounds, int32_t x, int32_t y, const int32_t *product,
                     int32_t count)
{
    const xncc_halves *h = bounds->halves;
    const xncc_bound_templ *t = bounds->templ;
    const int32_t map_row = bounds->first + 2 * y, tile = XNCC_BOUND_COLUMNS / 2;
    const uint64_t at = (uint64_t)bounds->parity * h->windows +
                        (uint64_t)(map_row / 2) * (uint64_t)h->stride + (uint64_t)x;
    h->isa->bound(&(xncc_bound_args){
        .product = product,
        .sum = h->sum + at,
        .scale = h->scale + at,
        .rest = h->rest + at,
        .count = count,
        .shift = t->shift,
        .per_product = t->per_product,
        .per_sum = t->per_sum,
        .constant = t->constant,
        .per_rest = t->per_rest,
        .best = bounds->best + (ptrdiff_t)(map_row / XNCC_BOUND_ROWS) * bounds->across + x / tile,
        .tile = tile });
}
