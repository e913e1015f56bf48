/* SPDX-License-Identifier: BSD-2-Clause */
/* Copies patches of an image with its border to host memory (halo_copy.h). */
#include "api/halo_copy.h"

#include "base/memory.h"
#include "image/image.h"
#include "image/samples.h"

#include <assert.h>
#include <string.h>

/* The image pixels that the pixels of a patch repeat along one axis. They form one span of the
 * image, or two with the wrap border. */
typedef struct spans {
    int64_t first[2], length[2];
    int count;
} spans;

/* Returns the spans for a patch that begins at `start` and is `length` pixels long. */
static spans spans_of(xncc_border border, int64_t start, int64_t length, int64_t extent)
{
    spans s = { { 0, 0 }, { 0, 0 }, 0 };
    for (int64_t i = 0; i < length; i++) {
        const int64_t at = xncc_border_index(border, start + i, extent);
        int k = 0;
        if (at < 0)
            continue;
        /* Adjacent runs are one. With all borders but wrap, each new index touches the run. */
        while (k < s.count && (at < s.first[k] - 1 || at > s.first[k] + s.length[k]))
            k++;
        if (k == 2)
            return (spans){ { 0, 0 }, { extent, 0 }, 1 };
        if (k == s.count) {
            s.first[k] = at;
            s.length[k] = 1;
            s.count++;
        } else if (at < s.first[k]) {
            s.first[k] = at;
            s.length[k]++;
        } else if (at == s.first[k] + s.length[k]) {
            s.length[k]++;
        }
    }
    return s;
}

static int64_t spans_length(const spans *s)
{
    return s->length[0] + s->length[1];
}

/* Converts an index of the image to an index into the spans, which are stored one after the
 * other. */
static int64_t spans_index(const spans *s, int64_t at)
{
    return s->count > 1 && at >= s->first[1] && at < s->first[1] + s->length[1]
               ? s->length[0] + at - s->first[1]
               : at - s->first[0];
}

/* The pixels that a patch repeats, in host memory. */
typedef struct source {
    xncc_image view;
    spans x, y;
} source;

/* Copies all pieces of a view to tightly packed rows. The view is the image, or its mask seen as an
 * image. */
static xncc_status fetch_pieces(const xncc_patch *p, const xncc_image *view, const source *s,
                                char *to, xncc_error *error)
{
    xncc_engine *cuda = p->context->engine[xncc_slot(XNCC_DEVICE_CUDA)];
    const int64_t size = (int64_t)xncc_pixel_size(view->pixel) * xncc_image_channels(view),
                  pitch = spans_length(&s->x) * size;
    xncc_status status = xncc_check_cancelled(p->watch, error);
    for (int k = 0; k < s->x.count * s->y.count && !status; k++) {
        const int i = k % s->x.count, j = k / s->x.count;
        xncc_image piece;
        status = xncc_image_crop(view, (int32_t)s->x.first[i], (int32_t)s->y.first[j],
                                 (int32_t)s->x.length[i], (int32_t)s->y.length[j], &piece, error);
        char *at = to + (j ? s->y.length[0] : 0) * pitch + (i ? s->x.length[0] : 0) * size;
        if (!status)
            status = cuda->ops->fetch(cuda, &piece, at, pitch, p->stream, error);
    }
    return status;
}

static xncc_status fetch_sources(xncc_patch *p, source *s, xncc_error *error)
{
    const xncc_image *image = p->image;
    const uint64_t columns = (uint64_t)spans_length(&s->x), rows = (uint64_t)spans_length(&s->y);
    const uint64_t pixel = (uint64_t)xncc_pixel_size(image->pixel) *
                           (uint64_t)xncc_image_channels(image);
    char *bytes = columns && rows ? xncc_alloc(rows, columns * (pixel + (image->mask ? 1 : 0)))
                                  : NULL;
    xncc_free(p->fetched);
    p->fetched = bytes;
    if (columns == 0 || rows == 0)
        return XNCC_OK; /* the patch repeats no pixel of the image */
    if (!bytes)
        return xncc_fail(error, XNCC_ERROR_MEMORY, "no memory for %llu x %llu pixels of the image",
                         (unsigned long long)columns, (unsigned long long)rows);
    xncc_status status = fetch_pieces(p, image, s, bytes, error);
    s->view = *image;
    s->view.data = bytes;
    s->view.pitch = (int64_t)(columns * pixel);
    s->view.memory = XNCC_HOST;
    if (!status && image->mask) {
        const xncc_image mask = { .data = image->mask,
                                  .width = image->width,
                                  .height = image->height,
                                  .pitch = image->mask_pitch,
                                  .memory = XNCC_DEVICE };
        s->view.mask = (const uint8_t *)bytes + rows * columns * pixel;
        s->view.mask_pitch = (int64_t)columns;
        status = fetch_pieces(p, &mask, s, bytes + rows * columns * pixel, error);
    }
    return status;
}

