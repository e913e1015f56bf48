/* SPDX-License-Identifier: BSD-2-Clause */
/* A rectangle of an image in host memory, with the pixels that the border adds. */
#ifndef XNCC_IMAGE_RECTANGLE_H
#define XNCC_IMAGE_RECTANGLE_H

#include "base/room.h"
#include "base/watch.h"
#include "exactncc/rules.h"
#include "image/image.h"

/* Columns or rows of an image, as one span or two, which are stored one after the other. */
typedef struct xncc_spans {
    int64_t first[2], length[2];
    int count;
} xncc_spans;

/* A rectangle of an image, any part of which may lie outside. */
typedef struct xncc_rectangle {
    int64_t left, top;
    int32_t width, height;
    xncc_border border;
    int masked; /* 1: a mask says which pixels count, if some lie outside */
    /* What the image's memory has, if not all of its columns and rows: those that the rectangle
     * repeats. */
    const xncc_spans *columns, *rows;
} xncc_rectangle;

/* Makes a view of a rectangle. Inside of the image it is a crop, and nothing is copied. Otherwise
 * the pixels are laid out in `room`. Returns XNCC_OK, XNCC_ERROR_MEMORY or XNCC_ERROR_CANCELLED. */
xncc_status xncc_rectangle_view(const xncc_image *image, const xncc_rectangle *part,
                                xncc_room *room, const xncc_watch *watch, xncc_image *view,
                                xncc_error *error);

#endif
