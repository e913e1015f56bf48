/* SPDX-License-Identifier: BSD-2-Clause */
/* The pixels within the edges of a template (inner.h). */
#include "pose/inner.h"

#include "base/memory.h"

#include <string.h>

/* How far the windows of a fit reach. */
enum { INSET = 2 };

/* Is a pixel INSET pixels away from all that do not count? */
static int is_inner(const xncc_pose_source *s, int32_t x, int32_t y)
{
    if (x < INSET || y < INSET || x >= s->width - INSET || y >= s->height - INSET)
        return 0;
    for (int32_t j = y - INSET; j <= y + INSET; j++)
        for (int32_t i = x - INSET; i <= x + INSET; i++)
            if (!s->mask[(size_t)j * (size_t)s->width + (size_t)i])
                return 0;
    return 1;
}

/* Sets subject->inner to the pixels within the edges, which a template without a mask is reduced to
 * (a mask would take as much time as the pixels). */
static xncc_status crop_inner(xncc_pose_subject *subject, xncc_error *error)
{
    const xncc_pose_source *s = &subject->source;
    const int32_t width = s->width - 2 * INSET, height = s->height - 2 * INSET;
    const size_t pixel = (size_t)s->channels * xncc_pixel_size(s->pixel);
    if (width <= 0 || height <= 0 || 2 * (int64_t)width * height < (int64_t)s->width * s->height)
        return XNCC_OK;
    char *to = xncc_alloc((uint64_t)width * (uint64_t)height, pixel);
    if (!to)
        return xncc_fail(error, XNCC_ERROR_MEMORY, "poses: no memory for %d x %d pixels", width,
                         height);
    for (int32_t y = 0; y < height; y++)
        memcpy(to + (size_t)y * (size_t)width * pixel,
               (const char *)s->pixels +
                   ((size_t)(y + INSET) * (size_t)s->width + (size_t)INSET) * pixel,
               (size_t)width * pixel);
    subject->memory = to;
    subject->inner.pixels = to;
    subject->inner.width = width;
    subject->inner.height = height;
    return XNCC_OK;
}

xncc_status xncc_pose_inner_make(xncc_pose_subject *subject, xncc_error *error)
{
    const xncc_pose_source *s = &subject->source;
    uint64_t all = 0, inner = 0;
    subject->inner = *s;
    if (!s->mask)
        return crop_inner(subject, error);
    uint8_t *mask = xncc_alloc((uint64_t)s->height, (uint64_t)s->width);
    subject->memory = mask;
    if (!mask)
        return xncc_fail(error, XNCC_ERROR_MEMORY, "poses: no memory for a mask of %d x %d",
                         s->width, s->height);
    for (int32_t y = 0; y < s->height; y++)
        for (int32_t x = 0; x < s->width; x++) {
            const size_t at = (size_t)y * (size_t)s->width + (size_t)x;
            all += s->mask[at];
            mask[at] = (uint8_t)is_inner(s, x, y);
            inner += mask[at];
        }
    if (2 * inner >= all)
        subject->inner.mask = mask;
    return XNCC_OK;
}
