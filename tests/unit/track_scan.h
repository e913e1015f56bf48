/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef UNIT_TRACK_SCAN_H
#define UNIT_TRACK_SCAN_H

#include "kit/kit.h"

/* The loops over rows of scores: every build beside plain loops, and all with the same bits. */
void check_scans(kit_random *random);

#endif
