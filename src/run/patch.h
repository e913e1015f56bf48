/* Rectangles of an image and of what its border makes of the pixels outside, laid out in host memory. */
#ifndef CM_RUN_PATCH_H
#define CM_RUN_PATCH_H

#include "run/run.h"

/* Patches of one size, of one image. One thread at a time. */
typedef struct cm_patch {
    cm_context *context;
    const cm_image *image;
    cm_border border;
    int masked;    /* 1: view has a mask, which says which of its pixels count */
    cm_image view; /* in host memory */
    void *memory;
    void *brought; /* pixels of a device image; NULL where the image lies in host memory */
} cm_patch;

/* Takes the memory. The image's view is legal and outlives the patch. On failure cm_patch_clear frees what was taken.
 * CM_ERROR_MEMORY; CM_ERROR_ARGUMENT when the context cannot reach the image. */
cm_status cm_patch_make(cm_patch *patch, int32_t width, int32_t height, cm_error *error);
void cm_patch_clear(cm_patch *patch);

/* Fills view with the rectangle whose top-left pixel is (left, top); any of it may lie outside the image. Where it lies inside an image
 * in host memory, view becomes a crop of that and nothing is copied. CM_ERROR_DEVICE. */
cm_status cm_patch_fill(cm_patch *patch, int64_t left, int64_t top, cm_error *error);

#endif
