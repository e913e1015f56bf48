/* SPDX-License-Identifier: BSD-2-Clause */
/* The steps of a transform of a row's vectors or of a column (fft_body.h), and where its tables
 * are. A step reads its points where they are and writes them where they are to be, so that the
 * first and the last one take the place of a copy. */
#ifndef XNCC_CPU_KERNELS_FFT_STEPS_H
#define XNCC_CPU_KERNELS_FFT_STEPS_H

#include "cpu/kernels/fft.h"
#include "cpu/kernels/fft_points.h"

/* The tables hold, for each length n = 16, 32, ..., the three twiddle factors of j = 0 .. n/4 - 1;
 * after them, for the vectors of a row and for a column, if their number n is r = 3 or 5 times a
 * power of two, the r - 1 twiddle factors of j = 0 .. n/r - 1; the twist of each vector of a row;
 * and last the twiddle factors between the lanes of a row. */
FFT_INLINE int64_t twiddle_at(int32_t n)
{
    return 3 * ((int64_t)n - 16) / 2;
}

static int32_t longest(int32_t nx, int32_t ny)
{
    const int32_t m = nx / FFT_LANES / xncc_fft_odd(nx), column = ny / xncc_fft_odd(ny);
    return m > column ? m : column;
}

/* The doubles of the table of n's odd factor. */
static int64_t odd_doubles(int32_t n)
{
    const int32_t r = xncc_fft_odd(n);
    return 2 * (int64_t)(r - 1) * (n / r);
}

/* Where that of a row's vectors begins, [0], that of a column, [1], the twist, [2], and the lanes'
 * factors, [3]. */
typedef struct places {
    int64_t at[4];
} places;

static places places_of(int32_t nx, int32_t ny)
{
    const int64_t row = twiddle_at(2 * longest(nx, ny)), column = row + odd_doubles(nx / FFT_LANES),
                  twist = column + odd_doubles(ny), end = twist + 2 * (int64_t)(nx / FFT_LANES);
    return (places){ { row, column, twist, (end + 7) / 8 * 8 } };
}

/* Where the points of a step are: vectors `step` bytes apart, or the doubles of two rows, which are
 * their real and their imaginary parts. */
typedef struct fft_place {
    char *at;
    ptrdiff_t step;
    const double *re, *im; /* NULL: vectors */
    int32_t rows;          /* of a column: the points from here on are 0, or are not wanted */
    const uint64_t *given; /* of a plane: points of which this lacks the bit are 0 */
    uint64_t bit;
    int stream;          /* of a plane: 1: points are written to memory past the caches */
    const double *twist; /* of a row: the factors of its vectors */
    double *out;         /* where the elements of a row go, too, the first `count` of them, in whole
                            vectors; NULL: nowhere */
    int32_t nx, count;
} fft_place;

/* Of what the points are, a constant: of a part that was transformed before, of a row as it comes
 * and goes, which is twisted there, or of a column of an array, of which the vectors that follow
 * are needed next, or of a column of a plane that is held by columns. */
typedef enum fft_kind { FFT_INNER, FFT_ROW, FFT_COLUMN, FFT_PLANE } fft_kind;

FFT_INLINE fft_place place_of(vc *x)
{
    return (fft_place){ .at = (char *)x, .step = sizeof *x };
}

FFT_INLINE vc *vector_at(const fft_place *p, int32_t i)
{
    return (vc *)(void *)(p->at + i * p->step);
}

FFT_INLINE vc load_point(const fft_place *p, int32_t i)
{
    vc v;
    if (!p->re)
        return *vector_at(p, i);
    memcpy(&v.re, p->re + (ptrdiff_t)i * FFT_LANES, sizeof v.re);
    memcpy(&v.im, p->im + (ptrdiff_t)i * FFT_LANES, sizeof v.im);
    return v;
}

/* Point i of a row with its twist if sign is 1, and without it if it is -1. */
FFT_INLINE vc twisted(const fft_place *p, int32_t i, vc a, int sign)
{
    return vc_twiddle(a, vd_fill(p->twist[2 * i]), vd_fill(p->twist[2 * i + 1]), sign);
}

/* Point i as a transform takes it. */
FFT_INLINE vc take_point(const fft_place *p, int32_t i, fft_kind of)
{
    if ((of == FFT_COLUMN && i >= p->rows) || (of == FFT_PLANE && !(p->given[i] & p->bit)))
        return (vc){ vd_fill(0.0), vd_fill(0.0) };
    if (of == FFT_COLUMN)
        __builtin_prefetch(vector_at(p, i) + 1);
    return of == FFT_ROW ? twisted(p, i, load_point(p, i), 1) : load_point(p, i);
}

/* Writes point i. */
FFT_INLINE void put_point(const fft_place *p, int32_t i, fft_kind of, vc v)
{
    vc *to = vector_at(p, i);
    if (of == FFT_PLANE && p->stream) {
        FFT_STREAM(&to->re, v.re);
        FFT_STREAM(&to->im, v.im);
    } else
        *to = v;
}

/* Point i as one back yields it. */
FFT_INLINE void give_point(const fft_place *p, int32_t i, fft_kind of, vc a)
{
    const vc v = of == FFT_ROW ? twisted(p, i, a, -1) : a;
    const int32_t first = i * FFT_LANES, second = p->nx + first;
    if (of == FFT_INNER || of == FFT_ROW || i < p->rows)
        put_point(p, i, of, v);
    if (of != FFT_ROW || !p->out)
        return;
    if (first < p->count)
        memcpy(p->out + first, &v.re, sizeof v.re);
    if (second < p->count)
        memcpy(p->out + second, &v.im, sizeof v.im);
}

