/* SPDX-License-Identifier: BSD-2-Clause */
/* The part of an image in host memory that a band reads, with the pixels that the border adds. */
#ifndef XNCC_TEAM_BAND_VIEW_H
#define XNCC_TEAM_BAND_VIEW_H

#include "base/watch.h"
#include "exactncc/rules.h"
#include "image/image.h"

/* Memory for pixels that are laid out. It grows. All zero: none yet. */
typedef struct xncc_laid_out {
    void *memory;
    uint64_t room; /* bytes */
} xncc_laid_out;

/* A rectangle of an image, any part of which may lie outside. */
typedef struct xncc_rectangle {
    int64_t left, top;
    int32_t width, height;
    xncc_border border;
    int masked; /* 1: a mask says which pixels count, if some lie outside */
} xncc_rectangle;

/* Makes a view of a rectangle. Inside of the image it is a crop, and nothing is copied. Otherwise
 * the pixels are laid out in `room`. Returns XNCC_OK, XNCC_ERROR_MEMORY or XNCC_ERROR_CANCELLED. */
xncc_status xncc_band_view(const xncc_image *image, const xncc_rectangle *part, xncc_laid_out *room,
                           const xncc_watch *watch, xncc_image *view, xncc_error *error);

#endif
