// SPDX-License-Identifier: BSD-2-Clause
// Transforms of 4, 8 and 16 complex numbers in the registers of a thread, forward or back, without
// a factor. What they add to the error of a transform: docs/numerics.md.
#ifndef XNCC_CUDA_PRODUCTS_RADIX_CUH
#define XNCC_CUDA_PRODUCTS_RADIX_CUH

namespace xncc {

constexpr double HALF_ROOT = 0x1.6a09e667f3bcdp-1; // sqrt(1/2)

__device__ __forceinline__ double2 operator+(double2 a, double2 b)
{
    return make_double2(a.x + b.x, a.y + b.y);
}

__device__ __forceinline__ double2 operator-(double2 a, double2 b)
{
    return make_double2(a.x - b.x, a.y - b.y);
}

__device__ __forceinline__ double2 operator*(double a, double2 b)
{
    return make_double2(a * b.x, a * b.y);
}

// v times -i, or i on the way back.
template <bool BACK> __device__ __forceinline__ double2 quarter(double2 v)
{
    return BACK ? make_double2(-v.y, v.x) : make_double2(v.y, -v.x);
}

// v times (1 - i) / sqrt(2), or its conjugate.
template <bool BACK> __device__ __forceinline__ double2 eighth(double2 v)
{
    return BACK ? make_double2((v.x - v.y) * HALF_ROOT, (v.x + v.y) * HALF_ROOT)
                : make_double2((v.x + v.y) * HALF_ROOT, (v.y - v.x) * HALF_ROOT);
}

// v times the cosine and sine of an angle, turned by minus that angle, or by it on the way back.
template <bool BACK> __device__ __forceinline__ double2 turned(double2 v, double2 by)
{
    return BACK ? make_double2(fma(v.x, by.x, -(v.y * by.y)), fma(v.y, by.x, v.x * by.y))
                : make_double2(fma(v.x, by.x, v.y * by.y), fma(v.y, by.x, -(v.x * by.y)));
}

// A transform of 4 points, in place: a, b, c, d become outputs 0, 1, 2, 3.
template <bool BACK>
__device__ __forceinline__ void four(double2 &a, double2 &b, double2 &c, double2 &d)
{
    const double2 s0 = a + c, s1 = b + d, d0 = a - c, d1 = quarter<BACK>(b - d);
    a = s0 + s1;
    b = d0 + d1;
    c = s0 - s1;
    d = d0 - d1;
}

// A transform of 8 points, in place and in order.
template <bool BACK> __device__ __forceinline__ void eight(double2 (&v)[8])
{
    double2 a = v[0] + v[4], b = v[1] + v[5], c = v[2] + v[6], d = v[3] + v[7];
    double2 e = v[0] - v[4], f = eighth<BACK>(v[1] - v[5]), g = quarter<BACK>(v[2] - v[6]),
            h = eighth<BACK>(quarter<BACK>(v[3] - v[7]));
    four<BACK>(a, b, c, d);
    four<BACK>(e, f, g, h);
    v[0] = a;
    v[1] = e;
    v[2] = b;
    v[3] = f;
    v[4] = c;
    v[5] = g;
    v[6] = d;
    v[7] = h;
}

// A transform of 16 points, in place and in order: 4 times 4, with factors between.
template <bool BACK> __device__ __forceinline__ void sixteen(double2 (&v)[16])
{
    constexpr double COSINE = 0x1.d906bcf328d46p-1, SINE = 0x1.87de2a6aea963p-2; // of a 16th turn
    const double2 one = make_double2(COSINE, SINE), three = make_double2(SINE, COSINE),
                  nine = make_double2(-COSINE, -SINE);
#pragma unroll
    for (int i = 0; i < 4; i++)
        four<BACK>(v[i], v[i + 4], v[i + 8], v[i + 12]);
    v[5] = turned<BACK>(v[5], one);
    v[6] = eighth<BACK>(v[6]);
    v[7] = turned<BACK>(v[7], three);
    v[9] = eighth<BACK>(v[9]);
    v[10] = quarter<BACK>(v[10]);
    v[11] = eighth<BACK>(quarter<BACK>(v[11]));
    v[13] = turned<BACK>(v[13], three);
    v[14] = eighth<BACK>(quarter<BACK>(v[14]));
    v[15] = turned<BACK>(v[15], nine);
#pragma unroll
    for (int i = 0; i < 4; i++)
        four<BACK>(v[4 * i], v[4 * i + 1], v[4 * i + 2], v[4 * i + 3]);
    double2 in_order[16];
#pragma unroll
    for (int i = 0; i < 16; i++)
        in_order[i] = v[i % 4 * 4 + i / 4];
#pragma unroll
    for (int i = 0; i < 16; i++)
        v[i] = in_order[i];
}

} // namespace xncc

#endif
