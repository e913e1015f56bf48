/* SPDX-License-Identifier: BSD-2-Clause */
/* The transforms of chip_fft.h in vectors of FFT_LANES doubles, included after fft_body.h. The
 * including file defines CHIP_FFT_ISA, their name.
 *
 * Lanes are neighbouring columns x while y is transformed, and neighbouring frequencies ky while x
 * is. In between, squares of FFT_LANES x FFT_LANES points are transposed. The order of points and
 * of frequencies is the natural one, so that Z(-k) is a vector of Z in the reverse order. A
 * spectrum has rows kx; each is the real parts of all ky and again that of ky = 0, then the
 * imaginary parts. */
#ifndef XNCC_CPU_KERNELS_CHIP_FFT_BODY_H
#define XNCC_CPU_KERNELS_CHIP_FFT_BODY_H

#include "cpu/kernels/chip_fft.h"
#include "cpu/kernels/fft_points.h"

/* A table has the roots w_n^(b k), b < n / 8, 0 < k < 8, of both sides. For 128 points those of 16
 * points follow, of the same form with b < 4 and 0 < k < 4. */
enum { CHIP_ROOTS = 2 * 7 * (XNCC_CHIP_FFT_MAX_SIDE / 8), CHIP_ROOTS_16 = 2 * 3 * 4 };

static void chip_roots(int32_t n, double *table)
{
    for (int32_t b = 0; b < n / 8; b++)
        for (int32_t k = 1; k < 8; k++)
            root((int64_t)b * k, n, &table[2 * (7 * b + k - 1)], &table[2 * (7 * b + k - 1) + 1]);
    for (int32_t b = 0; b < 4; b++)
        for (int32_t k = 1; k < 4; k++)
            root((int64_t)b * k, 16, &table[CHIP_ROOTS + 2 * (3 * b + k - 1)],
                 &table[CHIP_ROOTS + 2 * (3 * b + k - 1) + 1]);
}

static void chip_tables(const xncc_chip_fft_plan *plan)
{
    chip_roots(plan->nx, plan->table);
    chip_roots(plan->ny, plan->table + CHIP_ROOTS + CHIP_ROOTS_16);
}

/* Doubles from one row of a spectrum to the next. Rows are no power of two apart. */
FFT_INLINE ptrdiff_t chip_step(int32_t ny)
{
    return 2 * ((ptrdiff_t)ny + FFT_LANES);
}

FFT_INLINE int32_t chip_vectors(int32_t columns)
{
    return (columns + FFT_LANES - 1) / FFT_LANES;
}

static xncc_chip_fft_bytes chip_bytes(int32_t nx, int32_t ny, int32_t width)
{
    return (
        xncc_chip_fft_bytes){ .table = 2 * (uint64_t)(CHIP_ROOTS + CHIP_ROOTS_16) * sizeof(double),
                              .columns = 2 * (uint64_t)XNCC_CHIP_FFT_MAX_SIDE * sizeof(vc),
                              .back = (uint64_t)ny * (uint64_t)chip_vectors(width) * sizeof(vc),
                              .spectrum = (uint64_t)nx * (uint64_t)chip_step(ny) * sizeof(double) };
}

/* Transforms 16 points in natural order. */
FFT_INLINE void sixteen(const double *w, vc *x, int sign)
{
    vc y[16];
    for (int b = 0; b < 4; b++) {
        vc p[4] = { x[b], x[b + 4], x[b + 8], x[b + 12] };
        four(&p[0], &p[1], &p[2], &p[3], sign);
        y[b] = p[0];
        for (int k = 1; k < 4; k++)
            y[4 * k + b] = vc_twiddle(p[k], vd_fill(w[2 * (3 * b + k - 1)]),
                                      vd_fill(w[2 * (3 * b + k - 1) + 1]), sign);
    }
    for (int k = 0; k < 4; k++) {
        four(&y[4 * k], &y[4 * k + 1], &y[4 * k + 2], &y[4 * k + 3], sign);
        for (int i = 0; i < 4; i++)
            x[k + 4 * i] = y[4 * k + i];
    }
}

FFT_INLINE vd chip_load(const double *from)
{
    vd v;
    memcpy(&v, from, sizeof v);
    return v;
}

FFT_INLINE void chip_store(double *to, vd v)
{
    memcpy(to, &v, sizeof v);
}

/* Complex vectors: those of the real and of the imaginary parts, and doubles from each to the next
 * one. */
typedef struct chip_line {
    double *re, *im;
    ptrdiff_t step_re, step_im;
    int half; /* 1: the imaginary parts of the second half are 0 */
} chip_line;

FFT_INLINE chip_line chip_line_of(vc *v, ptrdiff_t vectors)
{
    double *first = (double *)(void *)v;
    return (chip_line){ first, first + FFT_LANES, 2 * FFT_LANES * vectors, 2 * FFT_LANES * vectors,
                        0 };
}

