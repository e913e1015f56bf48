/* SPDX-License-Identifier: BSD-2-Clause */
/* The oracle for problems in which some pixels may not count, for any number of channels, border,
 * mode and pixel type. It uses the definitions in image.h, find.h and template.h alone. */
#ifndef KIT_ORACLE_GENERAL_H
#define KIT_ORACLE_GENERAL_H

#include "kit/oracle.h"

/* The pixels of all channels, one channel after the other, and which of them count. */
typedef struct oracle_plane {
    int64_t width, height;
    unsigned char *counts;
    int64_t *whole;    /* integer samples */
    long double *real; /* float samples */
} oracle_plane;

/* An image, laid out with its border, and a template. */
typedef struct oracle_general {
    xncc_pixel pixel;
    int32_t channels;
    int32_t width, height; /* size of the map */
    int32_t x0, y0;        /* top-left pixel of the window of map element (0, 0) */
    oracle_plane image, templ;
    int64_t templ_counts; /* number of template pixels that count */
} oracle_general;

/* Views are in host memory and legal for the mode. */
oracle_general oracle_general_make(const xncc_image *image, const xncc_image *templ, xncc_mode mode,
                                   xncc_border border);
void oracle_general_free(oracle_general *general);

/* Integer pixels: returns element (x, y) of the map. Only method, flat and min_valid of the options
 * are used. */
float oracle_general_score(const oracle_general *general, const kit_options *options, int32_t x,
                           int32_t y);

/* Float pixels: the same. Sums are integers of any size, and each rounding is done in integer
 * arithmetic. */
float oracle_exact(const oracle_general *general, const kit_options *options, int32_t x, int32_t y);

#endif
