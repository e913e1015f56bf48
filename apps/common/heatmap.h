/* A map as a colour picture. */
#ifndef APP_HEATMAP_H
#define APP_HEATMAP_H

#include "exactncc/image.h"
#include "exactncc/rules.h"
#include "fail.h"
#include "geo.h"

/* Converts scores to colours; rgb receives three bytes per score.
 *
 * A score v has a place from 0 (bad) to 1 (good) on the colour scale: (v - low) / (high - low),
 * limited to 0 .. 1; for the sqdiff methods 1 minus that. The range low .. high is
 *
 * - -1 .. 1 for ccoeff_normed,
 *
 * - 0 .. 1 for ccorr_normed, sqdiff_normed and coverage,
 *
 * - otherwise the smallest to the largest finite score of the map; if they are equal, the place
 * is 1.
 *
 * At 0, 1/4, 1/2, 3/4 and 1 the colours are (68, 1, 84), (59, 82, 139), (33, 145, 140),
 * (94, 201, 98) and (253, 231, 37), five of matplotlib's viridis (van der Walt and Smith, 2015),
 * with linear interpolation between them. NaN is (128, 128, 128). */
void app_heatmap_paint(const float *score, size_t count, xncc_method method, unsigned char *rgb);

/* Writes an RGB TIFF, or a PNG if the name ends in .png. The map has tight rows. */
xncc_status app_heatmap_write(const char *path, const xncc_map *map, xncc_method method,
                              const app_place *place, app_error *error);

#endif