FFT_INLINE void some_points(vc *v, int r, int sign)
{
    if (r == 4)
        four(&v[0], &v[1], &v[2], &v[3], sign);
    else
        odd_points(v, r, sign);
}

/* A step of radix r = 3, 4 or 5 of r * q points, which go to x, and its products with the twiddle
 * factors w. */
FFT_INLINE void step_forward(const double *w, const fft_place *from, vc *x, int32_t q, int r,
                             fft_kind of)
{
    for (int32_t j = 0; j < q; j++, w += 2 * (r - 1)) {
        vc v[5];
        for (int a = 0; a < r; a++)
            v[a] = take_point(from, j + a * q, of);
        some_points(v, r, -1);
        x[j] = v[0];
        for (int b = 1; b < r; b++)
            x[j + b * q] = vc_twiddle(v[b], vd_fill(w[2 * b - 2]), vd_fill(w[2 * b - 1]), -1);
    }
}

/* The same back, to `to`. */
FFT_INLINE void step_backward(const double *w, const vc *x, const fft_place *to, int32_t q, int r,
                              fft_kind of)
{
    for (int32_t j = 0; j < q; j++, w += 2 * (r - 1)) {
        vc v[5] = { x[j] };
        for (int b = 1; b < r; b++)
            v[b] = vc_twiddle(x[j + b * q], vd_fill(w[2 * b - 2]), vd_fill(w[2 * b - 1]), 1);
        some_points(v, r, 1);
        for (int a = 0; a < r; a++)
            give_point(to, j + a * q, of, v[a]);
    }
}

/* x[y] * conj(t[y]) to `to`. */
FFT_INLINE void multiply(const vc *x, const vc *t, vc *to, int32_t n)
{
    for (int32_t y = 0; y < n; y++)
        to[y] = vc_twiddle(x[y], t[y].re, t[y].im, 1);
}

/* What becomes of points: a transform, one back, or both, with the products with conj(t) between
 * them. t is NULL unless it is both. */
enum { FORWARD = 1, BACKWARD = 2 };
typedef struct fft_way {
    const double *table;
    int which;
} fft_way;

FFT_INLINE void last_points(const fft_way *way, vc *x, int32_t n, const vc *t)
{
    if (way->which & FORWARD && n == 4)
        four(&x[0], &x[1], &x[2], &x[3], -1);
    else if (way->which & FORWARD)
        eight(x, -1);
    if (t)
        multiply(x, t, x, n);
    if (way->which & BACKWARD && n == 4)
        four(&x[0], &x[1], &x[2], &x[3], 1);
    else if (way->which & BACKWARD)
        eight_backward(x);
}

/* Decimation in frequency, depth first, so that short transforms stay in the first-level cache. n:
 * a power of two. */
static void transform(const fft_way *way, vc *x, int32_t n, const vc *t)
{
    if (n <= 8) {
        if (n == 4)
            last_points(way, x, 4, t);
        else
            last_points(way, x, 8, t);
        return;
    }
    const fft_place here = place_of(x);
    const int32_t q = n / 4;
    const double *w = way->table + twiddle_at(n);
    if (way->which & FORWARD)
        step_forward(w, &here, x, q, 4, FFT_INNER);
    for (int32_t b = 0; b < 4; b++)
        transform(way, x + b * q, q, t ? t + b * q : NULL);
    if (way->which & BACKWARD)
        step_backward(w, x, &here, q, 4, FFT_INNER);
}

/* What is transformed: the vectors of a row, or a column. Its first step, the last one back, has
 * the radix r: 3, 5 or 4, or 1 if there is none. */
typedef struct fft_side {
    const double *table, *w;
    int32_t length, r;
} fft_side;

static fft_side side_of(const void *table, const xncc_fft_blocking *c, int is_column)
{
    const double *doubles = table;
    const int32_t length = is_column ? c->ny : c->nx / FFT_LANES, r = xncc_fft_odd(length);
    if (r > 1)
        return (fft_side){ doubles, doubles + places_of(c->nx, c->ny).at[is_column], length, r };
    if (length > 8)
        return (fft_side){ doubles, doubles + twiddle_at(length), length, 4 };
    return (fft_side){ doubles, NULL, length, 1 };
}

/* The first step of a side. */
FFT_INLINE void first_step(const fft_side *s, const fft_place *from, vc *x, fft_kind of)
{
    const int32_t q = s->length / s->r;
    if (s->r == 3)
        step_forward(s->w, from, x, q, 3, of);
    else if (s->r == 5)
        step_forward(s->w, from, x, q, 5, of);
    else if (s->r == 4)
        step_forward(s->w, from, x, q, 4, of);
    else
        for (int32_t i = 0; i < s->length; i++)
            x[i] = take_point(from, i, of);
}

/* The last step of a side back. */
FFT_INLINE void last_step(const fft_side *s, const vc *x, const fft_place *to, fft_kind of)
{
    const int32_t q = s->length / s->r;
    if (s->r == 3)
        step_backward(s->w, x, to, q, 3, of);
    else if (s->r == 5)
        step_backward(s->w, x, to, q, 5, of);
    else if (s->r == 4)
        step_backward(s->w, x, to, q, 4, of);
    else
        for (int32_t i = 0; i < s->length; i++)
            give_point(to, i, of, x[i]);
}

/* All steps of a side but that one. t: as in transform. */
static void inner_steps(const fft_side *s, int which, vc *x, const vc *t)
{
    const fft_way way = { s->table, which };
    const int32_t q = s->length / s->r;
    for (int32_t b = 0; b < s->r; b++)
        transform(&way, x + b * q, q, t ? t + b * q : NULL);
}

#endif
