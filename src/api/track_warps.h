/* SPDX-License-Identifier: BSD-2-Clause */
/* The deformed images of a pass of tracking, made on the threads of the engine. */
#ifndef XNCC_API_TRACK_WARPS_H
#define XNCC_API_TRACK_WARPS_H

#include "api/track_pass.h"
#include "base/pool.h"
#include "track/warp.h"

typedef struct xncc_track_warps {
    const xncc_track_call *call;
    xncc_pool *pool;
    xncc_warp warp;         /* image 1, and beyond it as far as a search goes */
    xncc_warp_reads *reads; /* of its rows */
} xncc_track_warps;

/* Prepares the deformed images of a call with a field. After a failure, too,
 * xncc_track_warps_clear frees the memory. */
xncc_status xncc_track_warps_make(xncc_track_warps *warps, const xncc_track_call *call,
                                  xncc_error *error);
void xncc_track_warps_clear(xncc_track_warps *warps);

/* Bytes of `rows` rows of a deformed image like image 2, with a mask. */
uint64_t xncc_track_warps_bytes(const xncc_track_warps *warps, const xncc_image *image,
                                int32_t rows);

/* Makes rows y .. y + rows - 1 of the deformed image. from: rows of image 2, from `first` on, with
 * all those that are read. memory: xncc_track_warps_bytes bytes. to: receives the view, whose mask
 * is NULL if all pixels count. */
xncc_status xncc_track_warps_run(const xncc_track_warps *warps, const xncc_image *from,
                                 int32_t first, int32_t y, int32_t rows, char *memory,
                                 xncc_image *to, xncc_error *error);

#endif
