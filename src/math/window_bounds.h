/* SPDX-License-Identifier: BSD-2-Clause */
/* The score of a window of floats in which all pixels count, from sums in double that each have a
 * bound of their own: sums that slide, and products by transforms (docs/numerics.md). The sums of a
 * template are made once, so nothing of it is computed again per window. Compiled for the host and
 * for the device. */
#ifndef XNCC_MATH_WINDOW_BOUNDS_H
#define XNCC_MATH_WINDOW_BOUNDS_H

#include "math/near.h"

/* A template, as windows need it: sums of its samples less its pivot. */
typedef struct xncc_window_templ {
    double n, T, T2;
    double error_T, error_T2;
    double norm;      /* at least the root of T2 */
    double over_root; /* normed methods: 1 over the root of the template's term, or NaN */
    double relative;  /* the error of over_root, relative to it */
    int32_t flat;     /* 1: all samples are equal */
    int32_t bad;      /* 1: one is a NaN or an infinity */
} xncc_window_templ;

/* The sums of a window, of samples less the image's pivot, and bounds of their errors. The image's
 * pivot is the template's, unless the method is centred. */
typedef struct xncc_window_sums {
    double S, Q, X;
    double error_S, error_Q, error_X;
} xncc_window_sums;

/* What is added to a bound for products below the smallest double. */
#define XNCC_WINDOW_TINY 0x1p-1000

/* The numerator of the formula. */
static XNCC_HD xncc_bounded xncc_window_numerator(xncc_method method, const xncc_window_templ *t,
                                                  const xncc_window_sums *s)
{
    xncc_bounded r;
    if (xncc_method_is_centred(method)) {
        const double nX = t->n * s->X, ST = s->S * t->T;
        r.value = nX - ST;
        r.error = 1.01 * (t->n * s->error_X + fabs(s->S) * t->error_T +
                          (fabs(t->T) + t->error_T) * s->error_S) +
                  0x1p-51 * (fabs(nX) + fabs(ST));
    } else if (xncc_method_of_difference(method)) {
        r.value = (s->Q - 2.0 * s->X) + t->T2;
        r.error = 1.01 * (s->error_Q + 2.0 * s->error_X + t->error_T2) +
                  0x1p-51 * (s->Q + 2.0 * fabs(s->X) + t->T2);
    } else {
        r.value = s->X;
        r.error = s->error_X;
    }
    return r;
}

/* The image's term under the root of a normed method. */
static XNCC_HD xncc_bounded xncc_window_image(xncc_method method, const xncc_window_templ *t,
                                              const xncc_window_sums *s)
{
    xncc_bounded r;
    if (xncc_method_is_centred(method)) {
        const double nQ = t->n * s->Q, SS = s->S * s->S;
        r.value = nQ - SS;
        r.error = 1.01 * (t->n * s->error_Q + (2.0 * fabs(s->S) + s->error_S) * s->error_S) +
                  0x1p-51 * (nQ + SS);
    } else {
        r.value = s->Q;
        r.error = s->error_Q;
    }
    return r;
}

/* The score, or the float whose bits are XNCC_DOUBT. As in xncc_bounded_score, but the roundings of
 * the formula and of its evaluation here are at most 20 units of 2^-53 of the score, because of
 * xncc_over_root. The method is not XNCC_COVERAGE, and the template is finite. There is no branch,
 * so that the device can score several windows at a time. */
static XNCC_HD float xncc_window_score(xncc_method method, const xncc_window_templ *t,
                                       const xncc_window_sums *s)
{
    const float doubt = xncc_float_of_bits(XNCC_DOUBT);
    xncc_bounded q = xncc_window_numerator(method, t, s);
    double spread = 0x1.4p-49;
    int fits = 1;
    if (method == XNCC_CCOEFF) {
        q.value /= t->n;
        q.error = 1.01 * q.error / t->n;
    } else if (xncc_method_is_normed(method)) {
        const xncc_bounded image = xncc_window_image(method, t, s);
        fits = (image.error <= 0.125 * image.value) & (image.value > 0x1p-900) &
               (image.value < 0x1p900);
        const double root = xncc_over_root(image.value), over = root * t->over_root;
        spread += 0.6 * (1.01 * image.error * root * root) + 1.01 * t->relative;
        q.value *= over;
        q.error *= 1.25 * over;
    }
    const double error = q.error + spread * fabs(q.value);
    const float low = (float)(q.value - error), high = (float)(q.value + error);
    fits &= xncc_same_float(low, high) & (error <= 0x1p900);
    return fits ? low : doubt;
}

/* The score of a window or template of equal samples by a centred method. undefined: that of
 * ccoeff_normed. */
static XNCC_HD float xncc_window_flat(xncc_method method, float undefined)
{
    return method == XNCC_CCOEFF ? 0.0f : undefined;
}

/* The score, where the template decides it or the bounds do, or XNCC_DOUBT. */
static XNCC_HD float xncc_window_decide(xncc_method method, const xncc_window_templ *t,
                                        const xncc_window_sums *s, float undefined)
{
    if (t->bad)
        return xncc_float_of_bits(UINT32_C(0x7fc00000));
    if (xncc_method_is_centred(method) && t->flat && isfinite(s->X) && isfinite(s->Q))
        return xncc_window_flat(method, undefined);
    return xncc_window_score(method, t, s);
}

#endif
