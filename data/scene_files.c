/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes the scenes as TIFF files, or compares them with existing files. */
#include "scene_files.h"

#include "picture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tiffio.h>

enum { MAX_WIDTH = 480 };

static int write_tiff(const char *path, const canvas *c, int samples)
{
    TIFF *tif = TIFFOpen(path, "w");
    if (!tif)
        return 0;
    TIFFSetField(tif, TIFFTAG_IMAGEWIDTH, (uint32_t)c->width);
    TIFFSetField(tif, TIFFTAG_IMAGELENGTH, (uint32_t)c->height);
    TIFFSetField(tif, TIFFTAG_BITSPERSAMPLE, c->bits);
    TIFFSetField(tif, TIFFTAG_SAMPLESPERPIXEL, samples);
    TIFFSetField(tif, TIFFTAG_PHOTOMETRIC, samples == 3 ? PHOTOMETRIC_RGB : PHOTOMETRIC_MINISBLACK);
    TIFFSetField(tif, TIFFTAG_COMPRESSION, COMPRESSION_NONE);
    if (samples > 1)
        TIFFSetField(tif, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
    TIFFSetField(tif, TIFFTAG_ROWSPERSTRIP, (uint32_t)c->height);
    int ok = 1;
    uint8_t row[2 * 3 * MAX_WIDTH];
    for (int y = 0; y < c->height && ok; y++) {
        for (int i = 0; i < c->width * samples; i++) {
            const uint16_t *value = canvas_at(&c[i % samples], i / samples, y);
            if (c->bits == 8)
                row[i] = (uint8_t)*value;
            else
                memcpy(row + 2 * i, value, 2);
        }
        ok = TIFFWriteScanline(tif, row, (uint32_t)y, 0) == 1;
    }
    ok = TIFFFlush(tif) && ok;
    TIFFClose(tif);
    return ok;
}

static int same_tiff(const char *path, const canvas *c, int samples)
{
    app_picture picture;
    app_error error;
    app_reading reading = app_default_reading;
    reading.channels = APP_SUM;
    if (app_picture_load(path, 0, &reading, &picture, &error)) {
        fprintf(stderr, "make_scenes: %s\n", error.text);
        return 0;
    }
    int same = picture.width == c->width && picture.height == c->height &&
               picture.channels == samples && picture.pixel == (c->bits == 8 ? XNCC_U8 : XNCC_U16);
    for (size_t i = 0; same && i < app_picture_samples(&picture); i++)
        same = app_picture_value(&picture, i) == c[i % (size_t)samples].value[i / (size_t)samples];
    app_picture_free(&picture);
    return same;
}

void scene_keep(scene_store *s, const char *name, canvas *c, int samples)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", s->directory, name);
    if (!(s->check ? same_tiff(path, c, samples) : write_tiff(path, c, samples))) {
        fprintf(stderr, "make_scenes: %s %s\n", path, s->check ? "differs" : "cannot be written");
        s->wrong = 1;
    }
    for (int i = 0; i < samples; i++)
        free(c[i].value);
}

void scene_add_truth(scene_store *s, const char *image, const char *templ, int x, int y)
{
    size_t length = strlen(s->truth);
    snprintf(s->truth + length, sizeof s->truth - length, "%s,%s,%d,%d\n", image, templ, x, y);
}

void scene_keep_truth(scene_store *s)
{
    char path[4096], text[sizeof s->truth] = "";
    snprintf(path, sizeof path, "%s/truth.csv", s->directory);
    FILE *file = fopen(path, s->check ? "rb" : "wb");
    int ok = file != NULL;
    if (ok && s->check) {
        size_t length = fread(text, 1, sizeof text - 1, file);
        ok = length == strlen(s->truth) && memcmp(text, s->truth, length) == 0;
    } else if (ok) {
        ok = fputs(s->truth, file) >= 0;
    }
    if (file && fclose(file) != 0)
        ok = 0;
    if (!ok) {
        fprintf(stderr, "make_scenes: %s %s\n", path, s->check ? "differs" : "cannot be written");
        s->wrong = 1;
    }
}
