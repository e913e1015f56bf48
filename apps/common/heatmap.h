/* SPDX-License-Identifier: BSD-2-Clause */
/* A map as a colour picture of the scene's size. */
#ifndef APP_HEATMAP_H
#define APP_HEATMAP_H

#include "exactncc/image.h"
#include "exactncc/rules.h"
#include "heat_look.h"
#include "picture.h"

typedef struct app_heatmap {
    const char *name, *templ; /* of the scene's and the template's file */
    const app_picture *scene;
    const xncc_map *map; /* tight rows */
    int32_t x, y;        /* the pixel of the scene that element (0, 0) stands for */
    xncc_method method;
    app_heat_look look;
} app_heatmap;

/* Converts scores to colours; rgb receives three bytes per score.
 *
 * A score v has a place from 0 (bad) to 1 (good): (v - low) / (high - low), limited to 0 .. 1; for
 * the sqdiff methods 1 minus that. Place p has colour floor(255 p + 0.5) of colour_scale.h. The
 * range low .. high is the look's or, if that has none, that of app_heat_range. If low equals high
 * the place is 1. A NaN leaves its three bytes as they are. */
void app_heatmap_paint(const float *score, size_t count, xncc_method method, double low,
                       double high, unsigned char *rgb);

/* The smallest and the largest finite score; 0 and 0 if there is none. */
void app_heat_range(const float *score, size_t count, double *low, double *high);

/* Writes an RGB TIFF, or a PNG if the name ends in .png.
 *
 * A score is drawn at the pixel in the middle of its window, (width / 2, height / 2) from the
 * top-left one. Pixels without a score (no window has its middle there, or the score is NaN) are
 * hatched in grey; in a blend they show the scene. A small scene is magnified (sheet.h). Below the
 * picture are the names and a colour bar with numbers. */
xncc_status app_heatmap_write(const char *path, const app_heatmap *heatmap, app_error *error);

#endif
