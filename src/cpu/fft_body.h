/* The transforms of `fft` in vectors of FFT_LANES doubles (2, 4 or 8), which the including file defines. Static, one build for each
 * instruction set; products and sums may be contracted here, since only the rounded result counts and its bound holds either way.
 *
 * Along columns every lane is a column. Along a row of N = lanes * m elements, lane l holds elements l, l + lanes, ...: the vectors are
 * transformed over m like columns, then multiplied by w_N^(l * k), then the lanes are combined by a transform of length FFT_LANES after
 * a transposition of lanes x lanes. */
#ifndef CM_CPU_FFT_BODY_H
#define CM_CPU_FFT_BODY_H

#include "cpu/fft.h"

#include <math.h>
#include <string.h>

typedef double vd __attribute__((vector_size(8 * FFT_LANES)));
typedef int64_t vl __attribute__((vector_size(8 * FFT_LANES)));
typedef int32_t vi __attribute__((vector_size(4 * FFT_LANES)));
typedef uint8_t vb __attribute__((vector_size(FFT_LANES)));
typedef uint16_t vw __attribute__((vector_size(2 * FFT_LANES)));

typedef struct vc {
    vd re, im;
} vc;

#define FFT_INLINE __attribute__((always_inline)) static inline

FFT_INLINE vc vc_add(vc a, vc b)
{
    return (vc){ a.re + b.re, a.im + b.im };
}
FFT_INLINE vc vc_sub(vc a, vc b)
{
    return (vc){ a.re - b.re, a.im - b.im };
}
/* a * i for sign 1, a * -i for sign -1; constant where inlined. */
FFT_INLINE vc vc_turn(vc a, int sign)
{
    return sign > 0 ? (vc){ -a.im, a.re } : (vc){ a.im, -a.re };
}
/* a times w (sign -1, forward) or its conjugate (sign 1, backward). */
FFT_INLINE vc vc_twiddle(vc a, vd re, vd im, int sign)
{
    return sign < 0 ? (vc){ a.re * re - a.im * im, a.re * im + a.im * re } : (vc){ a.re * re + a.im * im, a.im * re - a.re * im };
}
FFT_INLINE vd vd_fill(double v)
{
    return v - (vd){ 0 };
}

/* Four points in natural order. */
FFT_INLINE void four(vc *a, vc *b, vc *c, vc *d, int sign)
{
    vc s = vc_add(*a, *c), t = vc_sub(*a, *c), u = vc_add(*b, *d), v = vc_turn(vc_sub(*b, *d), sign);
    *a = vc_add(s, u);
    *c = vc_sub(s, u);
    *b = vc_add(t, v);
    *d = vc_sub(t, v);
}

/* a times w_8^1 or w_8^3 in the direction of sign. */
FFT_INLINE vc eighth(vc a, int sign)
{
    const double half = 0.70710678118654752440;
    vc t = vc_add(a, vc_turn(a, sign));
    return (vc){ t.re * half, t.im * half };
}
FFT_INLINE vc three_eighths(vc a, int sign)
{
    return vc_turn(eighth(a, sign), sign);
}

/* Eight points: forward leaves frequencies 0 2 4 6 1 3 5 7; backward takes that order. */
FFT_INLINE void eight_forward(vc *x)
{
    vc a[8] = { vc_add(x[0], x[4]), vc_add(x[1], x[5]), vc_add(x[2], x[6]), vc_add(x[3], x[7]),
                vc_sub(x[0], x[4]), eighth(vc_sub(x[1], x[5]), -1), vc_turn(vc_sub(x[2], x[6]), -1),
                three_eighths(vc_sub(x[3], x[7]), -1) };
    four(&a[0], &a[1], &a[2], &a[3], -1);
    four(&a[4], &a[5], &a[6], &a[7], -1);
    memcpy(x, a, sizeof a);
}
FFT_INLINE void eight_backward(vc *x)
{
    vc a[8];
    memcpy(a, x, sizeof a);
    four(&a[0], &a[1], &a[2], &a[3], 1);
    four(&a[4], &a[5], &a[6], &a[7], 1);
    a[5] = eighth(a[5], 1);
    a[6] = vc_turn(a[6], 1);
    a[7] = three_eighths(a[7], 1);
    vc b[8] = { vc_add(a[0], a[4]), vc_add(a[1], a[5]), vc_add(a[2], a[6]), vc_add(a[3], a[7]),
                vc_sub(a[0], a[4]), vc_sub(a[1], a[5]), vc_sub(a[2], a[6]), vc_sub(a[3], a[7]) };
    memcpy(x, b, sizeof b);
}

/* Tables: for each length n = 16, 32, .. the three twiddles of j = 0 .. n/4 - 1, and then those between the lanes of a row. */
FFT_INLINE int64_t twiddle_at(int32_t n)
{
    return 3 * ((int64_t)n - 16) / 2;
}

