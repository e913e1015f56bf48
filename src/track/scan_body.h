/* SPDX-License-Identifier: BSD-2-Clause */
/* The loops of scan.h, in C that compilers make vectors of. Each instruction set's file includes
 * this, and so has its own build, named SCAN_NAME. Elements are taken in groups, with a result for
 * each, and groups may overlap where that changes no result. */
#ifndef XNCC_TRACK_SCAN_BODY_H
#define XNCC_TRACK_SCAN_BODY_H

#include "track/scan.h"

#include <math.h>
#include <string.h>

enum { LANES = 8 };
typedef float lanes __attribute__((vector_size(32)));
typedef int32_t lane_bits __attribute__((vector_size(32)));

/* The functions have no vectors as arguments or results, which some builds would pass in memory. */
#define SCAN_LOAD(vector, from) memcpy(&(vector), from, sizeof(vector))
#define SCAN_CHOOSE(condition, yes, no)                                                            \
    ((lanes)(((condition) & (lane_bits)(yes)) | (~(condition) & (lane_bits)(no))))

static inline float larger(float a, float b)
{
    return a > b ? a : b;
}

static inline float largest(const lanes *v)
{
    const lanes l = *v;
    return larger(larger(larger(l[0], l[4]), larger(l[1], l[5])),
                  larger(larger(l[2], l[6]), larger(l[3], l[7])));
}

static float scan_best(const float *row, int32_t width)
{
    lanes best = { -INFINITY, -INFINITY, -INFINITY, -INFINITY,
                   -INFINITY, -INFINITY, -INFINITY, -INFINITY };
    for (int32_t x = 0; width >= LANES && x < width; x += LANES) {
        lanes v;
        SCAN_LOAD(v, row + (x + LANES <= width ? x : width - LANES));
        best = SCAN_CHOOSE(v > best, v, best);
    }
    for (int32_t x = 0; x < width && width < LANES; x++)
        best[0] = larger(row[x], best[0]);
    return largest(&best);
}

/* Sums of every fourth element, so that one order of additions serves all. */
typedef float four_floats __attribute__((vector_size(16)));
typedef double four_doubles __attribute__((vector_size(32)));
typedef int64_t four_bits __attribute__((vector_size(32)));

typedef struct four_moments {
    four_doubles n, sum, squares;
} four_moments;

/* Adds differences. What is not finite is left out unless all are finite; those beyond the first
 * `count` are 0. */
__attribute__((always_inline)) static inline void add_four(const four_doubles *differences,
                                                           int finite, int count, four_moments *m)
{
    four_doubles d = *differences, one = { 1.0, count > 1, count > 2, count > 3 };
    if (!finite) {
        const four_bits counts = d - d == 0.0; /* neither NaN nor an infinity */
        d = (four_doubles)((four_bits)d & counts);
        one = (four_doubles)((four_bits)one & counts);
        m->n += one;
    }
    m->sum += d;
    m->squares += d * d;
}

__attribute__((always_inline)) static inline void add_row(const float *row, int32_t width,
                                                          double best, int finite, xncc_moments *to)
{
    four_moments m = { { 0 }, { 0 }, { 0 } };
    int32_t x = 0;
    for (; x + 4 <= width; x += 4) {
        four_floats scores;
        memcpy(&scores, row + x, sizeof scores);
        const four_doubles d = best - __builtin_convertvector(scores, four_doubles);
        add_four(&d, finite, 4, &m);
    }
    for (; x < width; x++) {
        const four_doubles d = { best - (double)row[x] };
        add_four(&d, finite, 1, &m);
    }
    to->n += finite ? (double)width : m.n[0] + m.n[1] + m.n[2] + m.n[3];
    to->sum += m.sum[0] + m.sum[1] + m.sum[2] + m.sum[3];
    to->squares += m.squares[0] + m.squares[1] + m.squares[2] + m.squares[3];
}

static void scan_add(const float *row, int32_t width, double best, int finite, xncc_moments *m)
{
    if (finite)
        add_row(row, width, best, 1, m);
    else
        add_row(row, width, best, 0, m);
}

static float element(const float *row, int32_t x, int32_t width)
{
    return row && x >= 0 && x < width ? row[x] : NAN;
}

/* Does the element precede each of its neighbours in the order of scores? */
static int is_peak(const xncc_scan_row *r, int32_t x)
{
    const float s = r->row[x];
    for (int i = -1; i <= 1; i++)
        if (element(r->above, x + i, r->width) >= s || element(r->below, x + i, r->width) > s)
            return 0;
    return !(element(r->row, x - 1, r->width) >= s || element(r->row, x + 1, r->width) > s);
}

/* Raises `best` to the local maxima among LANES elements, which have neighbours left and right.
 * above, below: the rows, or any where there is none and has_above or has_below is 0, else -1. */
__attribute__((always_inline)) static inline void add_peaks(const float *above, int32_t has_above,
                                                            const float *row, const float *below,
                                                            int32_t has_below, lanes *best)
{
    lanes s, left, right, up0, up1, up2, down0, down1, down2;
    SCAN_LOAD(s, row);
    SCAN_LOAD(left, row - 1);
    SCAN_LOAD(right, row + 1);
    SCAN_LOAD(up0, above - 1);
    SCAN_LOAD(up1, above);
    SCAN_LOAD(up2, above + 1);
    SCAN_LOAD(down0, below - 1);
    SCAN_LOAD(down1, below);
    SCAN_LOAD(down2, below + 1);
    const lane_bits lower = (left >= s) | (right > s) |
                            (((up0 >= s) | (up1 >= s) | (up2 >= s)) & has_above) |
                            (((down0 > s) | (down1 > s) | (down2 > s)) & has_below);
    *best = SCAN_CHOOSE((s > *best) & ~lower, s, *best);
}

static float scan_peak(const xncc_scan_row *r, float least)
{
    const int32_t first = r->first > 1 ? r->first : 1,
                  end = r->end < r->width - 1 ? r->end : r->width - 1;
    const int grouped = end - first >= LANES;
    const float *above = r->above ? r->above : r->row, *below = r->below ? r->below : r->row;
    lanes peaks = { least, least, least, least, least, least, least, least };
    for (int32_t x = first; grouped && x < end; x += LANES) {
        const int32_t at = x + LANES <= end ? x : end - LANES;
        add_peaks(above + at, r->above ? -1 : 0, r->row + at, below + at, r->below ? -1 : 0,
                  &peaks);
    }
    float best = largest(&peaks);
    for (int32_t x = r->first; x < r->end; x++) {
        if (grouped && x == first)
            x = end;
        if (x < r->end && r->row[x] > best && is_peak(r, x))
            best = r->row[x];
    }
    return best;
}

const xncc_scan SCAN_NAME = { scan_best, scan_add, scan_peak };

#endif
