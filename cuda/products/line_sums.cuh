// SPDX-License-Identifier: BSD-2-Clause
// Sums of adjacent points of a line, modulo a prime, by the threads that transform such lines
// (line_fft.cuh). The line is cut into pieces of 16 points, one for each thread. Its first sum is
// made of whole pieces and some points behind them; from one sum to the next, a point enters and
// one leaves.
#ifndef XNCC_CUDA_PRODUCTS_LINE_SUMS_CUH
#define XNCC_CUDA_PRODUCTS_LINE_SUMS_CUH

#include "cuda/products/line_fft.cuh"
#include "cuda/products/root_field.cuh"

namespace xncc {

// What `width` adjacent points add up to, below the prime: sum i begins at point 16 t + i. Sums
// that would reach beyond the line are any numbers. v: the points t + THREADS j, below the prime.
// The room must not be in use. All threads of the block call this together.
template <class Of>
__device__ __forceinline__ void sum_adjacent(const uint2 (&v)[Of::EACH], uint2 *room, int t,
                                             int width, const RootField &field,
                                             uint2 (&sums)[Of::EACH])
{
    constexpr int EACH = Of::EACH, PITCH = EACH + 1; // behind a piece, its sum
    static_assert(Of::THREADS * PITCH <= Of::ROOM, "the line has less room");
    const auto place = [](int point) { return point + point / EACH; };
#pragma unroll
    for (int j = 0; j < EACH; j++)
        room[place(t + j * Of::THREADS)] = v[j];
    __syncthreads();
    uint2 *own = room + t * PITCH;
    uint2 sum = own[0];
#pragma unroll
    for (int i = 1; i < EACH; i++)
        sum = field.plus(sum, own[i]); // below 16 primes
    own[EACH] = field.whole(sum);
    __syncthreads();
    const int pieces = width / EACH, whole = min(pieces, Of::THREADS - t), last = Of::POINTS - 1;
    unsigned long long x = 0, y = 0;
#pragma unroll 4
    for (int k = 0; k < whole; k++) {
        const uint2 v = own[k * PITCH + EACH];
        x += v.x;
        y += v.y;
    }
#pragma unroll 4
    for (int i = pieces * EACH; i < width; i++) {
        const uint2 v = room[place(min(t * EACH + i, last))];
        x += v.x;
        y += v.y;
    }
    const RootPrime by = RootPrimes::at(field.number);
    sum = make_uint2(by.residue_of(x), by.residue_of(y));
#pragma unroll
    for (int i = 0; i < EACH; i++) {
        sums[i] = sum;
        sum = field.moved(sum, room[place(min(t * EACH + i + width, last))], own[i]);
    }
}

} // namespace xncc

#endif
