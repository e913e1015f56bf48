/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes the pixels of a page of a picture as .npy, so that another reader can compare them.
 * dump_picture IMAGE PAGE luma|sum PIXELS.npy MASK.npy. MASK.npy holds 1 for each pixel
 * that counts. */
#include "npy_write.h"
#include "picture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    if (argc < 6)
        return 2;
    app_error error;
    app_picture p;
    app_reading reading = app_default_reading;
    reading.channels = strcmp(argv[3], "sum") == 0 ? APP_SUM : APP_LUMA;
    if (app_picture_load(argv[1], (uint32_t)atoi(argv[2]), &reading, &p, &error)) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    const xncc_image view = app_picture_image(&p, p.pixel, p.pixels);
    const size_t count = (size_t)p.width * (size_t)p.height;
    unsigned char *mask = malloc(count);
    for (size_t i = 0; mask && i < count; i++)
        mask[i] = !p.mask || p.mask[i];
    const xncc_image counts = { .data = mask, .width = p.width, .height = p.height };
    const int failed = !mask || app_npy_write(argv[4], &view, &error) ||
                       app_npy_write(argv[5], &counts, &error);
    if (failed)
        fprintf(stderr, "%s\n", error.text);
    free(mask);
    app_picture_free(&p);
    return failed;
}
