/* SPDX-License-Identifier: BSD-2-Clause */
/* Exact sums of doubles and of products of two doubles, at every finite magnitude. Compiled for the
 * host and for the device.
 *
 * A number is a row of digits: sum of digit[i] * 2^(32 i + least). `least` is XNCC_WIDE_VALUES for
 * sums of values and XNCC_WIDE_PRODUCTS for sums of products, the exponents of the smallest double
 * and of its square. Digits have 64 bits and may be negative until xncc_wide_normalize, so that an
 * addition touches at most five of them and passes no carry on. An addition puts less than 2^32
 * into a digit, so that 2^31 additions fit between two calls of xncc_wide_normalize. */
#ifndef XNCC_MATH_WIDE_H
#define XNCC_MATH_WIDE_H

#include "math/uint128.h"

#include <string.h>

enum {
    XNCC_WIDE_VALUES = -1074,
    XNCC_WIDE_PRODUCTS = 2 * XNCC_WIDE_VALUES,
    /* Sums of 2^31 values are below 2^(1024 + 31), which is bit 2129. */
    XNCC_WIDE_VALUE_DIGITS = 68,
    /* n * X over 64 channels is below 2^(2 * (1024 + 31) + 6), which is bit 4264 of 4352. A product
     * of two sums of values fits with all its digits. */
    XNCC_WIDE_DIGITS = 2 * XNCC_WIDE_VALUE_DIGITS
};

/* Adds v to a digit. On the device several threads may add at once. */
static XNCC_HD void xncc_wide_add_digit(int64_t *digit, int64_t v)
{
#if defined(__CUDA_ARCH__)
    atomicAdd((unsigned long long *)digit, (unsigned long long)v);
#else
    *digit += v;
#endif
}

/* A finite double is mantissa * 2^(place + XNCC_WIDE_VALUES), with its sign. */
typedef struct xncc_wide_part {
    uint64_t mantissa;
    int32_t place, negative;
} xncc_wide_part;

static XNCC_HD xncc_wide_part xncc_wide_part_of(double v)
{
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    xncc_wide_part p;
    const int32_t exponent = (int32_t)(bits >> 52 & 2047);
    p.mantissa = bits & ((UINT64_C(1) << 52) - 1);
    if (exponent > 0)
        p.mantissa |= UINT64_C(1) << 52;
    p.place = exponent > 0 ? exponent - 1 : 0;
    p.negative = (int32_t)(bits >> 63);
    return p;
}

/* Adds v * 2^(place + least), or subtracts it. */
static XNCC_HD void xncc_wide_put(int64_t *digit, xncc_u128 v, int32_t place, int32_t negative)
{
    const xncc_u128 moved = xncc_u128_shift(v, place & 31);
    const uint64_t over = place & 31 ? v.high >> (64 - (place & 31)) : 0;
    const uint64_t part[5] = { moved.low & UINT32_MAX, moved.low >> 32, moved.high & UINT32_MAX,
                               moved.high >> 32, over };
    int64_t *to = digit + (place >> 5);
    const int parts = moved.high | over ? 5 : 2;
    for (int i = 0; i < parts; i++)
        xncc_wide_add_digit(to + i, negative ? -(int64_t)part[i] : (int64_t)part[i]);
}

/* Adds a finite v. digit: XNCC_WIDE_VALUE_DIGITS digits from XNCC_WIDE_VALUES on. */
static XNCC_HD void xncc_wide_add(int64_t *digit, double v)
{
    const xncc_wide_part p = xncc_wide_part_of(v);
    xncc_wide_put(digit, xncc_u128_of(p.mantissa), p.place, p.negative);
}

/* Adds a * b, both finite. digit: XNCC_WIDE_DIGITS digits from XNCC_WIDE_PRODUCTS on. */
static XNCC_HD void xncc_wide_add_product(int64_t *digit, double a, double b)
{
    const xncc_wide_part p = xncc_wide_part_of(a), q = xncc_wide_part_of(b);
    xncc_wide_put(digit, xncc_u128_of_product(p.mantissa, q.mantissa), p.place + q.place,
                  p.negative ^ q.negative);
}

/* Passes the carries on: every digit but the last becomes 0 .. 2^32 - 1. The last one keeps the
 * sign of the number. */
static XNCC_HD void xncc_wide_normalize(int64_t *digit, int32_t digits)
{
    for (int32_t i = 0; i < digits - 1; i++) {
        digit[i + 1] += digit[i] >> 32; /* rounds down, also below 0 */
        digit[i] &= (int64_t)UINT32_MAX;
    }
}

/* to += factor * from; factor is at most 2^31 in magnitude, and `from` is normalized. */
static XNCC_HD void xncc_wide_add_multiple(int64_t *to, const int64_t *from, int64_t factor)
{
    for (int32_t i = 0; i < XNCC_WIDE_DIGITS; i++)
        to[i] += from[i] * factor;
    xncc_wide_normalize(to, XNCC_WIDE_DIGITS);
}

