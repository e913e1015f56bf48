/* check_heatmap HEATMAP.tif MAP.tif METHOD: checks that the heat map is RGB, has the extents of the
 * map, and has the right colour for every score. */
#include "heatmap.h"
#include "picture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tiffio.h>

int main(int argc, char **argv)
{
    app_picture map;
    app_error error;
    xncc_method method;
    if (argc != 4 || app_picture_load(argv[2], 0, &app_default_reading, &map, &error) ||
        map.pixel != XNCC_F32 || xncc_method_parse(argv[3], &method, NULL))
        return 2;
    uint32_t width = 0, height = 0;
    uint16_t samples = 0, bits = 0;
    TIFF *tif = TIFFOpen(argv[1], "r");
    if (!tif)
        return 1;
    TIFFGetField(tif, TIFFTAG_IMAGEWIDTH, &width);
    TIFFGetField(tif, TIFFTAG_IMAGELENGTH, &height);
    TIFFGetField(tif, TIFFTAG_SAMPLESPERPIXEL, &samples);
    TIFFGetField(tif, TIFFTAG_BITSPERSAMPLE, &bits);
    if ((int)width != map.width || (int)height != map.height || samples != 3 || bits != 8)
        return printf("%u x %u, %u samples of %u bits\n", width, height, samples, bits), 1;
    const size_t count = (size_t)width * height;
    unsigned char *want = malloc(3 * count), *got = malloc(3 * count);
    if (!want || !got)
        return 2;
    app_heatmap_paint(map.pixels, count, method, want);
    for (uint32_t row = 0; row < height; row++)
        if (TIFFReadScanline(tif, got + (size_t)row * width * 3, row, 0) != 1)
            return printf("row %u cannot be read\n", row), 1;
    const int same = memcmp(want, got, 3 * count) == 0;
    if (!same)
        printf("the colours are not those of the map\n");
    TIFFClose(tif);
    free(want);
    free(got);
    app_picture_free(&map);
    return !same;
}
