#include "picture.h"

#include <stdlib.h>
#include <string.h>

cm_status app_picture_make(const app_tiff_page *info, app_picture *picture, app_error *error)
{
    const uint64_t pitch = (uint64_t)info->width * app_sample_size(info->sample);
    *picture = (app_picture){ NULL, info->width, info->height, info->sample };
    /* Zeroed pages come from the system untouched: memory is used only as rows arrive. */
    picture->pixels = calloc((size_t)info->height, (size_t)pitch);
    if (!picture->pixels)
        return app_fail(error, CM_ERROR_MEMORY, "out of memory for %d x %d pixels; free some memory or cut the picture",
                        info->width, info->height);
    return CM_OK;
}

cm_status app_picture_read(app_tiff *tiff, const app_tiff_page *info, app_picture *picture, app_error *error)
{
    const int64_t pitch = (int64_t)info->width * (int64_t)app_sample_size(info->sample);
    cm_status status = app_picture_make(info, picture, error);
    for (int32_t ready = 0; ready < info->height && !status;)
        status = app_tiff_decode(tiff, picture->pixels, pitch, &ready, error);
    if (status)
        app_picture_free(picture);
    return status;
}

cm_status app_picture_load(const char *path, uint32_t page, const app_limits *limits, app_picture *picture,
                           app_error *error)
{
    app_tiff *tiff;
    app_tiff_page info;
    memset(picture, 0, sizeof *picture);
    cm_status status = app_tiff_open(path, limits, &tiff, error);
    if (!status)
        status = app_tiff_select(tiff, page, &info, error);
    if (!status)
        status = app_picture_read(tiff, &info, picture, error);
    app_tiff_close(tiff);
    return status;
}

void app_picture_free(app_picture *picture)
{
    free(picture->pixels);
    memset(picture, 0, sizeof *picture);
}

app_pixel_form app_pixel_form_for(app_sample a, app_sample b, cm_method method)
{
    const int invariant = method == CM_CCOEFF_NORMED || method == CM_CCOEFF || method == CM_SQDIFF;
    if (a == APP_U8 && b == APP_U8)
        return (app_pixel_form){ CM_U8, 0 };
    if ((a == APP_U8 || a == APP_U16) && (b == APP_U8 || b == APP_U16))
        return (app_pixel_form){ CM_U16, 0 };
    if (a == APP_S16 && b == APP_S16 && invariant)
        return (app_pixel_form){ CM_U16, 1 };
    return (app_pixel_form){ CM_F32, 0 };
}

double app_picture_value(const app_picture *picture, size_t i)
{
    switch (picture->sample) {
    case APP_U8: return ((const uint8_t *)picture->pixels)[i];
    case APP_U16: return ((const uint16_t *)picture->pixels)[i];
    case APP_S16: return ((const int16_t *)picture->pixels)[i];
    default: return (double)((const float *)picture->pixels)[i];
    }
}

cm_status app_picture_frame(const app_picture *picture, app_pixel_form form, cm_image *view, void **converted,
                            app_error *error)
{
    static const cm_pixel own[] = { CM_U8, CM_U16, CM_U16, CM_F32 };
    *converted = NULL;
    *view =
        (cm_image){ .data = picture->pixels, .width = picture->width, .height = picture->height, .pixel = form.pixel };
    if (own[picture->sample] == form.pixel && picture->sample != APP_S16)
        return CM_OK;
    *converted = calloc((size_t)picture->width * (size_t)picture->height, cm_pixel_size(form.pixel));
    if (!*converted)
        return app_fail(error, CM_ERROR_MEMORY,
                        "out of memory for %d x %d pixels as %s; free some memory or store image and "
                        "template with the same sample type",
                        picture->width, picture->height, cm_pixel_name(form.pixel));
    view->data = *converted;
    return CM_OK;
}

void app_picture_convert(const app_picture *picture, app_pixel_form form, int32_t first, int32_t rows, void *converted)
{
    const size_t begin = (size_t)first * (size_t)picture->width, end = begin + (size_t)rows * (size_t)picture->width;
    const double offset = form.offset ? 32768.0 : 0.0;
    for (size_t i = begin; i < end; i++) {
        if (form.pixel == CM_F32)
            ((float *)converted)[i] = (float)app_picture_value(picture, i);
        else
            ((uint16_t *)converted)[i] = (uint16_t)(app_picture_value(picture, i) + offset);
    }
}

cm_status app_picture_view(const app_picture *picture, app_pixel_form form, cm_image *view, void **converted,
                           app_error *error)
{
    cm_status status = app_picture_frame(picture, form, view, converted, error);
    if (!status && *converted)
        app_picture_convert(picture, form, 0, picture->height, *converted);
    return status;
}

const char *app_sample_name(app_sample sample)
{
    static const char *const name[] = { "u8", "u16", "s16", "f32" };
    return name[sample];
}
