/* SPDX-License-Identifier: BSD-2-Clause */
/* The pixels of a template at a pose (exactncc/pose.h has the rule). */
#ifndef XNCC_POSE_RESAMPLE_H
#define XNCC_POSE_RESAMPLE_H

#include "exactncc/pose.h"
#include "template/template.h"

/* Pixels to be turned: a template's, or those of a level of its pyramid. */
typedef struct xncc_pose_source {
    int32_t width, height;
    xncc_pixel pixel;
    int32_t channels;
    const void *pixels;  /* tightly packed, integers biased, as in xncc_template */
    const uint8_t *mask; /* as in xncc_template */
    xncc_support support;
    const struct xncc_pose_loops *loops; /* the fastest ones of the processor (probe.h) */
    /* Per pixel of a source of bytes without a mask: the byte, the one to its right, and the two
     * below them; beyond the edges the last ones again. NULL: there are none. */
    const uint32_t *quads;
} xncc_pose_source;

/* A pose, and where its pixels are. */
typedef struct xncc_pose_place {
    double angle, scale;
    int32_t width, height; /* of the window */
    /* The centre of the template relative to the centre of the window, in pixels of the image, less
     * than 4 in magnitude; used in units of 2^-16. */
    double shift_x, shift_y;
} xncc_pose_place;

/* The pixels of a pose. Those that do not count are 0. */
typedef struct xncc_pose_pixels {
    int32_t width, height;
    void *pixels;  /* as in xncc_pose_source */
    uint8_t *mask; /* per pixel 1 if it counts, else 0 */
    uint64_t count;
} xncc_pose_pixels;

/* Returns the place of a pose in its own window. Its sides can exceed every limit. */
xncc_pose_place xncc_pose_place_of(const xncc_pose_source *source, double angle, double scale);

/* Resamples. After a failure, too, xncc_pose_pixels_clear must free what was allocated.
 * Returns XNCC_OK, XNCC_ERROR_MEMORY, or XNCC_ERROR_UNSUPPORTED for a side above
 * XNCC_MAX_POSE_SIDE. */
xncc_status xncc_pose_resample(const xncc_pose_source *source, const xncc_pose_place *place,
                               xncc_pose_pixels *out, xncc_error *error);

/* The parts of xncc_pose_resample, for a caller with memory of its own. The first one checks the
 * sides. The second one computes the rows first .. end - 1 to out->pixels and out->mask, which
 * begin with row `first`, and returns how many pixels of them count; out->count does not change. */
xncc_status xncc_pose_place_check(const xncc_pose_source *source, const xncc_pose_place *place,
                                  xncc_error *error);
uint64_t xncc_pose_resample_rows(const xncc_pose_source *source, const xncc_pose_place *place,
                                 int32_t first, int32_t end, const xncc_pose_pixels *out);

void xncc_pose_pixels_clear(xncc_pose_pixels *pixels);

#endif
