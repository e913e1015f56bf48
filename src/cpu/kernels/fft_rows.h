/* SPDX-License-Identifier: BSD-2-Clause */
/* Transforms of rows in vectors of FFT_LANES doubles (fft_body.h). */
#ifndef XNCC_CPU_KERNELS_FFT_ROWS_H
#define XNCC_CPU_KERNELS_FFT_ROWS_H

#include "cpu/kernels/fft_steps.h"

static int64_t lane_twiddles_at(int32_t nx, int32_t ny)
{
    return places_of(nx, ny).at[3];
}

/* from: the vectors of the row; x: room for them; to: where they go, of the kind `of`, a constant.
 */
FFT_INLINE void row_forward(const void *table, const xncc_fft_blocking *c, fft_place from, vc *x,
                            fft_place to, fft_kind of)
{
    const fft_side row = side_of(table, c, 0);
    const int32_t m = row.length;
    const vc *w = (const vc *)(const void *)(row.table + lane_twiddles_at(c->nx, c->ny));
    from.twist = row.table + places_of(c->nx, c->ny).at[2];
    first_step(&row, &from, x, FFT_ROW);
    inner_steps(&row, FORWARD, x, NULL);
    for (int32_t p = 0; p < m; p += FFT_LANES) {
        vc v[FFT_LANES];
        for (int i = 0; i < FFT_LANES; i++)
            v[i] = vc_twiddle(x[p + i], w[p + i].re, w[p + i].im, -1);
        transpose_complex(v);
        combine(v, -1);
        for (int i = 0; i < FFT_LANES; i++)
            put_point(&to, p + i, of, v[i]);
    }
}

/* Vector i of a row. The next row of a plane that is held by columns is needed next. */
FFT_INLINE vc take_vector(const fft_place *p, int32_t i, fft_kind of)
{
    const vc *v = vector_at(p, i);
    if (of == FFT_PLANE) {
        __builtin_prefetch(&v[1].re, 0, 2);
        __builtin_prefetch(&v[1].im, 0, 2);
    }
    return *v;
}

/* from: the vectors of the row, of the kind `of`, a constant; x: where they go. out: NULL, or where
 * the first `count` elements go, too. */
FFT_INLINE void row_backward(const void *table, const xncc_fft_blocking *c, fft_place from,
                             fft_kind of, vc *x, int32_t count, double *out)
{
    const fft_side row = side_of(table, c, 0);
    const int32_t m = row.length;
    const vc *w = (const vc *)(const void *)(row.table + lane_twiddles_at(c->nx, c->ny));
    for (int32_t p = 0; p < m; p += FFT_LANES) {
        vc v[FFT_LANES];
        for (int i = 0; i < FFT_LANES; i++)
            v[i] = take_vector(&from, p + i, of);
        combine(v, 1);
        transpose_complex(v);
        for (int i = 0; i < FFT_LANES; i++)
            x[p + i] = vc_twiddle(v[i], w[p + i].re, w[p + i].im, 1);
    }
    fft_place to = place_of(x);
    to.twist = row.table + places_of(c->nx, c->ny).at[2];
    to.out = out;
    to.nx = c->nx;
    to.count = count;
    inner_steps(&row, BACKWARD, x, NULL);
    last_step(&row, x, &to, FFT_ROW);
}

FFT_INLINE fft_place place_of_reals(const double *line, const xncc_fft_blocking *blocking)
{
    return (fft_place){ .re = line, .im = line + blocking->nx };
}

/* The first column of a part of all columns; parts 0: there is one. */
static int32_t first_column(const xncc_fft_blocking *blocking, int32_t part, int32_t parts)
{
    return blocking->nx / FFT_LANES * part / (parts > 0 ? parts : 1);
}

/* The columns of the template's planes are scaled, so that results are not. */
static void scale_points(vc *x, int32_t n, double scale)
{
    for (int32_t y = 0; y < n; y++)
        x[y] = (vc){ x[y].re * scale, x[y].im * scale };
}

#endif
