/* SPDX-License-Identifier: BSD-2-Clause */
/* What an engine may implement for tracking besides engine/chip_ops.h: many small searches of which
 * only what is read of their maps is wanted, in two whole images. */
#ifndef XNCC_ENGINE_CHIP_READS_H
#define XNCC_ENGINE_CHIP_READS_H

#include "base/pool.h"
#include "base/watch.h"
#include "peaks/reading.h"
#include "plan/problem.h"

/* Where a chip is, and where it is sought. Chip and windows are inside of their images. */
typedef struct xncc_chip_place {
    int32_t left, top;     /* of the chip, in pixels of its image */
    int32_t x, y;          /* the window of map element (0, 0), in pixels of the scene */
    int32_t width, height; /* of the map, at most those of the problem; width 0: nothing to do */
} xncc_chip_place;

/* A run: `count` chips of one image, which are sought in another one. All pixels count. */
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
