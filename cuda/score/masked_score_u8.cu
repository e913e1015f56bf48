// SPDX-License-Identifier: BSD-2-Clause
// Scores of masked 8-bit windows from products of byte planes (masked_score_u8.h); ccoeff_normed:
//
//     score = (N X - S T) / sqrt((N Q - S^2) (N T2 - T^2)),   Q = Q[0] + 2^8 Q[1], and T2 in the
//     same way
//
// The other methods read the sums that they need.
//
// Data mapping: a thread computes 4 adjacent windows, one vector load per sum; 128 threads per
// block; blockIdx.y: map row, or rows of one tile if the best scores of tiles are asked for
// (launches of at most 65535 blocks). Four products in (eight with VARIES), one float out, no
// square root and no division except for windows in doubt. No shared memory; any compute
// capability.
//
// Measured (H200, November 2026, 8192 x 8192, masked template, `tensor-wgmma`, whole match): 0.987
// ms at n = 32 and 1.985 ms at n = 64; 1.287 and 2.281 ms while the sums of doubtful windows were
// passed by reference, which stored 96 bytes of local memory per thread and map row.
#include "cuda/score/masked_score_u8.cuh"
#include "cuda/score/masked_score_u8.h"

#include "cuda/peaks/peak_key.cuh"
#include "cuda/runtime/handles.h"
#include "cuda/runtime/warp.cuh"

namespace xncc {

namespace {

constexpr int THREADS = 128;
constexpr int SPAN = 4; // adjacent windows per thread
// Map rows per block if tiles are asked for: so many, so that few warps raise the same tile.
constexpr int TILE_ROWS = 8;
static_assert(SPAN * WARP_LANES == PEAK_COLUMNS, "a warp's windows are of one tile");

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

// The scores of a thread's windows in a map row. x: the first one, in the map.
template <bool VARIES, bool CENTRED_ROOT>
__device__ __forceinline__ void score_windows(const MaskedScoreJob &job, int x, int y, float *score)
{
    const int64_t at = y * job.pitch + x; // rows of sums are padded
    const Words X(job.X, at), S(job.S, at), Q0(job.Q[0], at), Q1(job.Q[1], at);
    Words N, T, T0, T1;
    if (VARIES) {
        N = Words(job.N, at);
        T = Words(job.T, at);
        T0 = Words(job.T2[0], at);
        T1 = Words(job.T2[1], at);
    }
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
}

// y0: first map row of the launch; ROWS: of a block, TILE_ROWS if tiles are asked for, else 1.
template <bool VARIES, bool CENTRED_ROOT, int ROWS>
__global__
__launch_bounds__(THREADS) void score_products(const __grid_constant__ MaskedScoreJob job, int y0)
{
    const int x = (blockIdx.x * THREADS + threadIdx.x) * SPAN,
              first = y0 + static_cast<int>(blockIdx.y) * ROWS;
    float best = NAN;
#pragma unroll 1
    for (int y = first; y < min(first + ROWS, job.height) && x < job.width; y++) {
        float score[SPAN];
        score_windows<VARIES, CENTRED_ROOT>(job, x, y, score);
        float *to = job.map + y * job.map_pitch + x;
        if (x + SPAN <= job.width && reinterpret_cast<uintptr_t>(to) % 16 == 0)
            __stcs(reinterpret_cast<float4 *>(to),
                   make_float4(score[0], score[1], score[2], score[3]));
        else
#pragma unroll
            for (int i = 0; i < SPAN; i++)
                if (x + i < job.width)
                    to[i] = score[i];
        if constexpr (ROWS > 1)
#pragma unroll
            for (int i = 0; i < SPAN; i++)
                if (x + i < job.width)
                    best = fmaxf(best, score[i] * job.tiles.factor);
    }
    if constexpr (ROWS > 1)
        raise_tile_of_warp<ROWS>(job.tiles, x, first, best);
}

using Kernel = void (*)(MaskedScoreJob, int);

template <int ROWS> Kernel kernel_of(xncc_method method, bool varies)
{
    if (method == XNCC_CCOEFF_NORMED)
        return varies ? score_products<true, true, ROWS> : score_products<false, true, ROWS>;
    return varies ? score_products<true, false, ROWS> : score_products<false, false, ROWS>;
}

} // namespace

cudaError_t launch_masked_score(const MaskedScoreJob &job, bool varies, cudaStream_t stream)
{
    const bool tiles = job.tiles.best != nullptr;
    const Kernel kernel = tiles ? kernel_of<TILE_ROWS>(job.method, varies)
                                : kernel_of<1>(job.method, varies);
    const int32_t rows = tiles ? TILE_ROWS : 1, most = rows * UINT16_MAX;
    for (int32_t y0 = 0; y0 < job.height; y0 += most) {
        const int32_t blocks = ceil_div(job.height - y0 < most ? job.height - y0 : most, rows);
        kernel<<<rows_grid(job.width, blocks, THREADS * SPAN), THREADS, 0, stream>>>(job, y0);
    }
    return cudaGetLastError();
}

} // namespace xncc
