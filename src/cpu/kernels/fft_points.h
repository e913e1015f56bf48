/* SPDX-License-Identifier: BSD-2-Clause */
/* Complex vectors of FFT_LANES doubles, their transforms of 4 and 8 points, and the transposition
 * of FFT_LANES x FFT_LANES lanes. */
#ifndef XNCC_CPU_KERNELS_FFT_POINTS_H
#define XNCC_CPU_KERNELS_FFT_POINTS_H

#include <stdint.h>
#include <string.h>

typedef double vd __attribute__((vector_size(8 * FFT_LANES)));
typedef int64_t vl __attribute__((vector_size(8 * FFT_LANES)));
typedef int32_t vi __attribute__((vector_size(4 * FFT_LANES)));
typedef uint8_t vb __attribute__((vector_size(FFT_LANES)));
typedef uint16_t vw __attribute__((vector_size(2 * FFT_LANES)));

typedef struct vc {
    vd re, im;
} vc;

/* Writes a vector past the caches, if the including file has a word for it. */
#ifndef FFT_STREAM
#define FFT_STREAM(to, v) memcpy(to, &(v), sizeof(v))
#endif

#define FFT_INLINE __attribute__((always_inline)) static inline

/* A vector of chosen lanes of a, then of b. gcc has clang's word for it since version 12. */
#if defined(__clang__) || __GNUC__ >= 12
#define FFT_SHUFFLE(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define FFT_SHUFFLE(a, b, ...) __builtin_shuffle(a, b, (vl){ __VA_ARGS__ })
#endif

FFT_INLINE vc vc_add(vc a, vc b)
{
    return (vc){ a.re + b.re, a.im + b.im };
}
FFT_INLINE vc vc_sub(vc a, vc b)
{
    return (vc){ a.re - b.re, a.im - b.im };
}
/* Returns a * i if sign is 1, a * -i if it is -1. sign is constant after inlining. */
FFT_INLINE vc vc_turn(vc a, int sign)
{
    return sign > 0 ? (vc){ -a.im, a.re } : (vc){ a.im, -a.re };
}
/* Returns a * w if sign is -1 (forward), a * conj(w) if it is 1 (backward). */
FFT_INLINE vc vc_twiddle(vc a, vd re, vd im, int sign)
{
    return sign < 0 ? (vc){ a.re * re - a.im * im, a.re * im + a.im * re }
                    : (vc){ a.re * re + a.im * im, a.im * re - a.re * im };
}
FFT_INLINE vd vd_fill(double v)
{
    return v - (vd){ 0 };
}

/* Transforms four points in natural order. */
FFT_INLINE void four(vc *a, vc *b, vc *c, vc *d, int sign)
{
    vc s = vc_add(*a, *c), t = vc_sub(*a, *c), u = vc_add(*b, *d),
       v = vc_turn(vc_sub(*b, *d), sign);
    *a = vc_add(s, u);
    *c = vc_sub(s, u);
    *b = vc_add(t, v);
    *d = vc_sub(t, v);
}

/* Multiplies by w_8^1 (eighth) or w_8^3 (three_eighths) in the direction of sign. */
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

/* Copies eight points one by one. Of a memcpy or a loop gcc makes a string instruction, which is
 * slow, and which keeps the points out of registers. */
FFT_INLINE void copy_eight(const vc *from, vc *to)
{
    to[0] = from[0];
    to[1] = from[1];
    to[2] = from[2];
    to[3] = from[3];
    to[4] = from[4];
    to[5] = from[5];
    to[6] = from[6];
    to[7] = from[7];
}

/* Transforms eight points in the direction of sign. The frequencies are in the order 0 2 4 6 1 3
 * 5 7.
 */
FFT_INLINE void eight(vc *x, int sign)
{
    vc a[8] = { vc_add(x[0], x[4]),
                vc_add(x[1], x[5]),
                vc_add(x[2], x[6]),
                vc_add(x[3], x[7]),
                vc_sub(x[0], x[4]),
                eighth(vc_sub(x[1], x[5]), sign),
                vc_turn(vc_sub(x[2], x[6]), sign),
                three_eighths(vc_sub(x[3], x[7]), sign) };
    four(&a[0], &a[1], &a[2], &a[3], sign);
    four(&a[4], &a[5], &a[6], &a[7], sign);
    copy_eight(a, x);
}

