/* SPDX-License-Identifier: BSD-2-Clause */
/* Points of sums of products of planes (fft_planes.h), in vectors of FFT_LANES doubles. */
#ifndef XNCC_CPU_KERNELS_FFT_WEIGHTS_H
#define XNCC_CPU_KERNELS_FFT_WEIGHTS_H

#include "cpu/kernels/fft.h"
#include "cpu/kernels/fft_points.h"

/* Sums of so many adjacent weights are made together: a plane of the template that one of them has
 * read is in a register for the next one. */
enum { FFT_WEIGHTS = 2 };

/* A column of all arrays and sums, each `step` points after the one before, but for the template's;
 * room for a piece of each sum that takes the place of an array; and where each plane is, NULL: it
 * is all 0. FFT_WEIGHTS - 1 planes before and after those of the template are. */
typedef struct fft_sum_columns {
    const xncc_fft_sums *s;
    vc *column, *total;
    ptrdiff_t step;
    const vc *image[XNCC_FFT_MOST_SUMS], *templ[XNCC_FFT_MOST_SUMS + 2 * (FFT_WEIGHTS - 1)];
} fft_sum_columns;

/* Point `at` of a plane. */
FFT_INLINE vc plane_point(const vc *plane, int32_t at)
{
    return plane ? plane[at] : (vc){ vd_fill(0.0), vd_fill(0.0) };
}

/* Point `at` of the sums of products of weights first .. first + FFT_WEIGHTS - 1: sum q goes to
 * to[q]. With three real products for each complex one: of a and the conjugate of b, the real part
 * is a.re b.re + a.im b.im, and the imaginary part (a.re + a.im) (b.re - b.im) less the difference
 * of these two. The bound of their errors (plan/fft_blocking.h) is that of sums
 * that begin with the lowest plane of the image. */
FFT_INLINE void sum_weights(const fft_sum_columns *c, int32_t at, int first, vc *const *to)
{
    const int images = c->s->all[0], templs = c->s->all[1], end = first + FFT_WEIGHTS;
    const vc *const *templ = c->templ + FFT_WEIGHTS - 1 + first;
    const vd zero = vd_fill(0.0);
    vd re[FFT_WEIGHTS], im[FFT_WEIGHTS], both[FFT_WEIGHTS];
    vd less[FFT_WEIGHTS]; /* b.re - b.im */
    vc b[FFT_WEIGHTS];    /* of planes first - i and above */
    for (int q = 0; q < FFT_WEIGHTS; q++) {
        b[q].re = b[q].im = less[q] = zero;
        re[q] = im[q] = both[q] = zero;
    }
    int i = first - (templs - 1);
    if (i <= 0) {
        i = 0;
        for (int q = 0; q < FFT_WEIGHTS - 1; q++) {
            b[q] = plane_point(templ[q + 1], at);
            less[q] = b[q].re - b[q].im;
        }
    }
    for (; i < images && i < end; i++) {
        for (int q = FFT_WEIGHTS - 1; q > 0; q--) {
            b[q] = b[q - 1];
            less[q] = less[q - 1];
        }
        b[0] = plane_point(templ[-i], at);
        less[0] = b[0].re - b[0].im;
        if (!c->image[i])
            continue;
        const vc a = c->image[i][at];
        const vd sum = a.re + a.im;
        for (int q = 0; q < FFT_WEIGHTS; q++) {
            re[q] += a.re * b[q].re;
            im[q] += a.im * b[q].im;
            both[q] += sum * less[q];
        }
    }
    for (int q = 0; q < FFT_WEIGHTS; q++)
        to[q][at] = (vc){ re[q] + im[q], both[q] - (re[q] - im[q]) };
}

#endif
