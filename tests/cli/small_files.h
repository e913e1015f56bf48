/* SPDX-License-Identifier: BSD-2-Clause */
/* Small files of each format, and the pixels that must be read from them. */
#ifndef TEST_SMALL_FILES_H
#define TEST_SMALL_FILES_H

#include "exactncc/image.h"

#include <stddef.h>
#include <stdint.h>

#ifdef APP_HAVE_PNG
enum { HAVE_PNG = 1 };
#else
enum { HAVE_PNG = 0 };
#endif
#ifdef APP_HAVE_JPEG
enum { HAVE_JPEG = 1 };
#else
enum { HAVE_JPEG = 0 };
#endif

/* A file, and what must be read from it. */
typedef struct small_file {
    const char *name;
    const void *bytes;
    size_t size;
    uint32_t page;
    int32_t width, height, channels;
    xncc_pixel pixel;
    double value[16];   /* the samples of the picture */
    const char *counts; /* a digit per pixel: 1 if it counts; NULL: all do */
    int needs;          /* 0: the case is left out, since this build lacks a library */
} small_file;

extern const small_file small_files[];
extern const size_t small_file_count;

/* For files that begin or end like these. */
extern const uint8_t small_jpeg[160];
extern const uint8_t small_png[79];

#define BYTES(text) text, sizeof(text) - 1
#define ARRAY(array) array, sizeof(array)
/* A head whose length is given as a character. */
#define NPY(length, dictionary) "\x93NUMPY\1\0" length "\0" dictionary

/* Head of a BMP with 40 bytes: width and height as one byte each, bits, compression. */
#define BMP(offset, width, height, bits, compression)                                              \
    "BM\0\0\0\0\0\0\0\0" offset "\0\0\0\x28\0\0\0" width "\0\0\0" height "\1\0" bits               \
    "\0" compression "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"

#endif
