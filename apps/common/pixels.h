/* SPDX-License-Identifier: BSD-2-Clause */
/* What there is to know of a pixel type, and the types that samples in files get. */
#ifndef APP_PIXELS_H
#define APP_PIXELS_H

#include "exactncc/image.h"

/* The number of pixel types. */
#define APP_COUNT_PIXEL(pixel, name, type) +1
enum { APP_PIXELS = XNCC_EACH_PIXEL(APP_COUNT_PIXEL) };
#undef APP_COUNT_PIXEL

typedef enum app_sample_kind { APP_UNSIGNED, APP_SIGNED, APP_FLOAT } app_sample_kind;

app_sample_kind app_pixel_kind(xncc_pixel pixel);

/* The letter of a kind in NumPy's names of types: u, i or f. */
char app_pixel_letter(xncc_pixel pixel);

/* Finds the type of a kind with a number of bits. Returns 0 if there is none. */
int app_pixel_find(app_sample_kind kind, unsigned bits, xncc_pixel *pixel);

/* The smallest type that represents every value of both types. */
xncc_pixel app_pixel_join(xncc_pixel a, xncc_pixel b);

#endif
