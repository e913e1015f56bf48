/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows of the image with the pixels that the border rule adds. */
#include "cpu/kernels/border_row.h"

#include "image/image.h"
#include "image/samples.h"

#include <assert.h>
#include <string.h>

static void copy_one(const xncc_source_row *row, int64_t from, char *to)
{
    const char *element = (const char *)row->data + (size_t)from * row->size;
    switch (row->size) {
    case 1: *to = *element; return;
    case 2: memcpy(to, element, 2); return;
    case 4: memcpy(to, element, 4); return;
    default: memcpy(to, element, row->size); return;
    }
}

/* Fills elements first .. end - 1 of the output, all of which lie outside the row. Element 0 of the
 * output is element x of the row. */
static void outside(const xncc_source_row *row, int64_t x, int64_t first, int64_t end, char *out)
{
    if (first >= end)
        return;
    if (row->border == XNCC_BORDER_ZERO || row->border == XNCC_BORDER_OVERLAP) {
        memset(out + (size_t)first * row->size, 0, (size_t)(end - first) * row->size);
        return;
    }
    for (int64_t i = first; i < end; i++)
        copy_one(row, xncc_border_index(row->border, x + i, row->width),
                 out + (size_t)i * row->size);
}

const void *xncc_border_row_elements(const xncc_source_row *row, int64_t x, int64_t count,
                                     void *buffer)
{
    assert(count >= 0);
    if (x >= 0 && x + count <= row->width)
        return (const char *)row->data + (size_t)x * row->size;
    char *out = buffer;
    const int64_t left = x >= 0       ? 0
                         : -x < count ? -x
                                      : count,
                  end = row->width - x < count ? row->width - x : count;
    outside(row, x, 0, left, out);
    if (end > left)
        memcpy(out + (size_t)left * row->size,
               (const char *)row->data + (size_t)(x + left) * row->size,
               (size_t)(end - left) * row->size);
    outside(row, x, end > left ? end : left, count, out);
    return out;
}

const void *xncc_border_row(const xncc_image *image, xncc_border border, int64_t y, int64_t x,
                            int64_t count, void *buffer)
{
    const int64_t line = xncc_border_index(border, y, image->height);
    const size_t size = xncc_pixel_size(image->pixel) * (size_t)xncc_image_channels(image);
    if (line < 0)
        return memset(buffer, 0, (size_t)count * size);
    return xncc_border_row_elements(
        &(xncc_source_row){ xncc_image_row(image, (int32_t)line), image->width, size, border }, x,
        count, buffer);
}

const void *xncc_border_row_biased(const xncc_image *image, xncc_border border, int64_t y,
                                   int64_t x, int64_t count, void *buffer)
{
    const void *raw = xncc_border_row(image, border, y, x, count, buffer);
    if (xncc_pixel_bias(image->pixel) == 0)
        return raw;
    xncc_flip_bias(image->pixel, raw, buffer, (size_t)count);
    return buffer;
}
