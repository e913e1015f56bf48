/* SPDX-License-Identifier: BSD-2-Clause */
/* Tracking on a device: what runs there, and what is fetched from there. */
#ifndef XNCC_API_TRACK_DEVICE_H
#define XNCC_API_TRACK_DEVICE_H

#include "api/track_band.h"

/* The engine on which a pass of `count` points runs where all pixels count; NULL: the CPU's alone.
 * Of the band, the call, the warps and the problems are set. threads: of the CPU. */
xncc_engine *xncc_track_device(const xncc_track_band *band, size_t count, int32_t threads);

/* Sets *is: whether the band runs there. Its views are set. */
xncc_status xncc_track_is_on_device(const xncc_track_band *band, int *is, xncc_error *error);

/* Tracks the points of such a band. */
xncc_status xncc_track_run_on_device(xncc_track_band *band, xncc_error *error);

/* Replaces view i of a band, if it is in device memory, by a copy on the host. */
xncc_status xncc_track_fetch(xncc_track_band *band, size_t i, xncc_error *error);

#endif
