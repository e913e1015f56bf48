/* SPDX-License-Identifier: BSD-2-Clause */
/* A thread's memory for matching of floats (reals.h). */
#ifndef XNCC_CPU_KERNELS_REALS_MEMORY_H
#define XNCC_CPU_KERNELS_REALS_MEMORY_H

#include "cpu/kernels/reals.h"

enum {
    XNCC_MOST_SPECTRA = 24,
    XNCC_MOST_SLICES = 64, /* of the image or of the template */
    XNCC_MOST_WEIGHTS = 24 /* of products of slices, if they are computed directly */
};

typedef struct xncc_reals_scratch {
    xncc_stage stage;
    xncc_refine_memory refine;
    double *line;      /* a row of the image as doubles, with zeros past its end */
    double *column[4]; /* column sums: S high, S low, Q high, Q low */
    double *room, *window[2];
    double *sum[XNCC_SUMS]; /* planes of sums. X: one row, if it comes from transforms */
    double *total[6];
    double *plane;  /* a plane of the template; for begin */
    int32_t *run;   /* per column, for windows without variance and for samples that are not
                       finite */
    double *before; /* the row above */
    uint8_t *flat;  /* per window: 1 if all its pixels are equal in every channel */
    char *array;    /* of transforms */
    void *buffer;
    /* For exact sums (reals_slices.h), if there may be any: sums of products, of at most so many
     * words for each window; column sums; and spectra, or planes of the template's slices and of
     * sums of direct products. */
    uint64_t *words, *column_words;
    int32_t words_per_window, spectra, templ_planes;
    double *templ_slices, *weight_sums;
    void *spectrum[XNCC_MOST_SPECTRA], *total_spectrum;
} xncc_reals_scratch;

/* Divides `memory` and returns the bytes needed; NULL only counts. */
uint64_t xncc_reals_scratch_layout(const xncc_reals_variant *variant, const xncc_problem *problem,
                                   const xncc_cpu_blocks *blocks, char *memory,
                                   xncc_reals_scratch *m);

/* Doubles of a row of the image, and of a row of sums. */
int32_t xncc_reals_line_width(const xncc_problem *problem, const xncc_cpu_blocks *blocks);
int32_t xncc_reals_stride(const xncc_cpu_blocks *blocks);

/* The nearest number of 12 bits, or 0 if it is not finite. */
double xncc_reals_pivot(double mean);

#endif
