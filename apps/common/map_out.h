/* SPDX-License-Identifier: BSD-2-Clause */
/* The float pictures that correlate and convolve compute, write and report. */
#ifndef APP_MAP_OUT_H
#define APP_MAP_OUT_H

#include "exactncc/image.h"
#include "map_book.h"
#include "out_name.h"
#include "search.h"

/* A map to be written. */
typedef struct app_map_out {
    char path[APP_OUT_NAME_SIZE];
    xncc_map map;
    app_map_book *book; /* the file is one of several pages; NULL: it has one page */
    const char *device, *kernel;
    app_place place;
    int has_nan;      /* 1: the map can contain NaN */
    double low, high; /* smallest and largest value other than NaN; set by app_map_write */
} app_map_out;

/* The maps of a command. */
typedef struct app_maps {
    const app_options *options;
    const app_named *inputs;
    const app_session *session; /* which device, and why */
    app_rows rows;
    char **text; /* of paths and descriptions, which this owns */
    size_t texts;
    app_written written;
    app_map_book *books; /* of the current image */
    size_t item;         /* its number */
    int complete;        /* 1: all pages were taken, even if some have failed */
    int piped;           /* 1: a map went to standard output, so that nothing else may */
} app_maps;

/* Fails unless -o is given, can be written, tells the outputs apart, and is none of the inputs. */
xncc_status app_map_check(const app_options *options, const app_named *inputs, app_error *error);

/* --shard and its like, when the files are known: sets options->spread, which the caller closes. */
xncc_status app_map_spread(app_options *options, const app_named *inputs, app_error *error);

void app_maps_open(const app_options *options, const app_named *inputs, const app_session *session,
                   app_maps *maps);

/* Sets the name of an output from the name that the option gives. */
xncc_status app_map_name(app_maps *maps, const char *option, const char *name, const app_out_of *of,
                         char path[APP_OUT_NAME_SIZE], app_error *error);

/* The same for a map. If the name does not tell pages apart, the map becomes a page of a book. */
xncc_status app_map_place(app_maps *maps, const char *option, const char *name,
                          const app_out_of *of, app_map_out *out, app_error *error);

/* As app_out_name_check for a map: a TIFF may have several pages. */
xncc_status app_map_name_check(const app_options *options, const app_named *inputs,
                               const char *option, const char *name, app_error *error);

/* Sets the extents of a map, and checks the name of its file again. */
xncc_status app_map_reserve(const char *path, const xncc_extent *extent, xncc_map *map,
                            app_error *error);

/* The same, and allocates the map. The caller frees map->data. */
xncc_status app_map_open(const char *path, const xncc_extent *extent, xncc_map *map,
                         app_error *error);

/* Writes a map. description: a JSON object for the ImageDescription tag. Unless --quiet, the report
 * gets a row and, if `described` is 1, the description. */
xncc_status app_map_write(app_maps *maps, app_map_out *out, const char *description, int described,
                          app_error *error);

/* The report of app_map_write, for a map that has been written, with its range. */
xncc_status app_map_report(app_maps *maps, const app_map_out *out, const char *description,
                           int described, app_error *error);

/* Writes the map of a search in colours, under this name and with the look of the options. */
xncc_status app_map_heatmap(const app_options *options, const char *path, const app_search *search,
                            const app_source *scene, const app_source *templ, const xncc_map *map,
                            app_error *error);

/* Prints what was written: a row per map in a table or CSV, or JSON with the descriptions. Nothing
 * if nothing was written. Returns the first failure. */
xncc_status app_maps_close(app_maps *maps, xncc_status status, app_error *error);

#endif
