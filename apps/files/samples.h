/* SPDX-License-Identifier: BSD-2-Clause */
/* How the samples of a pixel are stored in a row, which of them are used, and the conversion of
 * such rows to rows of the picture. */
#ifndef APP_SAMPLES_H
#define APP_SAMPLES_H

#include "fail.h"
#include "pixels.h"
#include "reading.h"

/* Samples have the machine's byte order. Samples of less than 8 bits are packed, the first in the
 * highest bits. Start from zero. */
typedef struct app_samples {
    app_sample_kind kind;
    uint16_t bits;      /* per sample: 1, 2, 4, 8, 16, 32 or 64 */
    uint16_t per_pixel; /* samples of a pixel in the row */
    /* The samples that are read: colours or bands, then alpha. */
    uint16_t pick[XNCC_MAX_CHANNELS + 1];
    uint16_t picked;   /* number of samples in pick, alpha included */
    uint16_t channels; /* of the picture */
    xncc_pixel pixel;  /* of the picture */
    int alpha;         /* 1: the last sample in pick is alpha */
    int luma;          /* 1: the first three samples make one channel */
    int separate;      /* 1: each picked sample has a row of its own */
    int invert, palette;
    int has_no_data;
    double no_data;         /* the value to compare floats and 32-bit signed samples with */
    uint32_t no_data_level; /* the value to compare integers with, as they are gathered */
    uint16_t keys;          /* number of samples in key; 0: there is no transparent colour */
    uint32_t key[3];        /* the transparent colour, as its samples are gathered */
    int clears;             /* 1: entries of the palette can be transparent */
    uint8_t colour[256][3]; /* RGB of each palette entry */
    uint8_t clear[256];     /* 1: the palette entry is transparent */
} app_samples;

/* The samples of a pixel that are colours, where to begin, and which are alpha. */
typedef struct app_pick {
    unsigned colours; /* samples that are colours: 3 for RGB, else 1 */
    uint16_t first;   /* samples before this one are left out */
    int (*is_alpha)(const void *data, unsigned sample); /* NULL: none is */
    const void *data;
} app_pick;

/* Fills pick, picked, channels, alpha and luma; needs per_pixel and palette. Fails if there are too
 * many samples for --channels sum. */
xncc_status app_samples_pick(app_samples *samples, const app_pick *how, app_channels channels,
                             app_error *error);

/* Sets the no-data value, unless samples of this kind cannot have it. */
void app_samples_no_data(app_samples *samples, double value);

/* 1 if there can be pixels that do not count. */
int app_samples_masked(const app_samples *samples);

/* Converts `count` pixels. row: the row, or one per picked sample if they are separate. mask: one
 * byte per pixel, or NULL. */
void app_samples_convert(const app_samples *samples, const uint8_t *const *row, uint32_t count,
                         void *out, uint8_t *mask);

#endif
