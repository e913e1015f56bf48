/* SPDX-License-Identifier: BSD-2-Clause */
/* The score of a window of floats from sums in pairs of doubles whose errors are bounded: an
 * interval of each argument of the formula, and the score if both ends of its interval are one
 * float. Compiled for the host and for the device. */
#ifndef XNCC_MATH_NEAR_H
#define XNCC_MATH_NEAR_H

#include "math/exact_score.h"
#include "math/twofold.h"

#include <string.h>

/* Are two floats the same, bit for bit? */
static XNCC_HD int xncc_same_float(float a, float b)
{
    uint32_t x, y;
    memcpy(&x, &a, sizeof x);
    memcpy(&y, &b, sizeof y);
    return x == y;
}

/* A number in a pair of doubles, and a bound of its error. The error is 0 only if the number is on
 * a grid on which the operations below are exact as well. */
typedef struct xncc_near {
    xncc_twofold value;
    double error;
} xncc_near;

static XNCC_HD xncc_near xncc_near_of(xncc_twofold value, double error)
{
    const xncc_near r = { value, error };
    return r;
}

static XNCC_HD double xncc_near_size(xncc_near a)
{
    return fabs(a.value.high) + a.error;
}

/* a*b - c*d */
static XNCC_HD xncc_near xncc_near_difference(xncc_near a, xncc_near b, xncc_near c, xncc_near d)
{
    const double ab = xncc_near_size(a) * xncc_near_size(b),
                 cd = xncc_near_size(c) * xncc_near_size(d);
    const double error = 1.01 * (a.error * xncc_near_size(b) + xncc_near_size(a) * b.error +
                                 c.error * xncc_near_size(d) + xncc_near_size(c) * d.error);
    const int exact = a.error + b.error + c.error + d.error == 0.0;
    return xncc_near_of(xncc_twofold_difference(a.value, b.value, c.value, d.value),
                        exact ? 0.0 : error + 0x1p-97 * (ab + cd));
}

static XNCC_HD xncc_near xncc_near_sum(xncc_near a, xncc_near b)
{
    const double error = a.error + b.error;
    return xncc_near_of(xncc_twofold_add(a.value, b.value),
                        error == 0.0 ? 0.0
                                     : error + 0x1p-97 * (xncc_near_size(a) + xncc_near_size(b)));
}

static XNCC_HD xncc_near xncc_near_twice_negative(xncc_near a)
{
    return xncc_near_of(xncc_twofold_of(-2.0 * a.value.high, -2.0 * a.value.low), 2.0 * a.error);
}

/* The sums of one channel of a window, in pairs of doubles that are not normalized. */
typedef struct xncc_near_sums {
    double n; /* pixels that count */
    xncc_twofold S, Q, X, T, T2;
} xncc_near_sums;

/* Adds a pair of samples that counts, v of the window and t of the template, but not to n. */
static XNCC_HD void xncc_near_put(xncc_near_sums *s, double v, double t)
{
    xncc_twofold_put(&s->S, v);
    xncc_twofold_put(&s->T, t);
    xncc_twofold_put_product(&s->Q, v, v);
    xncc_twofold_put_product(&s->X, v, t);
    xncc_twofold_put_product(&s->T2, t, t);
}

/* The arguments of the formula, summed over the channels (exact_score.h). */
typedef struct xncc_near_terms {
    xncc_near numerator, image, templ;
} xncc_near_terms;

/* The error of a sum of numbers or products in pairs of doubles, of which the sum of sizes is at
 * most `sizes`. k: the most additions that a number or product goes through, and 1 more for each
 * addition of two pairs (docs/numerics.md). A product may lose what is below the smallest
 * double. */
static XNCC_HD double xncc_near_error(double k, double sizes)
{
    return 2.0 * (k + 10.0) * (k + 10.0) * 0x1p-106 * sizes + k * 0x1p-1060;
}

/* A sum with its error, or without one if all sums are exact. */
static XNCC_HD xncc_near xncc_near_of_sum(xncc_twofold sum, double k, double sizes, int exact)
{
    return xncc_near_of(xncc_twofold_add(sum, xncc_twofold_of(0.0, 0.0)),
                        exact ? 0.0 : xncc_near_error(k, 1.01 * sizes));
}

