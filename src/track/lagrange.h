/* SPDX-License-Identifier: BSD-2-Clause */
/* Interpolation between equidistant samples by the polynomial of degree 7 through the eight samples
 * around. It needs no library function, so it has the same bits on every machine. */
#ifndef XNCC_TRACK_LAGRANGE_H
#define XNCC_TRACK_LAGRANGE_H

enum { XNCC_LAGRANGE_TAPS = 8 };

/* Computes the weights of the samples at -3 .. 4 for the place t, 0 .. 1. At 0 all weights but that
 * of the sample there are 0. */
static inline void xncc_lagrange_weights(double t, double weight[XNCC_LAGRANGE_TAPS])
{
    /* the product of (k - j) over the other samples j, for sample k */
    static const double scale[XNCC_LAGRANGE_TAPS] = {
        -5040, 720, -240, 144, -144, 240, -720, 5040
    };
    double before[XNCC_LAGRANGE_TAPS], after = 1.0;
    before[0] = 1.0;
    for (int k = 1; k < XNCC_LAGRANGE_TAPS; k++)
        before[k] = before[k - 1] * (t - (k - 4));
    for (int k = XNCC_LAGRANGE_TAPS - 1; k >= 0; k--) {
        weight[k] = before[k] * after / scale[k];
        after *= t - (k - 3);
    }
}

#endif
