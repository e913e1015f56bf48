#include "image/image.h"

size_t cm_pixel_size(cm_pixel pixel)
{
    switch (pixel) {
    case CM_U8:
    case CM_S8: return 1;
    case CM_U16:
    case CM_S16: return 2;
    case CM_F32:
    case CM_U32: return 4;
    case CM_F64: return 8;
    }
    return 0;
}

const char *cm_pixel_name(cm_pixel pixel)
{
    switch (pixel) {
    case CM_U8: return "u8";
    case CM_U16: return "u16";
    case CM_F32: return "f32";
    case CM_S8: return "s8";
    case CM_S16: return "s16";
    case CM_U32: return "u32";
    case CM_F64: return "f64";
    }
    return "?";
}

/* What images, masks and maps have in common: extents, pitch, alignment, memory. */
typedef struct view {
    const char *what;
    const void *data;
    int32_t width, height;
    int64_t pitch;
    size_t size;
    cm_memory memory;
    int32_t channels;
} view;

static cm_status check(const view *v, cm_error *error)
{
    if (!v->data)
        return cm_fail(error, CM_ERROR_ARGUMENT, "%s: data is a null pointer", v->what);
    if (v->width < 1 || v->height < 1 || v->width > CM_MAX_SIDE || v->height > CM_MAX_SIDE)
        return cm_fail(error, CM_ERROR_ARGUMENT, "%s: extents %d x %d are not within 1 .. %d", v->what, v->width,
                       v->height, CM_MAX_SIDE);
    if (v->memory != CM_HOST && v->memory != CM_DEVICE)
        return cm_fail(error, CM_ERROR_ARGUMENT, "%s: memory is %d, neither CM_HOST nor CM_DEVICE", v->what,
                       (int)v->memory);
    int64_t size = (int64_t)v->size, tight = (int64_t)v->width * v->channels * size;
    if (v->pitch != 0 && (v->pitch < tight || v->pitch % size != 0))
        return cm_fail(error, CM_ERROR_ARGUMENT,
                       "%s: a pitch of %lld bytes is not a multiple of %lld that holds a row of %lld bytes", v->what,
                       (long long)v->pitch, (long long)size, (long long)tight);
    if (v->pitch > INT64_MAX / v->height)
        return cm_fail(error, CM_ERROR_ARGUMENT, "%s: a pitch of %lld bytes times %d rows exceeds 64 bits", v->what,
                       (long long)v->pitch, v->height);
    if ((uintptr_t)v->data % v->size != 0)
        return cm_fail(error, CM_ERROR_ARGUMENT, "%s: data is not aligned to its %d-byte elements", v->what,
                       (int)v->size);
    return CM_OK;
}

cm_status cm_image_check(const cm_image *image, const char *what, cm_error *error)
{
    if (!image)
        return cm_fail(error, CM_ERROR_ARGUMENT, "%s: the view is a null pointer", what);
    if (cm_pixel_size(image->pixel) == 0)
        return cm_fail(error, CM_ERROR_ARGUMENT, "%s: %d is no pixel type", what, (int)image->pixel);
    if (image->channels < 0 || image->channels > CM_MAX_CHANNELS)
        return cm_fail(error, CM_ERROR_ARGUMENT, "%s: %d channels are not within 1 .. %d", what, image->channels, CM_MAX_CHANNELS);
    cm_status status = check(&(view){ what, image->data, image->width, image->height, image->pitch, cm_pixel_size(image->pixel),
                                      image->memory, cm_image_channels(image) },
                             error);
    if (!status && image->mask)
        status = check(&(view){ "mask", image->mask, image->width, image->height, image->mask_pitch, 1, image->memory, 1 }, error);
    return status;
}

cm_status cm_map_check(const cm_map *map, cm_error *error)
{
    if (!map)
        return cm_fail(error, CM_ERROR_ARGUMENT, "map: the view is a null pointer");
    return check(&(view){ "map", map->data, map->width, map->height, map->pitch, sizeof(float), map->memory, 1 }, error);
}

cm_status cm_image_crop(const cm_image *image, int32_t x, int32_t y, int32_t width, int32_t height, cm_image *part)
{
    if (!part || cm_image_check(image, "image", NULL) != CM_OK)
        return CM_ERROR_ARGUMENT;
    if (x < 0 || y < 0 || width < 1 || height < 1 || width > image->width - x || height > image->height - y)
        return CM_ERROR_ARGUMENT;
    cm_image crop = *image;
    crop.pitch = cm_image_pitch(image);
    crop.data = (const char *)cm_image_row(image, y) +
                (int64_t)x * cm_image_channels(image) * (int64_t)cm_pixel_size(image->pixel);
    if (image->mask) {
        crop.mask = cm_image_mask_row(image, y) + x;
        crop.mask_pitch = image->mask_pitch ? image->mask_pitch : image->width;
    }
    crop.width = width;
    crop.height = height;
    *part = crop;
    return CM_OK;
}
