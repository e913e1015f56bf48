/* SPDX-License-Identifier: BSD-2-Clause */
/* A picture with the name of its file: an image or a template. */
#ifndef APP_SOURCE_H
#define APP_SOURCE_H

#include "picture.h"

typedef struct app_source {
    const char *path;
    uint32_t page;
    app_picture picture;
    xncc_pixel form; /* type of the samples in converted */
    void *converted; /* a copy of the samples in another type, the last that was needed; or NULL */
} app_source;

/* Reads a page of a file. */
xncc_status app_source_load(const char *path, uint32_t page, const app_reading *reading,
                            app_source *source, app_error *error);

/* Reads a template by the name that was typed, which becomes its path: page 0 of a file, or a
 * rectangle of it. */
xncc_status app_source_load_templ(const char *name, const app_reading *reading, app_source *source,
                                  app_error *error);

/* Adds a mask to a picture that is decoded completely. A pixel counts if it counted before and
 * counts in page 0 of the mask file. There, a pixel counts if at least one sample is neither 0 nor
 * NaN, unless the mask file's own alpha or no-data tag excludes it. Fails if the extents differ. */
xncc_status app_source_mask(app_source *source, const char *path, const app_reading *reading,
                            app_error *error);

/* app_source_mask in two steps, for a mask that several pictures have: reads the file, and adds it.
 * The caller frees the mask with app_picture_free. */
xncc_status app_mask_load(const char *path, const app_reading *reading, app_picture *mask,
                          app_error *error);
xncc_status app_source_combine(app_source *source, const char *path, const app_picture *mask,
                               app_error *error);

/* What these two are made of: how a mask file is read, whether its extents are those of the image,
 * and whether its pixel i counts. */
app_reading app_mask_reading(const app_reading *reading);
xncc_status app_mask_check(const char *path, const char *image, const app_picture *picture,
                           const app_picture *mask, app_error *error);
uint8_t app_mask_counts(const app_picture *mask, size_t i);

/* Sets the pixel type of the first search for a source whose picture is not decoded yet. */
xncc_status app_source_expect(app_source *source, xncc_pixel pixel, app_error *error);

/* A view of the picture with samples of a type. */
xncc_status app_source_view(app_source *source, xncc_pixel pixel, xncc_image *view,
                            app_error *error);

void app_source_free(app_source *source);

#endif
