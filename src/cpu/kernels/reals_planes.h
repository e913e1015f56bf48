/* SPDX-License-Identifier: BSD-2-Clause */
/* Planes of slices of the samples of image and template (reals_slices.h). */
#ifndef XNCC_CPU_KERNELS_REALS_PLANES_H
#define XNCC_CPU_KERNELS_REALS_PLANES_H

#include <stdint.h>

enum {
    XNCC_MOST_PLANES = 64 /* of slices of the image or of the template */
};

/* The samples of an operand, in all channels. */
typedef struct xncc_slicing {
    double scale; /* 1, or a power of two where samples are near the ends of their range */
    double unit;  /* all samples times the scale are multiples of it, a power of two */
    int exponent; /* the logarithm of the samples' unit */
    int bits;     /* of the largest sample, in units */
} xncc_slicing;

typedef enum xncc_planes_kind {
    XNCC_PLANES_VALUE,  /* of the samples of a channel */
    XNCC_PLANES_SQUARE, /* of their squares; bits: XNCC_DIGIT_BITS */
    XNCC_PLANES_COUNT   /* one plane: 1 where a pixel counts */
} xncc_planes_kind;

/* Planes of the image or, if of_templ is 1, of the template. Where a pixel does not count, they are
 * 0. */
typedef struct xncc_planes {
    xncc_planes_kind kind;
    int32_t of_templ, channel;
    xncc_slicing of;
    int bits;      /* per plane */
    int32_t count; /* planes, at most XNCC_MOST_PLANES */
} xncc_planes;

/* The planes of a template that are kept, transformed, from one rectangle to the next: planes
 * first .. first + count - 1 of `planes`. */
typedef struct xncc_kept_planes {
    uint64_t serial; /* of the template; 0: none are kept */
    xncc_planes planes;
    int32_t first, count;
    int of[XNCC_MOST_PLANES], arrays; /* the array of each, -1 if it is all 0; and their number */
    double square;                    /* the sum of the squares of all planes */
} xncc_kept_planes;

#endif
