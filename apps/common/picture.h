/* SPDX-License-Identifier: BSD-2-Clause */
/* A page of a file in memory, and the pixel type in which an image and a template are compared. */
#ifndef APP_PICTURE_H
#define APP_PICTURE_H

#include "exactncc/template.h"
#include "file_read.h"
#include "pixels.h"

typedef struct app_picture {
    void *pixels;          /* tight rows; the samples of a pixel are next to each other */
    uint8_t *mask;         /* one byte per pixel, not 0 if the pixel counts; NULL: all count */
    int32_t width, height; /* in pixels */
    int32_t channels;      /* samples per pixel */
    xncc_pixel pixel;
    app_geo geo; /* its place on the ground */
} app_picture;

/* Makes a zeroed picture for the selected page, to be decoded row by row, with the page's geo tags.
 * It has a mask if the page can have pixels that do not count. On failure *picture is empty. */
xncc_status app_picture_make(app_file *file, const app_page *info, app_picture *picture,
                             app_error *error);

/* Where to decode the rows to. */
app_target app_picture_target(const app_picture *picture);

/* Drops a mask in which every pixel counts. Call it when all rows are decoded. */
void app_picture_settle(app_picture *picture);

/* Reads the selected page, which info describes. On failure *picture is empty. */
xncc_status app_picture_read(app_file *file, const app_page *info, app_picture *picture,
                             app_error *error);

/* Opens a file and reads one page. On failure *picture is empty. */
xncc_status app_picture_load(const char *path, uint32_t page, const app_reading *reading,
                             app_picture *picture, app_error *error);

/* 1 if the rectangle is inside a picture of this size. */
int app_area_inside(const app_area *area, int32_t width, int32_t height);

/* Opens a file and reads a rectangle of its page 0, without geo tags. Takes memory for the
 * rectangle's rows only. Fails if the page does not contain it. On failure *picture is empty. */
xncc_status app_picture_load_area(const char *path, const app_area *area,
                                  const app_reading *reading, app_picture *picture,
                                  app_error *error);

void app_picture_free(app_picture *picture);

/* Number of samples: width * height * channels. */
size_t app_picture_samples(const app_picture *picture);

/* The value of sample i, exactly. */
double app_picture_value(const app_picture *picture, size_t i);

/* A view of the picture with samples of a type, and with its mask. If the samples must be
 * converted, *converted is their memory, which the caller frees; otherwise it is NULL. */
xncc_status app_picture_view(const app_picture *picture, xncc_pixel pixel, xncc_image *view,
                             void **converted, app_error *error);

/* app_picture_view in two steps, for a picture that is still being decoded: the view, and then the
 * conversion of rows that are decoded (only if *converted is not NULL). */
xncc_status app_picture_frame(const app_picture *picture, xncc_pixel pixel, xncc_image *view,
                              void **converted, app_error *error);
void app_picture_convert(const app_picture *picture, xncc_pixel pixel, int32_t first, int32_t rows,
                         void *converted);

/* The picture's view with pixels that app_picture_frame converted before. */
xncc_image app_picture_image(const app_picture *picture, xncc_pixel pixel, const void *pixels);

#endif
