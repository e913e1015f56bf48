/* SPDX-License-Identifier: BSD-2-Clause */
/* A page of a TIFF in memory, and the pixel type in which an image and a template are compared. */
#include "picture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static uint64_t row_samples(const app_picture *p)
{
    return (uint64_t)p->width * (uint64_t)p->channels;
}

xncc_status app_picture_make(app_file *file, const app_page *info, app_picture *picture,
                             app_error *error)
{
    *picture = (app_picture){ .width = info->width,
                              .height = info->height,
                              .channels = info->channels,
                              .pixel = info->pixel };
    app_file_geo(file, &picture->geo);
    /* calloc does not touch large blocks, so memory is used only as rows are decoded. */
    picture->pixels = calloc(
        (size_t)info->height,
        (size_t)(row_samples(picture) * (uint64_t)xncc_pixel_size(info->pixel)));
    if (info->masked)
        picture->mask = calloc((size_t)info->height, (size_t)info->width);
    if (picture->pixels && (picture->mask || !info->masked))
        return XNCC_OK;
    app_picture_free(picture);
    return app_fail(error, XNCC_ERROR_MEMORY,
                    "out of memory for %d x %d pixels; free some memory or cut the picture",
                    info->width, info->height);
}

app_target app_picture_target(const app_picture *p)
{
    return (app_target){ .pixels = p->pixels,
                         .pitch = (int64_t)(row_samples(p) * xncc_pixel_size(p->pixel)),
                         .mask = p->mask,
                         .rows = p->height };
}

void app_picture_settle(app_picture *p)
{
    if (!p->mask || memchr(p->mask, 0, (size_t)p->width * (size_t)p->height))
        return;
    free(p->mask);
    p->mask = NULL;
}

/* Gives back the memory after the first bytes. */
static void *shorten(void *memory, size_t bytes)
{
    void *shorter = realloc(memory, bytes);
    return shorter ? shorter : memory;
}

/* Drops the columns outside x .. x + width - 1. */
static void keep_columns(app_picture *p, int32_t x, int32_t width)
{
    const size_t pixel = (size_t)p->channels * xncc_pixel_size(p->pixel), from = (size_t)p->width,
                 to = (size_t)width, rows = (size_t)p->height;
    char *pixels = p->pixels;
    for (size_t y = 0; y < rows; y++) {
        memmove(pixels + y * to * pixel, pixels + (y * from + (size_t)x) * pixel, to * pixel);
        if (p->mask)
            memmove(p->mask + y * to, p->mask + y * from + x, to);
    }
    p->width = width;
    p->pixels = shorten(p->pixels, rows * to * pixel);
    if (p->mask)
        p->mask = shorten(p->mask, rows * to);
}

/* Reads a rectangle of the selected page. */
static xncc_status read_area(app_file *file, const app_page *info, const app_area *area,
                             app_picture *picture, app_error *error)
{
    app_page part = *info;
    part.height = area->height;
    xncc_status status = app_picture_make(file, &part, picture, error);
    if (status)
        return status;
    app_target to = app_picture_target(picture);
    to.first = area->y;
    for (int32_t ready = 0; ready < area->y + area->height && !status;)
        status = app_file_decode(file, &to, &ready, error);
    if (status) {
        app_picture_free(picture);
        return status;
    }
    if (area->width < info->width)
        keep_columns(picture, area->x, area->width);
    app_picture_settle(picture);
    return XNCC_OK;
}

xncc_status app_picture_read(app_file *file, const app_page *info, app_picture *picture,
                             app_error *error)
{
    const app_area all = { 0, 0, info->width, info->height };
    return read_area(file, info, &all, picture, error);
}

int app_area_inside(const app_area *a, int32_t width, int32_t height)
{
    return a->x <= width - a->width && a->y <= height - a->height;
}

/* Fails if the rows of the rectangle exceed the limit. */
static xncc_status check_rows(const char *path, const app_area *a, const app_page *info,
                              const app_reading *reading, app_error *error)
{
    const uint64_t row = (uint64_t)info->width *
                         ((uint64_t)info->channels * xncc_pixel_size(info->pixel) +
                          (info->masked ? 1u : 0u)),
                   bytes = (uint64_t)a->height * row; /* below 2^30 * 2^30 * 65 */
    if (bytes <= reading->max_memory)
        return XNCC_OK;
    return app_fail(error, XNCC_ERROR_MEMORY,
                    "%s@%d,%d,%d,%d: %d rows of %d pixels need %.3g MiB, more than the limit of "
                    "%.3g MiB; raise --max-memory",
                    path, a->x, a->y, a->width, a->height, a->height, info->width,
                    (double)bytes / 1048576.0, (double)reading->max_memory / 1048576.0);
}