static int32_t longest(int32_t nx, int32_t ny)
{
    int32_t m = nx / FFT_LANES;
    return m > ny ? m : ny;
}

static int64_t lane_twiddles_at(int32_t nx, int32_t ny)
{
    return (twiddle_at(2 * longest(nx, ny)) + 7) / 8 * 8;
}

static uint64_t table_bytes(int32_t nx, int32_t ny)
{
    return (uint64_t)lane_twiddles_at(nx, ny) * sizeof(double) + (uint64_t)(nx / FFT_LANES) * sizeof(vc);
}

/* The frequency that position p of a forward transform of length n holds. */
static int32_t frequency(int32_t n, int32_t p)
{
    if (n == 4)
        return p;
    if (n == 8)
        return p < 4 ? 2 * p : 2 * (p - 4) + 1;
    return 4 * frequency(n / 4, p % (n / 4)) + p / (n / 4);
}

static void root(int64_t k, int64_t n, double *re, double *im)
{
    const long double angle = -2.0L * 3.14159265358979323846264338327950288L * (long double)(k % n) / (long double)n;
    *re = (double)cosl(angle);
    *im = (double)sinl(angle);
}

static void tables(int32_t nx, int32_t ny, void *memory)
{
    double *table = memory;
    for (int32_t n = 16; n <= longest(nx, ny); n *= 2)
        for (int32_t j = 0; j < n / 4; j++)
            for (int32_t k = 1; k <= 3; k++)
                root((int64_t)j * k, n, &table[twiddle_at(n) + 6 * j + 2 * (k - 1)], &table[twiddle_at(n) + 6 * j + 2 * (k - 1) + 1]);
    vc *lanes = (vc *)(void *)(table + lane_twiddles_at(nx, ny));
    for (int32_t p = 0; p < nx / FFT_LANES; p++) {
        double re[FFT_LANES], im[FFT_LANES];
        for (int32_t l = 0; l < FFT_LANES; l++)
            root((int64_t)l * frequency(nx / FFT_LANES, p), nx, &re[l], &im[l]);
        memcpy(&lanes[p].re, re, sizeof re);
        memcpy(&lanes[p].im, im, sizeof im);
    }
}

/* Decimation in frequency, depth first so that short transforms stay in the first-level cache. */
static void forward(const double *table, vc *x, int32_t n)
{
    if (n == 4) {
        four(&x[0], &x[1], &x[2], &x[3], -1);
        return;
    }
    if (n == 8) {
        eight_forward(x);
        return;
    }
    const int32_t q = n / 4;
    const double *w = table + twiddle_at(n);
    for (int32_t j = 0; j < q; j++, w += 6) {
        vc a = x[j], b = x[j + q], c = x[j + 2 * q], d = x[j + 3 * q];
        four(&a, &b, &c, &d, -1);
        x[j] = a;
        x[j + q] = vc_twiddle(b, vd_fill(w[0]), vd_fill(w[1]), -1);
        x[j + 2 * q] = vc_twiddle(c, vd_fill(w[2]), vd_fill(w[3]), -1);
        x[j + 3 * q] = vc_twiddle(d, vd_fill(w[4]), vd_fill(w[5]), -1);
    }
    for (int32_t b = 0; b < 4; b++)
        forward(table, x + b * q, q);
}

static void backward(const double *table, vc *x, int32_t n)
{
    if (n == 4) {
        four(&x[0], &x[1], &x[2], &x[3], 1);
        return;
    }
    if (n == 8) {
        eight_backward(x);
        return;
    }
    const int32_t q = n / 4;
    const double *w = table + twiddle_at(n);
    for (int32_t b = 0; b < 4; b++)
        backward(table, x + b * q, q);
    for (int32_t j = 0; j < q; j++, w += 6) {
        vc a = x[j], b = vc_twiddle(x[j + q], vd_fill(w[0]), vd_fill(w[1]), 1);
        vc c = vc_twiddle(x[j + 2 * q], vd_fill(w[2]), vd_fill(w[3]), 1);
        vc d = vc_twiddle(x[j + 3 * q], vd_fill(w[4]), vd_fill(w[5]), 1);
        four(&a, &b, &c, &d, 1);
        x[j] = a;
        x[j + q] = b;
        x[j + 2 * q] = c;
        x[j + 3 * q] = d;
    }
}

/* Lanes change places between two vectors, the steps of a transposition. */
FFT_INLINE void swap1(vd *a, vd *b)
{
#if FFT_LANES == 8
    vd low = __builtin_shufflevector(*a, *b, 0, 8, 2, 10, 4, 12, 6, 14);
    *b = __builtin_shufflevector(*a, *b, 1, 9, 3, 11, 5, 13, 7, 15);
#elif FFT_LANES == 4
    vd low = __builtin_shufflevector(*a, *b, 0, 4, 2, 6);
    *b = __builtin_shufflevector(*a, *b, 1, 5, 3, 7);
#else
    vd low = __builtin_shufflevector(*a, *b, 0, 2);
    *b = __builtin_shufflevector(*a, *b, 1, 3);
#endif
    *a = low;
}

