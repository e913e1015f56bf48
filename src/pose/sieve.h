/* SPDX-License-Identifier: BSD-2-Clause */
/* Which candidates of a pyramid go on from a level. */
#ifndef XNCC_POSE_SIEVE_H
#define XNCC_POSE_SIEVE_H

#include "pose/climb.h"

/* Which candidates go on. */
typedef struct xncc_pose_sieve {
    double limit;  /* the least score */
    double part;   /* the least part of the score of the `wanted`-th best object */
    size_t wanted; /* objects */
    double apart;  /* how far two objects are apart, in pixels of level 0 */
    size_t most;   /* candidates */
} xncc_pose_sieve;

/* Orders candidates by the magnitude of their scores, drops those that do not go on and those that
 * stand beside a better one. *count: how many there are, then how many are left. Returns XNCC_OK or
 * XNCC_ERROR_MEMORY. */
xncc_status xncc_pose_thin(const xncc_pose_rung *rung, xncc_pose_candidate *candidate,
                           size_t *count, const xncc_pose_sieve *sieve, xncc_error *error);

/* What climbs first, and what climbs after it. The candidates are in order, and the first `first`
 * of *count have climbed. If `wanted` objects stand out among these, the others stay only where
 * they are no further than `reach` from one of the objects, in pixels of level 0: they can have a
 * better pose of it. Otherwise all stay. Returns as above. */
xncc_status xncc_pose_leave(xncc_pose_candidate *candidate, size_t first, size_t *count,
                            double reach, const xncc_pose_sieve *sieve, xncc_error *error);

#endif
