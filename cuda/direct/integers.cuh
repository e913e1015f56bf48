// SPDX-License-Identifier: BSD-2-Clause
// Samples as integers, in units of a power of two.
#ifndef XNCC_CUDA_DIRECT_INTEGERS_CUH
#define XNCC_CUDA_DIRECT_INTEGERS_CUH

#include <cstdint>

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

} // namespace xncc

#endif
