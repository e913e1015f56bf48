/* SPDX-License-Identifier: BSD-2-Clause */
/* Positions of several pixels in vectors of 32-bit lanes. The including file defines:
 * - positions_vector: the vector
 * - POSITIONS(operation): the name of an operation on it
 * - LANE_NUMBERS: 0, 1, 2 and so on */
#ifndef XNCC_POSE_POSITIONS_H
#define XNCC_POSE_POSITIONS_H

#include "pose/sampling.h"

/* Positions are rounded down to 256ths of a pixel, of which REST bits are left over. */
enum { REST = 33 - XNCC_TAP_BITS, REST_MASK = (1 << REST) - 1 };

/* Positions along one axis, or steps: 256ths of a pixel, and what is left over. */
typedef struct positions {
    positions_vector whole, rest;
} positions;

/* Moves what makes a whole out of the rests. */
static inline positions carried(positions_vector whole, positions_vector rest)
{
    return (positions){ POSITIONS(add_epi32)(whole, POSITIONS(srli_epi32)(rest, REST)),
                        rest & POSITIONS(set1_epi32)(REST_MASK) };
}

static inline positions sum_of(positions a, positions b)
{
    return carried(POSITIONS(add_epi32)(a.whole, b.whole), POSITIONS(add_epi32)(a.rest, b.rest));
}

/* The same number in all lanes. */
static inline positions same(int64_t value)
{
    return (positions){ POSITIONS(set1_epi32)((int32_t)(value >> REST)),
                        POSITIONS(set1_epi32)((int32_t)(value & REST_MASK)) };
}

/* 0, step, 2 * step and so on. */
static inline positions multiples(int64_t step)
{
    const positions_vector lane = LANE_NUMBERS;
    const positions one = same(step);
    return carried(POSITIONS(mullo_epi32)(lane, one.whole), POSITIONS(mullo_epi32)(lane, one.rest));
}

#endif
