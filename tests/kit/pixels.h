/* SPDX-License-Identifier: BSD-2-Clause */
/* Images and maps for tests: memory that faults on any access outside, and fills that are hard on
 * arithmetic. */
#ifndef KIT_PIXELS_H
#define KIT_PIXELS_H

#include "kit/kit.h"

/* Which side of the pixels touches an unmapped page. */
typedef enum kit_side {
    KIT_AFTER, /* the byte after the last pixel of the last row */
    KIT_BEFORE /* the byte before the first pixel of the first row */
} kit_side;

/* The memory pages around a rectangle of pixels. */
typedef struct kit_pages {
    void *mapping;
    size_t mapped;
} kit_pages;

typedef struct kit_image {
    xncc_image view;
    kit_pages pages, mask_pages;
} kit_image;

typedef struct kit_map {
    xncc_map view;
    kit_pages pages;
} kit_map;

/* The samples (for a mask: bytes) between rows, and the side of the unmapped page. */
typedef struct kit_room {
    int32_t pad;
    kit_side side;
} kit_room;

/* Creates an image with `pad` samples between its rows. Ends the test if there is no memory. */
kit_image kit_image_create(xncc_pixel pixel, int32_t width, int32_t height, int32_t pad,
                           kit_side side);
kit_image kit_image_create_channels(xncc_pixel pixel, int32_t channels, int32_t width,
                                    int32_t height, kit_room room);
/* Gives an image a mask in which all pixels count. */
void kit_image_mask(kit_image *image, kit_room room);
int kit_mask(const xncc_image *image, int32_t x, int32_t y);
void kit_mask_set(const xncc_image *image, int32_t x, int32_t y, uint8_t value);
/* Creates a map with `pad` floats between its rows. Rows and padding hold a pattern that no score
 * has. */
kit_map kit_map_create(int32_t width, int32_t height, int32_t pad, kit_side side);
/* Writes the pattern again. */
void kit_map_clear(kit_map *map);
/* Returns 1 if the padding still holds its pattern. */
int kit_map_padding_intact(const kit_map *map);
/* Makes the image and its mask read-only: from now on a write to them faults. */
void kit_image_freeze(kit_image *image);
void kit_image_destroy(kit_image *image);
void kit_map_destroy(kit_map *map);

/* Return a sample as a number, read without any code of the library. kit_pixel reads the first
 * channel. */
double kit_sample(const xncc_image *image, int32_t x, int32_t y, int32_t channel);
void kit_sample_set(const xncc_image *image, int32_t x, int32_t y, int32_t channel, double value);
int64_t kit_sample_size(xncc_pixel pixel);
int32_t kit_channels(const xncc_image *image);
double kit_pixel(const xncc_image *image, int32_t x, int32_t y);
void kit_pixel_set(const xncc_image *image, int32_t x, int32_t y, double value);
static inline float *kit_map_row(const xncc_map *map, int32_t y)
{
    int64_t pitch = map->pitch ? map->pitch : (int64_t)map->width * 4;
    return (float *)(void *)((char *)map->data + y * pitch);
}

typedef enum kit_fill {
    KIT_ZERO,      /* all 0 */
    KIT_MAX,       /* all at the largest value */
    KIT_CHECKER,   /* alternating between the smallest and the largest value, pixel by pixel */
    KIT_BLOCKS,    /* the smallest and the largest value in blocks of 5 x 3 */
    KIT_ONE_OFF,   /* flat, except for one pixel that is larger by 1 */
    KIT_GRADIENT,  /* rising along x and y, with wrap-around */
    KIT_NOISE,     /* the whole range */
    KIT_NEAR_FLAT, /* two neighbouring values near the largest one */
    KIT_FLAT,      /* all at one value in the middle of the range */
    KIT_FILLS
} kit_fill;

const char *kit_fill_name(kit_fill fill);
/* The largest and the smallest value that fills use. For integers these are the limits of the type;
 * for floats 4096 and 0 (noise has negative values, too). */
double kit_largest(xncc_pixel pixel);
double kit_smallest(xncc_pixel pixel);
void kit_image_fill(const xncc_image *image, kit_fill fill, kit_random *random);
/* Copies the rectangle of `from` at (x, y), of the size of `to`, into `to`. Both have the same
 * pixel type. */
void kit_image_copy(const xncc_image *to, const xncc_image *from, int32_t x, int32_t y);

#endif
