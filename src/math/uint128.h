/* SPDX-License-Identifier: BSD-2-Clause */
/* 128-bit integers, for compilers that have none and for device code. All arithmetic is modulo
 * 2^128, so a value also represents a signed number in two's complement; xncc_s128_to_double reads
 * it as such. Compiled for the host and for the device. */
#ifndef XNCC_MATH_UINT128_H
#define XNCC_MATH_UINT128_H

#include "base/host_device.h"

#include <math.h>
#include <stdint.h>

typedef struct xncc_u128 {
    uint64_t high, low;
} xncc_u128;

/* a * b, exact. */
static XNCC_HD xncc_u128 xncc_u128_of_product(uint64_t a, uint64_t b)
{
    xncc_u128 p;
#if defined(__CUDA_ARCH__)
    p.high = __umul64hi(a, b);
    p.low = a * b;
#elif defined(__SIZEOF_INT128__)
    __extension__ typedef unsigned __int128 whole;
    const whole product = (whole)a * b;
    p.high = (uint64_t)(product >> 64);
    p.low = (uint64_t)product;
#else
    uint64_t a0 = a & 0xffffffffu, a1 = a >> 32, b0 = b & 0xffffffffu, b1 = b >> 32;
    uint64_t low = a0 * b0;
    uint64_t mid = a1 * b0 + (low >> 32);          /* at most 2^64 - 2^32: no overflow */
    uint64_t mid2 = a0 * b1 + (mid & 0xffffffffu); /* the same bound */
    p.high = a1 * b1 + (mid >> 32) + (mid2 >> 32);
    p.low = (mid2 << 32) | (low & 0xffffffffu);
#endif
    return p;
}

/* The value of a 64-bit integer. */
static XNCC_HD xncc_u128 xncc_u128_of(uint64_t low)
{
    const xncc_u128 v = { 0, low };
    return v;
}

static XNCC_HD xncc_u128 xncc_u128_add(xncc_u128 a, xncc_u128 b)
{
    xncc_u128 r;
    r.low = a.low + b.low;
    r.high = a.high + b.high + (r.low < a.low);
    return r;
}

static XNCC_HD xncc_u128 xncc_u128_sub(xncc_u128 a, xncc_u128 b)
{
    xncc_u128 r;
    r.low = a.low - b.low;
    r.high = a.high - b.high - (a.low < b.low);
    return r;
}

/* a * b modulo 2^128. */
static XNCC_HD xncc_u128 xncc_u128_mul(xncc_u128 a, uint64_t b)
{
    xncc_u128 r = xncc_u128_of_product(a.low, b);
    r.high += a.high * b;
    return r;
}

/* a * 2^shift modulo 2^128; shift is 0 .. 63. */
static XNCC_HD xncc_u128 xncc_u128_shift(xncc_u128 a, int shift)
{
    xncc_u128 r = a;
    if (shift > 0) {
        r.high = a.high << shift | a.low >> (64 - shift);
        r.low = a.low << shift;
    }
    return r;
}

static XNCC_HD int xncc_u128_is_zero(xncc_u128 a)
{
    return (a.high | a.low) == 0;
}

/* Rounds to the nearest double, ties to even. The conversion rounds once: of the top 64 bits, where
 * the last one is 1 if any lower bit is (a sticky bit). */
static XNCC_HD double xncc_u128_to_double(xncc_u128 v)
{
    if (v.high == 0)
        return (double)v.low;
    int shift = 0;
    uint64_t top = v.high, rest = v.low;
    while (!(top >> 63)) {
        top = (top << 1) | (rest >> 63);
        rest <<= 1;
        shift++;
    }
    return ldexp((double)(top | (rest != 0)), 64 - shift);
}

/* The same for a signed number. */
static XNCC_HD double xncc_s128_to_double(xncc_u128 v)
{
    if (!(v.high >> 63))
        return xncc_u128_to_double(v);
    return -xncc_u128_to_double(xncc_u128_sub(xncc_u128_of(0), v));
}

#endif