FFT_INLINE vc chip_get(const chip_line *from, ptrdiff_t i, int second)
{
    const vd zero = { 0 };
    return (vc){ chip_load(from->re + i * from->step_re),
                 from->half && second ? zero : chip_load(from->im + i * from->step_im) };
}

FFT_INLINE void chip_put(const chip_line *to, ptrdiff_t i, vc v)
{
    chip_store(to->re + i * to->step_re, v.re);
    chip_store(to->im + i * to->step_im, v.im);
}

/* Transforms n points, 32, 64 or 128, in natural order: points m*a + b, a < 8, over a, times
 * w_n^(b k), to frequency k; and then over b, m = n / 8 of them. in and out may be the same. */
FFT_INLINE void chip_points(const double *w, chip_line in, chip_line out, vc *room, int n, int sign)
{
    static const int order[8] = { 0, 2, 4, 6, 1, 3, 5, 7 };
    const int m = n / 8;
    for (int b = 0; b < m; b++) {
        vc x[8];
        for (int a = 0; a < 8; a++)
            x[a] = chip_get(&in, m * a + b, a >= 4);
        eight(x, sign);
        const double *t = w + (ptrdiff_t)14 * b;
        room[b] = x[0];
        for (int i = 1; i < 8; i++)
            room[m * order[i] + b] = vc_twiddle(x[i], vd_fill(t[2 * (order[i] - 1)]),
                                                vd_fill(t[2 * (order[i] - 1) + 1]), sign);
    }
    for (int k = 0; k < 8; k++) {
        vc x[16];
        for (int b = 0; b < m; b++)
            x[b] = room[m * k + b];
        if (m == 4)
            four(&x[0], &x[1], &x[2], &x[3], sign);
        else if (m == 8)
            eight(x, sign);
        else
            sixteen(w + CHIP_ROOTS, x, sign);
        for (int b = 0; b < m; b++)
            chip_put(&out, k + 8 * (m == 8 ? order[b] : b), x[b]);
    }
}

FFT_INLINE void chip_transform(const xncc_chip_fft_plan *plan, int along_y, int sign, chip_line in,
                               chip_line out)
{
    const double *w = plan->table + (along_y ? CHIP_ROOTS + CHIP_ROOTS_16 : 0);
    vc *room = (vc *)plan->columns + XNCC_CHIP_FFT_MAX_SIDE;
    switch (along_y ? plan->ny : plan->nx) {
    case 32: chip_points(w, in, out, room, 32, sign); return;
    case 64: chip_points(w, in, out, room, 64, sign); return;
    default: chip_points(w, in, out, room, 128, sign); return;
    }
}

static void chip_forward(const xncc_chip_fft_plan *plan, const xncc_chip_fft_input *p,
                         double *spectrum)
{
    const int32_t nx = plan->nx, ny = plan->ny;
    const ptrdiff_t step = chip_step(ny), imaginary = step / 2;
    vc *column = plan->columns;
    for (int32_t x = 0; x < nx; x += FFT_LANES) {
        /* the points are only read */
        chip_line in = { (double *)(uintptr_t)(p->scene + x), (double *)(uintptr_t)(p->chip + x),
                         p->pitch, nx, 1 };
        if (p->chip_rows <= ny / 2) {
            chip_transform(plan, 1, -1, in, chip_line_of(column, 1));
        } else {
            in.half = 0;
            chip_transform(plan, 1, -1, in, chip_line_of(column, 1));
        }
        for (int32_t ky = 0; ky < ny; ky += FFT_LANES) {
            vc v[FFT_LANES];
            for (int i = 0; i < FFT_LANES; i++)
                v[i] = column[ky + i];
            transpose_complex(v);
            for (int i = 0; i < FFT_LANES; i++) {
                chip_store(spectrum + (x + i) * step + ky, v[i].re);
                chip_store(spectrum + (x + i) * step + imaginary + ky, v[i].im);
            }
        }
    }
    for (int32_t ky = 0; ky < ny; ky += FFT_LANES) {
        const chip_line row = { spectrum + ky, spectrum + imaginary + ky, step, step, 0 };
        chip_transform(plan, 0, -1, row, row);
    }
    for (int32_t kx = 0; kx < nx; kx++) {
        spectrum[kx * step + ny] = spectrum[kx * step];
        spectrum[kx * step + imaginary + ny] = spectrum[kx * step + imaginary];
    }
}

FFT_INLINE vd chip_turned(vd v)
{
#if FFT_LANES == 8
    return FFT_SHUFFLE(v, v, 7, 6, 5, 4, 3, 2, 1, 0);
#elif FFT_LANES == 4
    return FFT_SHUFFLE(v, v, 3, 2, 1, 0);
#else
    return FFT_SHUFFLE(v, v, 1, 0);
#endif
}

