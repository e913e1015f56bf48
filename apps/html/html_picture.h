/* SPDX-License-Identifier: BSD-2-Clause */
/* Pictures inside of an HTML file, as PNG in base64. */
#ifndef APP_HTML_PICTURE_H
#define APP_HTML_PICTURE_H

#include "common/picture.h"
#include "draw/stretch.h"

#include <stdio.h>

/* 1 if this build can write them. */
int app_html_has_pictures(void);

/* Prints a rectangle of a picture as data:image/png;base64,... with the levels of a stretch. What
 * is outside of the picture is left out. factor: each pixel is the mean of factor x factor pixels.
 * with_mask: pixels that do not count are transparent. Fails if there is no memory; the text does
 * not name the picture. */
xncc_status app_html_picture(FILE *out, const app_picture *picture, const app_area *area,
                             const app_stretch *stretch, int32_t factor, int with_mask,
                             app_error *error);

/* The smallest factor that makes a side at most `most` pixels long. */
int32_t app_html_factor(int32_t side, int32_t most);

#endif
