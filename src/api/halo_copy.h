/* SPDX-License-Identifier: BSD-2-Clause */
/* Copies rectangles of an image, with the pixels that the border rule adds outside the image, to
 * host memory. */
#ifndef XNCC_API_HALO_COPY_H
#define XNCC_API_HALO_COPY_H

#include "api/objects.h"
#include "image/rectangle.h"

/* Patches of one size from one image, whose view is valid. Used by one thread at a time. */
typedef struct xncc_patch {
    xncc_context *context;
    const xncc_image *image;
    xncc_rectangle part;     /* all of it but where it is */
    const xncc_watch *watch; /* of the call that fills the patches; NULL: it is not watched */
    xncc_stream stream;      /* orders the copies of an image in device memory */
    xncc_image view;         /* the current patch, in host memory */
    xncc_room room;
    xncc_spans x, y; /* of an image in device memory: the columns and rows that are copied, */
    void *fetched;   /* and their pixels; else NULL */
} xncc_patch;

void xncc_patch_clear(xncc_patch *patch);

/* Fills `view` with the rectangle whose top-left pixel is (left, top). Any part of it may lie
 * outside the image. If it is inside an image in host memory, `view` becomes a crop of the image
 * and nothing is copied.
 * Returns XNCC_ERROR_MEMORY, XNCC_ERROR_DEVICE if the copy fails, or XNCC_ERROR_CANCELLED. */
xncc_status xncc_patch_fill(xncc_patch *patch, int64_t left, int64_t top, xncc_error *error);

#endif
