/* SPDX-License-Identifier: BSD-2-Clause */
/* The peak search on CUDA as the decision sees it: its tiles and its memory. The kernels in
 * cuda/peaks use the same numbers. */
#ifndef XNCC_PLAN_SEARCH_CUDA_H
#define XNCC_PLAN_SEARCH_CUDA_H

#include "base/host_device.h"

#include <stdint.h>

enum {
    XNCC_PEAK_COLUMNS = 128, /* map elements per row of a tile */
    XNCC_PEAK_ROWS = 16,     /* the most rows of a tile */
    XNCC_BATCH_MASKS = 4,    /* the most masks of the templates that are searched at once */
    XNCC_MASK_SUMS = 3,    /* planes of sums of the windows under one mask: S, and Q in two parts */
    XNCC_PEAK_SLOTS = 24,  /* the most templates of one search */
    XNCC_PEAK_ROOM = 4096, /* the most candidates, and matches, of one template */
    XNCC_PEAK_STATE_BYTES = 28,  /* a PeakState */
    XNCC_PEAK_MATCH_BYTES = 12,  /* an xncc_match */
    XNCC_WINDOW_TERMS_BYTES = 8, /* a WindowTerms */
    XNCC_COLLECT_WORDS = 9288    /* words of shared memory of the search without a map */
};

/* Rows of a tile. Small maps have few tiles; with tiles half as high there are enough to choose
 * from. */
static inline int32_t xncc_peak_tile_rows(int32_t width, int32_t height)
{
    return (int64_t)width * height < 1 << 22 ? XNCC_PEAK_ROWS / 2 : XNCC_PEAK_ROWS;
}

/* The tiles of a map. */
static inline int64_t xncc_peak_tiles(int32_t width, int32_t height)
{
    const int32_t rows = xncc_peak_tile_rows(width, height);
    return ((int64_t)width + XNCC_PEAK_COLUMNS - 1) / XNCC_PEAK_COLUMNS *
           (((int64_t)height + rows - 1) / rows);
}

/* Bytes of the search in `slots` maps at once, without the results. */
static inline uint64_t xncc_search_bytes(int64_t tiles, uint64_t slots)
{
    return slots * ((uint64_t)tiles * 16 + (uint64_t)XNCC_PEAK_ROOM * 8);
}

/* Bytes of the results of `slots` searches with `top` matches each. */
static inline uint64_t xncc_search_results(uint64_t slots, uint64_t top)
{
    return slots * (XNCC_PEAK_STATE_BYTES + top * XNCC_PEAK_MATCH_BYTES);
}

/* Returns 1 if a map can be searched on the device: a position must fit 32 bits. */
static inline int xncc_peak_serves(int32_t width, int32_t height)
{
    return (uint64_t)width * (uint64_t)height < UINT32_MAX;
}

/* Words of 4 pixels that the search without a map holds per block if it computes X from the pixels:
 * 9 map rows per thread, 130 columns, 2 strips (cuda/peaks/collect.cu). */
static XNCC_HD int32_t xncc_collect_words(int32_t width, int32_t height)
{
    const int32_t lines = (height + 9 - 1 + 9 - 1) / 9 * 9;
    return (width + 3) / 4 * lines + (XNCC_PEAK_COLUMNS + 2 + 4 + width + 3) / 4 * (9 + lines);
}

#endif
