/* SPDX-License-Identifier: BSD-2-Clause */
/* A thread's memory for matching of floats (reals.h). */
#ifndef XNCC_CPU_KERNELS_REALS_MEMORY_H
#define XNCC_CPU_KERNELS_REALS_MEMORY_H

#include "cpu/kernels/reals.h"

enum {
    XNCC_MOST_ARRAYS = XNCC_FFT_MOST_SUMS, /* of planes and of sums of their products that are
                              computed at a time, by transforms */
    XNCC_AGAIN_ARRAYS = 5,                 /* of them, those that scoring again takes */
    XNCC_MOST_WEIGHTS = 24,                /* of sums of products of slices, directly */
    XNCC_REALS_STAGGER = 72,   /* doubles between planes, an odd number of cache lines */
    XNCC_SMALL_TEMPLATE = 256, /* doubles: with zeros past its rows */
    XNCC_MOST_PLANES = 64      /* of slices of the image or of the template */
};

/* The samples of image or template, in all channels, which are cut into slices (reals_planes.h). */
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

/* Planes of slices of the image or, if of_templ is 1, of the template. Where a pixel does not
 * count, they are 0. */
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
    double square[XNCC_MOST_PLANES];  /* the sum of the squares of each */
} xncc_kept_planes;

typedef struct xncc_reals_scratch {
    xncc_stage stage;
    xncc_refine_memory refine;
    double *line; /* a row of the image as doubles, with zeros past its end */
    /* per channel: column sums, of which the channels share `sum`; a row of sums over windows (S,
     * Q), and a row of windows */
    xncc_reals_columns columns[XNCC_MAX_CHANNELS];
    double *window[XNCC_MAX_CHANNELS][2];
    xncc_reals_row *row;
    double *squares;   /* a row */
    double *pivots[2]; /* of several channels: those of each sample of a row of a window, of the
                          image and of the template */
    double *room;
    double *small_templ;    /* a small template less its pivot, in rows of whole vectors */
    double *sum[XNCC_SUMS]; /* planes of sums. X: one row, if it comes from transforms; else a plane
                               per channel */
    double *total[6];
    int32_t *run;   /* per column, for windows without variance and for samples that are not
                       finite */
    double *before; /* the row above */
    uint8_t *flat;  /* per window: 1 if all its pixels are equal in every channel */
    char *array[XNCC_FFT_AT_ONCE]; /* of transforms, for channels that are transformed at a time */
    double *row_square[XNCC_FFT_AT_ONCE]; /* of each row of these, the sum of its squares */
    void *buffer, *spectrum;              /* spectrum: the products of more channels */
    void *kept; /* the spectrum of a plane of the image with several products */
    /* For exact sums of all windows (reals_together.c): digits of numbers, and rows of planes, of
     * digits of samples and of their sums, and of sums of products. */
    uint64_t extra_bytes[XNCC_EXTRAS]; /* of all of the following, which is extra memory */
    float *numbers;
    size_t most_numbers; /* floats */
    double *plane_rows, *digit_rows, *leaving_rows, *column_rows, *weight_rows;
    double *ones;           /* as many as the template has rows */
    int32_t planes_at_once; /* of image and template together */
    /* By transforms: their table, NULL if it is that of the template; arrays of planes, which
     * become those of sums; a column of each, or a row of one; and which rows of the planes of
     * image and template are not all 0 (xncc_fft_sums). */
    char *table, *arrays[XNCC_MOST_ARRAYS];
    void *points;
    uint64_t *given[2];
    double *slice_squares; /* of each row of the image: the sum of the squares of its slices */
    xncc_kept_planes *kept_planes;
    /* Directly: planes of image and template, which are slices or residues (reals_residues.h), and
     * sums per weight or prime; and a bit for each plane of a row of the image that is not all 0.
     */
    int32_t image_planes, templ_planes;
    double *image_slices, *templ_slices, *weight_sums;
    uint64_t *image_rows;
} xncc_reals_scratch;

/* Divides `memory` and returns the bytes needed; NULL only counts. */
uint64_t xncc_reals_scratch_layout(const xncc_reals_variant *variant, const xncc_problem *problem,
                                   const xncc_cpu_blocks *blocks, char *memory,
                                   xncc_reals_scratch *m);

/* Makes the integral images of the template. */
void xncc_reals_integrate(const xncc_reals_isa *isa, const xncc_job *job,
                          const xncc_reals_shared *shared, const xncc_reals_scratch *m);

/* Doubles of a row of the image, and of a row of sums. */
int32_t xncc_reals_line_width(const xncc_problem *problem, const xncc_cpu_blocks *blocks);
int32_t xncc_reals_stride(const xncc_problem *problem, const xncc_cpu_blocks *blocks);

/* The nearest multiple of a unit or, if that is 0, number of 12 bits; 0 if it is not finite. */
double xncc_reals_pivot(double mean, double unit);

#endif
