/* make_pages [--as u16|s16|f32 | --crop X,Y,W,H] OUT IN...: the first pages of the inputs as the pages of one TIFF, with
 * a reduced copy of the first in front of the last when there are several. --as: the same numbers in another sample
 * type; s16: 100 less. --crop: that rectangle of each. */
#include "picture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tiffio.h>

static int write_page(TIFF *tif, const app_picture *p, app_sample sample, int reduced)
{
    static const int bits[] = { 8, 16, 16, 32 };
    static const int format[] = { SAMPLEFORMAT_UINT, SAMPLEFORMAT_UINT, SAMPLEFORMAT_INT, SAMPLEFORMAT_IEEEFP };
    const int step = reduced ? 2 : 1, width = p->width / step, height = p->height / step;
    float *row = calloc((size_t)p->width, sizeof *row);
    int ok = row != NULL;
    TIFFSetField(tif, TIFFTAG_IMAGEWIDTH, (uint32_t)width);
    TIFFSetField(tif, TIFFTAG_IMAGELENGTH, (uint32_t)height);
    TIFFSetField(tif, TIFFTAG_BITSPERSAMPLE, bits[sample]);
    TIFFSetField(tif, TIFFTAG_SAMPLEFORMAT, format[sample]);
    TIFFSetField(tif, TIFFTAG_SAMPLESPERPIXEL, 1);
    TIFFSetField(tif, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MINISBLACK);
    TIFFSetField(tif, TIFFTAG_ROWSPERSTRIP, 16);
    if (reduced)
        TIFFSetField(tif, TIFFTAG_SUBFILETYPE, FILETYPE_REDUCEDIMAGE);
    for (int y = 0; y < height && ok; y++) {
        for (int x = 0; x < width; x++) {
            double v = app_picture_value(p, (size_t)y * (size_t)step * (size_t)p->width + (size_t)(x * step));
            if (sample == APP_U8)
                ((uint8_t *)row)[x] = (uint8_t)v;
            else if (sample == APP_U16)
                ((uint16_t *)row)[x] = (uint16_t)v;
            else if (sample == APP_S16)
                ((int16_t *)row)[x] = (int16_t)(v - 100);
            else
                row[x] = (float)v;
        }
        ok = TIFFWriteScanline(tif, row, (uint32_t)y, 0) == 1;
    }
    free(row);
    return TIFFWriteDirectory(tif) && ok;
}

/* Moves the rectangle to the front of the picture's own memory. */
static void crop(app_picture *p, const int *area)
{
    const size_t size = p->sample == APP_U8 ? 1 : p->sample == APP_F32 ? 4 : 2;
    char *pixels = p->pixels;
    for (int y = 0; y < area[3]; y++)
        memmove(pixels + (size_t)y * (size_t)area[2] * size,
                pixels + ((size_t)(area[1] + y) * (size_t)p->width + (size_t)area[0]) * size, (size_t)area[2] * size);
    p->width = area[2];
    p->height = area[3];
}

int main(int argc, char **argv)
{
    static const char *const names[] = { "u8", "u16", "s16", "f32" };
    int first = 1, as = -1, area[4] = { 0, 0, 0, 0 };
    if (argc > 3 && strcmp(argv[1], "--crop") == 0) {
        if (sscanf(argv[2], "%d,%d,%d,%d", &area[0], &area[1], &area[2], &area[3]) != 4)
            return 2;
        first = 3;
    }
    if (argc > 3 && strcmp(argv[1], "--as") == 0) {
        for (int i = 0; i < 4; i++)
            as = strcmp(argv[2], names[i]) == 0 ? i : as;
        first = 3;
    }
    if (argc < first + 2)
        return 2;
    TIFF *tif = TIFFOpen(argv[first], "w");
    int ok = tif != NULL;
    for (int i = first + 1; i < argc && ok; i++) {
        app_picture p;
        app_error error;
        if (app_picture_load(argv[i], 0, &app_default_limits, &p, &error)) {
            fprintf(stderr, "%s\n", error.text);
            return 1;
        }
        if (area[2])
            crop(&p, area);
        if (i == argc - 1 && i > first + 1)
            ok = write_page(tif, &p, p.sample, 1);
        ok = ok && write_page(tif, &p, as >= 0 ? (app_sample)as : p.sample, 0);
        app_picture_free(&p);
    }
    if (tif)
        TIFFClose(tif);
    return ok ? 0 : 1;
}
