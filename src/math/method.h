/* SPDX-License-Identifier: BSD-2-Clause */
/* What there is to know of a method beside its formula: its name, and what its formula is made of.
 * The formulas are in math/score.h, math/general_score.h, math/exact_score.h and math/float_float.h
 * and, for vectors, in cpu/kernels/rows.h: one per kind of arithmetic. Compiled for the host and
 * for the device. */
#ifndef XNCC_MATH_METHOD_H
#define XNCC_MATH_METHOD_H

#include "exactncc/rules.h"
#include "base/host_device.h"

/* Does DO(method, name) for each method that scores sums of products, in the order of xncc_method.
 * XNCC_COVERAGE, which only counts, is not among them. */
#define XNCC_EACH_SCORE_METHOD(DO)                                                                 \
    DO(XNCC_CCOEFF_NORMED, "ccoeff_normed")                                                        \
    DO(XNCC_CCOEFF, "ccoeff")                                                                      \
    DO(XNCC_CCORR, "ccorr")                                                                        \
    DO(XNCC_CCORR_NORMED, "ccorr_normed")                                                          \
    DO(XNCC_SQDIFF, "sqdiff")                                                                      \
    DO(XNCC_SQDIFF_NORMED, "sqdiff_normed")

/* 1 if the means of window and template are subtracted. */
static XNCC_HD int xncc_method_is_centred(xncc_method method)
{
    return method == XNCC_CCOEFF_NORMED || method == XNCC_CCOEFF;
}

/* 1 if the score is divided by the root of two sums of squares. */
static XNCC_HD int xncc_method_is_normed(xncc_method method)
{
    return method == XNCC_CCOEFF_NORMED || method == XNCC_CCORR_NORMED ||
           method == XNCC_SQDIFF_NORMED;
}

/* 1 if the score is made of (image - template)^2. */
static XNCC_HD int xncc_method_of_difference(xncc_method method)
{
    return method == XNCC_SQDIFF || method == XNCC_SQDIFF_NORMED;
}

/* 1 if the score is made of sums of squares. */
static XNCC_HD int xncc_method_has_squares(xncc_method method)
{
    return xncc_method_is_normed(method) || xncc_method_of_difference(method);
}

/* 1 if the score stays the same when a constant is added to every sample of image and template. */
static XNCC_HD int xncc_method_ignores_offset(xncc_method method)
{
    return xncc_method_is_centred(method) || method == XNCC_SQDIFF;
}

#endif
