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

/* Allocates the map of a band, whose extents are set. The caller frees part->data. */
xncc_status app_band_map_part(const app_map_out *out, xncc_map *part, app_error *error);

/* The maps of a page. */
typedef struct app_band_maps {
    const app_kit *kit;
    app_feed_page *page;
    app_bands_rule rule; /* for all bands of the page */
    app_band_map *map;   /* `count` of them */
    int count;
    app_band_step compute; /* map i of a band, which it puts */
    void *data;
} app_band_maps;

/* Computes the rows that the files do not have yet, or lets the processes of the spread do it. */
xncc_status app_band_maps_compute(app_band_maps *maps, app_error *error);

/* Completes the file, and adds its row to the report. */
xncc_status app_band_map_close(app_band_map *map, app_maps *maps, const char *description,
                               int described, xncc_status status, app_error *error);

#endif
