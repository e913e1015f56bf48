/* SPDX-License-Identifier: BSD-2-Clause */
/* Long integers: words of 32 bits, the least one first, in two's complement. Sums and products are
 * exact as long as the result fits its words. Compiled for the host and for the device. */
#ifndef XNCC_MATH_LONG_INTEGER_H
#define XNCC_MATH_LONG_INTEGER_H

#include "math/wide.h"

/* What continues a number beyond its words. */
static XNCC_HD uint32_t xncc_long_sign(const uint32_t *a, int32_t count)
{
    return a[count - 1] >> 31 ? UINT32_MAX : 0;
}

/* to += v * 2^bit. The words of `to` are `step` elements apart. */
static XNCC_HD void xncc_long_add(uint32_t *to, int64_t step, int32_t count, int64_t v, int32_t bit)
{
    const int32_t shift = bit & 31;
    const uint64_t low = (uint64_t)v << shift;
    const uint32_t sign = v < 0 ? UINT32_MAX : 0;
    const uint32_t part[3] = { (uint32_t)low, (uint32_t)(low >> 32),
                               shift ? (uint32_t)(v >> (64 - shift)) : sign };
    uint64_t carry = 0;
    for (int32_t k = 0, i = bit >> 5; i < count; i++, k++) {
        const uint64_t more = (k < 3 ? part[k] : sign) + carry;
        if (k >= 3 && (uint32_t)more == 0)
            return; /* nothing changes from here on */
        const uint64_t sum = to[i * step] + more;
        to[i * step] = (uint32_t)sum;
        carry = sum >> 32;
    }
}

/* to += v * 2^bit, or, if negative, to -= that. */
static XNCC_HD void xncc_long_put(uint32_t *to, int64_t step, int32_t count, xncc_u128 v,
                                  int32_t bit, int negative)
{
    const uint64_t half[2] = { v.low, v.high };
    for (int32_t k = 0; k < 4; k++) {
        const int64_t part = (int64_t)(half[k / 2] >> 32 * (k % 2) & UINT32_MAX);
        if (part)
            xncc_long_add(to, step, count, negative ? -part : part, bit + 32 * k);
    }
}

/* to += a * b. */
static XNCC_HD void xncc_long_add_product(uint32_t *to, int32_t count, const uint32_t *a,
                                          int32_t of_a, const uint32_t *b, int32_t of_b)
{
    const uint32_t sign_a = xncc_long_sign(a, of_a), sign_b = xncc_long_sign(b, of_b);
    for (int32_t i = 0; i < count; i++) {
        const uint64_t factor = i < of_a ? a[i] : sign_a;
        uint64_t carry = 0;
        for (int32_t k = 0; factor && i + k < count; k++) {
            const uint64_t sum = factor * (k < of_b ? b[k] : sign_b) + to[i + k] + carry;
            to[i + k] = (uint32_t)sum;
            carry = sum >> 32;
        }
    }
}

/* to += factor * b. */
static XNCC_HD void xncc_long_add_multiple(uint32_t *to, int32_t count, uint32_t factor,
                                           const uint32_t *b)
{
    const uint32_t a[2] = { factor, 0 };
    xncc_long_add_product(to, count, a, 2, b, count);
}

/* a = -a. */
static XNCC_HD void xncc_long_negate(uint32_t *a, int32_t count)
{
    uint64_t carry = 1;
    for (int32_t i = 0; i < count; i++) {
        const uint64_t sum = (uint64_t)~a[i] + carry;
        a[i] = (uint32_t)sum;
        carry = sum >> 32;
    }
}

/* to -= a * b. minus: scratch. All have `count` words. */
static XNCC_HD void xncc_long_subtract_product(uint32_t *to, int32_t count, const uint32_t *a,
                                               const uint32_t *b, uint32_t *minus)
{
    for (int32_t i = 0; i < count; i++)
        minus[i] = b[i];
    xncc_long_negate(minus, count);
    xncc_long_add_product(to, count, a, count, minus, count);
}

/* a * 2^unit, rounded to 53 bits, to nearest, ties to even. a is destroyed. */
static XNCC_HD xncc_real xncc_long_round(uint32_t *a, int32_t count, int32_t unit)
{
    xncc_real r = { 0.0, 0 };
    const int negative = a[count - 1] >> 31 != 0;
    if (negative)
        xncc_long_negate(a, count);
    int32_t top = count - 1;
    while (top >= 0 && a[top] == 0)
        top--;
    if (top < 0)
        return r;
    uint64_t bits = (uint64_t)a[top] << 32 | (top > 0 ? a[top - 1] : 0);
    uint32_t next = top > 1 ? a[top - 2] : 0, rest = 0;
    for (int32_t i = 0; i < top - 2; i++)
        rest |= a[i];
    int32_t exponent = 32 * (top - 1) + unit + 63;
#if defined(__CUDA_ARCH__)
    const int32_t zeros = __clzll((long long)bits);
#else
    int32_t zeros = 0;
    while (!(bits << zeros >> 63))
        zeros++;
#endif
    if (zeros) { /* below 32: the leading word is not 0 */
        bits = bits << zeros | next >> (32 - zeros);
        next <<= zeros;
        exponent -= zeros;
    }
    r.m = (double)(bits | ((next | rest) != 0)) * 0x1p-63;
    r.m = negative ? -r.m : r.m;
    r.e = exponent;
    return r;
}

#endif
