/* SPDX-License-Identifier: BSD-2-Clause */
/* The image as a colour picture with every match framed and labelled. */
#ifndef APP_OVERLAY_H
#define APP_OVERLAY_H

#include "picture.h"

typedef struct app_frame {
    int32_t x, y, width, height; /* of the match, in pixels; may reach beyond the picture */
    int number;                  /* as in the table */
    int templ;                   /* index of its template */
    double score;
    int turned; /* 1: the frame is the polygon below, and the window is around it */
    double corner[4]
                 [2]; /* x and y in pixels, in the order around it from the template's top left */
} app_frame;

typedef struct app_overlay {
    const char *name; /* of the scene's file */
    uint32_t page;
    const app_picture *scene;
    const char *method;
    const app_frame *frames; /* best first */
    size_t count;
    const char *const *templs; /* names of the templates' files */
    int templ_count;
    int small_is_good; /* 1: of two scores the smaller is better */
    int plain;         /* 1: the picture has the extents of the scene, and no legend */
} app_overlay;

/* Writes an RGB TIFF, or a PNG if the name ends in .png.
 *
 * The scene is drawn as sheet.h and stretch.h say, so a small one is magnified. Each match has a
 * frame around its window, in the colour of its template; from the eighth template on the colours
 * are repeated with dashes, from the fifteenth with dots. The label is "number score template"; if
 * there is no room, it is shorter (labels.h). Below the scene is a legend: the scene, each template
 * with its number of matches and best score, the values that are black and white if they are not 0
 * and 255, and how many labels were left out. */
xncc_status app_overlay_write(const char *path, const app_overlay *overlay, app_error *error);

/* The colour of a template, and its dashes as in app_canvas_frame for lines of this thickness. */
const unsigned char *app_overlay_colour(int templ, int64_t thickness, int64_t *on, int64_t *off);

#endif