/* Adds a channel. pixels: at least the number of pixels that count. k: as for xncc_near_error, of
 * every sum; pixels, if they were added one after the other. exact: 1 if the sums are exact. The
 * sum of the sizes of numbers is at most the root of `pixels` times the sum of their squares, and
 * that of products at most the product of the roots of the sums of squares. */
static XNCC_HD void xncc_near_add_channel(xncc_near_terms *terms, xncc_method method,
                                          const xncc_near_sums *s, double pixels, double k,
                                          int exact)
{
    const double q = s->Q.high + 0x1p-1000, t2 = s->T2.high + 0x1p-1000; /* squares may underflow */
    const xncc_near n = xncc_near_of(xncc_twofold_of(s->n, 0.0), 0.0),
                    Q = xncc_near_of_sum(s->Q, k, q, exact),
                    X = xncc_near_of_sum(s->X, k, sqrt(q) * sqrt(t2), exact),
                    T2 = xncc_near_of_sum(s->T2, k, t2, exact);
    if (xncc_method_is_centred(method)) {
        const xncc_near S = xncc_near_of_sum(s->S, k, sqrt(pixels * q), exact),
                        T = xncc_near_of_sum(s->T, k, sqrt(pixels * t2), exact);
        terms->numerator = xncc_near_sum(terms->numerator, xncc_near_difference(n, X, S, T));
        terms->image = xncc_near_sum(terms->image, xncc_near_difference(n, Q, S, S));
        terms->templ = xncc_near_sum(terms->templ, xncc_near_difference(n, T2, T, T));
        return;
    }
    terms->numerator = xncc_near_sum(
        terms->numerator, xncc_method_of_difference(method)
                              ? xncc_near_sum(xncc_near_sum(Q, T2), xncc_near_twice_negative(X))
                              : X);
    terms->image = xncc_near_sum(terms->image, Q);
    terms->templ = xncc_near_sum(terms->templ, T2);
}

/* The ends of the interval that holds a number, each rounded to double. */
static XNCC_HD double xncc_near_end(xncc_near a, double error)
{
    return a.value.high + (a.value.low + error);
}

/* Every step of the formula is monotonic, so the ends of the arguments' intervals give the ends of
 * the score's. Returns 1 and the score if both are one float. */
static XNCC_HD int xncc_near_score(xncc_method method, double n, const xncc_near_terms *terms,
                                   float *score)
{
    const double e = 1.01 * terms->numerator.error;
    double low = xncc_near_end(terms->numerator, -e), high = xncc_near_end(terms->numerator, e);
    if (method == XNCC_CCOEFF) {
        low /= n;
        high /= n;
    }
    if (xncc_method_is_normed(method)) {
        const double ea = 1.01 * terms->image.error, eb = 1.01 * terms->templ.error,
                     a0 = xncc_near_end(terms->image, -ea), a1 = xncc_near_end(terms->image, ea),
                     b0 = xncc_near_end(terms->templ, -eb), b1 = xncc_near_end(terms->templ, eb);
        if (!(a0 > 0x1p-900 && b0 > 0x1p-900 && a1 < 0x1p900 && b1 < 0x1p900))
            return 0;
        const double least = sqrt(a0) * sqrt(b0), most = sqrt(a1) * sqrt(b1);
        low /= low < 0.0 ? least : most;
        high /= high < 0.0 ? most : least;
    }
    const float first = (float)low, last = (float)high;
    *score = first;
    return xncc_same_float(first, last) && fabs(low) <= 0x1p900 && fabs(high) <= 0x1p900;
}

/* 1 / sqrt(v), off by at most 2^-51 of it, for v from 2^-900 to 2^900; elsewhere any number. On the
 * device the steps are those of rsqrt(), without its branch for other v. */
static XNCC_HD double xncc_over_root(double v)
{
#if defined(__CUDA_ARCH__)
    double root;
    asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(root) : "d"(v));
    const double off = fma(v, -xncc_product(root, root), 1.0);
    return fma(fma(off, 0.375, 0.5), xncc_product(root, off), root);
#else
    return 1.0 / sqrt(v);
#endif
}

/* For bounds: at least the root of v, and at most 1.02 times it, for v from 2^-1000 on; NaN, or
 * infinity, if v is infinite. */
