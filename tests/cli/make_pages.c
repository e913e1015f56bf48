/* SPDX-License-Identifier: BSD-2-Clause */
/* make_pages [--as TYPE | --crop X,Y,W,H] OUT IN...: writes the first pages of the inputs as the
 * pages of one TIFF. With several inputs, a reduced copy of the first is inserted before the last.
 * --as: converts the samples to another type; 100 is subtracted for signed types. --crop: crops
 * each. */
#include "picture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tiffio.h>

static int write_page(TIFF *tif, const app_picture *p, xncc_pixel sample, int reduced)
{
    const int is_signed = sample == XNCC_S8 || sample == XNCC_S16,
              is_real = sample == XNCC_F32 || sample == XNCC_F64;
    const int step = reduced ? 2 : 1, width = p->width / step, height = p->height / step;
    double *row = calloc((size_t)p->width, sizeof *row);
    void *as = calloc((size_t)p->width, sizeof *row);
    int ok = row && as;
    TIFFSetField(tif, TIFFTAG_IMAGEWIDTH, (uint32_t)width);
    TIFFSetField(tif, TIFFTAG_IMAGELENGTH, (uint32_t)height);
    TIFFSetField(tif, TIFFTAG_BITSPERSAMPLE, (int)(8 * xncc_pixel_size(sample)));
    TIFFSetField(tif, TIFFTAG_SAMPLEFORMAT,
                 is_signed ? SAMPLEFORMAT_INT
                 : is_real ? SAMPLEFORMAT_IEEEFP
                           : SAMPLEFORMAT_UINT);
    TIFFSetField(tif, TIFFTAG_SAMPLESPERPIXEL, 1);
    TIFFSetField(tif, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MINISBLACK);
    TIFFSetField(tif, TIFFTAG_ROWSPERSTRIP, 16);
    if (reduced)
        TIFFSetField(tif, TIFFTAG_SUBFILETYPE, FILETYPE_REDUCEDIMAGE);
    for (int y = 0; y < height && ok; y++) {
        const app_picture line = {
            .pixels = row, .width = p->width, .height = 1, .channels = 1, .pixel = XNCC_F64
        };
        for (int x = 0; x < width; x++)
            row[x] = app_picture_value(p, (size_t)y * (size_t)step * (size_t)p->width +
                                              (size_t)(x * step)) -
                     (is_signed ? 100 : 0);
        app_picture_convert(&line, sample, 0, 1, as);
        ok = TIFFWriteScanline(tif, as, (uint32_t)y, 0) == 1;
    }
    free(as);
    free(row);
    return TIFFWriteDirectory(tif) && ok;
}

/* Crops the picture in its own memory. */
static void crop(app_picture *p, const int *area)
{
    const size_t size = xncc_pixel_size(p->pixel);
    char *pixels = p->pixels;
    for (int y = 0; y < area[3]; y++)
        memmove(pixels + (size_t)y * (size_t)area[2] * size,
                pixels + ((size_t)(area[1] + y) * (size_t)p->width + (size_t)area[0]) * size,
                (size_t)area[2] * size);
    p->width = area[2];
    p->height = area[3];
}

int main(int argc, char **argv)
{
    int first = 1, as = -1, area[4] = { 0, 0, 0, 0 };
    if (argc > 3 && strcmp(argv[1], "--crop") == 0) {
        if (sscanf(argv[2], "%d,%d,%d,%d", &area[0], &area[1], &area[2], &area[3]) != 4)
            return 2;
        first = 3;
    }
    if (argc > 3 && strcmp(argv[1], "--as") == 0) {
        for (int i = XNCC_U8; i <= XNCC_F64; i++)
            as = strcmp(argv[2], xncc_pixel_name((xncc_pixel)i)) == 0 ? i : as;
        first = 3;
    }
    if (argc < first + 2)
        return 2;
    TIFF *tif = TIFFOpen(argv[first], "w");
    int ok = tif != NULL;
    for (int i = first + 1; i < argc && ok; i++) {
        app_picture p;
        app_error error;
        if (app_picture_load(argv[i], 0, &app_default_reading, &p, &error)) {
            fprintf(stderr, "%s\n", error.text);
            return 1;
        }
        if (area[2])
            crop(&p, area);
        if (i == argc - 1 && i > first + 1)
            ok = write_page(tif, &p, p.pixel, 1);
        ok = ok && write_page(tif, &p, as >= 0 ? (xncc_pixel)as : p.pixel, 0);
        app_picture_free(&p);
    }
    if (tif)
        TIFFClose(tif);
    return ok ? 0 : 1;
}
