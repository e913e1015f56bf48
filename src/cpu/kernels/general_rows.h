/* Rows of the joint route that each instruction set has its own build of (general_body.h). */
#ifndef XNCC_CPU_KERNELS_GENERAL_ROWS_H
#define XNCC_CPU_KERNELS_GENERAL_ROWS_H

#include "math/general_score.h"

/* A row of a plane: digits of one channel's biased samples, or of their squares, 0 where a pixel
 * does not count. */
typedef struct xncc_plane_row {
    const void *raw;      /* the image's samples, interleaved, without bias */
    const uint8_t *count; /* 1 or 0 for each pixel */
    int32_t every;        /* 1: all are 1 */
    xncc_pixel pixel;
    int32_t channels, channel;
    int32_t square;
    int32_t digit;
    int32_t bytes; /* of a digit, and of an element of out: 1, or 2 for pixels of 16 and 32 bits */
    int32_t pixels;
    void *out;
    void *buffer; /* room for a row of one channel's samples */
} xncc_plane_row;

/* A row of one channel's sums, biased as general.h has them, into the terms of the formulas: num,
 * var and templ_var when centred, else X, Q and T2 of the samples themselves. All of it fits 63
 * bits. c may be NULL. */
typedef struct xncc_fold_row {
    const uint64_t *n, *S, *Q, *X, *T, *T2;
    uint64_t *a, *b, *c;
    uint64_t bias;
    int32_t centred, add, count;
} xncc_fold_row;

/* A row of such terms to be scored. c NULL: it is `part` everywhere. Rows have room for whole
 * vectors, out has not. */
typedef struct xncc_general_row {
    const uint64_t *n, *a, *b, *c;
    uint64_t templ;
    float *out;
    int32_t count;
} xncc_general_row;

#endif
