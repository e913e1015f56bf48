/* SPDX-License-Identifier: BSD-2-Clause */
/* The row functions of integers, of which each instruction set has its own build (rows.h). */
#ifndef XNCC_CPU_KERNELS_ISA_ROWS_H
#define XNCC_CPU_KERNELS_ISA_ROWS_H

#include "math/general_score.h"

/* A row of products, and of the sums of the image plane over the same windows. The products are X -
 * factor * S - constant, modulo 2^64. If packed, S has S in its low 32 bits and Q in its high 32
 * bits, added modulo 2^64: a column sum may borrow between the two fields while it slides; the sums
 * of whole windows have both fields below 2^32, so the borrows cancel. All arrays have room for
 * whole vectors. */
typedef struct xncc_row {
    const int32_t *x32; /* the products; NULL: x64 */
    const int64_t *x64;
    const uint64_t *S, *Q; /* S is NULL if factor is 0 and nobody needs them */
    uint64_t factor, constant;
    int32_t packed, count;
} xncc_row;

/* Stores X << shift, or adds it to what X holds. S and Q may be NULL. */
typedef struct xncc_emit {
    uint64_t *X, *S, *Q;
    int32_t shift, add;
} xncc_emit;

/* How a row becomes scores. A channel's sums, of biased samples, become the terms of the formulas:
 * num, var and templ_var for the ccoeff methods, else X, Q and T2 of the samples themselves. All of
 * them fit 63 bits. */
typedef struct xncc_score_args {
    xncc_method method;
    const xncc_general_rule *rule;
    /* Sums that differ from window to window, except X. S, Q: NULL means those of the row; the
     * others: NULL means the constants that follow. */
    const uint64_t *S, *Q, *n, *T, *T2;
    uint64_t constant_n, constant_T, constant_T2;
    uint64_t templ_term; /* the template's term, summed over the channels, if T and T2 are NULL */
    /* Several channels: the terms of the channels before are read unless this is the first one, and
     * the terms are written unless it is the last one. They are integers, or doubles if all rows
     * are packed and all other sums are constants. NULL: there is one channel. */
    uint64_t *term[3];
    int32_t first, last;
    float *out; /* has no room past the last element */
} xncc_score_args;

/* A row of a plane, which holds digits of one channel's biased samples or of their squares, and 0
 * where a pixel does not count. */
typedef struct xncc_plane_row {
    const void *raw;      /* the image's samples, interleaved, not biased */
    const uint8_t *count; /* per pixel, 1 if it counts, else 0 */
    int32_t every;        /* 1: every pixel counts */
    xncc_pixel pixel;
    int32_t channels, channel;
    int32_t square;
    int32_t digit;
    int32_t bytes; /* per digit and per element of out: 1, or 2 for pixels of 16 bits */
    int32_t pixels;
    void *out;
    void *buffer; /* memory for a row of one channel's samples */
} xncc_plane_row;

/* Two rows of bytes, added up two by two. p is 0 or 1: element x of quad[p] is the sum of the four
 * pixels in columns 2x + p and 2x + p + 1, and of half[p] a quarter of that, rounded. */
typedef struct xncc_halving {
    const uint8_t *upper, *lower;
    int32_t count[2];
    uint16_t *quad[2];
    uint8_t *half[2];
} xncc_halving;

/* A row of windows of which every second one is meant, and what halves.h keeps of them. */
typedef struct xncc_norms {
    const uint64_t *sums;   /* packed as in xncc_row; element 2 * i belongs to window i */
    const uint64_t *S, *Q;  /* the window sums of the quads */
    const uint64_t *half;   /* those of the half pixels, packed */
    uint64_t pixels, quads; /* per window */
    float *scale, *rest;
    int32_t *sum;
    int32_t count;
} xncc_norms;

/* How a row of products of half images becomes upper bounds of scores (bounds.h). A product is that
 * of I and T - 128, as in xncc_row. */
typedef struct xncc_bound_args {
    const int32_t *product, *sum;
    const float *scale, *rest;
    int32_t count, shift;
    float per_product, per_sum, constant, per_rest;
    float *best; /* per tile of `tile` windows; raised to their largest bound */
    int32_t tile;
} xncc_bound_args;

/* Window sums, packed as in xncc_row, and what becomes of them: 1 / sqrt(n*Q - S*S) if centred,
 * else 1 / sqrt(Q); NaN if the root is 0. out has room for whole vectors. */
typedef struct xncc_inverses {
    const uint64_t *sums;
    uint64_t n; /* pixels per window, at most XNCC_MOST_PRODUCTS_U8 */
    int32_t centred, count;
    double *out;
} xncc_inverses;

/* Rows of scores of a normed method: (per_product * product + per_sum * S) * inverse * factor. All
 * arrays have room for whole vectors. */
typedef struct xncc_quotients {
    const int32_t *product;
    ptrdiff_t product_stride; /* elements from one row to the next */
    const uint64_t *sums;     /* packed as in xncc_row */
    const double *inverse;    /* of the windows (xncc_inverses) */
    ptrdiff_t stride;         /* of both */
    float *out;
    ptrdiff_t pitch;
    int32_t width, height;
    double per_product, per_sum; /* integers; the sum is one of at most 53 bits */
    double factor;               /* the inverse of the template's root */
} xncc_quotients;

typedef struct xncc_isa_rows {
    /* Column sums of bytes, packed: a row of the image enters and, unless it is NULL, one leaves.
     */
    void (*slide)(uint64_t *column, const uint8_t *enter, const uint8_t *leave, int32_t count);
    /* Column sums with S and Q apart, in 64 bits each, for windows of any size. */
    void (*wide_slide)(uint64_t *S, uint64_t *Q, const void *enter, const void *leave, int words,
                       int32_t count);
    /* window[x] = sum of column[x .. x + width - 1] */
    void (*window)(const uint64_t *column, int32_t width, uint64_t *window, int32_t count);
    void (*emit)(const xncc_row *row, const xncc_emit *to);
    void (*score)(const xncc_row *row, const xncc_score_args *args);
    /* Returns 0 only if the row of the plane is all 0. */
    uint32_t (*plane)(const xncc_plane_row *row);
    void (*halve)(const xncc_halving *rows);
    void (*norms)(const xncc_norms *windows);
    void (*bound)(const xncc_bound_args *args);
    void (*inverses)(const xncc_inverses *windows);
    /* Computes rows from `first` on until the bits of one are not certain, and returns that row, or
     * the height. */
    int32_t (*quotients)(const xncc_quotients *q, int32_t first);
    /* Adds up digits of a template, and their squares: bytes, or words if words is 1. There are at
     * most XNCC_MOST_PRODUCTS_U8 that are not 0. */
    void (*digit_sums)(const void *digit, int words, size_t count, int64_t *sum, int64_t *squares);
} xncc_isa_rows;

#endif
