/* A page of a TIFF in memory, and the pixel type in which a scene and a template meet. */
#ifndef APP_PICTURE_H
#define APP_PICTURE_H

#include "corrmatch/template.h"
#include "tiff_read.h"

typedef struct app_picture {
    void *pixels; /* rows without gaps */
    int32_t width, height;
    app_sample sample;
} app_picture;

/* An empty picture of a page's size, to be read row by row. On failure *picture is empty. */
cm_status app_picture_make(const app_tiff_page *info, app_picture *picture, app_error *error);
/* Reads the selected page, which is described by info. On failure *picture is empty. */
cm_status app_picture_read(app_tiff *tiff, const app_tiff_page *info, app_picture *picture, app_error *error);
/* Opens the file and reads one page. */
cm_status app_picture_load(const char *path, uint32_t page, const app_limits *limits, app_picture *picture,
                           app_error *error);
void app_picture_free(app_picture *picture);

/* The i-th sample as a number, exactly. */
double app_picture_value(const app_picture *picture, size_t i);

/* How samples become one of the library's pixel types. */
typedef struct app_pixel_form {
    cm_pixel pixel;
    int offset; /* signed 16-bit samples get 32768 added */
} app_pixel_form;

/* The form in which samples a and b are matched:
 *   both u8: u8;  u8 and u16, or both u16: u16 (widening is exact);  both signed 16 bits and a method that an offset
 * common to image and template does not change (ccoeff_normed, ccoeff, sqdiff): u16, with 32768 added;  all else: f32
 * (exact for 16 bits). */
app_pixel_form app_pixel_form_for(app_sample a, app_sample b, cm_method method);

/* A view of the picture in the form. Where it has to be converted, *converted is the caller's to free, else NULL. */
cm_status app_picture_view(const app_picture *picture, app_pixel_form form, cm_image *view, void **converted,
                           app_error *error);

/* app_picture_view in two steps, for a picture whose rows are still to come: the view, and each row as it is there
 * (only where *converted is not NULL). */
cm_status app_picture_frame(const app_picture *picture, app_pixel_form form, cm_image *view, void **converted,
                            app_error *error);
void app_picture_convert(const app_picture *picture, app_pixel_form form, int32_t first, int32_t rows, void *converted);

/* "u8", "u16", "s16", "f32". */
const char *app_sample_name(app_sample sample);

#endif
