/* SPDX-License-Identifier: BSD-2-Clause */
/* The picture that is written: a scene, magnified if it is small, with a strip for a legend below.
 */
#ifndef APP_SHEET_H
#define APP_SHEET_H

#include "canvas.h"
#include "common/picture.h"
#include "stretch.h"

/* How a scene becomes a sheet. */
typedef struct app_sheet_plan {
    int64_t zoom;  /* each pixel of the scene is zoom x zoom pixels */
    int64_t width; /* of the sheet */
    app_box scene; /* where the scene is */
    double text;   /* height of capitals */
} app_sheet_plan;

/* A scene whose longer side is below 480 pixels is magnified by the smallest whole number that
 * makes it at least 480, unless it has geo tags, which would no longer be true. The sheet is at
 * least 320 pixels wide, so that there is room for a legend. plain: neither is done. */
app_sheet_plan app_sheet_make(const app_picture *scene, int plain);

/* Allocates the pixels of a sheet whose strip has this height; black, the strip in the colour of
 * legends. The caller frees canvas->rgb, which is NULL if there is no memory. */
void app_sheet_open(const app_sheet_plan *plan, int64_t strip, app_canvas *canvas);

/* Draws the scene: the first three channels in colour, or the first in grey. grey: the mean of
 * three channels. */
void app_sheet_scene(const app_sheet_plan *plan, const app_picture *scene, int grey,
                     const app_stretch *stretch, const app_canvas *canvas);

#endif
