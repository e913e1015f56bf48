/* A page of a TIFF in memory, and the pixel type in which a scene and a template meet. */
#ifndef APP_PICTURE_H
#define APP_PICTURE_H

#include "exactncc/template.h"
#include "tiff_read.h"

typedef struct app_picture {
    void *pixels;  /* rows without gaps; the samples of a pixel lie next to each other */
    uint8_t *mask; /* a byte a pixel, not 0 where it counts; NULL: all count */
    int32_t width, height;
    int32_t channels;
    xncc_pixel pixel;
    app_geo geo; /* where it lies */
} app_picture;

/* An empty picture of the selected page's size, to be read row by row, with the page's geo tags.
 * Where the page may have pixels that do not count it has a mask. On failure *picture is empty. */
xncc_status app_picture_make(app_tiff *tiff, const app_tiff_page *info, app_picture *picture,
                             app_error *error);
/* Where its rows go. */
app_tiff_target app_picture_target(const app_picture *picture);
/* To be called when all rows are there: a mask in which every pixel counts is dropped. */
void app_picture_settle(app_picture *picture);
/* Reads the selected page, which is described by info. On failure *picture is empty. */
xncc_status app_picture_read(app_tiff *tiff, const app_tiff_page *info, app_picture *picture,
                             app_error *error);
/* Opens the file and reads one page. */
xncc_status app_picture_load(const char *path, uint32_t page, const app_reading *reading,
                             app_picture *picture, app_error *error);
void app_picture_free(app_picture *picture);

/* How many samples it has. */
size_t app_picture_samples(const app_picture *picture);
/* The i-th of them as a number, exactly. */
double app_picture_value(const app_picture *picture, size_t i);

/* The first in the order u8, s8, u16, s16, u32, f32, f64 that holds every value of both types. */
xncc_pixel app_pixel_join(xncc_pixel a, xncc_pixel b);

/* A view of the picture with samples of that type; its mask with it. Where they have to be
 * converted, *converted is the caller's to free, else NULL. */
xncc_status app_picture_view(const app_picture *picture, xncc_pixel pixel, xncc_image *view,
                             void **converted, app_error *error);

/* app_picture_view in two steps, for a picture whose rows are still to come: the view, and each row
 * as it is there (only where *converted is not NULL). */
xncc_status app_picture_frame(const app_picture *picture, xncc_pixel pixel, xncc_image *view,
                              void **converted, app_error *error);
void app_picture_convert(const app_picture *picture, xncc_pixel pixel, int32_t first, int32_t rows,
                         void *converted);

/* The picture's view with other pixels of that type: what app_picture_frame made of it before. */
xncc_image app_picture_image(const app_picture *picture, xncc_pixel pixel, const void *pixels);

#endif
