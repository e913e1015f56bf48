/* SPDX-License-Identifier: BSD-2-Clause */
/* The pixels within the edges of a template, to which fits are restricted: a shifted window would
 * compare the pixels at the edge with what surrounds the object, and tilt the surface. */
#ifndef XNCC_POSE_INNER_H
#define XNCC_POSE_INNER_H

#include "base/error.h"
#include "pose/frames.h"

/* Sets subject->inner and subject->memory, which the caller frees. Returns XNCC_OK or
 * XNCC_ERROR_MEMORY. */
xncc_status xncc_pose_inner_make(xncc_pose_subject *subject, xncc_error *error);

#endif
