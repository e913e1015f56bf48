/* SPDX-License-Identifier: BSD-2-Clause */
/* Matches as GeoJSON: a feature per match, with the window's outline on the ground. */
#ifndef FIND_GEOJSON_H
#define FIND_GEOJSON_H

#include "find_result.h"

/* Prints what comes before the features. Coordinates are those of the image's coordinate system,
 * which the member "crs" names (as in GeoJSON of 2008; RFC 7946 has no such member). */
void find_geojson_begin(FILE *out, const app_geo *geo);

/* Prints a feature. Its properties are the columns of a row that are not in skip. */
void find_geojson_feature(FILE *out, const app_rows *rows, size_t row, unsigned skip,
                          const find_hit *hit, const app_geo *geo, int first);

void find_geojson_end(FILE *out);

#endif
