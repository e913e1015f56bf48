/* SPDX-License-Identifier: BSD-2-Clause */
/* A picture that the tool has drawn. */
#include "sheet_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tiffio.h>

static int check_extents(const app_picture *scene, int plain, sheet_file *s)
{
    const int side = scene->width > scene->height ? scene->width : scene->height;
    const int placed = scene->geo.has_scale || scene->geo.has_matrix || scene->geo.tie;
    s->zoom = 1;
    while (!plain && !placed && s->zoom * side < 480)
        s->zoom++;
    const int width = s->zoom * scene->width, height = s->zoom * scene->height;
    const int wide = !plain && width < 320 ? 320 : width;
    const int fits = s->width == wide && (plain ? s->height == height : s->height > height + 20);
    if (!fits)
        printf("%d x %d, zoom %d\n", s->width, s->height, s->zoom);
    return fits;
}

int sheet_file_read(const char *path, const app_picture *scene, int plain, sheet_file *s)
{
    uint32_t width = 0, height = 0;
    uint16_t samples = 0, bits = 0;
    memset(s, 0, sizeof *s);
    TIFF *tif = TIFFOpen(path, "r");
    if (!tif)
        return 0;
    TIFFGetField(tif, TIFFTAG_IMAGEWIDTH, &width);
    TIFFGetField(tif, TIFFTAG_IMAGELENGTH, &height);
    TIFFGetField(tif, TIFFTAG_SAMPLESPERPIXEL, &samples);
    TIFFGetField(tif, TIFFTAG_BITSPERSAMPLE, &bits);
    s->width = (int)width;
    s->height = (int)height;
    s->rgb = malloc((size_t)width * height * 3 + 1);
    int done = s->rgb && samples == 3 && bits == 8 && check_extents(scene, plain, s);
    for (uint32_t row = 0; row < height && done; row++)
        done = TIFFReadScanline(tif, s->rgb + (size_t)row * width * 3, row, 0) == 1;
    TIFFClose(tif);
    return done;
}

const uint8_t *sheet_file_pixel(const sheet_file *s, int x, int y)
{
    const uint8_t *first = s->rgb + 3 * ((size_t)y * (size_t)s->zoom * (size_t)s->width +
                                         (size_t)x * (size_t)s->zoom);
    for (int dy = 0; dy < s->zoom; dy++)
        for (int dx = 0; dx < s->zoom; dx++)
            if (memcmp(first, first + 3 * (dy * s->width + dx), 3) != 0)
                return NULL;
    return first;
}
