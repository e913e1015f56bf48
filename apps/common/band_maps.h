/* SPDX-License-Identifier: BSD-2-Clause */
/* Maps that are computed band by band and written as they come. */
#ifndef APP_BAND_MAPS_H
#define APP_BAND_MAPS_H

#include "band_rules.h"
#include "map_file.h"
#include "map_out.h"

/* One map, from its creation to its row in the report. */
typedef struct app_band_map {
    app_map_out *out; /* its map has the extents, and no data */
    int32_t y0;       /* the row of the page that is the top row of the windows of map row 0 */
    app_map_file *file;
    xncc_device engine; /* that has computed rows */
} app_band_map;

/* Creates the file of a map with these extents. about: text that tells this map from others, for
 * the journal. */
xncc_status app_band_map_open(const app_options *options, const app_named *inputs, app_map_out *out,
                              const xncc_extent *extent, const char *about, app_band_map *map,
                              app_error *error);

/* Appends the rows of a band that it owns. part: the map of the band, tight; its row 0 belongs to
 * windows with top row y0. */
xncc_status app_band_map_put(app_band_map *map, const app_band_rows *rows, const xncc_map *part,
                             int32_t y0, unsigned flags, app_error *error);

/* Leaves out the bands whose rows all maps have. Returns 0 if nothing is left to do. */
int app_band_maps_skip(const app_band_map *map, int count, app_bands_rule *rule);

/* For a map that several processes write: prints what is known of the rows that were put since the
 * last call, and takes that line where all is known. *text: moved behind the line. */
xncc_status app_band_map_print(app_band_map *map, FILE *out, app_error *error);
xncc_status app_band_map_take(app_band_map *map, const app_session *session, const char **text,
                              app_error *error);

/* 1 if the line is about this file, and not about an earlier one of its name. *text: moved behind
 * the line. */
int app_band_map_knows(const app_band_map *map, const char **text);

/* Completes the file, and adds its row to the report. */
xncc_status app_band_map_close(app_band_map *map, app_maps *maps, const char *description,
                               int described, xncc_status status, app_error *error);

#endif
