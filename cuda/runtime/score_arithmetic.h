// SPDX-License-Identifier: BSD-2-Clause
// Which arithmetic the score kernels of each architecture are built for.
//
// Exact sums become scores in double precision, or, where double precision is slow, in pairs of
// floats. The bits are the same. Most architectures need one of the two, and building both nearly
// doubles the time and the size of the largest kernels. With XNCC_ALL_ARITHMETICS both are built
// everywhere, for tests.
#ifndef XNCC_CUDA_RUNTIME_SCORE_ARITHMETIC_H
#define XNCC_CUDA_RUNTIME_SCORE_ARITHMETIC_H

#include <cuda_runtime.h>

namespace xncc {

// `arch` is __CUDA_ARCH__, or ten times the ptxVersion of cudaFuncAttributes. Code for 8.0 also
// runs on 8.6 and 8.9, and code for 10.0 on 10.3, where double precision is slow.
constexpr __host__ __device__ bool builds_fp64(int arch)
{
#ifdef XNCC_ALL_ARITHMETICS
    return arch > 0;
#else
    return arch == 800 || arch == 900 || arch == 1000;
#endif
}

constexpr __host__ __device__ bool builds_float_float(int arch)
{
#ifdef XNCC_ALL_ARITHMETICS
    return arch > 0;
#else
    return arch != 900;
#endif
}

// Does this pass of the compiler build the kernels of an arithmetic? Where it does not, their
// bodies are empty, and the engine never launches them (cuda_engine.cpp).
constexpr __host__ __device__ bool builds_arithmetic(bool float_float)
{
#ifdef __CUDA_ARCH__
    return float_float ? builds_float_float(__CUDA_ARCH__) : builds_fp64(__CUDA_ARCH__);
#else
    (void)float_float;
    return true;
#endif
}

} // namespace xncc

#endif
