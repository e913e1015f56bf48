/* The float picture that `correlate` and `convolve` compute, write and sum up. */
#ifndef APP_MAP_OUT_H
#define APP_MAP_OUT_H

#include "exactncc/image.h"
#include "search.h"

/* A map on its way out. */
typedef struct app_map_out {
    const char *path;
    xncc_map map;
    const char *device, *kernel;
    app_place place;
    int has_nan;
} app_map_out;

/* Is -o there, writable, and none of the inputs? */
xncc_status app_map_check(const app_options *options, app_error *error);

/* Takes memory for a map of that size. To be freed with free(map->data). */
xncc_status app_map_open(const char *path, int32_t width, int32_t height, xncc_map *map,
                         app_error *error);

/* Writes it. description: a JSON object, which becomes the ImageDescription. */
xncc_status app_map_write(const app_map_out *out, const char *description, app_error *error);

/* Prints what was written unless --quiet: a line for each, a row of CSV, or JSON with the
 * description. */
xncc_status app_map_report(const app_options *options, const app_map_out *outs, size_t count,
                           const char *description, app_error *error);

#endif
