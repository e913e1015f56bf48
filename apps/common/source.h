/* A picture with the name of its file: a scene or a template. */
#ifndef APP_SOURCE_H
#define APP_SOURCE_H

#include "picture.h"

typedef struct app_source {
    const char *path;
    uint32_t page;
    app_picture picture;
    xncc_pixel form; /* of converted */
    void *converted; /* a copy with samples of the last other type that was asked for, or NULL */
} app_source;

xncc_status app_source_load(const char *path, uint32_t page, const app_reading *reading,
                            app_source *source, app_error *error);

/* Takes a mask to a picture all of whose rows are there: a pixel counts when it has counted before
 * and does in the mask file's page 0, where a pixel counts when one of its samples is neither 0 nor
 * a NaN, and no alpha or no-data tag of the file's own says otherwise. Fails when the extents
 * differ. */
xncc_status app_source_mask(app_source *source, const char *path, const app_reading *reading,
                            app_error *error);

/* Gives a source whose picture is still to be read the type with which it will be matched first. */
xncc_status app_source_expect(app_source *source, xncc_pixel pixel, app_error *error);

/* A view with samples of that type. */
xncc_status app_source_view(app_source *source, xncc_pixel pixel, xncc_image *view,
                            app_error *error);

void app_source_free(app_source *source);

#endif
