/* SPDX-License-Identifier: BSD-2-Clause */
/* The part of the tests of tracking that is about outliers. */
#ifndef UNIT_TRACK_OUTLIERS_H
#define UNIT_TRACK_OUTLIERS_H

#include "kit/kit.h"

void check_outliers(kit_random *random);

#endif
