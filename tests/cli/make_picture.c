/* SPDX-License-Identifier: BSD-2-Clause */
/* make_picture OUT IN WORD...: writes a variant of a grey picture. The words, in any order:
 *
 * - as=TYPE: u8, u16, f32, s8, s16, u32, f64 or s32 (default: the type of IN)
 *
 * - crop=X,Y,W,H: crops it; the coordinates of the other words are those in the crop
 *
 * - add=N: adds N to every sample
 *
 * - bands=N: N samples per pixel; the first is that of IN, the others are derived from it
 *
 * - rgb, planar: PhotometricInterpretation RGB; PlanarConfiguration 2
 *
 * - interior, white: PhotometricInterpretation "transparency mask"; MinIsWhite
 *
 * - alpha=X,Y,W,H: adds an alpha sample, 0 in the rectangle and 200 elsewhere
 *
 * - hole=X,Y,W,H,V: sets the samples of the rectangle to V (nan: NaN)
 *
 * - disc: 255 inside the ellipse that fits the extents, 0 elsewhere
 *
 * - spare=P: 0 in about P percent of the pixels, chosen by their position, 1 elsewhere
 *
 * - nodata=TEXT: GDAL's no-data tag
 *
 * - geo, matrix: geo tags, with scale, tie point and keys, or with a matrix and keys */
#include "picture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tiffio.h>

typedef struct rect {
    int x, y, w, h;
    double value;
} rect;

typedef struct recipe {
    const char *as, *nodata;
    rect crop, hole, alpha;
    double add;
    int bands, rgb, planar, disc, spare, geo, matrix, interior, white;
} recipe;

static int parse_rect(const char *text, rect *r)
{
    return sscanf(text, "%d,%d,%d,%d,%lf", &r->x, &r->y, &r->w, &r->h, &r->value) >= 4;
}

static int parse(const char *word, recipe *r)
{
    const char *text = strchr(word, '=');
    text = text ? text + 1 : "";
    switch (word[0]) {
    case 'a':
        if (strncmp(word, "as=", 3) == 0)
            return (r->as = text) != NULL;
        if (strncmp(word, "add=", 4) == 0)
            return sscanf(text, "%lf", &r->add) == 1;
        return strncmp(word, "alpha=", 6) == 0 && parse_rect(text, &r->alpha);
    case 'b': return (r->bands = atoi(text)) > 0;
    case 'c': return parse_rect(text, &r->crop);
    case 'd': return r->disc = 1;
    case 'g': return r->geo = 1;
    case 'h': return parse_rect(text, &r->hole);
    case 'i': return r->interior = 1;
    case 'w': return r->white = 1;
    case 'm': return r->matrix = 1;
    case 'n': return (r->nodata = text) != NULL;
    case 'p': return r->planar = 1;
    case 'r': return r->rgb = 1;
    case 's': return (r->spare = atoi(text)) > 0;
    default: return 0;
    }
}

static int inside(const rect *r, int x, int y)
{
    return x >= r->x && y >= r->y && x < r->x + r->w && y < r->y + r->h;
}

/* Sample s of pixel (x, y), whose first sample is v. */
static double sample(const recipe *r, int x, int y, int s, double v, int width, int height)
{
    const double dx = (2 * x + 1 - width) / (double)width,
                 dy = (2 * y + 1 - height) / (double)height;
    if (s == r->bands)
        return inside(&r->alpha, x, y) ? 0 : 200;
    if (r->hole.w && inside(&r->hole, x, y))
        return r->hole.value;
    if (r->disc)
        return dx * dx + dy * dy <= 1 ? 255 : 0;
    if (r->spare)
        return (((uint32_t)x * 2654435761u + (uint32_t)y * 2246822519u) >> 7) % 100u >=
               (uint32_t)r->spare;
    return r->add + (s == 0 ? v : fmod(v * (3 + 2 * s) + 17 * s, 251));
}

static void put(void *row, size_t i, const char *as, double v)
{
    if (strcmp(as, "u8") == 0)
        ((uint8_t *)row)[i] = (uint8_t)v;
    else if (strcmp(as, "s8") == 0)
        ((int8_t *)row)[i] = (int8_t)v;
    else if (strcmp(as, "u16") == 0)
        ((uint16_t *)row)[i] = (uint16_t)v;
    else if (strcmp(as, "s16") == 0)
        ((int16_t *)row)[i] = (int16_t)v;
    else if (strcmp(as, "u32") == 0)
        ((uint32_t *)row)[i] = (uint32_t)v;
    else if (strcmp(as, "s32") == 0)
        ((int32_t *)row)[i] = (int32_t)v;
    else if (strcmp(as, "f32") == 0)
        ((float *)row)[i] = (float)v;
    else
        ((double *)row)[i] = v;
}

static const TIFFFieldInfo fields[] = {
    { 33550, -1, -1, TIFF_DOUBLE, FIELD_CUSTOM, 1, 1, (char *)(uintptr_t) "scale" },
    { 33922, -1, -1, TIFF_DOUBLE, FIELD_CUSTOM, 1, 1, (char *)(uintptr_t) "ties" },
    { 34264, -1, -1, TIFF_DOUBLE, FIELD_CUSTOM, 1, 1, (char *)(uintptr_t) "matrix" },
    { 34735, -1, -1, TIFF_SHORT, FIELD_CUSTOM, 1, 1, (char *)(uintptr_t) "keys" },
    { 34736, -1, -1, TIFF_DOUBLE, FIELD_CUSTOM, 1, 1, (char *)(uintptr_t) "numbers" },
    { 34737, -1, -1, TIFF_ASCII, FIELD_CUSTOM, 1, 0, (char *)(uintptr_t) "text" },
    { 42113, -1, -1, TIFF_ASCII, FIELD_CUSTOM, 1, 0, (char *)(uintptr_t) "no data" },
};

