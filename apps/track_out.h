/* SPDX-License-Identifier: BSD-2-Clause */
/* What exactncc track writes: the table of displacements, and bands of the grid. */
#ifndef TRACK_OUT_H
#define TRACK_OUT_H

#include "track_points.h"

typedef struct track_result {
    const app_options *options;
    const track_images *images;
    const track_points *points;
    const xncc_displacement *found;
    int placed; /* 1: both images have geo tags */
} track_result;

/* Fails if an output cannot be written, or is one of the inputs. Sets the format of the table. */
xncc_status track_out_check(const app_options *options, app_format *format, app_error *error);

/* Prints the table. */
xncc_status track_out_table(const track_result *result, app_format format, app_error *error);

/* --bands: writes a picture per quantity, or one array. */
xncc_status track_out_bands(const track_result *result, app_error *error);

/* The displacement on the ground: that of pixel (x + dx, y + dy) of image 2 less that of pixel (x,
 * y) of image 1. NaN without a displacement. */
void track_out_ground(const track_result *result, const xncc_displacement *found, double ground[4]);

#endif
