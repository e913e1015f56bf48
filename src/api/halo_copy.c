/* SPDX-License-Identifier: BSD-2-Clause */
/* Copies patches of an image with its border, and whole images, to host memory (halo_copy.h). */
#include "api/halo_copy.h"

#include "base/memory.h"
#include "image/image.h"
#include "image/samples.h"

/* Returns what a patch that begins at `start` and is `length` pixels long repeats of an image along
 * one axis. It is one span, or two with the wrap border. */
static xncc_spans spans_of(xncc_border border, int64_t start, int64_t length, int64_t extent)
{
    xncc_spans s = { { 0, 0 }, { 0, 0 }, 0 };
    for (int64_t i = 0; i < length; i++) {
        const int64_t at = xncc_border_index(border, start + i, extent);
        int k = 0;
        if (at < 0)
            continue;
        /* Adjacent runs are one. With all borders but wrap, each new index touches the run. */
        while (k < s.count && (at < s.first[k] - 1 || at > s.first[k] + s.length[k]))
            k++;
        if (k == 2)
            return (xncc_spans){ { 0, 0 }, { extent, 0 }, 1 };
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

static int64_t spans_length(const xncc_spans *s)
{
    return s->length[0] + s->length[1];
}

/* Copies the columns and rows of a patch to tightly packed rows. The view is the image, or its mask
 * seen as an image. */
static xncc_status fetch_pieces(const xncc_patch *s, const xncc_image *view, char *to,
                                xncc_error *error)
{
    xncc_engine *cuda = s->context->engine[xncc_slot(XNCC_DEVICE_CUDA)];
    const int64_t size = (int64_t)xncc_pixel_size(view->pixel) * xncc_image_channels(view),
                  pitch = spans_length(&s->x) * size;
    xncc_status status = s->watch ? xncc_check_cancelled(s->watch, error) : XNCC_OK;
    for (int k = 0; k < s->x.count * s->y.count && !status; k++) {
        const int i = k % s->x.count, j = k / s->x.count;
        xncc_image piece;
        status = xncc_image_crop(view, (int32_t)s->x.first[i], (int32_t)s->y.first[j],
                                 (int32_t)s->x.length[i], (int32_t)s->y.length[j], &piece, error);
        char *at = to + (j ? s->y.length[0] : 0) * pitch + (i ? s->x.length[0] : 0) * size;
        if (!status)
            status = cuda->ops->fetch(cuda, &piece, at, pitch, s->stream, error);
    }
    return status;
}

/* Copies them from an image in device memory. what: begins error texts. The caller frees *owned; it
 * is NULL if there is no pixel to copy. */
static xncc_status fetch(const xncc_patch *s, const char *what, xncc_image *host, void **owned,
                         xncc_error *error)
{
    const xncc_image *image = s->image;
    const uint64_t columns = (uint64_t)spans_length(&s->x), rows = (uint64_t)spans_length(&s->y);
    const uint64_t pixel = (uint64_t)xncc_pixel_size(image->pixel) *
                           (uint64_t)xncc_image_channels(image);
    *host = *image;
    *owned = NULL;
    if (columns == 0 || rows == 0)
        return XNCC_OK;
    char *bytes = xncc_alloc_unset(rows, columns * (pixel + (image->mask ? 1 : 0)));
    *owned = bytes;
    if (!bytes)
        return xncc_fail(error, XNCC_ERROR_MEMORY, "%s: no memory for %llu x %llu pixels", what,
                         (unsigned long long)columns, (unsigned long long)rows);
    xncc_status status = fetch_pieces(s, image, bytes, error);
    host->data = bytes;
    host->pitch = (int64_t)(columns * pixel);
    host->memory = XNCC_HOST;
    if (!status && image->mask) {
        const xncc_image mask = { .data = image->mask,
                                  .width = image->width,
                                  .height = image->height,
                                  .pitch = image->mask_pitch,
                                  .memory = XNCC_DEVICE };
        host->mask = (const uint8_t *)bytes + rows * columns * pixel;
        host->mask_pitch = (int64_t)columns;
        status = fetch_pieces(s, &mask, bytes + rows * columns * pixel, error);
    }
    return status;
}

xncc_status xncc_context_fetch(xncc_context *context, const xncc_image *pixels, const char *what,
                               xncc_image *host, void **owned, xncc_error *error)
{
    const xncc_patch all = { .context = context,
                             .image = pixels,
                             .x = { { 0, 0 }, { pixels->width, 0 }, 1 },
                             .y = { { 0, 0 }, { pixels->height, 0 }, 1 } };
    *host = *pixels;
    *owned = NULL;
    if (pixels->memory == XNCC_HOST)
        return XNCC_OK;
    if (!context->engine[xncc_slot(XNCC_DEVICE_CUDA)])
        return xncc_fail(error, XNCC_ERROR_ARGUMENT,
                         "%s: its pixels are in device memory, but this context has no device",
                         what);
    return fetch(&all, what, host, owned, error);
}

xncc_status xncc_patch_fill(xncc_patch *p, int64_t left, int64_t top, xncc_error *error)
{
    xncc_rectangle *part = &p->part;
    xncc_image host = *p->image;
    xncc_status status = XNCC_OK;
    part->left = left;
    part->top = top;
    if (p->image->memory == XNCC_DEVICE) {
        p->x = spans_of(part->border, left, part->width, p->image->width);
        p->y = spans_of(part->border, top, part->height, p->image->height);
        part->columns = &p->x;
        part->rows = &p->y;
        xncc_free(p->fetched);
        status = fetch(p, "image", &host, &p->fetched, error);
    }
    return status ? status : xncc_rectangle_view(&host, part, &p->room, p->watch, &p->view, error);
}

void xncc_patch_clear(xncc_patch *p)
{
    xncc_free(p->room.memory);
    xncc_free(p->fetched);
}
