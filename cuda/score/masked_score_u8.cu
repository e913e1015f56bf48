// SPDX-License-Identifier: BSD-2-Clause
// Scores of masked 8-bit windows from products of byte planes (masked_score_u8.h); ccoeff_normed:
//
//     score = (N X - S T) / sqrt((N Q - S^2) (N T2 - T^2)),   Q = Q[0] + 2^8 Q[1], and T2 in the
//     same way
//
// The other methods read the sums that they need.
//
// Data mapping: a thread computes 4 adjacent windows, one vector load per sum; 128 threads per
// block; blockIdx.y: map row (launches of at most 65535 rows). Four products in (eight with
// VARIES), one float out, no square root and no division except for windows in doubt. No shared
// memory; any compute capability.
//
// Measured (H200, November 2026, 8192 x 8192, masked template, `tensor-wgmma`, whole match): 0.987
// ms at n = 32 and 1.985 ms at n = 64; 1.287 and 2.281 ms while the sums of doubtful windows were
// passed by reference, which stored 96 bytes of local memory per thread and map row.
#include "cuda/score/masked_score_u8.cuh"
#include "cuda/score/masked_score_u8.h"

#include "cuda/runtime/handles.h"

namespace xncc {

namespace {

constexpr int THREADS = 128;
constexpr int SPAN = 4; // adjacent windows per thread

// A sum of a thread's windows. Streaming loads: each value is used once.
struct Words {
    uint32_t v[SPAN];

    Words() = default;
    // from: nullptr for a sum that is not needed
    __device__ Words(const uint32_t *from, int64_t at) : v()
    {
        if (!from)
            return;
        uint4 u = __ldcs(reinterpret_cast<const uint4 *>(from + at));
        v[0] = u.x;
        v[1] = u.y;
        v[2] = u.z;
        v[3] = u.w;
    }
};

// y0: first map row of the launch.
template <bool VARIES, bool CENTRED_ROOT>
__global__
__launch_bounds__(THREADS) void score_products(const __grid_constant__ MaskedScoreJob job, int y0)
{
    const int x = (blockIdx.x * THREADS + threadIdx.x) * SPAN,
              y = y0 + static_cast<int>(blockIdx.y);
    if (x >= job.width)
        return;
    const int64_t at = y * job.pitch + x; // rows of sums are padded
    const Words X(job.X, at), S(job.S, at), Q0(job.Q[0], at), Q1(job.Q[1], at);
    Words N, T, T0, T1;
    if (VARIES) {
        N = Words(job.N, at);
        T = Words(job.T, at);
        T0 = Words(job.T2[0], at);
        T1 = Words(job.T2[1], at);
    }
    float score[SPAN];
    MaskedSums sums[SPAN];
    unsigned doubts = 0;
#pragma unroll
    for (int i = 0; i < SPAN; i++) {
        sums[i] = { VARIES ? N.v[i] : job.n,   S.v[i],
                    VARIES ? T.v[i] : job.sum, X.v[i],
                    Q0.v[i] + (Q1.v[i] << 8),  VARIES ? T0.v[i] + (T1.v[i] << 8) : job.sum2 };
        doubts |= masked_score_fast<CENTRED_ROOT>(job, sums[i], &score[i]) ? 0 : 1u << i;
    }
    if (doubts)
#pragma unroll
        for (int i = 0; i < SPAN; i++)
            if (doubts >> i & 1)
                score[i] = masked_score_exact<CENTRED_ROOT>(job, sums[i]);
    float *to = job.map + y * job.map_pitch + x;
    if (x + SPAN <= job.width && reinterpret_cast<uintptr_t>(to) % 16 == 0)
        __stcs(reinterpret_cast<float4 *>(to), make_float4(score[0], score[1], score[2], score[3]));
    else
#pragma unroll
        for (int i = 0; i < SPAN; i++)
            if (x + i < job.width)
                to[i] = score[i];
}

using Kernel = void (*)(MaskedScoreJob, int);

} // namespace

cudaError_t launch_masked_score(const MaskedScoreJob &job, bool varies, cudaStream_t stream)
{
    const bool centred_root = job.method == XNCC_CCOEFF_NORMED;
    const Kernel kernel = varies         ? centred_root ? score_products<true, true>
                                                        : score_products<true, false>
                                  : centred_root ? score_products<false, true>
                                         : score_products<false, false>;
    for (int32_t y0 = 0; y0 < job.height; y0 += UINT16_MAX) {
        const int32_t rows = job.height - y0 < UINT16_MAX ? job.height - y0 : UINT16_MAX;
        kernel<<<rows_grid(job.width, rows, THREADS * SPAN), THREADS, 0, stream>>>(job, y0);
    }
    return cudaGetLastError();
}

} // namespace xncc
