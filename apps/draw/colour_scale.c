/* SPDX-License-Identifier: BSD-2-Clause */
/* The colour scale of heat maps. */
#include "colour_scale.h"

#include <math.h>

/* The inverse of the cube root with its straight part, of CIELAB. */
static double cube(double t)
{
    return t > 6.0 / 29 ? t * t * t : 3 * (6.0 / 29) * (6.0 / 29) * (t - 4.0 / 29);
}

/* The transfer curve of sRGB (IEC 61966-2-1), in bytes. */
static unsigned char to_byte(double linear)
{
    const double v = linear < 0 ? 0 : linear > 1 ? 1 : linear;
    const double curved = v <= 0.0031308 ? 12.92 * v : 1.055 * pow(v, 1 / 2.4) - 0.055;
    return (unsigned char)floor(255 * curved + 0.5);
}

static void to_srgb(double lightness, double a, double b, unsigned char *rgb)
{
    const double f = (lightness + 16) / 116;
    const double x = 0.95047 * cube(f + a / 500), y = cube(f), z = 1.08883 * cube(f - b / 200);
    rgb[0] = to_byte(3.2404542 * x - 1.5371385 * y - 0.4985314 * z);
    rgb[1] = to_byte(-0.9692660 * x + 1.8760108 * y + 0.0415560 * z);
    rgb[2] = to_byte(0.0556434 * x - 0.2040259 * y + 1.0572252 * z);
}

void app_scale_fill(unsigned char scale[APP_SCALE_STEPS][3])
{
    const double degree = acos(-1.0) / 180;
    for (int i = 0; i < APP_SCALE_STEPS; i++) {
        const double t = i / (APP_SCALE_STEPS - 1.0), angle = (-88 + t * (134 + 88)) * degree;
        to_srgb(16 + t * (94 - 16), 12 + 57 * cos(angle), 20 + 57 * sin(angle), scale[i]);
    }
}
