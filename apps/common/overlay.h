/* The scene as a colour picture with every match framed and numbered. */
#ifndef APP_OVERLAY_H
#define APP_OVERLAY_H

#include "picture.h"

typedef struct app_frame {
    int32_t x, y, width, height; /* may reach beyond the picture */
    int number;                  /* written beside it */
    int colour;                  /* any number >= 0; frames of one template share it */
} app_frame;

/* 1 when this build can write PNG. */
int app_overlay_has_png(void);

/* Can a picture be written under that name? Asked before the work starts. */
xncc_status app_overlay_check(const char *path, app_error *error);

/* Writes RGB TIFF, or PNG when the name ends in .png. Scenes of three and more channels show the
 * first three in colour, the others their first in grey. Scenes that are not 8-bit are scaled so
 * that their smallest finite value is black and their largest white. Frames are drawn last to
 * first, so that the best match lies on top. */
xncc_status app_overlay_write(const char *path, const app_picture *scene, const app_frame *frames,
                              size_t count, app_error *error);

typedef struct app_rgb {
    const unsigned char *pixels; /* three bytes a pixel, rows without gaps */
    int32_t width, height;
    app_place place; /* a TIFF says it */
} app_rgb;

/* Its last step. */
xncc_status app_overlay_save(const char *path, const app_rgb *picture, app_error *error);

/* Its first two, for tests: width * height * 3 bytes, to be freed by the caller; NULL when there is
 * no memory. */
unsigned char *app_overlay_ground(const app_picture *scene);
void app_overlay_draw(unsigned char *rgb, int32_t width, int32_t height, const app_frame *frames,
                      size_t count);

#endif
