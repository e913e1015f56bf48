/* Checks of views, and the address arithmetic of their rows. */
#ifndef XNCC_IMAGE_IMAGE_H
#define XNCC_IMAGE_IMAGE_H

#include "base/error.h"
#include "exactncc/image.h"

/* Is the view legal? what ("image", "template") begins the text. XNCC_ERROR_ARGUMENT or XNCC_OK. */
xncc_status xncc_image_check(const xncc_image *image, const char *what, xncc_error *error);
xncc_status xncc_map_check(const xncc_map *map, xncc_error *error);

static inline int32_t xncc_image_channels(const xncc_image *image)
{
    return image->channels ? image->channels : 1;
}

/* Bytes of a row's pixels. */
static inline int64_t xncc_image_row_bytes(const xncc_image *image)
{
    return (int64_t)image->width * xncc_image_channels(image) *
           (int64_t)xncc_pixel_size(image->pixel);
}

/* Bytes from row to row, with 0 (tight) resolved. */
static inline int64_t xncc_image_pitch(const xncc_image *image)
{
    return image->pitch ? image->pitch : xncc_image_row_bytes(image);
}

/* May some of its pixels not count? */
static inline int xncc_image_is_masked(const xncc_image *image)
{
    return image->mask || image->has_no_data;
}

/* The mask of a row; NULL without a mask. */
static inline const uint8_t *xncc_image_mask_row(const xncc_image *image, int32_t y)
{
    return image->mask
               ? image->mask + (int64_t)y * (image->mask_pitch ? image->mask_pitch : image->width)
               : NULL;
}

static inline const void *xncc_image_row(const xncc_image *image, int32_t y)
{
    return (const char *)image->data + (int64_t)y * xncc_image_pitch(image);
}

static inline int64_t xncc_map_pitch(const xncc_map *map)
{
    return map->pitch ? map->pitch : (int64_t)map->width * (int64_t)sizeof(float);
}

static inline float *xncc_map_row(const xncc_map *map, int32_t y)
{
    return (float *)(void *)((char *)map->data + (int64_t)y * xncc_map_pitch(map));
}

#endif
