/* The float picture that correlate and convolve compute, write and report. */
#ifndef APP_MAP_OUT_H
#define APP_MAP_OUT_H

#include "exactncc/image.h"
#include "search.h"

/* A map to be written. */
typedef struct app_map_out {
    const char *path;
    xncc_map map;
    const char *device, *kernel;
    app_place place;
    int has_nan; /* 1: the map can contain NaN */
} app_map_out;

/* Fails unless -o is given, can be written, and is none of the inputs. */
xncc_status app_map_check(const app_options *options, app_error *error);

/* Allocates a map. The caller frees map->data. */
xncc_status app_map_open(const char *path, const xncc_extent *extent, xncc_map *map,
                         app_error *error);

/* Writes the map. description: a JSON object for the ImageDescription tag. */
xncc_status app_map_write(const app_map_out *out, const char *description, app_error *error);

/* Writes the map of a search in colours, under the name and with the look of the options. */
xncc_status app_map_heatmap(const app_options *options, const app_search *search,
                            const app_source *scene, const app_source *templ, const xncc_map *map,
                            app_error *error);

/* Prints what was written, unless --quiet: a row per map in a table or CSV, or JSON with the
 * description. */
xncc_status app_map_report(const app_options *options, const app_map_out *outs, size_t count,
                           const char *description, app_error *error);

#endif
