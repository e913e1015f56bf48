/* SPDX-License-Identifier: BSD-2-Clause */
/* Writing a colour picture, in the format that its name asks for: TIFF, PNG or .npy. */
#ifndef APP_RGB_OUT_H
#define APP_RGB_OUT_H

#include "fail.h"
#include "geo.h"

#include <stdint.h>

typedef struct app_rgb {
    const unsigned char *pixels; /* three bytes per pixel, tight rows */
    int32_t width, height;
    app_place place; /* written to a TIFF */
} app_rgb;

/* Fails if no picture can be written under this name. Call it before the work starts. */
xncc_status app_rgb_check(const char *path, app_error *error);

/* Writes the picture. */
xncc_status app_rgb_write(const char *path, const app_rgb *picture, app_error *error);

#endif
