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

/* The score from the numerator and the image's term, or the float whose bits are XNCC_DOUBT. As in
 * xncc_bounded_score, but the roundings of the formula and of its evaluation here are at most 20
 * units of 2^-53 of the score, because of xncc_over_root. The method is not XNCC_COVERAGE, and the
 * template is finite. There is no branch, so that the device can score several windows at a time.
 */
static XNCC_HD float xncc_window_formula(xncc_method method, const xncc_window_templ *t,
                                         xncc_bounded q, xncc_bounded image)
{
    double spread = 0x1.4p-49;
    int fits = 1;
    if (method == XNCC_CCOEFF) {
        q.value /= t->n;
        q.error = 1.01 * q.error / t->n;
    } else if (xncc_method_is_normed(method)) {
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
    return fits ? low : xncc_float_of_bits(XNCC_DOUBT);
}

static XNCC_HD float xncc_window_score(xncc_method method, const xncc_window_templ *t,
                                       const xncc_window_sums *s)
{
    return xncc_window_formula(method, t, xncc_window_numerator(method, t, s),
                               xncc_window_image(method, t, s));
}

/* The score of a window or template of equal samples by a centred method. undefined: that of
 * ccoeff_normed. */
static XNCC_HD float xncc_window_flat(xncc_method method, float undefined)
{
    return method == XNCC_CCOEFF ? 0.0f : undefined;
}

/* The score of a window of which all samples are 0, or XNCC_DOUBT, by a method without a mean. T2:
 * of the template. */
static XNCC_HD float xncc_window_of_zeros(xncc_method method, double T2,
                                          const xncc_general_rule *rule)
{
    if (method == XNCC_CCORR)
        return 0.0f;
    if (method == XNCC_CCORR_NORMED || (method == XNCC_SQDIFF_NORMED && rule->nan_flat))
        return rule->undefined;
    return method == XNCC_SQDIFF_NORMED && T2 > 0.0 ? 1.0f : xncc_float_of_bits(XNCC_DOUBT);
}

/* Returns 1 and the score if the template decides it. finite: 0 if the window's sums are not. */
static XNCC_HD int xncc_window_given(xncc_method method, const xncc_window_templ *t, int finite,
                                     float undefined, float *score)
{
    *score = t->bad ? xncc_float_of_bits(UINT32_C(0x7fc00000))
                    : xncc_window_flat(method, undefined);
    return t->bad || (xncc_method_is_centred(method) && t->flat && finite);
}

/* The score, where the template decides it or the bounds do, or XNCC_DOUBT. */
static XNCC_HD float xncc_window_decide(xncc_method method, const xncc_window_templ *t,
                                        const xncc_window_sums *s, float undefined)
{
    float score;
    if (!xncc_window_given(method, t, isfinite(s->X) && isfinite(s->Q), undefined, &score))
        score = xncc_window_score(method, t, s);
    return score;
}

/* ---- several channels ---- */

/* The sums of a window over its channels. numerator: by centred methods of (n t - T) v, whose sum
 * is that of n X - S T, where a template's sample t is less its pivot; else X. SS: of S S. */
typedef struct xncc_channel_sums {
    double numerator, SS, Q;
} xncc_channel_sums;

/* Bounds of the errors of sums of a window and of the template, and of sums of products, relative
 * to the sum of the sizes of what is added. They hold 16 units of 2^-53 and one per channel more
 * than the additions. */
typedef struct xncc_channel_errors {
    double sums, products;
} xncc_channel_errors;

/* Adds a channel of the template to T2 and to the term under the root, which is in over_root. */
static XNCC_HD void xncc_channel_add_templ(xncc_window_templ *t, xncc_method method, double T,
                                           double T2)
{
    t->T2 += T2;
    t->over_root += xncc_method_is_centred(method) ? t->n * T2 - T * T : T2;
}

/* Completes a template to which all channels have been added. */
static XNCC_HD void xncc_channel_finish_templ(xncc_window_templ *t, xncc_method method,
                                              xncc_channel_errors e)
{
    const double t2 = t->T2 + XNCC_WINDOW_TINY, term = t->over_root,
                 error = xncc_method_is_centred(method) ? 4.0 * e.sums * t->n * t2
                                                        : 1.01 * e.sums * t2;
    t->error_T2 = 1.01 * e.sums * t2;
    t->norm = 1.01 * sqrt(t2);
    t->over_root = error <= 0.125 * term && term > 0x1p-900 && term < 0x1p900 ? 1.0 / sqrt(term)
                                                                              : NAN;
    t->relative = 0.61 * error / term + 0x1p-51;
}

/* The image's term under the root of a normed method. */
static XNCC_HD xncc_bounded xncc_channel_image(xncc_method method, const xncc_window_templ *t,
                                               const xncc_channel_sums *s, xncc_channel_errors e)
{
    const double q = s->Q + XNCC_WINDOW_TINY;
    xncc_bounded r = { s->Q, 1.01 * e.sums * q };
    if (xncc_method_is_centred(method)) {
        r.value = t->n * s->Q - s->SS;
        r.error = 4.0 * e.sums * (t->n * q);
    }
    return r;
}

/* The numerator of the formula. */
static XNCC_HD xncc_bounded xncc_channel_numerator(xncc_method method, const xncc_window_templ *t,
                                                   const xncc_channel_sums *s,
                                                   xncc_channel_errors e)
{
    const double q = s->Q + XNCC_WINDOW_TINY, x = xncc_bound_root(q) * t->norm;
    xncc_bounded r = { s->numerator, 1.01 * e.products * x };
    if (xncc_method_is_centred(method)) {
        r.error = 1.01 * (e.products + e.sums) * (t->n * x);
    } else if (xncc_method_of_difference(method)) {
        r.value = (s->Q - 2.0 * s->numerator) + t->T2;
        r.error = 1.01 * (e.sums * q + 2.0 * e.products * x + t->error_T2);
    }
    return r;
}

/* As xncc_window_decide, for several channels. */
static XNCC_HD float xncc_channel_decide(xncc_method method, const xncc_window_templ *t,
                                         const xncc_channel_sums *s, xncc_channel_errors e,
                                         float undefined)
{
    float score;
    if (!xncc_window_given(method, t, isfinite(s->numerator) && isfinite(s->Q), undefined, &score))
        score = xncc_window_formula(method, t, xncc_channel_numerator(method, t, s, e),
                                    xncc_channel_image(method, t, s, e));
    return score;
}

#endif
