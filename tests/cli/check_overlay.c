/* check_overlay OVERLAY.tif IMAGE X Y WIDTH HEIGHT: checks that the overlay is RGB, has the extents
 * of the image, is grey inside the window and coloured on the frame around it, and that black and
 * white are the image's smallest and largest value. */
#include "picture.h"

#include <stdio.h>
#include <stdlib.h>
#include <tiffio.h>

int main(int argc, char **argv)
{
    app_picture scene;
    app_error error;
    if (argc != 7 || app_picture_load(argv[2], 0, &app_default_reading, &scene, &error))
        return 2;
    const int x = atoi(argv[3]), y = atoi(argv[4]), w = atoi(argv[5]), h = atoi(argv[6]);
    uint32_t width = 0, height = 0;
    uint16_t samples = 0, bits = 0;
    TIFF *tif = TIFFOpen(argv[1], "r");
    if (!tif)
        return 1;
    TIFFGetField(tif, TIFFTAG_IMAGEWIDTH, &width);
    TIFFGetField(tif, TIFFTAG_IMAGELENGTH, &height);
    TIFFGetField(tif, TIFFTAG_SAMPLESPERPIXEL, &samples);
    TIFFGetField(tif, TIFFTAG_BITSPERSAMPLE, &bits);
    if ((int)width != scene.width || (int)height != scene.height || samples != 3 || bits != 8)
        return printf("%u x %u, %u samples of %u bits\n", width, height, samples, bits), 1;
    uint8_t *rgb = malloc((size_t)width * height * 3);
    for (uint32_t row = 0; rgb && row < height; row++)
        if (TIFFReadScanline(tif, rgb + (size_t)row * width * 3, row, 0) != 1)
            return printf("row %u cannot be read\n", row), 1;
    TIFFClose(tif);
    if (!rgb)
        return 1;
    double low = 0, high = 255;
    for (size_t i = 0; scene.pixel != XNCC_U8 && i < (size_t)width * height; i++) {
        double v = app_picture_value(&scene, i);
        low = i == 0 || v < low ? v : low;
        high = i == 0 || v > high ? v : high;
    }
    int wrong = 0;
    for (int j = y; j < y + h; j++)
        for (int i = x; i < x + w; i++) {
            size_t at = (size_t)j * width + (size_t)i;
            double want = (app_picture_value(&scene, at) - low) * 255 / (high - low);
            wrong += rgb[3 * at] != rgb[3 * at + 1] || rgb[3 * at] != rgb[3 * at + 2] ||
                     rgb[3 * at] - want > 0.5001 || want - rgb[3 * at] > 0.5001;
        }
    if (wrong)
        printf("%d pixels inside the window are not those of the image\n", wrong);
    /* There is no label on the right and lower sides. */
    for (int i = 0; i < w; i++) {
        const uint8_t *low_side = rgb + 3 * ((size_t)(y + h) * width + (size_t)(x + i));
        wrong += low_side[0] == low_side[2];
    }
    for (int j = 0; j < h; j++) {
        const uint8_t *right = rgb + 3 * ((size_t)(y + j) * width + (size_t)(x + w));
        wrong += right[0] == right[2];
    }
    if (wrong)
        printf("%d wrong pixels, those of the frame included\n", wrong);
    free(rgb);
    app_picture_free(&scene);
    return wrong != 0;
}
