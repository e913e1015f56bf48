/* SPDX-License-Identifier: BSD-2-Clause */
/* check_overlay OVERLAY.tif IMAGE X Y WIDTH HEIGHT [plain]: checks that the overlay is RGB, has the
 * right extents, shows the image unchanged inside the window, and has a coloured frame around it.
 * Black and white are the percentiles of the image, found by sorting. */
#include "sheet_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The samples that are shown as black and as white. */
static void find_levels(const app_picture *scene, double *low, double *high)
{
    const size_t count = (size_t)scene->width * (size_t)scene->height;
    double *sorted = malloc(count * sizeof *sorted);
    size_t n = 0;
    *low = 0;
    *high = 255;
    for (size_t i = 0; i < count && sorted && scene->pixel != XNCC_U8; i++) {
        const double v = app_picture_value(scene, i * (size_t)scene->channels);
        if ((!scene->mask || scene->mask[i]) && isfinite(v))
            sorted[n++] = v;
    }
    if (n) {
        qsort(sorted, n, sizeof *sorted, compare);
        *low = sorted[n / 200];
        *high = sorted[n - 1 - n / 200];
    }
    free(sorted);
}

/* The number of pixels of the window that are not those of the image. */
static int check_window(const sheet_file *sheet, const app_picture *scene, const int *window)
{
    double low, high;
    int wrong = 0;
    find_levels(scene, &low, &high);
    for (int y = window[1]; y < window[1] + window[3]; y++)
        for (int x = window[0]; x < window[0] + window[2]; x++) {
            const uint8_t *rgb = sheet_file_pixel(sheet, x, y);
            const double v = app_picture_value(scene, (size_t)y * (size_t)scene->width + (size_t)x);
            double want = (v - low) * 255 / (high - low);
            want = want < 0 ? 0 : want > 255 ? 255 : want;
            wrong += !rgb || rgb[0] != rgb[1] || rgb[0] != rgb[2] || fabs(rgb[0] - want) > 0.5001;
        }
    return wrong;
}

/* The number of pixels on the right and lower sides, where there is no label, that are not
 * coloured. */
static int check_frame(const sheet_file *s, const int *window)
{
    const int z = s->zoom, right = (window[0] + window[2]) * z, below = (window[1] + window[3]) * z;
    int wrong = 0;
    for (int x = window[0] * z; x < right; x++) {
        const uint8_t *rgb = s->rgb + 3 * ((size_t)below * (size_t)s->width + (size_t)x);
        wrong += rgb[0] == rgb[2];
    }
    for (int y = window[1] * z; y < below; y++) {
        const uint8_t *rgb = s->rgb + 3 * ((size_t)y * (size_t)s->width + (size_t)right);
        wrong += rgb[0] == rgb[2];
    }
    return wrong;
}

int main(int argc, char **argv)
{
    app_picture scene;
    app_error error;
    sheet_file sheet;
    int window[4];
    if (argc < 7 || app_picture_load(argv[2], 0, &app_default_reading, &scene, &error))
        return 2;
    for (int i = 0; i < 4; i++)
        window[i] = atoi(argv[3 + i]);
    const int plain = argc > 7 && strcmp(argv[7], "plain") == 0;
    int wrong = !sheet_file_read(argv[1], &scene, plain, &sheet);
    if (!wrong) {
        const int inside = check_window(&sheet, &scene, window),
                  frame = check_frame(&sheet, window);
        if (inside || frame)
            printf("%d wrong pixels in the window, %d on the frame\n", inside, frame);
        wrong = inside || frame;
    }
    free(sheet.rgb);
    app_picture_free(&scene);
    return wrong;
}
