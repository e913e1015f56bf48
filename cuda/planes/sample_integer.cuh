// SPDX-License-Identifier: BSD-2-Clause
// Finite samples as integers, in units of a power of two.
#ifndef XNCC_CUDA_PLANES_SAMPLE_INTEGER_CUH
#define XNCC_CUDA_PLANES_SAMPLE_INTEGER_CUH

#include "math/wide.h"

namespace xncc {

constexpr int INTEGER_BITS = 58;

__extension__ typedef __int128 Int128;
__extension__ typedef unsigned __int128 UInt128;

// A sample times the inverse of the unit as an integer. *fits becomes false if it is none of
// INTEGER_BITS bits.
static __device__ __forceinline__ int64_t integer_in(double v, double scale, bool *fits)
{
    constexpr double MOST = static_cast<double>(INT64_C(1) << INTEGER_BITS);
    const double scaled = v * scale;
    *fits = *fits && fabs(scaled) < MOST && rint(scaled) == scaled;
    return __double2ll_rn(scaled);
}

// A finite sample as an integer: mantissa * 2^place, in units. The mantissa is odd or 0.
struct Integer {
    uint64_t mantissa;
    int32_t place; // at least 0, if the sample is a multiple of the unit
    bool negative;
};

// unit: its exponent, counted from the least double.
static __device__ Integer integer_of(double v, int32_t unit)
{
    const xncc_wide_part p = xncc_wide_part_of(isfinite(v) ? v : 0.0);
    const int zeros = p.mantissa ? __ffsll(static_cast<long long>(p.mantissa)) - 1 : 0;
    return { p.mantissa >> zeros, p.mantissa ? p.place + zeros - unit : 0, p.negative != 0 };
}

} // namespace xncc

#endif
