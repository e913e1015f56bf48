/* SPDX-License-Identifier: BSD-2-Clause */
/* The correlation of a chip with a small scene by Fourier transforms in double precision, for small
 * maps (small_reals.h). Two of them at a time.
 *
 * A chip t and its scene v are one complex array z = v + i t of nx * ny points. With Z(k) its
 * transform, Z' = Z(-k), V and T those of v and t,
 *
 *     V conj(T) = Im(Z Z') / 2 + i (|Z|^2 - |Z'|^2) / 4
 *
 * Two such products, one of them times i, are transformed back at once: one correlation is the real
 * part, the other one the imaginary part.
 *
 * The error. Let e be xncc_chip_fft_error of nx * ny points, which is that of two transforms and
 * one back, each at most e/3, relative to the sizes of what is transformed; |z|^2 = |v|^2 + |t|^2,
 * so that |v||t| <= |z|^2 / 2; N = nx * ny. Z is off by E with ||E|| <= e/3 sqrt(N) |z|, so V and T
 * are, too. The sum over all k of the error of V conj(T) is at most ||E|| (||V|| + ||T||) <=
 * sqrt(2) e/3 N |z|^2, and that of the roundings of the products at most 4 u N |z|^2. The transform
 * back adds e/3 of the sum of all |V conj(T)|, which is at most N |v||t|, of both correlations.
 * Divided by N, a correlation is off by at most (sqrt(2)/3 e + 4 u + e/6) |z|^2, and e/6 |z|^2 of
 * the other one. e is more than 60 u, so this is below e times the sum of |z|^2 of both. */
#ifndef XNCC_CPU_KERNELS_CHIP_FFT_H
#define XNCC_CPU_KERNELS_CHIP_FFT_H

#include "plan/fft_blocking.h"

#include <stddef.h>
#include <stdint.h>

/* The sides of the transforms: powers of two. */
enum { XNCC_CHIP_FFT_MIN_SIDE = 32, XNCC_CHIP_FFT_MAX_SIDE = 128 };

/* The smallest side that holds so many points, or 0. */
static inline int32_t xncc_chip_fft_side(int32_t points)
{
    int32_t side = XNCC_CHIP_FFT_MIN_SIDE;
    while (side < points)
        side *= 2;
    return side <= XNCC_CHIP_FFT_MAX_SIDE ? side : 0;
}

/* What a side adds to the bound of a transform, in units of 2^-53: a level of additions for each
 * doubling, a multiplication by a root of one after the step of radix 8, the eighth roots of that
 * step, and what the steps of 4, 8 or 4 x 4 points that follow it multiply by
 * (docs/numerics.md, "The transforms of the CPU"). */
static inline double xncc_chip_fft_side_error(int32_t side)
{
    const double first = 3.0 + XNCC_FFT_OF_EIGHTH + XNCC_FFT_OF_ROOT;
    return first + (side == 32   ? 2.0
                    : side == 64 ? 3.0 + XNCC_FFT_OF_EIGHTH
                                 : 4.0 + XNCC_FFT_OF_ROOT);
}

/* The bound e above: three transforms, and the roundings of samples, scale and product. */
static inline double xncc_chip_fft_error(int32_t nx, int32_t ny)
{
    return 1.01 * 0x1p-53 *
           (3.0 * (xncc_chip_fft_side_error(nx) + xncc_chip_fft_side_error(ny)) +
            XNCC_FFT_OF_SAMPLES);
}

/* The sides, the table of both and memory for a transform back. */
typedef struct xncc_chip_fft_plan {
    int32_t nx, ny;
    double *table; /* of roots of unity */
    void *columns; /* of points that are being transformed */
    void *back;    /* what is transformed back in x */
} xncc_chip_fft_plan;

/* The bytes of these, for maps up to `width` elements wide, and of a spectrum. */
typedef struct xncc_chip_fft_bytes {
    uint64_t table, columns, back, spectrum;
} xncc_chip_fft_bytes;

/* A scene and its chip, ny rows each. Of the scene only what map and chip need has to be pixels.
 * The chip is followed by zeros. Both should be of one size. */
typedef struct xncc_chip_fft_input {
    const double *scene;
    ptrdiff_t pitch;    /* doubles from one row of the scene to the next */
    const double *chip; /* rows of nx doubles */
    int32_t chip_rows;  /* those from here on are zeros */
} xncc_chip_fft_input;

/* Two maps of ny rows of `stride` doubles, of which the first `width` elements are computed and, as
 * room for vectors, up to 7 more. */
typedef struct xncc_chip_fft_output {
    double *spectrum[2]; /* they may be the same. The first one is overwritten */
    double scale[2];     /* powers of two, and 1 / (nx * ny) */
    double *map[2];
    ptrdiff_t stride;
    int32_t width; /* of the wider map */
} xncc_chip_fft_output;

typedef struct xncc_chip_fft_isa {
    xncc_chip_fft_bytes (*bytes)(int32_t nx, int32_t ny, int32_t width);
    void (*tables)(const xncc_chip_fft_plan *plan);
    /* Transforms a scene with its chip. */
    void (*forward)(const xncc_chip_fft_plan *plan, const xncc_chip_fft_input *input,
                    double *spectrum);
    /* Makes two maps of products of spectra. */
    void (*backward)(const xncc_chip_fft_plan *plan, const xncc_chip_fft_output *output);
} xncc_chip_fft_isa;

extern const xncc_chip_fft_isa xncc_chip_fft_portable, xncc_chip_fft_avx2, xncc_chip_fft_avx512;

#endif
