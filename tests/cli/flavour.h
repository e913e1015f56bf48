/* SPDX-License-Identifier: BSD-2-Clause */
/* One picture in every kind of TIFF that the reader accepts: a list of kinds, a writer, and the
 * value that the reader must return for each pixel. */
#ifndef TEST_FLAVOUR_H
#define TEST_FLAVOUR_H

#include "reading.h"

typedef struct flavour {
    const char *name;
    uint16_t bits, format, samples, photometric, compression;
    int separate;        /* 1: planar configuration 2 */
    uint32_t strip_rows; /* rows per strip; 0: one strip */
    uint32_t tile;       /* pixels per side; 0: strips */
    const char *mode;    /* for TIFFOpen; NULL: "w" */
    uint16_t predictor;
    double tolerance; /* largest error of a lossy codec, in grey levels */
} flavour;

extern const flavour flavours[];
extern const int flavour_count;

/* Returns a grey level 0 .. 255. */
typedef uint8_t (*flavour_grey)(int x, int y);

/* Writes the picture. Returns 1 on success, 0 if this libtiff cannot write the kind, -1 on failure.
 */
int flavour_write(const char *path, const flavour *f, int width, int height, flavour_grey grey);

/* The grey level of an extra sample; s is its index in the pixel. */
uint8_t flavour_extra(int s);

/* The value, and the sample type, that the reader must return for a pixel of a grey level. */
double flavour_expect(const flavour *f, uint8_t grey);
xncc_pixel flavour_sample(const flavour *f);
/* The largest error allowed. */
double flavour_tolerance(const flavour *f);

/* An image in which no two places are equal. */
uint8_t flavour_scene(int x, int y);

#endif
