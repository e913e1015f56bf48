/* SPDX-License-Identifier: BSD-2-Clause */
/* The images of exactncc track, read by rows as the library asks for them. */
#ifndef TRACK_IMAGES_H
#define TRACK_IMAGES_H

#include "common/options.h"
#include "common/source.h"
#include "exactncc/track.h"

/* A page whose rows are read again and again. */
typedef struct track_file {
    const char *path;
    app_file *file;
    app_page info;
    app_source rows; /* the rows that were read last, as a picture of their own */
    int32_t first;   /* the first of them */
} track_file;

/* An image and its mask. */
typedef struct track_image {
    track_file image, mask; /* mask.path NULL: there is none */
    app_geo geo;
} track_image;

typedef struct track_images {
    track_image *image; /* 2 per pair */
    size_t pairs;
    xncc_pixel pixel;         /* the type in which all are compared */
    xncc_track_source source; /* reads them; its argument is this struct */
} track_images;

/* Opens the files of the options: IMAGE1 IMAGE2, or several such pairs. Call track_images_close
 * whatever is returned. */
xncc_status track_images_open(const app_options *options, track_images *images, app_error *error);
void track_images_close(track_images *images);

#endif
