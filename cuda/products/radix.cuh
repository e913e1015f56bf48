// SPDX-License-Identifier: BSD-2-Clause
// Transforms of 4, 8 and 16 points in the registers of a thread, forward or back, without a factor:
// of complex numbers, or of another field. What those of complex numbers add to the error of a
// transform: docs/numerics.md.
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

// What a transform is made of: its points, the factors between its steps, and what is done with
// them. This one is of complex numbers.
struct Complex {
    using Point = double2;
    using Turn = double2; // the cosine and sine of an angle
    // Room between lines in shared memory (line_fft.cuh).
    static constexpr int APART = 0;

    __device__ __forceinline__ Point plus(Point a, Point b) const
    {
        return a + b;
    }
    // BOUND: b's, where points have one.
    template <int BOUND> __device__ __forceinline__ Point less(Point a, Point b) const
    {
        return a - b;
    }
    template <bool BACK> __device__ __forceinline__ Point turned(Point v, Turn by) const
    {
        return xncc::turned<BACK>(v, by);
    }
    // v turned by K sixteenths of a turn.
    template <int K, bool BACK> __device__ __forceinline__ Point sixteenths(Point v) const
    {
        constexpr double COSINE = 0x1.d906bcf328d46p-1, SINE = 0x1.87de2a6aea963p-2;
        static_assert(K == 1 || K == 2 || K == 3 || K == 4 || K == 6 || K == 9, "what is used");
        if constexpr (K == 2)
            return eighth<BACK>(v);
        else if constexpr (K == 4)
            return quarter<BACK>(v);
        else if constexpr (K == 6)
            return eighth<BACK>(quarter<BACK>(v));
        else
            return xncc::turned<BACK>(v, K == 1   ? make_double2(COSINE, SINE)
                                         : K == 3 ? make_double2(SINE, COSINE)
                                                  : make_double2(-COSINE, -SINE));
    }
    // A point that nothing is multiplied by before it enters the next step.
    __device__ __forceinline__ Point settled(Point v) const
    {
        return v;
    }
};

// A transform of 4 points, in place: a, b, c, d become outputs 0, 1, 2, 3. BOUND: of the points,
// where they have one.
template <bool BACK, int BOUND = 2, class Field = Complex>
__device__ __forceinline__ void four(typename Field::Point &a, typename Field::Point &b,
                                     typename Field::Point &c, typename Field::Point &d,
                                     const Field &f = Field())
{
    const auto s0 = f.plus(a, c), s1 = f.plus(b, d), d0 = f.template less<BOUND>(a, c),
               d1 = f.template sixteenths<4, BACK>(f.template less<BOUND>(b, d));
    a = f.plus(s0, s1);
    b = f.plus(d0, d1);
    c = f.template less<2 * BOUND>(s0, s1);
    d = f.template less<2>(d0, d1);
}

// A transform of 8 points, in place and in order.
template <bool BACK, class Field = Complex>
__device__ __forceinline__ void eight(typename Field::Point (&v)[8], const Field &of = Field())
{
    auto a = of.plus(v[0], v[4]), b = of.plus(v[1], v[5]), c = of.plus(v[2], v[6]),
         d = of.plus(v[3], v[7]);
    auto e = of.template less<2>(v[0], v[4]),
         f = of.template sixteenths<2, BACK>(of.template less<2>(v[1], v[5])),
         g = of.template sixteenths<4, BACK>(of.template less<2>(v[2], v[6])),
         h = of.template sixteenths<6, BACK>(of.template less<2>(v[3], v[7]));
    four<BACK, 4>(a, b, c, d, of);
    four<BACK, 4>(e, f, g, h, of);
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
template <bool BACK, class Field = Complex>
__device__ __forceinline__ void sixteen(typename Field::Point (&v)[16], const Field &f = Field())
{
#pragma unroll
    for (int i = 0; i < 4; i++)
        four<BACK>(v[i], v[i + 4], v[i + 8], v[i + 12], f);
#pragma unroll
    for (int i = 0; i < 4; i++) {
        v[i] = f.settled(v[i]);
        if (i)
            v[4 * i] = f.settled(v[4 * i]);
    }
    v[5] = f.template sixteenths<1, BACK>(v[5]);
    v[6] = f.template sixteenths<2, BACK>(v[6]);
    v[7] = f.template sixteenths<3, BACK>(v[7]);
    v[9] = f.template sixteenths<2, BACK>(v[9]);
    v[10] = f.template sixteenths<4, BACK>(v[10]);
    v[11] = f.template sixteenths<6, BACK>(v[11]);
    v[13] = f.template sixteenths<3, BACK>(v[13]);
    v[14] = f.template sixteenths<6, BACK>(v[14]);
    v[15] = f.template sixteenths<9, BACK>(v[15]);
#pragma unroll
    for (int i = 0; i < 4; i++)
        four<BACK>(v[4 * i], v[4 * i + 1], v[4 * i + 2], v[4 * i + 3], f);
    typename Field::Point in_order[16];
#pragma unroll
    for (int i = 0; i < 16; i++)
        in_order[i] = v[i % 4 * 4 + i / 4];
#pragma unroll
    for (int i = 0; i < 16; i++)
        v[i] = in_order[i];
}

} // namespace xncc

#endif
