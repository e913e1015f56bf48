/* SPDX-License-Identifier: BSD-2-Clause */
/* Sums over those pixels of a window that count, in vectors (reals_body.h). */
#ifndef XNCC_CPU_KERNELS_REALS_PIXELS_H
#define XNCC_CPU_KERNELS_REALS_PIXELS_H

#include "cpu/kernels/reals_vector.h"

/* Samples of the image and of the template, less their pivots: 0 where a pixel does not count. */
typedef struct both_samples {
    rd v, t;
} both_samples;

/* Those of a row from x on. pixel: row->pixel, a constant; whole: a constant, 0 if the row may end
 * before the vector does. */
REALS_INLINE both_samples load_both(const xncc_reals_pixels *row, xncc_pixel pixel, int32_t x,
                                    int whole)
{
    double v[REALS_LANES] = { 0 }, t[REALS_LANES] = { 0 };
    uint8_t count[REALS_LANES] = { 0 };
    for (int32_t i = x; i < row->width && i < x + REALS_LANES && !whole; i++) {
        v[i - x] = xncc_sample_value(pixel, row->raw, i);
        t[i - x] = row->templ[i];
        count[i - x] = (!row->count || row->count[i]) && (!row->mask || row->mask[i]);
    }
    rl counts = whole ? (rl){ 0 } - 1 : rl_counts(count);
    if (whole && row->count)
        counts &= rl_counts(row->count + x);
    if (whole && row->mask)
        counts &= rl_counts(row->mask + x);
    const rd of_image = whole ? rd_samples(pixel, row->raw, x) : rd_load(v),
             of_templ = whole ? rd_load(row->templ + x) : rd_load(t);
    return (both_samples){ (rd)((rl)(of_image - row->pivot) & counts),
                           (rd)((rl)(of_templ - row->templ_pivot) & counts) };
}

/* The sums that are made: those of the template last. */
static const xncc_sum_id made_sums[] = { XNCC_SUM_X, XNCC_SUM_S, XNCC_SUM_Q, XNCC_SUM_T,
                                         XNCC_SUM_T2 };
enum { MADE_OF_IMAGE = 3, MADE_SUMS = 5 };

/* Adds sums of up to XNCC_CUT_PART numbers each to sums that are much larger, as add_parts does.
 * times: numbers in each; made: MADE_OF_IMAGE or MADE_SUMS; whole: as above; constants but `times`.
 */
REALS_INLINE void add_pixels(const xncc_reals_pixels *row, xncc_pixel pixel, int32_t x, int times,
                             int made, int whole, rd *high, rd *low)
{
    rd part[MADE_SUMS];
    for (int i = 0; i < made; i++)
        part[i] = rd_fill(0.0);
    for (int k = 0; k < times; k++, x += XNCC_CUT_SUMS) {
        const both_samples s = load_both(row, pixel, x, whole);
        part[0] = rd_fma(s.v, s.t, part[0]);
        part[1] += s.v;
        part[2] = rd_fma(s.v, s.v, part[2]);
        if (made == MADE_SUMS) {
            part[3] += s.t;
            part[4] = rd_fma(s.t, s.t, part[4]);
        }
    }
    for (int i = 0; i < made; i++)
        rd_cut_add(part[i], &high[i], &low[i]);
}

/* Adds to the sums from k on, which a vector has room for. */
REALS_INLINE void add_pixels_to(const xncc_reals_pixels *row, xncc_pixel pixel, int32_t k, int made,
                                xncc_reals_cut_sums *sums)
{
    enum { STEP = XNCC_CUT_SUMS * XNCC_CUT_PART };
    rd high[MADE_SUMS], low[MADE_SUMS];
    for (int i = 0; i < made; i++) {
        high[i] = rd_load(sums[made_sums[i]].high + k);
        low[i] = rd_load(sums[made_sums[i]].low + k);
    }
    int32_t x = 0;
    for (; x + STEP <= row->width; x += STEP)
        add_pixels(row, pixel, x + k, XNCC_CUT_PART, made, 1, high, low);
    const int times = (row->width - x) / XNCC_CUT_SUMS;
    if (times > 0)
        add_pixels(row, pixel, x + k, times, made, 1, high, low);
    if (x + times * XNCC_CUT_SUMS < row->width)
        add_pixels(row, pixel, x + times * XNCC_CUT_SUMS + k, 1, made, 0, high, low);
    for (int i = 0; i < made; i++) {
        rd_store(sums[made_sums[i]].high + k, high[i]);
        rd_store(sums[made_sums[i]].low + k, low[i]);
    }
}

REALS_INLINE void pixels_of(xncc_pixel pixel, const xncc_reals_pixels *row,
                            xncc_reals_cut_sums *sums)
{
    for (int32_t k = 0; k < XNCC_CUT_SUMS; k += REALS_LANES)
        if (row->count)
            add_pixels_to(row, pixel, k, MADE_SUMS, sums);
        else
            add_pixels_to(row, pixel, k, MADE_OF_IMAGE, sums);
}

static void reals_pixels(const xncc_reals_pixels *row, xncc_reals_cut_sums *sums)
{
    REALS_OF_PIXEL(row->pixel, pixels_of, row, sums);
}

#endif
