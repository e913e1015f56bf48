/* SPDX-License-Identifier: BSD-2-Clause */
/* What an engine implements for tracking (xncc_track): the maps of many chips, each in a window of
 * its own, or what is read of such maps. */
#ifndef XNCC_ENGINE_CHIP_OPS_H
#define XNCC_ENGINE_CHIP_OPS_H

#include "base/pool.h"
#include "base/watch.h"
#include "peaks/reading.h"
#include "plan/decision.h"
#include "plan/problem.h"

/* The problems of a run, by whether pixels of the chip may not count, and whether pixels of the
 * window may not. A chip takes the first that serves it, so that masks cost only where they are. */
enum { XNCC_CHIP_KINDS = 4, XNCC_CHIP_MASKED = 1, XNCC_CHIP_SCENE_MASKED = 2 };

/* A chip and where it is sought. */
typedef struct xncc_chip {
    /* A view in host memory, of the extents of the problem's template; data NULL: there is nothing
     * to do. */
    xncc_image pixels;
    const xncc_image *scene;
    int32_t kind;          /* XNCC_CHIP_MASKED and XNCC_CHIP_SCENE_MASKED, combined */
    int32_t x, y;          /* the window of map element (0, 0), in pixels of the scene */
    int32_t width, height; /* of the map, at most those of the problem */
} xncc_chip;

/* A run: `count` items of `parts` chips each. Any thread calls the functions, with a slot below the
 * number of threads; no two calls at once have the same slot. */
typedef struct xncc_chip_run {
    xncc_problem problem[XNCC_CHIP_KINDS];
    xncc_decision decision[XNCC_CHIP_KINDS];
    size_t count; /* items; those that lie close together should follow each other */
    size_t parts; /* at least 1 */
    const xncc_watch *watch;
    void *argument;
    /* Describes a part of an item. Called once per part and item. */
    void (*get)(void *argument, size_t item, size_t part, xncc_chip *chip);
    /* Takes the map of the part that was described: rows of `pitch` elements. The chips of an item
     * come in their order. map is NULL for a chip without a map or without pixels that count. */
    void (*put)(void *argument, size_t item, size_t part, const xncc_chip *chip, const float *map,
                ptrdiff_t pitch, int32_t slot);
} xncc_chip_run;

/* Where a chip is, and where it is sought. Chip and windows are inside of their images. */
typedef struct xncc_chip_place {
    int32_t left, top;     /* of the chip, in pixels of its image */
    int32_t x, y;          /* the window of map element (0, 0), in pixels of the scene */
    int32_t width, height; /* of the map, at most those of the problem; width 0: nothing to do */
} xncc_chip_place;

/* A run of which only what is read of the maps is wanted: `count` chips of one whole image, which
 * are sought in another one. All pixels count. */
typedef struct xncc_chip_reads {
    const xncc_problem *problem;
    const xncc_image *from, *scene; /* on the host or on the device */
    size_t count;
    int32_t side;    /* of the square of scores around the best one that is wanted: odd */
    xncc_pool *pool; /* whose threads call the functions below */
    const xncc_watch *watch;
    void *argument;
    /* Says where a chip is. Called once per item, by any thread of the pool. */
    void (*place)(void *argument, size_t item, xncc_chip_place *place);
    /* Takes what was read. The thread is any of the pool. */
    void (*take)(void *argument, size_t item, const xncc_chip_place *place,
                 const xncc_reading *reading);
} xncc_chip_reads;

#endif
