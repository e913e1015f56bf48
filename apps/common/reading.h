/* SPDX-License-Identifier: BSD-2-Clause */
/* How picture files are read, and how much memory that may take. */
#ifndef APP_READING_H
#define APP_READING_H

#include "exactncc/image.h"

#include <stddef.h>
#include <stdint.h>

typedef enum app_channels { APP_LUMA, APP_SUM } app_channels;

/* Where the no-data value comes from: the file, nowhere, or the caller. */
typedef enum app_no_data { APP_NO_DATA_TAG, APP_NO_DATA_NONE, APP_NO_DATA_GIVEN } app_no_data;

/* The frames of a file or pipe that holds nothing but samples. */
typedef struct app_raw {
    int32_t width, height; /* pixels of a frame; width 0: the file is not raw */
    int32_t channels;      /* samples per pixel, next to each other */
    xncc_pixel pixel;
    int big_endian; /* 1: the first byte of a sample is the highest */
} app_raw;

typedef struct app_reading {
    uint64_t max_memory; /* bytes for one picture and its decoding buffers */
    int bands;           /* 1: accept pages whose pixels exceed that, if decoding them does not */
    int trusted;         /* 1: accept pages that claim more pixels than their file can hold */
    app_channels channels;
    app_no_data no_data;
    double no_data_value; /* APP_NO_DATA_GIVEN */
    int mask;             /* 1: the file is a mask, so a "transparency mask" is read as grey */
    app_raw raw;
} app_reading;

/* 8 GiB, not trusted, luma, the no-data value of the file, and not raw. */
extern const app_reading app_default_reading;

/* A rectangle of pixels; (x, y) is its top-left pixel. */
typedef struct app_area {
    int32_t x, y, width, height;
} app_area;

#endif
