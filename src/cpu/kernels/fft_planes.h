/* SPDX-License-Identifier: BSD-2-Clause */
/* Sums of products of planes that are held by columns (fft.h), in vectors of FFT_LANES doubles. */
#ifndef XNCC_CPU_KERNELS_FFT_PLANES_H
#define XNCC_CPU_KERNELS_FFT_PLANES_H

#include "cpu/kernels/fft_rows.h"
#include "cpu/kernels/fft_weights.h"

/* A column of a plane that is held by columns. A point more than it needs keeps columns from being
 * a power of two apart, and so do some more planes. */
static uint64_t plane_column_bytes(int32_t ny)
{
    return ((uint64_t)ny + 1) * sizeof(vc);
}

static uint64_t plane_bytes(int32_t nx, int32_t ny)
{
    enum { APART = 4096 };
    const uint64_t bytes = (uint64_t)(nx / FFT_LANES) * plane_column_bytes(ny);
    return (bytes + APART - 1) / APART * APART + XNCC_FFT_PIECE * sizeof(vc);
}

/* Are planes so large that dozens of them are in no cache? A line that is to be written as a whole
 * need not be read first. */
FFT_INLINE int planes_are_large(const xncc_fft_blocking *blocking)
{
    enum { LARGE = 5 << 17 };
    return plane_bytes(blocking->nx, blocking->ny) > LARGE;
}

/* Does sum k of large planes go past the caches? The first sums take the places of arrays that have
 * just been read, and which the second-level cache still has unless columns are long. */
FFT_INLINE int sum_is_far(const xncc_fft_blocking *blocking, int k, int images)
{
    enum { LONG = 192 };
    return planes_are_large(blocking) && (k >= images || blocking->ny > LONG);
}

/* Row y of a plane. */
FFT_INLINE fft_place plane_row(char *plane, const xncc_fft_blocking *blocking, int32_t y)
{
    return (fft_place){ .at = plane + (size_t)y * sizeof(vc),
                        .step = (ptrdiff_t)plane_column_bytes(blocking->ny),
                        .stream = planes_are_large(blocking) };
}

FFT_INLINE char *plane_column(char *plane, const xncc_fft_blocking *blocking, int32_t i)
{
    return plane + (uint64_t)i * plane_column_bytes(blocking->ny);
}

static void plane_row_in(const void *table, const xncc_fft_blocking *blocking, const double *line,
                         void *buffer, char *plane, int32_t y)
{
    row_forward(table, blocking, place_of_reals(line, blocking), buffer,
                plane_row(plane, blocking, y), FFT_PLANE);
}

static void plane_row_out(const void *table, const xncc_fft_blocking *blocking, char *plane,
                          int32_t y, void *buffer, int32_t count, double *out)
{
    row_backward(table, blocking, plane_row(plane, blocking, y), FFT_PLANE, buffer, count, out);
}

/* A piece of a column that will be needed. */
FFT_INLINE void expect_piece(const vc *piece)
{
    for (int i = 0; i < XNCC_FFT_PIECE; i++) {
        __builtin_prefetch(&piece[i].re, 0, 2);
        __builtin_prefetch(&piece[i].im, 0, 2);
    }
}

/* Points at .. at + XNCC_FFT_PIECE - 1 of the sums of products of a column. All are made before one
 * takes the place of an array. The template's planes come from memory, more of them than the
 * processor follows by itself: sums ask for pieces of them by turns. */
