/* SPDX-License-Identifier: BSD-2-Clause */
/* What the small program counts with. */
#ifndef PLANTED_PART_H
#define PLANTED_PART_H

#define PART_FACTOR 2

int part_scale(int v);
int part_limit(int v);

#endif