/* to -= a * b, where a and b are normalized sums of values. The product of a pair of digits is
 * below 2^64 in magnitude, as only the last digits are signed and those are below 2^31. */
static XNCC_HD void xncc_wide_subtract_product(int64_t *to, const int64_t *a, const int64_t *b)
{
    for (int32_t i = 0; i < XNCC_WIDE_VALUE_DIGITS; i++) {
        const int32_t negative_a = a[i] < 0;
        const uint64_t size_a = negative_a ? 0 - (uint64_t)a[i] : (uint64_t)a[i];
        for (int32_t k = 0; k < XNCC_WIDE_VALUE_DIGITS && size_a > 0; k++) {
            const int32_t negative = negative_a ^ (b[k] < 0);
            const uint64_t size_b = b[k] < 0 ? 0 - (uint64_t)b[k] : (uint64_t)b[k],
                           product = size_a * size_b;
            const int64_t low = (int64_t)(product & UINT32_MAX), high = (int64_t)(product >> 32);
            to[i + k] += negative ? low : -low;
            to[i + k + 1] += negative ? high : -high;
        }
    }
    xncc_wide_normalize(to, XNCC_WIDE_DIGITS);
}

/* A number of 53 bits with an exponent of any size: m * 2^e. m is 0, or 1 <= |m| <= 2. */
typedef struct xncc_real {
    double m;
    int32_t e;
} xncc_real;

/* The leading 64 bits of the magnitude of a normalized number, which is destroyed; the last one is
 * 1 if any lower bit is. *exponent: that of the first bit, where digit 0 begins at 0. Returns 0 if
 * the number is 0. */
static XNCC_HD uint64_t xncc_wide_leading(int64_t *digit, int32_t digits, int32_t *negative,
                                          int32_t *exponent)
{
    *negative = digit[digits - 1] < 0;
    if (*negative) {
        for (int32_t i = 0; i < digits; i++)
            digit[i] = -digit[i];
        xncc_wide_normalize(digit, digits);
    }
    int32_t top = digits - 1;
    while (top >= 0 && digit[top] == 0)
        top--;
    if (top < 0)
        return 0;
    uint64_t word[3] = { 0, 0, 0 }, rest = 0; /* the three leading digits, and all that follow */
    for (int32_t i = 0; i <= top; i++) {
        if (top - i < 3)
            word[top - i] = (uint64_t)digit[i];
        else
            rest |= (uint64_t)digit[i];
    }
    uint64_t bits = word[0] << 32 | word[1];
    *exponent = 32 * (top - 1) + 63;
    for (; !(bits >> 63); --*exponent) {
        bits = bits << 1 | (word[2] >> 31 & 1);
        word[2] = word[2] << 1 & UINT32_MAX;
    }
    return bits | ((word[2] | rest) != 0);
}

/* The normalized number, which is destroyed, rounded to 53 bits, to nearest, ties to even. The
 * conversion from 64 bits rounds once. */
static XNCC_HD xncc_real xncc_wide_round(int64_t *digit, int32_t digits, int32_t least)
{
    int32_t negative, exponent;
    const uint64_t bits = xncc_wide_leading(digit, digits, &negative, &exponent);
    xncc_real r = { 0.0, 0 };
    if (bits == 0)
        return r;
    r.m = ldexp((double)bits, -63);
    r.m = negative ? -r.m : r.m;
    r.e = exponent + least;
    return r;
}

/* The square root of a number that is not negative, rounded. */
static XNCC_HD xncc_real xncc_real_sqrt(xncc_real a)
{
    const int32_t odd = a.e & 1;
    const xncc_real r = { sqrt(odd ? 2.0 * a.m : a.m), (a.e - odd) / 2 };
    return r;
}

/* a * b, and a / b with b other than 0, rounded. Their m may be as small as 1/2 and as large as 4.
 */
static XNCC_HD xncc_real xncc_real_product(xncc_real a, xncc_real b)
{
    const xncc_real r = { a.m * b.m, a.e + b.e };
    return r;
}
static XNCC_HD xncc_real xncc_real_quotient(xncc_real a, xncc_real b)
{
    const xncc_real r = { a.m / b.m, a.e - b.e };
    return r;
}

/* The nearest float. Within 2^-1000 .. 2^1000 the double is exact, and beyond that the float is 0
 * or infinite in any case. */
static XNCC_HD float xncc_real_to_float(xncc_real a)
{
    const int32_t e = a.e < -1000 ? -1000 : a.e > 1000 ? 1000 : a.e;
    return (float)ldexp(a.m, e);
}

#endif
