/* One picture in every kind of TIFF that the reader takes: a list of kinds, a writer, and what the
 * reader must make of each pixel. */
#ifndef TEST_FLAVOUR_H
#define TEST_FLAVOUR_H

#include "tiff_read.h"

typedef struct flavour {
    const char *name;
    uint16_t bits, format, samples, photometric, compression;
    int separate;        /* planar configuration 2 */
    uint32_t strip_rows; /* 0: one strip */
    uint32_t tile;       /* side; 0: strips */
    const char *mode;    /* of TIFFOpen; NULL: "w" */
    uint16_t predictor;
    double tolerance; /* how far a lossy codec may be off, in grey levels */
} flavour;

extern const flavour flavours[];
extern const int flavour_count;

/* Grey levels 0..255. */
typedef uint8_t (*flavour_grey)(int x, int y);

/* 1: written; 0: this libtiff cannot write it; -1: failed. */
int flavour_write(const char *path, const flavour *f, int width, int height, flavour_grey grey);

/* The grey level of an extra sample: s is its index in a pixel. */
uint8_t flavour_extra(int s);

/* What the reader must return for a pixel of that grey level, and in which sample type. */
double flavour_expect(const flavour *f, uint8_t grey);
xncc_pixel flavour_sample(const flavour *f);
/* How far it may be off. */
double flavour_tolerance(const flavour *f);

/* A scene without two alike places. */
uint8_t flavour_scene(int x, int y);

#endif
