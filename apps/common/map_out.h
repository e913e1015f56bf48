/* The float picture that `correlate` and `convolve` compute, write and sum up. */
#ifndef APP_MAP_OUT_H
#define APP_MAP_OUT_H

#include "corrmatch/image.h"
#include "session.h"

/* Is -o there, writable, and none of the inputs? */
cm_status app_map_check(const app_options *options, app_error *error);

/* Takes memory for a map of that size. To be freed with free(map->data). */
cm_status app_map_open(const char *path, int32_t width, int32_t height, cm_map *map, app_error *error);

/* Writes it with an ImageDescription, and prints what was written unless --quiet: one line, one row of CSV, or the
 * description itself as JSON. description: a JSON object. */
cm_status app_map_write(const app_options *options, const cm_map *map, const char *description, const char *device,
                        const char *kernel, app_error *error);

#endif
