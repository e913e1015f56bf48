/* SPDX-License-Identifier: BSD-2-Clause */
/* Lays out rectangles of images (rectangle.h). */
#include "image/rectangle.h"

#include "image/samples.h"

#include <string.h>

/* A row of a rectangle: from columns of an image row, `pixel` bytes each, or from none. */
typedef struct row {
    const xncc_image *image;
    const xncc_rectangle *part;
    size_t pixel;
    const char *from;    /* NULL: the border adds zeros */
    const uint8_t *mask; /* of the image row, or NULL */
    char *to;
    uint8_t *counts; /* NULL: no mask is made */
} row;

/* The columns of the rectangle that are inside of the image are from .. end - 1. */
static void columns_inside(const xncc_image *image, const xncc_rectangle *part, int32_t *from,
                           int32_t *end)
{
    const int64_t first = -part->left, last = (int64_t)image->width - part->left;
    *from = first < 0 ? 0 : first < part->width ? (int32_t)first : part->width;
    *end = last < *from ? *from : last < part->width ? (int32_t)last : part->width;
}

/* Where a column or row of the image is stored: spans are stored one after the other. */
static int64_t stored_at(const xncc_spans *s, int64_t at)
{
    if (!s || at < 0)
        return at;
    return s->count > 1 && at >= s->first[1] && at < s->first[1] + s->length[1]
               ? s->length[0] + at - s->first[1]
               : at - s->first[0];
}

/* Columns from .. end - 1, one by one. */
static void fill_columns(const row *r, int32_t from, int32_t end)
{
    for (int32_t x = from; x < end; x++) {
        const int64_t column = xncc_border_index(r->part->border, r->part->left + x,
                                                 r->image->width),
                      at = r->from ? stored_at(r->part->columns, column) : -1;
        if (at < 0)
            memset(r->to + (size_t)x * r->pixel, 0, r->pixel);
        else
            memcpy(r->to + (size_t)x * r->pixel, r->from + (size_t)at * r->pixel, r->pixel);
        if (r->counts)
            r->counts[x] = (uint8_t)(at < 0 ? r->part->border == XNCC_BORDER_ZERO
                                            : xncc_pixel_counts(r->image,
                                                                xncc_image_channels(r->image),
                                                                r->from, r->mask, at));
    }
}

static void fill_row(const row *r)
{
    int32_t from, end;
    columns_inside(r->image, r->part, &from, &end);
    if (!r->from || r->counts || r->part->columns)
        end = from; /* no row of the image has these pixels, or they must be examined */
    fill_columns(r, 0, from);
    if (end > from)
        memcpy(r->to + (size_t)from * r->pixel, r->from + (size_t)(r->part->left + from) * r->pixel,
               (size_t)(end - from) * r->pixel);
    fill_columns(r, end, r->part->width);
}

static int is_inside(const xncc_image *image, const xncc_rectangle *part)
{
    return part->left >= 0 && part->top >= 0 && part->left + part->width <= image->width &&
           part->top + part->height <= image->height;
}

xncc_status xncc_rectangle_view(const xncc_image *image, const xncc_rectangle *part,
                                xncc_room *room, const xncc_watch *watch, xncc_image *view,
                                xncc_error *error)
{
    if (!part->columns && is_inside(image, part)) {
        *view = xncc_image_part(image, (int32_t)part->left, (int32_t)part->top, part->width,
                                part->height);
        return XNCC_OK;
    }
    const uint64_t width = (uint64_t)part->width, rows = (uint64_t)part->height,
                   pixel = (uint64_t)xncc_image_channels(image) * xncc_pixel_size(image->pixel);
    char *pixels = xncc_room_take(room, rows, width * (pixel + (part->masked ? 1 : 0)));
    if (!pixels)
        return xncc_fail(error, XNCC_ERROR_MEMORY,
                         "no memory for %llu rows of the image with its border",
                         (unsigned long long)rows);
    xncc_status status = XNCC_OK;
    uint8_t *mask = part->masked ? (uint8_t *)pixels + width * rows * pixel : NULL;
    *view = (xncc_image){ .data = pixels,
                          .width = part->width,
                          .height = part->height,
                          .pixel = image->pixel,
                          .channels = image->channels,
                          .mask = mask };
    for (int32_t y = 0; y < part->height && !status; y++) {
        const int64_t row_of_image = xncc_border_index(part->border, part->top + y, image->height),
                      at = stored_at(part->rows, row_of_image);
        fill_row(&(row){ .image = image,
                         .part = part,
                         .pixel = (size_t)pixel,
                         .from = at < 0 ? NULL : xncc_image_row(image, (int32_t)at),
                         .mask = at < 0 ? NULL : xncc_image_mask_row(image, (int32_t)at),
                         .to = pixels + (uint64_t)y * width * pixel,
                         .counts = mask ? mask + (uint64_t)y * width : NULL });
        status = xncc_check_cancelled(watch, error);
    }
    return status;
}
