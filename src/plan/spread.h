/* SPDX-License-Identifier: BSD-2-Clause */
/* How one call is spread over the devices of a context: which rows of the map each computes, and
 * the problem that it solves for them. Pure functions of plain data. */
#ifndef XNCC_PLAN_SPREAD_H
#define XNCC_PLAN_SPREAD_H

#include "exactncc/plan.h"
#include "plan/decision.h"
#include "plan/machine.h"

/* A band of map rows. A search computes up to one more row on each side: whether a position is a
 * candidate depends on its neighbours. */
typedef struct xncc_band {
    int32_t first, count; /* the rows that the band owns; count is at least 1 */
    int32_t above, below; /* 1: row first - 1, or first + count, is computed as well */
} xncc_band;

/* Chooses how many devices share a call with images and maps in host memory, or have a part of
 * both. decision: for the whole problem on one device. Unless the preference asks for parts, more
 * devices are taken only if the call is then expected to be faster. */
xncc_spread xncc_spread_choose(const xncc_problem *problem, const xncc_machine *machine,
                               const xncc_preference *preference, const xncc_decision *decision);

/* Returns how many devices share a search of `count` templates or images of the plan's size, 1 or
 * more. each_ms: what one of them takes. */
int32_t xncc_spread_items(const xncc_machine *machine, const xncc_decision *decision,
                          double each_ms, size_t count);

/* Returns the rows of part 0 .. devices - 1. search: 1 if the neighbours of the rows matter. */
xncc_band xncc_spread_band(const xncc_problem *problem, const xncc_spread *spread, int32_t part,
                           int search);

/* Returns the problem that computes a band.
 *
 * Matching: its image is the band's part of the image with the pixels that the border adds, and its
 * map in mode XNCC_VALID is the band, bit for bit. Convolution: its image is laid out above and
 * below only, and the band begins `anchor_y` rows below the top of its output. */
xncc_problem xncc_spread_problem(const xncc_problem *problem, const xncc_band *band);

#endif
