/* SPDX-License-Identifier: BSD-2-Clause */
/* A picture with the name of its file. */
#include "source.h"

#include "templ_name.h"

#include <stdlib.h>
#include <string.h>

xncc_status app_source_load(const char *path, uint32_t page, const app_reading *reading,
                            app_source *source, app_error *error)
{
    memset(source, 0, sizeof *source);
    source->path = path;
    source->page = page;
    return app_picture_load(path, page, reading, &source->picture, error);
}

xncc_status app_source_load_templ(const char *text, const app_reading *reading, app_source *source,
                                  app_error *error)
{
    app_templ_name name;
    app_reading how = *reading;
    how.raw.width = 0; /* only images are raw */
    xncc_status status = app_templ_name_parse(text, &name, error);
    if (status || !name.area.width)
        return status ? status : app_source_load(text, 0, &how, source, error);
    memset(source, 0, sizeof *source);
    source->path = text;
    return app_picture_load_area(name.file, &name.area, &how, &source->picture, error);
}

void app_source_free(app_source *source)
{
    free(source->converted);
    app_picture_free(&source->picture);
    memset(source, 0, sizeof *source);
}

uint8_t app_mask_counts(const app_picture *mask, size_t i)
{
    const size_t channels = (size_t)mask->channels;
    if (mask->mask && !mask->mask[i])
        return 0;
    for (size_t c = 0; c < channels; c++) {
        const double v = app_picture_value(mask, i * channels + c);
        if (v < 0.0 || v > 0.0)
            return 1;
    }
    return 0;
}

/* A pixel counts from now on if it counts in the picture and in the mask. */
static xncc_status combine(app_picture *p, const app_picture *mask, app_error *error)
{
    const size_t count = (size_t)p->width * (size_t)p->height;
    if (!p->mask) {
        p->mask = malloc(count);
        if (!p->mask)
            return app_fail(error, XNCC_ERROR_MEMORY,
                            "out of memory for a mask of %d x %d; free some memory", p->width,
                            p->height);
        memset(p->mask, 1, count);
    }
    for (size_t i = 0; i < count; i++)
        p->mask[i] &= app_mask_counts(mask, i);
    app_picture_settle(p);
    return XNCC_OK;
}

app_reading app_mask_reading(const app_reading *reading)
{
    app_reading how = *reading;
    how.channels = APP_SUM;
    how.mask = 1;
    how.raw.width = 0;
    /* A value of --no-data is for images and templates, not for masks. */
    how.no_data = reading->no_data == APP_NO_DATA_NONE ? APP_NO_DATA_NONE : APP_NO_DATA_TAG;
    return how;
}

xncc_status app_mask_load(const char *path, const app_reading *reading, app_picture *mask,
                          app_error *error)
{
    const app_reading how = app_mask_reading(reading);
    return app_picture_load(path, 0, &how, mask, error);
}

xncc_status app_mask_check(const char *path, const char *image, const app_picture *p,
                           const app_picture *mask, app_error *error)
{
    if (mask->width == p->width && mask->height == p->height)
        return XNCC_OK;
    return app_fail(
        error, XNCC_ERROR_ARGUMENT,
        "%s: the mask has %d x %d pixels, but %s has %d x %d; give a mask of the same size", path,
        mask->width, mask->height, image, p->width, p->height);
}

xncc_status app_source_combine(app_source *source, const char *path, const app_picture *mask,
                               app_error *error)
{
    const xncc_status status = app_mask_check(path, source->path, &source->picture, mask, error);
    return status ? status : combine(&source->picture, mask, error);
}

xncc_status app_source_mask(app_source *source, const char *path, const app_reading *reading,
                            app_error *error)
{
    app_picture mask;
    xncc_status status = app_mask_load(path, reading, &mask, error);
    if (status)
        return status;
    status = app_source_combine(source, path, &mask, error);
    app_picture_free(&mask);
    return status;
}

xncc_status app_source_expect(app_source *source, xncc_pixel pixel, app_error *error)
{
    app_error text;
    xncc_image view;
    source->form = pixel;
    xncc_status status = app_picture_frame(&source->picture, pixel, &view, &source->converted,
                                           &text);
    return status ? app_fail(error, status, "%s: %s", source->path, text.text) : XNCC_OK;
}

xncc_status app_source_view(app_source *source, xncc_pixel pixel, xncc_image *view,
                            app_error *error)
{
    app_error text;
    if (source->converted && source->form == pixel) {
        *view = app_picture_image(&source->picture, pixel, source->converted);
        return XNCC_OK;
    }
    free(source->converted);
    source->form = pixel;
    xncc_status status = app_picture_view(&source->picture, pixel, view, &source->converted, &text);
    return status ? app_fail(error, status, "%s: %s", source->path, text.text) : XNCC_OK;
}
