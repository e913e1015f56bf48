/* SPDX-License-Identifier: BSD-2-Clause */
/* Sine and cosine in integers, the same on every machine. */
#ifndef XNCC_POSE_TURN_H
#define XNCC_POSE_TURN_H

#include <stdint.h>

/* Fraction bits of sines and cosines. */
enum { XNCC_TURN_BITS = 30 };

/* The cosine and the sine of an angle, times 2^XNCC_TURN_BITS, rounded to nearest. Multiples of 90
 * degrees are exact. */
typedef struct xncc_turn {
    int64_t cos, sin;
} xncc_turn;

/* degrees: finite; rounded to units of 360/2^32 degrees. */
xncc_turn xncc_turn_of(double degrees);

#endif
