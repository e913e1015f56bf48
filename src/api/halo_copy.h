/* Rectangles of an image and of what its border makes of the pixels outside, laid out in host
 * memory. */
#ifndef XNCC_API_HALO_COPY_H
#define XNCC_API_HALO_COPY_H

#include "api/objects.h"

/* Patches of one size, of one image. One thread at a time. */
typedef struct xncc_patch {
    xncc_context *context;
    const xncc_image *image;
    xncc_border border;
    int masked;      /* 1: view has a mask, which says which of its pixels count */
    xncc_image view; /* in host memory */
    void *memory;
    void *fetched; /* pixels of a device image; NULL where the image lies in host memory */
} xncc_patch;

/* Takes the memory. The image's view is legal and outlives the patch. On failure xncc_patch_clear
 * frees what was taken. XNCC_ERROR_MEMORY; XNCC_ERROR_ARGUMENT when the context cannot reach the
 * image. */
xncc_status xncc_patch_make(xncc_patch *patch, int32_t width, int32_t height, xncc_error *error);
void xncc_patch_clear(xncc_patch *patch);

/* Fills view with the rectangle whose top-left pixel is (left, top); any of it may lie outside the
 * image. Where it lies inside an image in host memory, view becomes a crop of that and nothing is
 * copied. XNCC_ERROR_DEVICE. */
xncc_status xncc_patch_fill(xncc_patch *patch, int64_t left, int64_t top, xncc_error *error);

#endif
