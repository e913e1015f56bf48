/* SPDX-License-Identifier: BSD-2-Clause */
/* Resampled pixels of floats: the exact weighted sum, rounded once. */
#include "pose/sampling.h"

#include "image/samples.h"
#include "math/wide.h"

/* The sum of a channel: in a double while that is exact, and with all its digits. */
typedef struct real_sum {
    double simple;
    int exact;  /* 1: `simple` is the sum */
    int finite; /* 0: a value was a NaN or an infinity */
    int64_t digit[XNCC_WIDE_VALUE_DIGITS];
} real_sum;

static void add_simple(real_sum *s, double value, double weight)
{
    const double product = value * weight, sum = s->simple + product;
    /* Fast as long as nothing is lost: then both differences give the terms back. A product of a
     * float and a weight of up to 17 bits is exact. */
    s->exact = s->exact && sum - s->simple == product && sum - product == s->simple;
    s->simple = sum;
}

static void add_wide(real_sum *s, double value, uint64_t weight)
{
    const xncc_wide_part p = xncc_wide_part_of(value);
    xncc_wide_put(s->digit, xncc_u128_of_product(p.mantissa, weight), p.place, p.negative);
}

/* The digits divided by 2^shift, rounded once to a float or a double, to nearest, ties to even. */
static double round_wide(int64_t *digit, int shift, int is_double)
{
    xncc_wide_normalize(digit, XNCC_WIDE_VALUE_DIGITS);
    int32_t negative, exponent;
    const uint64_t bits = xncc_wide_leading(digit, XNCC_WIDE_VALUE_DIGITS, &negative, &exponent);
    if (bits == 0)
        return 0.0;
    exponent += XNCC_WIDE_VALUES - shift;
    const int32_t precision = is_double ? 53 : 24, least = is_double ? -1022 : -126;
    const int32_t drop = 64 - precision + (exponent < least ? least - exponent : 0);
    if (drop > 64)
        return negative ? -0.0 : 0.0;
    const uint64_t half = UINT64_C(1) << (drop - 1), rest = bits & (half | (half - 1));
    uint64_t kept = drop == 64 ? 0 : bits >> drop;
    kept += rest > half || (rest == half && (kept & 1));
    const double size = ldexp((double)kept, exponent - 63 + drop);
    return negative ? -size : size;
}

/* Adds the four pixels of a position, for one channel. */
static void add_tap(real_sum *s, const xncc_pose_source *from, const xncc_tap *tap, int32_t c,
                    int wide)
{
    for (int k = 0; k < 4; k++) {
        const int32_t right = k & 1, below = k >> 1;
        const uint64_t weight = (uint64_t)(right ? tap->wx : XNCC_TAP_ONE - tap->wx) *
                                (uint64_t)(below ? tap->wy : XNCC_TAP_ONE - tap->wy);
        if (weight == 0)
            continue;
        const int64_t at = ((int64_t)(tap->y + below) * from->width + tap->x + right) *
                               from->channels +
                           c;
        const double value = xncc_sample_value(from->pixel, from->pixels, at);
        s->finite = s->finite && value - value == 0.0;
        if (!s->finite)
            return;
        if (wide)
            add_wide(s, value, weight);
        else
            add_simple(s, value, (double)weight);
    }
}

static void add_taps(real_sum *s, const xncc_sampling *at, int32_t x, int32_t y, int32_t c,
                     int wide)
{
    xncc_tap tap;
    for (int32_t j = 0; j < at->fine; j++)
        for (int32_t i = 0; i < at->fine; i++)
            if (xncc_tap_of(at, x, y, i, j, &tap))
                add_tap(s, at->source, &tap, c, wide);
}

static double channel_of(const xncc_sampling *at, int32_t x, int32_t y, int32_t c)
{
    const int is_double = at->source->pixel == XNCC_F64;
    const int shift = 2 * (XNCC_TAP_BITS + at->fine_bits);
    real_sum s = { .exact = !is_double, .finite = 1 };
    if (!is_double)
        add_taps(&s, at, x, y, c, 0);
    if (!s.finite)
        return NAN;
    if (s.exact)
        return ldexp(s.simple, -shift) + 0.0;
    s.simple = 0.0;
    add_taps(&s, at, x, y, c, 1);
    return s.finite ? round_wide(s.digit, shift, is_double) : NAN;
}

int xncc_pose_real_pixel(const xncc_sampling *s, int32_t x, int32_t y, void *out)
{
    xncc_tap tap;
    for (int32_t j = 0; j < s->fine; j++)
        for (int32_t i = 0; i < s->fine; i++)
            if (!xncc_tap_of(s, x, y, i, j, &tap))
                return 0;
    for (int32_t c = 0; c < s->source->channels; c++) {
        const double v = channel_of(s, x, y, c);
        if (s->source->pixel == XNCC_F32)
            ((float *)out)[c] = (float)v;
        else
            ((double *)out)[c] = v;
    }
    return 1;
}
