/* SPDX-License-Identifier: BSD-2-Clause */
/* Filters: checks and copies the coefficients in the order in which they meet the image. */
#include "base/memory.h"
#include "template/template.h"

#include <assert.h>
#include <math.h>

xncc_status xncc_filter_fill(xncc_filter *filter, const float *coefficients, int32_t width,
                             int32_t height, const xncc_filter_options *options, xncc_error *error)
{
    assert(!filter->taps);
    if (!coefficients)
        return xncc_fail(error, XNCC_ERROR_ARGUMENT, "filter: the coefficients are a null pointer");
    if (width < 1 || height < 1 || width > XNCC_MAX_FILTER || height > XNCC_MAX_FILTER)
        return xncc_fail(error, XNCC_ERROR_ARGUMENT,
                         "filter: extents of %d x %d are not within 1 .. %d", width, height,
                         XNCC_MAX_FILTER);
    const int32_t anchor_x = options->anchor_x == XNCC_AUTO ? width / 2 : options->anchor_x;
    const int32_t anchor_y = options->anchor_y == XNCC_AUTO ? height / 2 : options->anchor_y;
    if (anchor_x < 0 || anchor_y < 0 || anchor_x >= width || anchor_y >= height)
        return xncc_fail(error, XNCC_ERROR_ARGUMENT,
                         "filter: the anchor (%d, %d) is not inside %d x %d", anchor_x, anchor_y,
                         width, height);
    size_t count = (size_t)width * (size_t)height;
    for (size_t i = 0; i < count; i++)
        if (!isfinite(coefficients[i]))
            return xncc_fail(error, XNCC_ERROR_ARGUMENT,
                             "filter: coefficient %d of row %d is not finite",
                             (int)(i % (size_t)width), (int)(i / (size_t)width));
    filter->taps = xncc_alloc(count, sizeof(float));
    if (!filter->taps)
        return xncc_fail(error, XNCC_ERROR_MEMORY, "filter: no memory for %zu coefficients", count);
    filter->width = width;
    filter->height = height;
    int rotated = !options->correlate;
    for (size_t i = 0; i < count; i++)
        filter->taps[i] = coefficients[rotated ? count - 1 - i : i];
    filter->anchor_x = rotated ? width - 1 - anchor_x : anchor_x;
    filter->anchor_y = rotated ? height - 1 - anchor_y : anchor_y;
    return XNCC_OK;
}
