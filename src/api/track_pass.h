/* SPDX-License-Identifier: BSD-2-Clause */
/* One pass of tracking: every point once, band of rows by band of rows. */
#ifndef XNCC_API_TRACK_PASS_H
#define XNCC_API_TRACK_PASS_H

#include "api/objects.h"
#include "base/float_env.h"
#include "exactncc/track.h"
#include "track/field.h"

/* What the passes of a call share. All has been checked. */
typedef struct xncc_track_call {
    xncc_context *context;
    xncc_engine *engine; /* of the CPU */
    xncc_engine *device; /* of CUDA; NULL: there is none */
    int on_device;       /* 1: all images are in device memory */
    xncc_watch watch;
    xncc_track_options options;
    xncc_track_source source;
    xncc_track_pass *coarse; /* options.coarse_count of them, of this version's size */
    xncc_float_env *host;    /* the float environment of the caller, in which it reads rows */
    /* If not NULL, image 2 is deformed by it (track/warp.h), and nothing else is predicted. */
    const xncc_field *field;
} xncc_track_call;

/* Tracks the points. found: receives `count` displacements. */
xncc_status xncc_track_run_pass(const xncc_track_call *call, const xncc_track_point *point,
                                size_t count, xncc_displacement *found, xncc_error *error);

/* Runs the coarse passes of a call, then that of the points. found: receives `count`
 * displacements. */
xncc_status xncc_track_run(const xncc_track_call *call, const xncc_track_point *point, size_t count,
                           xncc_displacement *found, xncc_error *error);

#endif