#if FFT_LANES >= 4
FFT_INLINE void swap2(vd *a, vd *b)
{
#if FFT_LANES == 8
    vd low = __builtin_shufflevector(*a, *b, 0, 1, 8, 9, 4, 5, 12, 13);
    *b = __builtin_shufflevector(*a, *b, 2, 3, 10, 11, 6, 7, 14, 15);
#else
    vd low = __builtin_shufflevector(*a, *b, 0, 1, 4, 5);
    *b = __builtin_shufflevector(*a, *b, 2, 3, 6, 7);
#endif
    *a = low;
}
#endif

#if FFT_LANES == 8
FFT_INLINE void swap4(vd *a, vd *b)
{
    vd low = __builtin_shufflevector(*a, *b, 0, 1, 2, 3, 8, 9, 10, 11);
    *b = __builtin_shufflevector(*a, *b, 4, 5, 6, 7, 12, 13, 14, 15);
    *a = low;
}
#endif

FFT_INLINE void transpose(vd *v)
{
    swap1(&v[0], &v[1]);
#if FFT_LANES >= 4
    swap1(&v[2], &v[3]);
    swap2(&v[0], &v[2]);
    swap2(&v[1], &v[3]);
#endif
#if FFT_LANES == 8
    swap1(&v[4], &v[5]);
    swap1(&v[6], &v[7]);
    swap2(&v[4], &v[6]);
    swap2(&v[5], &v[7]);
    swap4(&v[0], &v[4]);
    swap4(&v[1], &v[5]);
    swap4(&v[2], &v[6]);
    swap4(&v[3], &v[7]);
#endif
}

FFT_INLINE void transpose_complex(vc *v)
{
    vd re[FFT_LANES], im[FFT_LANES];
    for (int i = 0; i < FFT_LANES; i++) {
        re[i] = v[i].re;
        im[i] = v[i].im;
    }
    transpose(re);
    transpose(im);
    for (int i = 0; i < FFT_LANES; i++)
        v[i] = (vc){ re[i], im[i] };
}

/* The transform of length FFT_LANES across what were lanes. */
FFT_INLINE void combine(vc *v, int sign)
{
#if FFT_LANES == 8
    if (sign < 0)
        eight_forward(v);
    else
        eight_backward(v);
#elif FFT_LANES == 4
    four(&v[0], &v[1], &v[2], &v[3], sign);
#else
    vc a = vc_add(v[0], v[1]);
    v[1] = vc_sub(v[0], v[1]);
    v[0] = a;
    (void)sign;
#endif
}

static void row_forward(const void *table, int32_t nx, int32_t ny, vc *x)
{
    const int32_t m = nx / FFT_LANES;
    const vc *w = (const vc *)(const void *)((const double *)table + lane_twiddles_at(nx, ny));
    forward(table, x, m);
    for (int32_t p = 0; p < m; p += FFT_LANES) {
        vc v[FFT_LANES];
        for (int i = 0; i < FFT_LANES; i++)
            v[i] = vc_twiddle(x[p + i], w[p + i].re, w[p + i].im, -1);
        transpose_complex(v);
        combine(v, -1);
        for (int i = 0; i < FFT_LANES; i++)
            x[p + i] = v[i];
    }
}

static void row_backward(const void *table, int32_t nx, int32_t ny, vc *x)
{
    const int32_t m = nx / FFT_LANES;
    const vc *w = (const vc *)(const void *)((const double *)table + lane_twiddles_at(nx, ny));
    for (int32_t p = 0; p < m; p += FFT_LANES) {
        vc v[FFT_LANES];
        for (int i = 0; i < FFT_LANES; i++)
            v[i] = x[p + i];
        combine(v, 1);
        transpose_complex(v);
        for (int i = 0; i < FFT_LANES; i++)
            x[p + i] = vc_twiddle(v[i], w[p + i].re, w[p + i].im, 1);
    }
    backward(table, x, m);
}

/* FFT_LANES pixels less the shift. */
FFT_INLINE vd pixels(const void *from, cm_pixel pixel)
{
    if (pixel == CM_U8) {
        vb v;
        memcpy(&v, from, sizeof v);
        return __builtin_convertvector(__builtin_convertvector(v, vi), vd) - 128.0;
    }
    vw v;
    memcpy(&v, from, sizeof v);
    return __builtin_convertvector(__builtin_convertvector(v, vi), vd) - 32768.0;
}

