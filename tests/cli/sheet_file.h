/* SPDX-License-Identifier: BSD-2-Clause */
/* A picture that the tool has drawn: an RGB TIFF with the scene at its top left, for the programs
 * that check it. */
#ifndef TEST_SHEET_FILE_H
#define TEST_SHEET_FILE_H

#include "picture.h"

typedef struct sheet_file {
    uint8_t *rgb;
    int width, height; /* of the picture */
    int zoom;          /* how often a pixel of the scene is repeated */
} sheet_file;

/* Reads the picture. plain: it must have the extents of the scene. Otherwise a scene below 480
 * pixels must be magnified, unless it has a place on the ground, and there must be a legend below.
 * Returns 0 and says what is wrong on failure. */
int sheet_file_read(const char *path, const app_picture *scene, int plain, sheet_file *sheet);

/* The three bytes that show pixel (x, y) of the scene; NULL if its copies differ. */
const uint8_t *sheet_file_pixel(const sheet_file *sheet, int x, int y);

#endif
