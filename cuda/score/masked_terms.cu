// SPDX-License-Identifier: BSD-2-Clause
// The terms of windows under masks (masked_collect.h): S, and the reciprocal root of n Q - S^2 as
// window_terms.h has it.
//
// Data mapping: a thread computes 4 adjacent windows, one vector load per sum; 128 threads per
// block; blockIdx.y: row (launches of at most 65535 rows); blockIdx.z: mask. Three products in, 8
// bytes per window out. No shared memory.
#include "cuda/score/masked_collect.h"
#include "cuda/score/masked_score_u8.cuh"
#include "cuda/score/window_terms.cuh"

#include "cuda/runtime/handles.h"

extern "C" {
#include "plan/cost_tensor.h"
}

namespace xncc {

namespace {

constexpr int THREADS = 128;
constexpr int SPAN = 4; // adjacent windows per thread

// The high word of 1 / sqrt(n Q - S^2), limited to that of 1.0. n Q and S^2 are below 2^49, so
// their difference is exact as a double.
__device__ __forceinline__ uint32_t root_of(uint64_t n, uint32_t s, uint32_t q)
{
    return static_cast<uint32_t>(root_key(to_double(n * q - static_cast<uint64_t>(s) * s)));
}

// y0: first row of the launch.
__global__ __launch_bounds__(THREADS) void write_terms(const __grid_constant__ MaskWindows job,
                                                       const __grid_constant__ MaskTerms to, int y0)
{
    const int x = (blockIdx.x * THREADS + threadIdx.x) * SPAN,
              y = y0 + static_cast<int>(blockIdx.y);
    if (x >= job.pitch)
        return;
    const int64_t at = y * job.pitch + x;
    const int mask = to.mask[blockIdx.z];
    const uint32_t *sums = job.sums + mask * job.mask + at;
    uint4 s = {}, low = {}, high = {};
    if (y < job.height && x < job.width) {
        s = __ldg(reinterpret_cast<const uint4 *>(sums));
        low = __ldcs(reinterpret_cast<const uint4 *>(sums + job.plane));
        high = __ldcs(reinterpret_cast<const uint4 *>(sums + 2 * job.plane));
    }
    const uint32_t S[SPAN] = { s.x, s.y, s.z, s.w },
                   Q[SPAN] = { low.x + (high.x << 8), low.y + (high.y << 8), low.z + (high.z << 8),
                               low.w + (high.w << 8) };
    uint32_t terms[2 * SPAN];
#pragma unroll
    for (int i = 0; i < SPAN; i++) {
        const bool has = y < job.height && x + i < job.width;
        terms[2 * i] = has ? S[i] : 0;
        terms[2 * i + 1] = has ? root_of(job.n[mask], S[i], Q[i]) : 0;
    }
    uint4 *out = reinterpret_cast<uint4 *>(to.terms + mask * to.step + at);
    out[0] = make_uint4(terms[0], terms[1], terms[2], terms[3]);
    out[1] = make_uint4(terms[4], terms[5], terms[6], terms[7]);
}

} // namespace

cudaError_t launch_masked_terms(const MaskWindows &job, const MaskTerms &to, cudaStream_t stream)
{
    const int32_t rows = ceil_div<int32_t>(job.height, XNCC_TENSOR_ROWS) * XNCC_TENSOR_ROWS;
    for (int32_t y0 = 0; y0 < rows; y0 += UINT16_MAX) {
        const int32_t some = rows - y0 < UINT16_MAX ? rows - y0 : UINT16_MAX;
        const dim3 grid = make_grid(ceil_div<int64_t>(job.pitch, THREADS * SPAN), some, to.count);
        write_terms<<<grid, THREADS, 0, stream>>>(job, to, y0);
    }
    return cudaGetLastError();
}

} // namespace xncc
