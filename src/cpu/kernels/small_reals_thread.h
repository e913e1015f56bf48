/* SPDX-License-Identifier: BSD-2-Clause */
/* What a thread keeps of a neighbourhood of small maps of floats, and of two chips (small_reals.h).
 */
#ifndef XNCC_CPU_KERNELS_SMALL_REALS_THREAD_H
#define XNCC_CPU_KERNELS_SMALL_REALS_THREAD_H

#include "cpu/kernels/reals.h"
#include "cpu/kernels/small_reals.h"

/* Converts integers of up to 16 bits. */
void xncc_small_reals_floats(xncc_pixel pixel, const void *row, int32_t count, float *out);

/* The largest magnitude of an integer of 16 bits less another one. */
#define XNCC_SMALL_REALS_MOST 65535.0

/* What a thread keeps of a chip. */
typedef struct xncc_small_chip {
    double *value; /* the samples, and zeros for whole vectors */
    double *part;  /* less the pivot */
    double *rows; /* the same times a power of two, in rows of a transform, and zeros around them */
    double *spectrum;
    double *product;          /* rows of the map */
    double sum, square;       /* of the samples less the pivot */
    double unit, most;        /* as in xncc_small_reals, of the samples less the pivot; 0: none */
    double factor, magnitude; /* the power of two; |z|^2 / factor (chip_fft.h) */
} xncc_small_chip;

/* What a thread has. */
struct xncc_small_reals {
    const xncc_small_reals_isa *isa;
    xncc_chip_fft_plan fft;
    /* The pixels of a neighbourhood less the pivot, and zeros around them; and the sums of its
     * windows and of their squares, the first window at (left, top) of the image. */
    double *plane, *S, *Q;
    double *inverse, *relative; /* of normed methods (xncc_reals_inverses) */
    xncc_reals_errors error;    /* of the window sums */
    ptrdiff_t pitch, stride;
    int32_t left, top, width, height;
    double pivot, norm; /* norm: |v| of all pixels */
    double unit, most;  /* a power of two of which all samples are multiples, if they have few bits,
                           and the largest magnitude less the pivot, in units; 0: none */
    xncc_reals_columns columns;
    double *room;
    float *floats; /* a row of integers, or a chip */
    ptrdiff_t product_stride;
    xncc_small_chip chip[2];
    xncc_refine_memory refine;
};

#endif
