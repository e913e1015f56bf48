/* Checks of views, and the address arithmetic of their rows. */
#ifndef CM_IMAGE_IMAGE_H
#define CM_IMAGE_IMAGE_H

#include "base/error.h"
#include "corrmatch/image.h"

/* Is the view legal? what ("image", "template") begins the text. CM_ERROR_ARGUMENT or CM_OK. */
cm_status cm_image_check(const cm_image *image, const char *what, cm_error *error);
cm_status cm_map_check(const cm_map *map, cm_error *error);

static inline int32_t cm_image_channels(const cm_image *image)
{
    return image->channels ? image->channels : 1;
}

/* Bytes of a row's pixels. */
static inline int64_t cm_image_row_bytes(const cm_image *image)
{
    return (int64_t)image->width * cm_image_channels(image) * (int64_t)cm_pixel_size(image->pixel);
}

/* Bytes from row to row, with 0 (tight) resolved. */
static inline int64_t cm_image_pitch(const cm_image *image)
{
    return image->pitch ? image->pitch : cm_image_row_bytes(image);
}

/* May some of its pixels not count? */
static inline int cm_image_is_masked(const cm_image *image)
{
    return image->mask || image->has_no_data;
}

/* The mask of a row; NULL without a mask. */
static inline const uint8_t *cm_image_mask_row(const cm_image *image, int32_t y)
{
    return image->mask ? image->mask + (int64_t)y * (image->mask_pitch ? image->mask_pitch : image->width) : NULL;
}

static inline const void *cm_image_row(const cm_image *image, int32_t y)
{
    return (const char *)image->data + (int64_t)y * cm_image_pitch(image);
}

static inline int64_t cm_map_pitch(const cm_map *map)
{
    return map->pitch ? map->pitch : (int64_t)map->width * (int64_t)sizeof(float);
}

static inline float *cm_map_row(const cm_map *map, int32_t y)
{
    return (float *)(void *)((char *)map->data + (int64_t)y * cm_map_pitch(map));
}

#endif
