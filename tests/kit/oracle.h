/* SPDX-License-Identifier: BSD-2-Clause */
/* Oracles: what results must be, computed from the definitions in the public headers alone. No code
 * of src/ is used or included. */
#ifndef KIT_ORACLE_H
#define KIT_ORACLE_H

#include "kit/pixels.h"

/* Integer pixels: the exact sums of every window of a map. */
typedef struct oracle_sums {
    int32_t width, height; /* size of the map */
    uint64_t n, sum, sum2; /* number of template pixels, sum T, sum T^2 */
    uint64_t *S, *Q, *X;   /* width * height elements each */
} oracle_sums;

/* Computes the sums for an image and a template in host memory, XNCC_U8 or XNCC_U16, with the clamp
 * border. */
oracle_sums oracle_sums_make(const xncc_image *image, const xncc_image *templ, xncc_mode mode);
void oracle_sums_free(oracle_sums *sums);

/* Returns the score of map element `index`: exact integers in 128 bits, the formula of template.h
 * in double, one rounding to float. */
float oracle_score(const oracle_sums *sums, xncc_method method, xncc_flat flat, size_t index);

/* The terms of the formulas of template.h; with several channels, summed over them. */
typedef struct oracle_terms {
    __int128 n, whole; /* pixels that count in both; pixels of the template that count */
    __int128 spread, var_image, var_templ; /* n*X - S*sumT, n*Q - S^2, n*sumT2 - sumT^2 */
    __int128 X, Q, T2;
} oracle_terms;
float oracle_formula(xncc_method method, xncc_flat flat, const oracle_terms *terms);

/* Rounds a signed 128-bit integer to the nearest double, ties to even. */
double oracle_round(__int128 value);

/* The peak rule of find.h, for a brute-force search. limit and min_distance are the values in
 * force: 0 does not stand for a default. */
typedef struct oracle_peak_rule {
    int smallest;
    float limit;
    int32_t min_distance;
    size_t top;
} oracle_peak_rule;

/* Writes at most rule->top matches, in map coordinates, and returns their number. */
size_t oracle_peaks(const xncc_map *map, const oracle_peak_rule *rule, xncc_match *match);

/* Returns out(x, y) as defined in convolve.h. options may be NULL. */
float oracle_convolve(const xncc_image *image, const float *filter, int32_t width, int32_t height,
                      const kit_filter_options *options, xncc_border border, int32_t x, int32_t y);

#endif
