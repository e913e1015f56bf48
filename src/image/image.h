/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks of image and map views, and the addresses of their rows. */
#ifndef XNCC_IMAGE_IMAGE_H
#define XNCC_IMAGE_IMAGE_H

#include "base/error.h"
#include "exactncc/image.h"

/* Checks that a view is legal. what: begins the error text ("image", "template"). Returns XNCC_OK
 * or XNCC_ERROR_ARGUMENT. A view that is NULL is not legal. */
xncc_status xncc_image_check(const xncc_image *image, const char *what, xncc_error *error);

/* The same for a map. */
xncc_status xncc_map_check(const xncc_map *map, xncc_error *error);

/* Samples per pixel, at least 1. The functions below take legal views. */
static inline int32_t xncc_image_channels(const xncc_image *image)
{
    return image->channels ? image->channels : 1;
}

/* Bytes of the pixels of a row. */
static inline int64_t xncc_image_row_bytes(const xncc_image *image)
{
    return (int64_t)image->width * xncc_image_channels(image) *
           (int64_t)xncc_pixel_size(image->pixel);
}

/* Bytes from one row to the next; the 0 of tightly packed rows is replaced. */
static inline int64_t xncc_image_pitch(const xncc_image *image)
{
    return image->pitch ? image->pitch : xncc_image_row_bytes(image);
}

/* The bytes from a row of the view's mask to the next. */
static inline int64_t xncc_image_mask_pitch(const xncc_image *image)
{
    return image->mask_pitch ? image->mask_pitch : image->width;
}

/* The view with its pitches filled in: 0 means tightly packed rows. */
static inline xncc_image xncc_image_with_pitches(const xncc_image *image)
{
    xncc_image full = *image;
    full.pitch = xncc_image_pitch(image);
    full.mask_pitch = xncc_image_mask_pitch(image);
    return full;
}

/* Returns 1 if the view has a mask or a no-data value, so that pixels may not count. */
static inline int xncc_image_is_masked(const xncc_image *image)
{
    return image->mask || image->has_no_data;
}

/* The mask of row y, or NULL if the image has none. */
static inline const uint8_t *xncc_image_mask_row(const xncc_image *image, int32_t y)
{
    return image->mask ? image->mask + (int64_t)y * xncc_image_mask_pitch(image) : NULL;
}

/* The first sample of row y. */
static inline const void *xncc_image_row(const xncc_image *image, int32_t y)
{
    return (const char *)image->data + (int64_t)y * xncc_image_pitch(image);
}

/* The view of a rectangle that is inside the image. */
static inline xncc_image xncc_image_part(const xncc_image *image, int32_t x, int32_t y,
                                         int32_t width, int32_t height)
{
    xncc_image part = *image;
    part.pitch = xncc_image_pitch(image);
    part.data = (const char *)xncc_image_row(image, y) +
                (int64_t)x * xncc_image_channels(image) * (int64_t)xncc_pixel_size(image->pixel);
    if (image->mask) {
        part.mask = xncc_image_mask_row(image, y) + x;
        part.mask_pitch = xncc_image_mask_pitch(image);
    }
    part.width = width;
    part.height = height;
    return part;
}

/* Bytes from one row of a map to the next. */
static inline int64_t xncc_map_pitch(const xncc_map *map)
{
    return map->pitch ? map->pitch : (int64_t)map->width * (int64_t)sizeof(float);
}

/* The first element of row y of a map. */
static inline float *xncc_map_row(const xncc_map *map, int32_t y)
{
    return (float *)(void *)((char *)map->data + (int64_t)y * xncc_map_pitch(map));
}

#endif