static void set_geo(TIFF *tif, const recipe *r)
{
    static const double scale[] = { 0.5, 0.25, 0 }, ties[] = { 3, 1, 0, 500000, 5400000, 0 },
                        numbers[] = { 298.25 };
    static const double matrix[] = { 0.5, 0.125, 0, 1000, -0.25, -0.5, 0, 2000,
                                     0,   0,     0, 0,    0,     0,    0, 1 };
    static const uint16_t keys[] = { 1, 1, 0, 2, 1024, 0, 1, 1, 3072, 0, 1, 32632 };
    TIFFMergeFieldInfo(tif, fields, sizeof fields / sizeof fields[0]);
    if (r->geo) {
        TIFFSetField(tif, 33550, 3, scale);
        TIFFSetField(tif, 33922, 6, ties);
    }
    if (r->matrix)
        TIFFSetField(tif, 34264, 16, matrix);
    if (r->geo || r->matrix) {
        TIFFSetField(tif, 34735, 12, keys);
        TIFFSetField(tif, 34736, 1, numbers);
        TIFFSetField(tif, 34737, "UTM zone 32N|");
    }
    if (r->nodata)
        TIFFSetField(tif, 42113, r->nodata);
}

static void set_tags(TIFF *tif, const recipe *r, const app_picture *p, size_t size)
{
    const int samples = r->bands + (r->alpha.w > 0), colours = r->rgb ? 3 : 1;
    uint16_t extra[XNCC_MAX_CHANNELS + 2] = { 0 };
    TIFFSetField(tif, TIFFTAG_IMAGEWIDTH, (uint32_t)p->width);
    TIFFSetField(tif, TIFFTAG_IMAGELENGTH, (uint32_t)p->height);
    TIFFSetField(tif, TIFFTAG_BITSPERSAMPLE, (int)(8 * size));
    TIFFSetField(tif, TIFFTAG_SAMPLEFORMAT,
                 r->as[0] == 'u'   ? SAMPLEFORMAT_UINT
                 : r->as[0] == 's' ? SAMPLEFORMAT_INT
                                   : SAMPLEFORMAT_IEEEFP);
    TIFFSetField(tif, TIFFTAG_SAMPLESPERPIXEL, samples);
    TIFFSetField(tif, TIFFTAG_PHOTOMETRIC,
                 r->rgb        ? PHOTOMETRIC_RGB
                 : r->interior ? PHOTOMETRIC_MASK
                 : r->white    ? PHOTOMETRIC_MINISWHITE
                               : PHOTOMETRIC_MINISBLACK);
    TIFFSetField(tif, TIFFTAG_PLANARCONFIG,
                 r->planar ? PLANARCONFIG_SEPARATE : PLANARCONFIG_CONTIG);
    TIFFSetField(tif, TIFFTAG_ROWSPERSTRIP, 16);
    if (r->alpha.w)
        extra[samples - colours - 1] = EXTRASAMPLE_UNASSALPHA;
    if (samples > colours)
        TIFFSetField(tif, TIFFTAG_EXTRASAMPLES, samples - colours, extra);
    set_geo(tif, r);
}

static int write_rows(TIFF *tif, const recipe *r, const app_picture *p, size_t size)
{
    const int samples = r->bands + (r->alpha.w > 0), planes = r->planar ? samples : 1,
              each = r->planar ? 1 : samples;
    void *row = calloc((size_t)p->width * (size_t)each, size);
    int ok = row != NULL;
    for (int plane = 0; plane < planes; plane++)
        for (int y = 0; y < p->height && ok; y++) {
            for (int x = 0; x < p->width; x++) {
                const double v = app_picture_value(p, (size_t)y * (size_t)p->width + (size_t)x);
                for (int s = 0; s < each; s++)
                    put(row, (size_t)(x * each + s), r->as,
                        sample(r, x, y, r->planar ? plane : s, v, p->width, p->height));
            }
            ok = TIFFWriteScanline(tif, row, (uint32_t)y, (uint16_t)plane) == 1;
        }
    free(row);
    return ok;
}

static void cut(app_picture *p, const rect *r)
{
    const size_t size = xncc_pixel_size(p->pixel);
    char *pixels = p->pixels;
    for (int y = 0; y < r->h; y++)
        memmove(pixels + (size_t)y * (size_t)r->w * size,
                pixels + ((size_t)(r->y + y) * (size_t)p->width + (size_t)r->x) * size,
                (size_t)r->w * size);
    p->width = r->w;
    p->height = r->h;
}

int main(int argc, char **argv)
{
    recipe r = { .bands = 1 };
    app_picture p;
    app_error error;
    if (argc < 3)
        return 2;
    if (app_picture_load(argv[2], 0, &app_default_reading, &p, &error)) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    r.as = xncc_pixel_name(p.pixel);
    for (int i = 3; i < argc; i++)
        if (!parse(argv[i], &r)) {
            fprintf(stderr, "make_picture: %s?\n", argv[i]);
            return 2;
        }
    if (r.crop.w)
        cut(&p, &r.crop);
    const size_t size = (size_t)atoi(r.as + 1) / 8;
    TIFF *tif = TIFFOpen(argv[1], "w");
    int ok = tif != NULL;
    if (ok) {
        set_tags(tif, &r, &p, size);
        ok = write_rows(tif, &r, &p, size) && TIFFFlush(tif);
        TIFFClose(tif);
    }
    app_picture_free(&p);
    return ok ? 0 : 1;
}
