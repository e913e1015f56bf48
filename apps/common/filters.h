/* SPDX-License-Identifier: BSD-2-Clause */
/* The filters of exactncc convolve. */
#ifndef APP_FILTERS_H
#define APP_FILTERS_H

#include "exactncc/convolve.h"
#include "fail.h"

typedef struct app_filter {
    int32_t width, height;
    float value[XNCC_MAX_FILTER * XNCC_MAX_FILTER]; /* row by row */
} app_filter;

/* Gaussian: exp(-(x^2 + y^2) / (2 sigma^2)) with 2*ceil(4*sigma)+1 coefficients per side, divided
 * by their sum (in double, then rounded to float). XNCC_ERROR_ARGUMENT if a side exceeds
 * XNCC_MAX_FILTER. */
xncc_status app_filter_gaussian(double sigma, app_filter *filter, app_error *error);

/* Sobel derivative along 'x' or 'y', with side 3 or 5: the outer product of a smoothing, 1 2 1 or
 * 1 4 6 4 1, and a difference, -1 0 1 or -1 -2 0 2 1. It is rotated by 180 degrees, because a
 * convolution rotates it back: the result is positive where brightness increases to the right (x)
 * or downwards (y). */
void app_filter_gradient(char along, int side, app_filter *filter);

/* Reads a text file with a row of numbers per line, separated by blanks, tabs, commas or
 * semicolons. # starts a comment; empty lines are ignored. */
xncc_status app_filter_load(const char *path, app_filter *filter, app_error *error);

#endif