/* Vector i of a row of count pixels, with zeros past its end. */
FFT_INLINE vd some_pixels(const void *row, cm_pixel pixel, int32_t i, int32_t count)
{
    const size_t size = pixel == CM_U8 ? 1 : 2;
    const char *from = (const char *)row + (size_t)i * FFT_LANES * size;
    int32_t left = count - i * FFT_LANES;
    if (left >= FFT_LANES)
        return pixels(from, pixel);
    double value[FFT_LANES] = { 0 };
    for (int32_t k = 0; k < left; k++)
        value[k] = pixel == CM_U8 ? (double)((const uint8_t *)from)[k] - 128.0 : (double)((const uint16_t *)from)[k] - 32768.0;
    vd v;
    memcpy(&v, value, sizeof v);
    return v;
}

static void row_in(const void *table, const cm_fft_cut *cut, const cm_fft_pixels *p, void *row)
{
    vc *x = row;
    for (int32_t i = 0; i < cut->nx / FFT_LANES; i++) {
        x[i].re = some_pixels(p->a, p->pixel, i, p->count_a);
        x[i].im = some_pixels(p->b, p->pixel, i, p->count_b);
    }
    row_forward(table, cut->nx, cut->ny, x);
}

static void digits_in(const void *table, const cm_fft_cut *cut, const double *digit, void *row)
{
    vc *x = row;
    for (int32_t i = 0; i < cut->nx / FFT_LANES; i++) {
        memcpy(&x[i].re, digit + (ptrdiff_t)i * FFT_LANES, sizeof x[i].re);
        x[i].im = vd_fill(0.0);
    }
    row_forward(table, cut->nx, cut->ny, x);
}

/* One more vector than a row needs, so that rows do not lie a power of two apart. */
static uint64_t row_bytes(int32_t nx)
{
    return (uint64_t)(nx / FFT_LANES + 1) * sizeof(vc);
}

FFT_INLINE vc *column_at(char *array, const cm_fft_cut *cut, int32_t y, int32_t i)
{
    return (vc *)(void *)(array + (uint64_t)y * row_bytes(cut->nx)) + i;
}

static void column_load(char *array, const cm_fft_cut *cut, int32_t i, vc *column)
{
    for (int32_t y = 0; y < cut->ny; y++) {
        const vc *at = column_at(array, cut, y, i);
        __builtin_prefetch(at + 1);
        column[y] = *at;
    }
}

/* A template's rows into its spectrum, scaled, the columns one after the other as convolve reads them. */
static void columns(const void *table, const cm_fft_cut *cut, char *array, void *spectrum)
{
    const double scale = 1.0 / ((double)cut->nx * (double)cut->ny);
    for (int32_t i = 0; i < cut->nx / FFT_LANES; i++) {
        vc *column = (vc *)spectrum + (ptrdiff_t)i * cut->ny;
        column_load(array, cut, i, column);
        forward(table, column, cut->ny);
        for (int32_t y = 0; y < cut->ny; y++)
            column[y] = (vc){ column[y].re * scale, column[y].im * scale };
    }
}

static void convolve(const void *table, const cm_fft_cut *cut, char *const array[2], char *const spectrum[2], void *buffer)
{
    vc *column = buffer, *product = column + cut->ny;
    for (int32_t i = 0; i < cut->nx / FFT_LANES; i++) {
        column_load(array[0], cut, i, column);
        forward(table, column, cut->ny);
        for (int32_t plane = 0; plane < cut->planes; plane++) {
            const vc *t = (const vc *)(const void *)spectrum[plane] + (ptrdiff_t)i * cut->ny;
            for (int32_t y = 0; y < cut->ny; y++)
                product[y] = vc_twiddle(column[y], t[y].re, t[y].im, 1);
            backward(table, product, cut->ny);
            for (int32_t y = 0; y < cut->ny; y++)
                *column_at(array[plane], cut, y, i) = product[y];
        }
    }
}

/* To the nearest integers: below 2^51 in size, the low bits of 1.5 * 2^52 + v are v's. */
FFT_INLINE void round_out(vd v, int32_t left, int64_t *out)
{
    vl bits = (vl)(v + 0x1.8p52) - (vl)vd_fill(0x1.8p52);
    memcpy(out, &bits, left >= FFT_LANES ? sizeof bits : (size_t)left * sizeof *out);
}

static void row_out(const void *table, const cm_fft_cut *cut, void *row, int32_t count, int64_t *a, int64_t *b)
{
    vc *x = row;
    row_backward(table, cut->nx, cut->ny, x);
    for (int32_t i = 0; i * FFT_LANES < count; i++) {
        round_out(x[i].re, count - i * FFT_LANES, a + (ptrdiff_t)i * FFT_LANES);
        round_out(x[i].im, count - i * FFT_LANES, b + (ptrdiff_t)i * FFT_LANES);
    }
}

#endif