static XNCC_HD double xncc_bound_root(double v)
{
#if defined(__CUDA_ARCH__)
    double root;
    asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(root) : "d"(v));
    return 1.01 * (v * root);
#else
    return 1.01 * sqrt(v);
#endif
}

/* A double and a bound of its error. */
typedef struct xncc_bounded {
    double value, error;
} xncc_bounded;

/* The arguments of the formula from sums in double. */
typedef struct xncc_bounded_terms {
    xncc_bounded numerator, image, templ;
} xncc_bounded_terms;

/* The sums of one channel in double, of samples less a pivot (0 for all but ccoeff_normed, ccoeff
 * and sqdiff). T is sumT and T2 is sumT2. */
typedef struct xncc_double_sums {
    double S, Q, X, T, T2;
} xncc_double_sums;

static XNCC_HD void xncc_bounded_add(xncc_bounded *to, double value, double error)
{
    to->value += value;
    to->error += error + 0x1p-52 * fabs(to->value);
}

/* Adds a channel of n pixels that count. Every sum is off by at most `relative` times the sum of
 * the sizes of what was added; relative is at least 2^-50. */
static XNCC_HD void xncc_bounded_add_channel(xncc_bounded_terms *terms, xncc_method method,
                                             double n, const xncc_double_sums *s, double relative)
{
    const double q = s->Q + 0x1p-1000, t2 = s->T2 + 0x1p-1000,
                 x = xncc_bound_root(q) * xncc_bound_root(t2);
    if (xncc_method_is_centred(method)) {
        xncc_bounded_add(&terms->numerator, n * s->X - s->S * s->T, 4.0 * relative * n * x);
        xncc_bounded_add(&terms->image, n * s->Q - s->S * s->S, 4.0 * relative * n * q);
        xncc_bounded_add(&terms->templ, n * s->T2 - s->T * s->T, 4.0 * relative * n * t2);
        return;
    }
    if (xncc_method_of_difference(method))
        xncc_bounded_add(&terms->numerator, (s->Q - 2.0 * s->X) + s->T2, 3.0 * relative * (q + t2));
    else
        xncc_bounded_add(&terms->numerator, s->X, 1.01 * relative * x);
    xncc_bounded_add(&terms->image, s->Q, 1.01 * relative * q);
    xncc_bounded_add(&terms->templ, s->T2, 1.01 * relative * t2);
}

/* The bits of the float that marks a window in doubt. No score has them: a NaN is 0x7fc00000. */
#define XNCC_DOUBT UINT32_C(0x7fc0d0b7)

static XNCC_HD float xncc_float_of_bits(uint32_t bits)
{
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

/* The score, or the float whose bits are XNCC_DOUBT. The roundings of the formula and of its
 * evaluation here are at most 24 units of 2^-53 of the score, because of xncc_over_root; a relative
 * error r <= 1/8 of the argument of a root changes the score by at most 0.6 r of it. */
static XNCC_HD float xncc_bounded_score(xncc_method method, double n,
                                        const xncc_bounded_terms *terms)
{
    double q = terms->numerator.value, error = 1.01 * terms->numerator.error, spread = 0x1.8p-49;
    if (method == XNCC_CCOEFF) {
        q /= n;
        error = 1.01 * error / n;
    }
    if (xncc_method_is_normed(method)) {
        const xncc_bounded a = terms->image, b = terms->templ;
        if (!(a.error <= 0.125 * a.value && b.error <= 0.125 * b.value && a.value > 0x1p-900 &&
              b.value > 0x1p-900 && a.value < 0x1p900 && b.value < 0x1p900))
            return xncc_float_of_bits(XNCC_DOUBT);
        const double over_a = xncc_over_root(a.value), over_b = xncc_over_root(b.value),
                     over = over_a * over_b;
        spread += 0.61 * (a.error * (over_a * over_a) + b.error * (over_b * over_b));
        q *= over;
        error *= 1.25 * over;
    }
    error += spread * fabs(q);
    const float low = (float)(q - error), high = (float)(q + error);
    return xncc_same_float(low, high) && error <= 0x1p900 ? low : xncc_float_of_bits(XNCC_DOUBT);
}

#endif
