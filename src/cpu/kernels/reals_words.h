/* SPDX-License-Identifier: BSD-2-Clause */
/* Integers of a fixed number of 64-bit words, the lowest first, in two's complement. */
#ifndef XNCC_CPU_KERNELS_REALS_WORDS_H
#define XNCC_CPU_KERNELS_REALS_WORDS_H

#include "math/wide.h"

#include <string.h>

enum { XNCC_MOST_WORDS = 12 };

/* Inlined, so that loops over a constant number of words are unrolled. */
#define XNCC_WORDS __attribute__((always_inline)) static inline

XNCC_WORDS uint64_t xncc_words_carry(uint64_t a, uint64_t b, uint64_t *carry)
{
    const uint64_t sum = a + b, all = sum + *carry;
    *carry = (uint64_t)(sum < a) | (uint64_t)(all < sum);
    return all;
}

/* to += from, or to -= from: subtracting is adding the complement and 1. */
XNCC_WORDS void xncc_words_add(uint64_t *to, const uint64_t *from, int words, int subtract)
{
    const uint64_t flip = subtract ? UINT64_MAX : 0;
    uint64_t carry = subtract != 0;
    for (int i = 0; i < words; i++)
        to[i] = xncc_words_carry(to[i], from[i] ^ flip, &carry);
}

/* to += v * 2^shift, or to -= v * 2^shift. */
XNCC_WORDS void xncc_words_put(uint64_t *to, int words, xncc_u128 v, int shift, int subtract)
{
    const int at = shift >> 6, s = shift & 63;
    const uint64_t part[3] = { v.low << s, s ? v.high << s | v.low >> (64 - s) : v.high,
                               s ? v.high >> (64 - s) : 0 },
                   flip = subtract ? UINT64_MAX : 0;
    uint64_t carry = subtract != 0;
    for (int i = at; i < words; i++)
        to[i] = xncc_words_carry(to[i], (i - at < 3 ? part[i - at] : 0) ^ flip, &carry);
}

/* to += factor * from. */
XNCC_WORDS void xncc_words_add_multiple(uint64_t *to, const uint64_t *from, int words,
                                        uint64_t factor)
{
    uint64_t high = 0, carry = 0;
    for (int i = 0; i < words; i++) {
        const xncc_u128 p = xncc_u128_add(xncc_u128_of_product(from[i], factor),
                                          xncc_u128_of(high));
        to[i] = xncc_words_carry(to[i], p.low, &carry);
        high = p.high;
    }
}

/* |v| to `size`. Returns 1 if v is negative. */
XNCC_WORDS int xncc_words_size(uint64_t *size, const uint64_t *v, int words)
{
    const int negative = (int)(v[words - 1] >> 63);
    memset(size, 0, (size_t)words * sizeof *size);
    xncc_words_add(size, v, words, negative);
    return negative;
}

/* to -= a * b. a and b have `few` words, to has `words`, in which the product fits. */
XNCC_WORDS void xncc_words_subtract_product(uint64_t *to, int words, const uint64_t *a,
                                            const uint64_t *b, int few)
{
    uint64_t size_a[XNCC_MOST_WORDS], size_b[XNCC_MOST_WORDS], product[XNCC_MOST_WORDS] = { 0 };
    const int negative = xncc_words_size(size_a, a, few) ^ xncc_words_size(size_b, b, few);
    for (int i = 0; i < few; i++) {
        uint64_t high = 0;
        for (int k = 0; k < few && i + k < words; k++) {
            const xncc_u128 p = xncc_u128_add(
                xncc_u128_add(xncc_u128_of_product(size_a[i], size_b[k]), xncc_u128_of(high)),
                xncc_u128_of(product[i + k]));
            product[i + k] = p.low;
            high = p.high;
        }
        if (i + few < words)
            product[i + few] = high;
    }
    xncc_words_add(to, product, words, !negative);
}

/* v * 2^unit, rounded to 53 bits as xncc_wide_round does. */
XNCC_WORDS xncc_real xncc_words_round(const uint64_t *v, int words, int unit)
{
    uint64_t size[XNCC_MOST_WORDS];
    const int negative = xncc_words_size(size, v, words);
    int top = words - 1;
    while (top >= 0 && size[top] == 0)
        top--;
    xncc_real r = { 0.0, 0 };
    if (top < 0)
        return r;
    int zeros = 0;
    while (!(size[top] << zeros >> 63))
        zeros++;
    uint64_t bits = size[top] << zeros, rest = 0;
    if (top > 0) {
        bits |= zeros ? size[top - 1] >> (64 - zeros) : 0;
        rest = size[top - 1] << zeros;
    }
    for (int i = 0; i < top - 1; i++)
        rest |= size[i];
    /* The conversion rounds once, because the last bit is 1 if any lower bit is. */
    r.m = (double)(bits | (rest != 0)) * 0x1p-63;
    r.m = negative ? -r.m : r.m;
    r.e = 64 * top + 63 - zeros + unit;
    return r;
}

#endif
