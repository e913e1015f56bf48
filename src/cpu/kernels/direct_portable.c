/* SPDX-License-Identifier: BSD-2-Clause */
/* direct-portable: plain C in a form that compilers vectorize on every architecture. */
#define ROWS_LANES 2
#include "cpu/kernels/direct.h"
#include "cpu/kernels/rows.h"
#include "cpu/kernels/variants.h"

enum { TILE = 32, TAPS = 4 };

static inline rows_double rows_sqrt(rows_double v)
{
    return (rows_double){ sqrt(v[0]), sqrt(v[1]) };
}

/* sum[x] += image[x + i] * t[i] for TAPS neighbouring template pixels, so that a sum is loaded and
 * stored once per four products. */
static inline void add_taps(int32_t *restrict sum, const int16_t *restrict image,
                            const int16_t t[TAPS])
{
    const int16_t a = t[0], b = t[1], c = t[2], d = t[3];
    for (int32_t x = 0; x < TILE; x++)
        sum[x] += ((int32_t)image[x] * a + (int32_t)image[x + 1] * b) +
                  ((int32_t)image[x + 2] * c + (int32_t)image[x + 3] * d);
}

static inline void add_tap(int32_t *restrict sum, const int16_t *restrict image, int16_t a)
{
    for (int32_t x = 0; x < TILE; x++)
        sum[x] += (int32_t)image[x] * a;
}

/* Computes one map row's tile for one plane. t is the table of that plane, with `planes` dwords
 * from one entry to the next. */
static void tile(const xncc_dot *d, int32_t r, int32_t x, int32_t planes, const int32_t *t,
                 int32_t *out)
{
    int32_t sum[TILE] = { 0 };
    for (int32_t j = 0; j < d->rows; j++) {
        const int16_t *image = (const int16_t *)d->row[j + r] + x;
        int32_t i = 0;
        for (; i + TAPS <= d->groups; i += TAPS, t += TAPS * planes) {
            const int16_t taps[TAPS] = { (int16_t)t[0], (int16_t)t[planes], (int16_t)t[2 * planes],
                                         (int16_t)t[3 * planes] };
            add_taps(sum, image + i, taps);
        }
        for (; i < d->groups; i++, t += planes)
            add_tap(sum, image + i, (int16_t)t[0]);
    }
    for (int32_t i = 0; i < TILE; i++)
        out[i] = sum[i];
}

static void dot(const xncc_dot *d, int32_t planes)
{
    for (int32_t x = d->first; x < d->columns; x += TILE)
        for (int32_t r = 0; r < d->live; r++)
            for (int32_t plane = 0; plane < planes; plane++)
                tile(d, r, x, planes, d->table + plane,
                     d->out + (r * planes + plane) * d->stride + x);
}

static void dot_u8(const xncc_dot *d)
{
    dot(d, 1);
}

static void dot_u16(const xncc_dot *d)
{
    dot(d, 2);
}

const xncc_isa_rows xncc_rows_portable = ROWS_TABLE(rows_window);
const xncc_direct_isa xncc_direct_isa_portable = { dot_u8, dot_u16, NULL, NULL };
