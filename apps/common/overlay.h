/* The image as a colour picture with every match framed and numbered. */
#ifndef APP_OVERLAY_H
#define APP_OVERLAY_H

#include "picture.h"

typedef struct app_frame {
    int32_t x, y, width, height; /* of the match, in pixels; may reach beyond the picture */
    int number;                  /* printed next to the frame */
    int colour;                  /* index of a colour, from 0; one per template */
} app_frame;

/* 1 if this build can write PNG. */
int app_overlay_has_png(void);

/* Fails if no picture can be written under this name. Call it before the work starts. */
xncc_status app_overlay_check(const char *path, app_error *error);

/* Writes an RGB TIFF, or a PNG if the name ends in .png. An image with three or more channels shows
 * the first three in colour, any other its first in grey. An image that is not u8 is scaled so that
 * its smallest finite value is black and its largest white. Frames are drawn from the last to the
 * first, so that the best match is on top. */
xncc_status app_overlay_write(const char *path, const app_picture *scene, const app_frame *frames,
                              size_t count, app_error *error);

typedef struct app_rgb {
    const unsigned char *pixels; /* three bytes per pixel, tight rows */
    int32_t width, height;
    app_place place; /* written to a TIFF */
} app_rgb;

/* The last step of app_overlay_write: writes the file. */
xncc_status app_overlay_save(const char *path, const app_rgb *picture, app_error *error);

/* The first two steps, for tests: the image in colour (width * height * 3 bytes, which the caller
 * frees; NULL if there is no memory), and the frames drawn on it. */
unsigned char *app_overlay_ground(const app_picture *scene);
void app_overlay_draw(unsigned char *rgb, int32_t width, int32_t height, const app_frame *frames,
                      size_t count);

#endif
