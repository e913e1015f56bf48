/* SPDX-License-Identifier: BSD-2-Clause */
/* Copies of test images and maps in device memory, with a margin on either side that must not be
 * written. */
#ifndef CHECK_ON_DEVICE_H
#define CHECK_ON_DEVICE_H

#include "check/check.h"
#include "kit/device.h"

typedef struct device_image {
    xncc_image view;
    void *memory, *mask;
} device_image;

typedef struct device_map {
    xncc_map view;
    void *memory;
    size_t bytes; /* including the margins */
} device_map;

/* Copies a host image and its mask, with their pitches. The copy begins `shift` samples (for the
 * mask: bytes) after the start of the allocation, so that rows begin at any alignment. */
device_image device_image_create(const xncc_image *host, int32_t shift);
/* Overwrites pixels and mask with those of a host image of the same size and pitches. */
void device_image_update(const device_image *image, const xncc_image *host);
void device_image_destroy(device_image *image);

device_map device_map_create(int32_t width, int32_t height, int32_t pad);
/* Waits for the default stream, compares the map with a host map, and checks that padding and
 * margins are unchanged. */
void device_map_check(const device_map *map, const xncc_map *want, const char *what);
void device_map_destroy(device_map *map);

/* The image and the map of one call, each in host or in device memory. */
typedef struct placed {
    const xncc_image *image;
    const xncc_map *map;
    /* what they are in, where it is owned here */
    device_image twin;
    device_map on_device;
    kit_map on_host;
} placed;

/* where: bit 0 set: a copy of the host image on the device; bit 1 set: a map on the device.
 * turn: the pitch of the map and the alignments depend on it. want: the expected map. */
void placed_create(placed *p, const xncc_image *image, const xncc_map *want, int where,
                   uint64_t turn);
/* If the call was successful (done), compares the map with the expected one, and checks that the
 * bytes around it are unchanged. */
void placed_check(placed *p, int done, const xncc_map *want, const char *what);
void placed_destroy(placed *p);

#endif
