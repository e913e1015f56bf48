/* The row functions of the general route, of which each instruction set has its own build
 * (general_body.h). */
#ifndef XNCC_CPU_KERNELS_GENERAL_ROWS_H
#define XNCC_CPU_KERNELS_GENERAL_ROWS_H

#include "math/general_score.h"

/* Arguments of xncc_isa_windows.plane: extracts a row of a plane, which holds digits of one
 * channel's biased samples or of their squares, and 0 where a pixel does not count. */
typedef struct xncc_plane_row {
    const void *raw;      /* the image's samples, interleaved, not biased */
    const uint8_t *count; /* per pixel, 1 if it counts, else 0 */
    int32_t every;        /* 1: every pixel counts */
    xncc_pixel pixel;
    int32_t channels, channel;
    int32_t square;
    int32_t digit;
    int32_t
        bytes; /* bytes per digit and per element of out: 1, or 2 for pixels of 16 and 32 bits */
    int32_t pixels;
    void *out;
    void *buffer; /* memory for a row of one channel's samples */
} xncc_plane_row;

/* Arguments of xncc_isa_windows.accumulate_terms: converts a row of one channel's sums, of biased
 * samples, to the terms of the formulas, and stores them in (or adds them to) a, b and c. The terms
 * are num, var and templ_var if centred is 1, else X, Q and T2 of the samples themselves. All of
 * them fit 63 bits. c may be NULL. */
typedef struct xncc_terms_row {
    const uint64_t *n, *S, *Q, *X, *T, *T2;
    uint64_t *a, *b, *c;
    uint64_t bias;
    int32_t centred, add, count;
} xncc_terms_row;

/* Arguments of xncc_isa_windows.general_score: a row of such terms to be scored. If c is NULL, the
 * template's term is templ_term everywhere. The rows of terms have room for whole vectors; out does
 * not. */
typedef struct xncc_general_row {
    const uint64_t *n, *a, *b, *c;
    uint64_t templ_term;
    float *out;
    int32_t count;
} xncc_general_row;

#endif
