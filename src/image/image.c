/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks of views, and the names and sizes of pixel types. */
#include "image/image.h"

#include "base/float_env.h"
#include "image/samples.h"

size_t xncc_pixel_size(xncc_pixel pixel)
{
    return (size_t)xncc_pixel_digits(pixel);
}

const char *xncc_pixel_name(xncc_pixel pixel)
{
    switch (pixel) {
#define CASE(pixel, name, type)                                                                    \
    case pixel: return #name;
        XNCC_EACH_PIXEL(CASE)
#undef CASE
    }
    return "?";
}

/* What images, masks and maps have in common. size: bytes per sample. what: the name of the view in
 * error texts. */
typedef struct view {
    const char *what;
    const void *data;
    int32_t width, height;
    int64_t pitch;
    size_t size;
    xncc_memory memory;
    int32_t channels;
} view;

static xncc_status check(const view *v, xncc_error *error)
{
    if (!v->data)
        return xncc_fail(error, XNCC_ERROR_ARGUMENT, "%s: data is a null pointer", v->what);
    if (v->width < 1 || v->height < 1 || v->width > XNCC_MAX_SIDE || v->height > XNCC_MAX_SIDE)
        return xncc_fail(error, XNCC_ERROR_ARGUMENT,
                         "%s: extents of %d x %d are not within 1 .. %d", v->what, v->width,
                         v->height, XNCC_MAX_SIDE);
    if (v->memory != XNCC_HOST && v->memory != XNCC_DEVICE)
        return xncc_fail(error, XNCC_ERROR_ARGUMENT,
                         "%s: memory is %d, which is neither XNCC_HOST nor XNCC_DEVICE", v->what,
                         (int)v->memory);
    int64_t size = (int64_t)v->size, tight = (int64_t)v->width * v->channels * size;
    if (v->pitch != 0 && (v->pitch < tight || v->pitch % size != 0))
        return xncc_fail(
            error, XNCC_ERROR_ARGUMENT,
            "%s: the pitch of %lld bytes must be a multiple of %lld and at least a row, %lld bytes",
            v->what, (long long)v->pitch, (long long)size, (long long)tight);
    if (v->pitch > INT64_MAX / v->height)
        return xncc_fail(error, XNCC_ERROR_ARGUMENT,
                         "%s: the pitch of %lld bytes times %d rows exceeds 64 bits", v->what,
                         (long long)v->pitch, v->height);
    if ((uintptr_t)v->data % v->size != 0)
        return xncc_fail(error, XNCC_ERROR_ARGUMENT,
                         "%s: data is not aligned to its %d-byte elements", v->what, (int)v->size);
    return XNCC_OK;
}

xncc_status xncc_image_check(const xncc_image *image, const char *what, xncc_error *error)
{
    if (!image)
        return xncc_fail(error, XNCC_ERROR_ARGUMENT, "%s: the view is a null pointer", what);
    if (xncc_pixel_size(image->pixel) == 0)
        return xncc_fail(error, XNCC_ERROR_ARGUMENT, "%s: %d is not a pixel type", what,
                         (int)image->pixel);
    if (image->channels < 0 || image->channels > XNCC_MAX_CHANNELS)
        return xncc_fail(error, XNCC_ERROR_ARGUMENT, "%s: %d channels are not within 1 .. %d", what,
                         image->channels, XNCC_MAX_CHANNELS);
    xncc_status status = check(&(view){ what, image->data, image->width, image->height,
                                        image->pitch, xncc_pixel_size(image->pixel), image->memory,
                                        xncc_image_channels(image) },
                               error);
    if (!status && image->mask)
        status = check(&(view){ "mask", image->mask, image->width, image->height, image->mask_pitch,
                                1, image->memory, 1 },
                       error);
    return status;
}

xncc_status xncc_map_check(const xncc_map *map, xncc_error *error)
{
    if (!map)
        return xncc_fail(error, XNCC_ERROR_ARGUMENT, "map: the view is a null pointer");
    return check(&(view){ "map", map->data, map->width, map->height, map->pitch, sizeof(float),
                          map->memory, 1 },
                 error);
}

xncc_status xncc_image_crop(const xncc_image *image, int32_t x, int32_t y, int32_t width,
                            int32_t height, xncc_image *crop, xncc_error *error)
{
    XNCC_ENTER;
    const xncc_status status = xncc_image_check(image, "image", error);
    if (status)
        return status;
    if (!crop)
        return xncc_fail_null(error, "crop");
    if (x < 0 || y < 0 || width < 1 || height < 1 || width > image->width - x ||
        height > image->height - y)
        return xncc_fail(error, XNCC_ERROR_ARGUMENT,
                         "crop: the rectangle of %d x %d pixels at (%d, %d) is not inside the "
                         "image of %d x %d",
                         width, height, x, y, image->width, image->height);
    *crop = xncc_image_part(image, x, y, width, height);
    return xncc_done(XNCC_OK, error);
}
