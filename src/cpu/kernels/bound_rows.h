/* SPDX-License-Identifier: BSD-2-Clause */
/* The row functions of searches with bounds (halves.h, bounds.h), in C that compilers vectorize. */
#ifndef XNCC_CPU_KERNELS_BOUND_ROWS_H
#define XNCC_CPU_KERNELS_BOUND_ROWS_H

#include "cpu/kernels/isa_rows.h"

#include <math.h>
#include <string.h>

static void rows_halve(const xncc_halving *rows)
{
    for (int p = 0; p < 2; p++) {
        const uint8_t *restrict upper = rows->upper + p, *restrict lower = rows->lower + p;
        uint16_t *restrict quad = rows->quad[p];
        uint8_t *restrict half = rows->half[p];
        for (int32_t x = 0; x < rows->count[p]; x++) {
            const uint32_t sum = (uint32_t)upper[2 * x] + upper[2 * x + 1] + lower[2 * x] +
                                 lower[2 * x + 1];
            quad[x] = (uint16_t)sum;
            half[x] = (uint8_t)((sum + 2) >> 2);
        }
    }
}

/* With n pixels and q quads per window, V and V_q the n- and q-fold sums of squared differences
 * from the mean, and M the n-fold mean minus the 4q-fold mean of the quads, the square of `rest` is
 * (4 q V - n V_q + M^2 / (4 q)) / (4 q V). For n <= 2^14 all integers are below 2^57. */
static void rows_norms(const xncc_norms *windows)
{
    const xncc_norms w = *windows;
    const uint64_t n = w.pixels, q = w.quads;
    float *restrict scale = w.scale, *restrict rest = w.rest;
    int32_t *restrict sum = w.sum;
    for (int32_t i = 0; i < w.count; i++) {
        const uint64_t S = w.sums[2 * i] & 0xffffffffu, Q = w.sums[2 * i] >> 32, V = n * Q - S * S,
                       quads = q * w.Q[i] - w.S[i] * w.S[i];
        const double away = (double)(int64_t)(4 * q * S - n * w.S[i]);
        const double left = (double)((int64_t)(4 * q * V) - (int64_t)(n * quads)) +
                            away * away / (double)(4 * q);
        const float flat = V == 0 ? 0.0f : 1.0f;
        scale[i] = flat * (float)sqrt((double)n / (double)(int64_t)(V + (V == 0)));
        rest[i] = flat *
                  (float)sqrt((left > 0.0 ? left : 0.0) / (double)(int64_t)(4 * q * V + (V == 0)));
        sum[i] = (int32_t)(uint32_t)w.half[i];
    }
}

/* The best bounds are compared as the bits of floats, whose order is the same for those that are
 * not negative: compilers vectorize the maximum of integers. */
static void rows_bound(const xncc_bound_args *args)
{
    const xncc_bound_args a = *args;
    for (int32_t first = 0, tile = 0; first < a.count; first += a.tile, tile++) {
        const int32_t count = a.count - first < a.tile ? a.count - first : a.tile;
        const int32_t *restrict product = a.product + first, *restrict sum = a.sum + first;
        const float *restrict scale = a.scale + first, *restrict rest = a.rest + first;
        int32_t most;
        memcpy(&most, &a.best[tile], sizeof most);
        for (int32_t i = 0; i < count; i++) {
            const float v = scale[i] * (a.per_product * (float)(product[i] + a.shift * sum[i]) +
                                        a.per_sum * (float)sum[i] + a.constant);
            const float bound = v + 0x1p-20f * fabsf(v) + a.per_rest * rest[i];
            int32_t bits;
            memcpy(&bits, &bound, sizeof bits);
            most = bits > most ? bits : most;
        }
        memcpy(&a.best[tile], &most, sizeof most);
    }
}

#endif
