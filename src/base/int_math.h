/* SPDX-License-Identifier: BSD-2-Clause */
/* Small integer arithmetic. */
#ifndef XNCC_BASE_INT_MATH_H
#define XNCC_BASE_INT_MATH_H

#include <stdint.h>

/* The smallest multiple of `unit` that is at least `value`; UINT64_MAX if it might not fit. */
static inline uint64_t xncc_round_up(uint64_t value, uint64_t unit)
{
    return value > UINT64_MAX - unit ? UINT64_MAX : (value + unit - 1) / unit * unit;
}

/* a / b, rounded up, for a >= 0 and b > 0. */
static inline int32_t xncc_ceil_div(int32_t a, int32_t b)
{
    return (int32_t)(((int64_t)a + b - 1) / b);
}

/* The smaller of two numbers. */
static inline int32_t xncc_smaller(int32_t a, int64_t b)
{
    return a < b ? a : (int32_t)b;
}

#endif
