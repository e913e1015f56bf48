/* SPDX-License-Identifier: BSD-2-Clause */
/* The chips of a band of tracking: where they are sought, and the displacements that were found. */
#ifndef XNCC_API_TRACK_SEARCH_H
#define XNCC_API_TRACK_SEARCH_H

#include "api/track_band.h"

/* The pixels that the chips (scene: 0) or the windows (scene: 1) of a pair are taken from. */
const xncc_image *xncc_track_view(const xncc_track_band *band, size_t pair, int scene);

/* Counts the pixels of a rectangle of image a that count, and of those that also count at (bx, by)
 * and on in image b. b: NULL: only a is asked. */
int64_t xncc_track_count(const xncc_image *a, int64_t ax, int64_t ay, const xncc_image *b,
                         int64_t bx, int64_t by, int32_t width, int32_t height);

/* The functions of xncc_chip_reads; band: an xncc_track_band. The first one says where the chip of
 * a point is sought; all pairs have the same place. The second one fills the result of a point, or
 * on the way back what follows from it, from the map of its chip. */
void xncc_track_find_chip(void *band, size_t item, xncc_chip_place *chip);
void xncc_track_set(void *band, size_t item, const xncc_chip_place *chip,
                    const xncc_reading *reading);

#endif
