/* SPDX-License-Identifier: BSD-2-Clause */
/* The score of a window from sums in double that each have a bound of their own, where not all
 * pixels count or there are several channels (docs/numerics.md). Compiled for the host and for the
 * device. */
#ifndef XNCC_MATH_SUM_BOUNDS_H
#define XNCC_MATH_SUM_BOUNDS_H

#include "math/near.h"

/* Adds a value with its error, and that of the addition. */
static XNCC_HD void xncc_sum_bounds_put(xncc_bounded *to, double value, double error)
{
    xncc_bounded_add(to, value, 1.01 * error + 0x1p-52 * fabs(value));
}

/* The arguments of the formula, from the sums over all channels. Those of a centred method want
 * xncc_sum_bounds_centre for every channel, and the template's xncc_sum_bounds_centre_square. */
static XNCC_HD xncc_bounded_terms xncc_sum_bounds_begin(xncc_method method, double n,
                                                        xncc_bounded X, xncc_bounded Q,
                                                        xncc_bounded T2)
{
    xncc_bounded_terms terms = { { 0.0, 0.0 }, { 0.0, 0.0 }, { 0.0, 0.0 } };
    const double factor = xncc_method_is_centred(method) ? n : 1.0;
    if (xncc_method_of_difference(method)) {
        xncc_sum_bounds_put(&terms.numerator, Q.value, Q.error);
        xncc_sum_bounds_put(&terms.numerator, -2.0 * X.value, 2.0 * X.error);
        xncc_sum_bounds_put(&terms.numerator, T2.value, T2.error);
    } else {
        xncc_sum_bounds_put(&terms.numerator, factor * X.value, factor * X.error);
    }
    xncc_sum_bounds_put(&terms.image, factor * Q.value, factor * Q.error);
    xncc_sum_bounds_put(&terms.templ, factor * T2.value, factor * T2.error);
    return terms;
}

/* Takes the square of a channel's sum away. */
static XNCC_HD void xncc_sum_bounds_centre_square(xncc_bounded *term, xncc_bounded sum)
{
    xncc_sum_bounds_put(term, -(sum.value * sum.value),
                        (2.0 * fabs(sum.value) + sum.error) * sum.error);
}

/* Takes S T and S^2 of a channel away. The template's term wants T^2 taken away, too. */
static XNCC_HD void xncc_sum_bounds_centre(xncc_bounded_terms *terms, xncc_bounded S,
                                           xncc_bounded T)
{
    xncc_sum_bounds_put(&terms->numerator, -(S.value * T.value),
                        fabs(S.value) * T.error + (fabs(T.value) + T.error) * S.error);
    xncc_sum_bounds_centre_square(&terms->image, S);
}

#endif
