/* SPDX-License-Identifier: BSD-2-Clause */
/* What tracking must find, computed from the definitions in exactncc/track.h alone. No code of src/
 * is used or included. */
#ifndef UNIT_TRACK_ORACLE_H
#define UNIT_TRACK_ORACLE_H

#include "kit/pixels.h"

/* The displacement of one point. */
xncc_displacement oracle_track(const xncc_track_pair *pair, size_t pairs,
                               const xncc_track_options *options, const xncc_track_point *point);

/* Checks a displacement against the oracle's: whole pixels, score, second score and flags bit for
 * bit, the other numbers within a rounding. */
void check_displacement(const xncc_displacement *got, const xncc_displacement *want);

#endif