/* V conj(T) of a vector of frequencies k, from Z(k) and Z(-k). */
FFT_INLINE vc chip_product(vc z, vc of_minus, double scale)
{
    return (vc){ (z.re * of_minus.im + z.im * of_minus.re) * (0.5 * scale),
                 ((z.re * z.re + z.im * z.im) -
                  (of_minus.re * of_minus.re + of_minus.im * of_minus.im)) *
                     (0.25 * scale) };
}

/* A row of a spectrum. */
typedef struct chip_row {
    double *re, *im;
} chip_row;

FFT_INLINE vc chip_row_get(const chip_row *row, int32_t ky)
{
    return (vc){ chip_load(row->re + ky), chip_load(row->im + ky) };
}

FFT_INLINE vc chip_row_reversed(const chip_row *row, int32_t ky)
{
    const vc v = chip_row_get(row, ky);
    return (vc){ chip_turned(v.re), chip_turned(v.im) };
}

/* Both products of rows kx and -kx, a for the first and b for the second map, become a row of the
 * sum of the first one and i times the second one: in place of the rows of the first spectrum. */
FFT_INLINE void chip_multiply(int32_t ny, const chip_row a[2], const chip_row b[2],
                              const double scale[2], const chip_row to[2])
{
    for (int32_t ky = 0; ky < ny; ky += FFT_LANES) {
        const int32_t minus = ny - ky - FFT_LANES + 1;
        const vc p = chip_product(chip_row_get(&a[0], ky), chip_row_reversed(&a[1], minus),
                                  scale[0]),
                 q = chip_product(chip_row_get(&b[0], ky), chip_row_reversed(&b[1], minus),
                                  scale[1]);
        const vd re = p.re + q.im, im = q.re - p.im; /* of -k, where products are conjugates */
        chip_store(to[0].re + ky, p.re - q.im);
        chip_store(to[0].im + ky, p.im + q.re);
        if (to[1].re) {
            chip_store(to[1].re + minus, chip_turned(re));
            chip_store(to[1].im + minus, chip_turned(im));
        }
    }
}

/* Multiplies the spectra; the product takes the place of the first one. Frequency 0 of ky, which is
 * at two places of a row, is wanted at the first one. */
static void chip_products(const xncc_chip_fft_plan *plan, const xncc_chip_fft_output *o)
{
    const int32_t nx = plan->nx, ny = plan->ny;
    const ptrdiff_t step = chip_step(ny), imaginary = step / 2;
    for (int32_t kx = 0; kx <= nx / 2; kx++) {
        const int32_t minus = (nx - kx) % nx;
        double *const first[2] = { o->spectrum[0] + kx * step, o->spectrum[0] + minus * step },
                      *const second[2] = { o->spectrum[1] + kx * step,
                                           o->spectrum[1] + minus * step };
        const chip_row a[2] = { { first[0], first[0] + imaginary },
                                { first[1], first[1] + imaginary } },
                       b[2] = { { second[0], second[0] + imaginary },
                                { second[1], second[1] + imaginary } };
        if (minus != kx) {
            chip_multiply(ny, a, b, o->scale, a);
            first[1][0] = first[1][ny];
            first[1][imaginary] = first[1][imaginary + ny];
            continue;
        }
        double *copy = plan->columns; /* of a row that is its own opposite */
        const chip_row from[2] = { { copy, copy + imaginary }, { copy, copy + imaginary } },
                       to[2] = { a[0], { NULL, NULL } };
        memcpy(copy, first[0], (size_t)step * sizeof *copy);
        chip_multiply(ny, from, o->spectrum[1] == o->spectrum[0] ? from : b, o->scale, to);
    }
}

static void chip_backward(const xncc_chip_fft_plan *plan, const xncc_chip_fft_output *o)
{
    const int32_t vectors = chip_vectors(o->width);
    const ptrdiff_t step = chip_step(plan->ny), imaginary = step / 2;
    vc *back = plan->back, *row = plan->columns;
    chip_products(plan, o);
    for (int32_t ky = 0; ky < plan->ny; ky += FFT_LANES) {
        double *at = o->spectrum[0] + ky;
        const chip_line in = { at, at + imaginary, step, step, 0 };
        chip_transform(plan, 0, 1, in, chip_line_of(row, 1));
        for (int32_t g = 0; g < vectors; g++) {
            vc v[FFT_LANES];
            for (int i = 0; i < FFT_LANES; i++)
                v[i] = row[g * FFT_LANES + i];
            transpose_complex(v);
            for (int i = 0; i < FFT_LANES; i++)
                back[(ptrdiff_t)(ky + i) * vectors + g] = v[i];
        }
    }
    for (int32_t g = 0; g < vectors; g++) {
        const ptrdiff_t x = (ptrdiff_t)g * FFT_LANES;
        const chip_line out = { o->map[0] + x, o->map[1] + x, o->stride, o->stride, 0 };
        chip_transform(plan, 1, 1, chip_line_of(back + g, vectors), out);
    }
}

const xncc_chip_fft_isa CHIP_FFT_ISA = { chip_bytes, chip_tables, chip_forward, chip_backward };

#endif
