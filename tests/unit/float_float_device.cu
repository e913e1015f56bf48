// SPDX-License-Identifier: BSD-2-Clause
/* The scores in float-float arithmetic, computed on the device (float_float_device.h). */
#include "float_float_device.h"

#include <cuda_runtime.h>

namespace {

constexpr unsigned THREADS = 256;
constexpr unsigned FIRST = 0x3f800000u, COUNT = 1u << 24; /* the floats in 1 .. 4 */

__global__ void score_cases(pair_case *cases, size_t count)
{
    size_t i = static_cast<size_t>(blockIdx.x) * THREADS + threadIdx.x;
    if (i >= count)
        return;
    xncc_float_float num = xncc_ff_from_integer(cases[i].num, cases[i].narrow),
                     var = xncc_ff_from_integer(static_cast<int64_t>(cases[i].var),
                                                cases[i].narrow);
    cases[i].sure = xncc_ff_quotient(num, var, cases[i].unit, xncc_ff_rsqrt_seed(var),
                                     &cases[i].score);
}

/* positive floats are ordered like their bits */
__global__ void worst_seed(unsigned *worst)
{
    float x = __uint_as_float(FIRST + blockIdx.x * THREADS + threadIdx.x);
    xncc_float_float var = { x, 0.0f };
    double off = fabs(static_cast<double>(xncc_ff_rsqrt_seed(var)) * sqrt(static_cast<double>(x)) -
                      1.0);
    atomicMax(worst, __float_as_uint(__double2float_ru(off)));
}

} // namespace

extern "C" int pairs_on_device(pair_case *cases, size_t count)
{
    pair_case *there = nullptr;
    size_t bytes = count * sizeof *cases;
    cudaError_t code = cudaMalloc(&there, bytes);
    if (code == cudaSuccess)
        code = cudaMemcpy(there, cases, bytes, cudaMemcpyHostToDevice);
    if (code == cudaSuccess) {
        score_cases<<<static_cast<unsigned>((count + THREADS - 1) / THREADS), THREADS>>>(there,
                                                                                         count);
        code = cudaMemcpy(cases, there, bytes, cudaMemcpyDeviceToHost);
    }
    (void)cudaFree(there);
    return code == cudaSuccess;
}

extern "C" double pairs_worst_seed(void)
{
    unsigned *there = nullptr, worst = 0;
    cudaError_t code = cudaMalloc(&there, sizeof worst);
    if (code == cudaSuccess)
        code = cudaMemset(there, 0, sizeof worst);
    if (code == cudaSuccess) {
        worst_seed<<<COUNT / THREADS, THREADS>>>(there);
        code = cudaMemcpy(&worst, there, sizeof worst, cudaMemcpyDeviceToHost);
    }
    (void)cudaFree(there);
    union {
        unsigned bits;
        float value;
    } both = { worst };
    return code == cudaSuccess ? static_cast<double>(both.value) : -1.0;
}
