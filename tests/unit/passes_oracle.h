/* SPDX-License-Identifier: BSD-2-Clause */
/* What tracking in several passes and in deformed images must find. Every pass is a call of its
 * own, and between them the oracle follows docs/track.md. */
#ifndef UNIT_PASSES_ORACLE_H
#define UNIT_PASSES_ORACLE_H

#include "kit/pixels.h"

enum { PASS_WIDTH = 190, PASS_HEIGHT = 150 }; /* of image 1 */

typedef struct oracle_call {
    const xncc_track_pair *pair; /* of 8-bit images */
    size_t pairs;                /* 1 or 2 */
    const xncc_track_options *options;
    const xncc_track_point *point;
    size_t count;
} oracle_call;

/* The displacements of the points. options->coarse_count + options->deform is within 1 .. 6. */
void oracle_passes(xncc_context *context, const oracle_call *call, xncc_displacement *found);

#endif