xncc_status app_picture_load_area(const char *path, const app_area *a, const app_reading *reading,
                                  app_picture *picture, app_error *error)
{
    app_file *file;
    app_page info;
    app_reading how = *reading;
    memset(picture, 0, sizeof *picture);
    how.bands = 1; /* the page may be larger than memory */
    xncc_status status = app_file_open(path, &how, &file, error);
    if (!status)
        status = app_file_select(file, 0, &info, error);
    if (!status && !app_area_inside(a, info.width, info.height))
        status = app_fail(error, XNCC_ERROR_ARGUMENT,
                          "%s@%d,%d,%d,%d: the rectangle exceeds the image (%d x %d pixels); give "
                          "one inside it",
                          path, a->x, a->y, a->width, a->height, info.width, info.height);
    if (!status)
        status = check_rows(path, a, &info, reading, error);
    if (!status)
        status = read_area(file, &info, a, picture, error);
    app_geo_free(&picture->geo); /* it is that of the whole page */
    app_file_close(file);
    return status;
}

xncc_status app_picture_load(const char *path, uint32_t page, const app_reading *reading,
                             app_picture *picture, app_error *error)
{
    app_file *file;
    app_page info;
    memset(picture, 0, sizeof *picture);
    xncc_status status = app_file_open(path, reading, &file, error);
    if (!status)
        status = app_file_select(file, page, &info, error);
    if (!status)
        status = app_picture_read(file, &info, picture, error);
    app_file_close(file);
    return status;
}

void app_picture_free(app_picture *picture)
{
    free(picture->pixels);
    free(picture->mask);
    app_geo_free(&picture->geo);
    memset(picture, 0, sizeof *picture);
}

size_t app_picture_samples(const app_picture *p)
{
    return (size_t)row_samples(p) * (size_t)p->height;
}

double app_picture_value(const app_picture *picture, size_t i)
{
    switch (picture->pixel) {
#define CASE(pixel, name, type)                                                                    \
    case pixel: return (double)((const type *)picture->pixels)[i];
        XNCC_EACH_PIXEL(CASE)
#undef CASE
    }
    return NAN;
}

xncc_image app_picture_image(const app_picture *p, xncc_pixel pixel, const void *pixels)
{
    return (xncc_image){ .data = pixels,
                         .width = p->width,
                         .height = p->height,
                         .pixel = pixel,
                         .channels = p->channels,
                         .mask = p->mask };
}

xncc_status app_picture_frame(const app_picture *picture, xncc_pixel pixel, xncc_image *view,
                              void **converted, app_error *error)
{
    *converted = NULL;
    *view = app_picture_image(picture, pixel, picture->pixels);
    if (picture->pixel == pixel)
        return XNCC_OK;
    uint64_t bytes;
    if (!__builtin_mul_overflow(row_samples(picture) * (uint64_t)picture->height,
                                (uint64_t)xncc_pixel_size(pixel), &bytes))
        *converted = calloc(1, (size_t)bytes);
    if (!*converted)
        return app_fail(
            error, XNCC_ERROR_MEMORY,
            "out of memory for %d x %d pixels as %s; free some memory or store image and "
            "template with the same sample type",
            picture->width, picture->height, xncc_pixel_name(pixel));
    view->data = *converted;
    return XNCC_OK;
}

void app_picture_convert(const app_picture *picture, xncc_pixel pixel, int32_t first, int32_t rows,
                         void *converted)
{
    const size_t row = (size_t)row_samples(picture), begin = (size_t)first * row,
                 end = begin + (size_t)rows * row;
    for (size_t i = begin; i < end; i++) {
        const double v = app_picture_value(picture, i);
        switch (pixel) {
#define CASE(pixel, name, type)                                                                    \
    case pixel: ((type *)converted)[i] = (type)v; break;
            XNCC_EACH_PIXEL(CASE)
#undef CASE
        }
    }
}

xncc_status app_picture_view(const app_picture *picture, xncc_pixel pixel, xncc_image *view,
                             void **converted, app_error *error)
{
    xncc_status status = app_picture_frame(picture, pixel, view, converted, error);
    if (!status && *converted)
        app_picture_convert(picture, pixel, 0, picture->height, *converted);
    return status;
}