/* Transforms eight points back, and takes the order of the frequencies that `eight` leaves. */
FFT_INLINE void eight_backward(vc *x)
{
    vc a[8];
    copy_eight(x, a);
    four(&a[0], &a[1], &a[2], &a[3], 1);
    four(&a[4], &a[5], &a[6], &a[7], 1);
    a[5] = eighth(a[5], 1);
    a[6] = vc_turn(a[6], 1);
    a[7] = three_eighths(a[7], 1);
    vc b[8] = { vc_add(a[0], a[4]), vc_add(a[1], a[5]), vc_add(a[2], a[6]), vc_add(a[3], a[7]),
                vc_sub(a[0], a[4]), vc_sub(a[1], a[5]), vc_sub(a[2], a[6]), vc_sub(a[3], a[7]) };
    copy_eight(b, x);
}

/* Transforms r = 3 or 5 points in natural order. */
FFT_INLINE void odd_points(vc *x, int r, int sign)
{
    const double c1 = r == 3 ? -0.5 : 0.30901699437494742410, c2 = -0.80901699437494742410,
                 s1 = r == 3 ? 0.86602540378443864676 : 0.95105651629515357212,
                 s2 = 0.58778525229247312917;
    const vc a = x[0], b = vc_add(x[1], x[r - 1]), d = vc_turn(vc_sub(x[1], x[r - 1]), sign);
    if (r == 3) {
        const vc m = { a.re + b.re * c1, a.im + b.im * c1 }, n = { d.re * s1, d.im * s1 };
        x[0] = vc_add(a, b);
        x[1] = vc_add(m, n);
        x[2] = vc_sub(m, n);
        return;
    }
    const vc c = vc_add(x[2], x[3]), e = vc_turn(vc_sub(x[2], x[3]), sign),
             m1 = { a.re + b.re * c1 + c.re * c2, a.im + b.im * c1 + c.im * c2 },
             m2 = { a.re + b.re * c2 + c.re * c1, a.im + b.im * c2 + c.im * c1 },
             n1 = { d.re * s1 + e.re * s2, d.im * s1 + e.im * s2 },
             n2 = { d.re * s2 - e.re * s1, d.im * s2 - e.im * s1 };
    x[0] = vc_add(vc_add(a, b), c);
    x[1] = vc_add(m1, n1);
    x[4] = vc_sub(m1, n1);
    x[2] = vc_add(m2, n2);
    x[3] = vc_sub(m2, n2);
}

/* The steps of a transposition: exchange lanes between two vectors. */
FFT_INLINE void swap1(vd *a, vd *b)
{
#if FFT_LANES == 8
    vd low = FFT_SHUFFLE(*a, *b, 0, 8, 2, 10, 4, 12, 6, 14);
    *b = FFT_SHUFFLE(*a, *b, 1, 9, 3, 11, 5, 13, 7, 15);
#elif FFT_LANES == 4
    vd low = FFT_SHUFFLE(*a, *b, 0, 4, 2, 6);
    *b = FFT_SHUFFLE(*a, *b, 1, 5, 3, 7);
#else
    vd low = FFT_SHUFFLE(*a, *b, 0, 2);
    *b = FFT_SHUFFLE(*a, *b, 1, 3);
#endif
    *a = low;
}

#if FFT_LANES >= 4
FFT_INLINE void swap2(vd *a, vd *b)
{
#if FFT_LANES == 8
    vd low = FFT_SHUFFLE(*a, *b, 0, 1, 8, 9, 4, 5, 12, 13);
    *b = FFT_SHUFFLE(*a, *b, 2, 3, 10, 11, 6, 7, 14, 15);
#else
    vd low = FFT_SHUFFLE(*a, *b, 0, 1, 4, 5);
    *b = FFT_SHUFFLE(*a, *b, 2, 3, 6, 7);
#endif
    *a = low;
}
#endif

#if FFT_LANES == 8
FFT_INLINE void swap4(vd *a, vd *b)
{
    vd low = FFT_SHUFFLE(*a, *b, 0, 1, 2, 3, 8, 9, 10, 11);
    *b = FFT_SHUFFLE(*a, *b, 4, 5, 6, 7, 12, 13, 14, 15);
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

/* Transforms FFT_LANES points, one from each vector, after the transposition. */
FFT_INLINE void combine(vc *v, int sign)
{
#if FFT_LANES == 8
    if (sign < 0)
        eight(v, -1);
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

#endif
