/* SPDX-License-Identifier: BSD-2-Clause */
/* Sine and cosine by their series in 60 fraction bits, for angles of up to an eighth of a turn. */
#include "pose/turn.h"

#include "math/uint128.h"

#include <math.h>

enum { ONE_BITS = 60, QUARTER_BITS = 30 };

/* a * b for numbers with ONE_BITS fraction bits, below 2, rounded down. */
static uint64_t times(uint64_t a, uint64_t b)
{
    const xncc_u128 p = xncc_u128_of_product(a, b);
    return p.high << (64 - ONE_BITS) | p.low >> ONE_BITS;
}

/* The series x^first / first! - x^(first+2) / (first+2)! + ..., with the term x^first / first!
 * given. The terms fall below 2^-60 before the twelfth. */
static uint64_t series(uint64_t term, uint64_t square, unsigned first)
{
    uint64_t sum = term;
    for (unsigned k = first + 1; term > 0; k += 2) {
        term = times(term, square) / ((uint64_t)k * (k + 1));
        sum = (k - first) / 2 % 2 ? sum + term : sum - term;
    }
    return sum;
}

static int64_t rounded(uint64_t v)
{
    return (int64_t)((v + (UINT64_C(1) << (ONE_BITS - XNCC_TURN_BITS - 1))) >>
                     (ONE_BITS - XNCC_TURN_BITS));
}

/* units: of 2^-32 turns, up to an eighth of a turn. */
static xncc_turn eighth(uint64_t units)
{
    /* 2 pi * 2^61, rounded. The product has 32 + 61 fraction bits, of which 60 are kept. */
    const xncc_u128 p = xncc_u128_of_product(units, UINT64_C(14488038916154245685));
    const uint64_t x = p.high << (64 - 33) | p.low >> 33, square = times(x, x);
    return (xncc_turn){ rounded(series(UINT64_C(1) << ONE_BITS, square, 0)),
                        rounded(series(x, square, 1)) };
}

xncc_turn xncc_turn_of(double degrees)
{
    const double turns = fmod(degrees, 360.0) / 360.0;
    const int64_t units = (int64_t)floor(turns * 4294967296.0 + 0.5);
    const uint32_t at = (uint32_t)units, within = at & ((UINT32_C(1) << QUARTER_BITS) - 1);
    const uint32_t half = UINT32_C(1) << (QUARTER_BITS - 1);
    xncc_turn t = eighth(within <= half ? within : (UINT32_C(1) << QUARTER_BITS) - within);
    if (within > half)
        t = (xncc_turn){ t.sin, t.cos };
    switch (at >> QUARTER_BITS) {
    case 1: return (xncc_turn){ -t.sin, t.cos };
    case 2: return (xncc_turn){ -t.cos, -t.sin };
    case 3: return (xncc_turn){ t.sin, -t.cos };
    default: return t;
    }
}
