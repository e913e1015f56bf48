#include "base/memory.h"
#include "model/template.h"

#include <math.h>

cm_status cm_filter_fill(cm_filter *filter, const float *coefficients, int32_t width, int32_t height,
                         const cm_filter_options *options, cm_error *error)
{
    if (!coefficients)
        return cm_fail(error, CM_ERROR_ARGUMENT, "filter: the coefficients are a null pointer");
    if (width < 1 || height < 1 || width > CM_MAX_FILTER || height > CM_MAX_FILTER)
        return cm_fail(error, CM_ERROR_ARGUMENT, "filter: extents %d x %d are not within 1 .. %d", width, height,
                       CM_MAX_FILTER);
    int32_t anchor_x = width / 2, anchor_y = height / 2;
    if (options->anchored) {
        anchor_x = options->anchor_x;
        anchor_y = options->anchor_y;
    }
    if (anchor_x < 0 || anchor_y < 0 || anchor_x >= width || anchor_y >= height)
        return cm_fail(error, CM_ERROR_ARGUMENT, "filter: the anchor (%d, %d) is not inside %d x %d", anchor_x,
                       anchor_y, width, height);
    size_t count = (size_t)width * (size_t)height;
    for (size_t i = 0; i < count; i++)
        if (!isfinite(coefficients[i]))
            return cm_fail(error, CM_ERROR_ARGUMENT, "filter: coefficient %d of row %d is not finite",
                           (int)(i % (size_t)width), (int)(i / (size_t)width));
    filter->taps = cm_alloc(count, sizeof(float));
    if (!filter->taps)
        return cm_fail(error, CM_ERROR_MEMORY, "filter: no memory for %zu coefficients", count);
    filter->width = width;
    filter->height = height;
    int turned = !options->correlate;
    for (size_t i = 0; i < count; i++)
        filter->taps[i] = coefficients[turned ? count - 1 - i : i];
    filter->anchor_x = turned ? width - 1 - anchor_x : anchor_x;
    filter->anchor_y = turned ? height - 1 - anchor_y : anchor_y;
    return CM_OK;
}

void cm_filter_clear(cm_filter *filter)
{
    cm_free(filter->taps);
    filter->taps = NULL;
}