FFT_INLINE void sum_piece(const fft_sum_columns *c, int32_t at)
{
    enum { AHEAD = 8 };
    const xncc_fft_sums *s = c->s;
    const int waiting = s->arrays[0] < s->count ? s->arrays[0] : s->count;
    for (int k = 0, expected = 0; k < s->count;) {
        const int first = s->weight[k];
        vc *to[FFT_WEIGHTS];
        for (int q = 0; q < FFT_WEIGHTS; q++) {
            const int known = k < s->count && s->weight[k] == first + q;
            to[q] = !known        ? c->total + waiting * XNCC_FFT_PIECE - at
                    : k < waiting ? c->total + k * XNCC_FFT_PIECE - at
                                  : c->column + k * c->step;
            k += known;
        }
        for (; expected * s->count < k * s->all[1]; expected++)
            if (c->templ[FFT_WEIGHTS - 1 + expected])
                expect_piece(c->templ[FFT_WEIGHTS - 1 + expected] + at + AHEAD * XNCC_FFT_PIECE);
        for (int i = 0; i < XNCC_FFT_PIECE; i++)
            sum_weights(c, at + i, first, to);
    }
    for (int k = 0; k < waiting; k++)
        memcpy(c->column + k * c->step + at, c->total + k * XNCC_FFT_PIECE,
               XNCC_FFT_PIECE * sizeof *c->total);
}

/* Begins the transform of column i of a plane that is held by columns. */
FFT_INLINE void begin_column(const xncc_fft_sums *s, const fft_side *side, int of, int k,
                             char *plane, vc *column)
{
    fft_place from = place_of((vc *)(void *)plane);
    from.given = s->row[of];
    from.bit = (uint64_t)1 << k;
    first_step(side, &from, column, FFT_PLANE);
}

/* All planes of a column are transformed, multiplied and transformed back part by part, so that the
 * parts of all planes are in the cache. */
static void sums_of_products(const void *table, const xncc_fft_blocking *blocking,
                             const xncc_watch *watch, const xncc_fft_sums *s)
{
    const double scale = 1.0 / ((double)blocking->nx * (double)blocking->ny);
    const fft_side side = side_of(table, blocking, 1);
    const fft_way forward = { side.table, FORWARD }, back = { side.table, BACKWARD };
    const int32_t ny = blocking->ny, part = ny / side.r;
    const int images = s->arrays[0], most = images > s->count ? images : s->count;
    fft_sum_columns c = { .s = s, .column = s->buffer, .step = ny + XNCC_FFT_PIECE };
    c.total = c.column + most * c.step;
    for (int k = 0; k < s->all[0]; k++)
        c.image[k] = s->array[0][k] < 0 ? NULL : c.column + s->array[0][k] * c.step;
    const int32_t end = first_column(blocking, s->part + 1, s->parts);
    for (int32_t i = first_column(blocking, s->part, s->parts);
         i < end && !xncc_is_cancelled(watch); i++) {
        for (int k = 0; k < images; k++)
            begin_column(s, &side, 0, k, plane_column(s->plane[0][k], blocking, i),
                         c.column + k * c.step);
        for (int k = 0; k < s->all[1]; k++) {
            const int array = s->array[1][k];
            if (array < 0)
                continue;
            char *plane = plane_column(s->plane[1][array], blocking, i);
            vc *column = (vc *)(void *)plane;
            c.templ[FFT_WEIGHTS - 1 + k] = column;
            if (!s->known) {
                begin_column(s, &side, 1, array, plane, column);
                inner_steps(&side, FORWARD, column, NULL);
                scale_points(column, ny, scale);
            }
        }
        for (int32_t y = 0; y < ny; y += part) {
            for (int k = 0; k < images; k++)
                transform(&forward, c.column + k * c.step + y, part, NULL);
            for (int32_t at = y; at < y + part; at += XNCC_FFT_PIECE)
                sum_piece(&c, at);
            for (int k = 0; k < s->count; k++)
                transform(&back, c.column + k * c.step + y, part, NULL);
        }
        for (int k = 0; k < s->count; k++) {
            fft_place to = place_of((vc *)(void *)plane_column(s->sum[k], blocking, i));
            to.rows = s->wanted;
            to.stream = sum_is_far(blocking, k, images);
            last_step(&side, c.column + k * c.step, &to, FFT_PLANE);
        }
    }
}

#endif