/* Fills row y of the patch, whose first pixel is at image column `left`, from row sy of the source.
 * If sy is -1, no source row contributes. */
static void fill_row(const xncc_patch *p, const source *s, int64_t left, int32_t y, int64_t sy)
{
    const xncc_image *view = &p->view;
    const int32_t channels = xncc_image_channels(view);
    const size_t pixel = xncc_pixel_size(view->pixel) * (size_t)channels;
    char *to = (char *)(uintptr_t)xncc_image_row(view, y);
    uint8_t *counts = (uint8_t *)(uintptr_t)xncc_image_mask_row(view, y);
    const int outside = p->border == XNCC_BORDER_ZERO;
    const void *row = sy < 0 ? NULL : (const char *)s->view.data + sy * xncc_image_pitch(&s->view);
    const uint8_t *mask = sy < 0 || !s->view.mask
                              ? NULL
                              : s->view.mask + sy * xncc_image_mask_pitch(&s->view);
    for (int32_t x = 0; x < view->width; x++) {
        int64_t sx = row ? xncc_border_index(p->border, left + x, p->image->width) : -1;
        if (sx < 0) {
            memset(to + (size_t)x * pixel, 0, pixel);
        } else {
            sx = s->x.count ? spans_index(&s->x, sx) : sx;
            memcpy(to + (size_t)x * pixel, (const char *)row + (size_t)sx * pixel, pixel);
        }
        if (counts)
            counts[x] = (uint8_t)(sx < 0 ? outside
                                         : xncc_pixel_counts(&s->view, channels, row, mask, sx));
    }
}

static int is_inside(const xncc_patch *p, int64_t left, int64_t top)
{
    return left >= 0 && top >= 0 && left + p->view.width <= p->image->width &&
           top + p->view.height <= p->image->height;
}

xncc_status xncc_patch_fill(xncc_patch *p, int64_t left, int64_t top, xncc_error *error)
{
    const int32_t width = p->view.width, height = p->view.height;
    assert(width >= 1 && height >= 1); /* xncc_patch_make succeeded */
    const uint64_t size = (uint64_t)xncc_pixel_size(p->image->pixel) *
                          (uint64_t)xncc_image_channels(p->image);
    if (p->image->memory == XNCC_HOST && is_inside(p, left, top))
        return xncc_image_crop(p->image, (int32_t)left, (int32_t)top, width, height, &p->view,
                               error);
    p->view = (xncc_image){ .data = p->memory,
                            .width = width,
                            .height = height,
                            .pixel = p->image->pixel,
                            .channels = p->image->channels };
    if (p->masked)
        p->view.mask = (const uint8_t *)p->memory + (uint64_t)width * (uint64_t)height * size;
    source s = { .view = *p->image };
    xncc_status status = XNCC_OK;
    if (p->image->memory == XNCC_DEVICE) {
        s.x = spans_of(p->border, left, width, p->image->width);
        s.y = spans_of(p->border, top, height, p->image->height);
        status = fetch_sources(p, &s, error);
    }
    for (int32_t y = 0; y < height && !status; y++) {
        status = xncc_check_cancelled(p->watch, error);
        int64_t sy = xncc_border_index(p->border, top + y, p->image->height);
        if (sy >= 0 && s.y.count)
            sy = spans_index(&s.y, sy);
        fill_row(p, &s, left, y, p->image->memory == XNCC_DEVICE && !p->fetched ? -1 : sy);
    }
    return status;
}

xncc_status xncc_patch_make(xncc_patch *p, int32_t width, int32_t height, xncc_error *error)
{
    const uint64_t size = (uint64_t)xncc_pixel_size(p->image->pixel) *
                              (uint64_t)xncc_image_channels(p->image) +
                          (p->masked ? 1 : 0);
    p->view = (xncc_image){ .width = width, .height = height };
    if (p->image->memory == XNCC_DEVICE && !p->context->engine[xncc_slot(XNCC_DEVICE_CUDA)])
        return xncc_fail(error, XNCC_ERROR_ARGUMENT,
                         "image: it is in device memory, but this context has no device");
    p->memory = xncc_alloc((uint64_t)width * (uint64_t)height, size);
    return p->memory ? XNCC_OK
                     : xncc_fail(error, XNCC_ERROR_MEMORY,
                                 "no memory for %d x %d pixels of the image", width, height);
}

void xncc_patch_clear(xncc_patch *p)
{
    xncc_free(p->memory);
    xncc_free(p->fetched);
    p->memory = p->fetched = NULL;
}
