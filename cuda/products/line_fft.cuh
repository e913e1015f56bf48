// SPDX-License-Identifier: BSD-2-Clause
// Transforms of a line of 256 R points, R = 2, 4, 8 or 16, by 16 R threads of 16 points each. With
//
//     x = t + 16 R j,   t = k + R i,   f = q + 16 (r + 16 p),   i, j, q, r < 16,   k, p < R
//
// a transform is three steps with a multiplication between:
//
//     X[f] = sum over k of wR^(k p) * (w16R^(k r) * sum over i of w16^(i r)
//                (wN^(t q) * sum over j of w16^(j q) x[t + 16 R j]))
//
// Before it, thread t has the points t + 16 R j; behind it, with q = t / R and c = t % R, the
// points q + 16 (c + R i) + 256 p, at i R + p. The transform back takes the steps backwards, and
// has no factor. Between the steps points move through shared memory: first among all threads of
// the line, then among R adjacent ones, which are in one warp. The points are complex numbers, or
// of another field (radix.cuh).
#ifndef XNCC_CUDA_PRODUCTS_LINE_FFT_CUH
#define XNCC_CUDA_PRODUCTS_LINE_FFT_CUH

#include "cuda/products/radix.cuh"

namespace xncc {

// No device before compute capability 8.0 has the shared memory of kernels with such lines. There
// the kernels are empty, since the passes take minutes to compile.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
constexpr bool LINES_BUILT = false;
#else
constexpr bool LINES_BUILT = true;
#endif

template <int R, class Field = Complex> struct Line {
    using Point = typename Field::Point;
    using Turn = typename Field::Turn;
    static constexpr int POINTS = 256 * R, THREADS = 16 * R, EACH = 16;
    // Of an r and of a q in shared memory: nearly free of bank conflicts.
    static constexpr int SHORT = R == 2 ? 2 : R + 1,
                         PITCH = R == 2 ? 34 : 16 * SHORT + Field::APART * R;
    static constexpr int ROOM = EACH * PITCH; // points of shared memory

    // Where a line in its natural order has point f in shared memory.
    static __device__ __forceinline__ int at(int f)
    {
        return f + f / 16;
    }
    // The frequency of a thread's point i behind the transform.
    static __device__ __forceinline__ int frequency(int t, int i)
    {
        return t / R + 16 * (t % R + i / R * R) + 256 * (i % R);
    }

    // The last step forward, the first one back.
    template <bool BACK>
    static __device__ __forceinline__ void short_ones(Point (&v)[EACH], const Field &f)
    {
        if constexpr (R == 16) {
            sixteen<BACK>(v, f);
        } else {
#pragma unroll
            for (int i = 0; i < EACH; i += R) {
                Point part[R];
#pragma unroll
                for (int k = 0; k < R; k++)
                    part[k] = v[i + k];
                if constexpr (R == 8) {
                    eight<BACK>(part, f);
                } else if constexpr (R == 4) {
                    four<BACK>(part[0], part[1], part[2], part[3], f);
                } else {
                    const Point first = part[0];
                    part[0] = f.plus(first, part[1]);
                    part[1] = f.template less<2>(first, part[1]);
                }
#pragma unroll
                for (int k = 0; k < R; k++)
                    v[i + k] = part[k];
            }
        }
    }

    // Plain loads: through the read-only cache, factors would be kept in registers for the next
    // time.
    template <bool BACK>
    static __device__ __forceinline__ void turn(Point (&v)[EACH], const Turn *turns, int step,
                                                const Field &f)
    {
        v[0] = f.settled(v[0]);
#pragma unroll
        for (int i = 1; i < EACH; i++) {
            if (i % 5 == 0)
                __syncwarp(); // fewer factors at a time
            v[i] = f.template turned<BACK>(v[i], turns[i * step]);
        }
    }

    // The room must not be in use. All threads of the block call this together.
    static __device__ __forceinline__ void forward(Point (&v)[EACH], Point *room, int t,
                                                   const Turn *turns, const Field &f = Field())
    {
        Point *own = room + t / R * PITCH;
        const int k = t % R;
        sixteen<false>(v, f);
        turn<false>(v, turns + t, THREADS, f);
#pragma unroll
        for (int q = 0; q < EACH; q++)
            room[q * PITCH + t] = v[q];
        __syncthreads();
#pragma unroll
        for (int i = 0; i < EACH; i++)
            v[i] = own[k + R * i];
        sixteen<false>(v, f);
        turn<false>(v, turns + POINTS + k, R, f);
        __syncwarp();
#pragma unroll
        for (int r = 0; r < EACH; r++)
            own[r * SHORT + k] = v[r];
        __syncwarp();
#pragma unroll
        for (int i = 0; i < EACH; i++)
            v[i] = own[(k + i / R * R) * SHORT + i % R];
        short_ones<false>(v, f);
    }

    // Only the warps that share a q may still read from the room. All threads of the block call
    // this together.
    static __device__ __forceinline__ void back(Point (&v)[EACH], Point *room, int t,
                                                const Turn *turns, const Field &f = Field())
    {
        Point *own = room + t / R * PITCH;
        const int k = t % R;
        short_ones<true>(v, f);
        __syncwarp();
#pragma unroll
        for (int i = 0; i < EACH; i++)
            own[(k + i / R * R) * SHORT + i % R] = v[i];
        __syncwarp();
#pragma unroll
        for (int r = 0; r < EACH; r++)
            v[r] = own[r * SHORT + k];
        turn<true>(v, turns + POINTS + k, R, f);
        sixteen<true>(v, f);
        __syncwarp();
#pragma unroll
        for (int i = 0; i < EACH; i++)
            own[k + R * i] = v[i];
        __syncthreads();
#pragma unroll
        for (int q = 0; q < EACH; q++)
            v[q] = room[q * PITCH + t];
        turn<true>(v, turns + t, THREADS, f);
        sixteen<true>(v, f);
    }
};

// The factors of a line of `side` points: wN^(t q) at q * side / 16 + t, and w16R^(k r) behind
// them. Factor i is the root of 1 of order `side` to the power of this exponent.
static __device__ __forceinline__ int turn_exponent(int side, int i)
{
    const int step = side / 16, radix = side / 256, more = i - side;
    return more < 0 ? i / step * (i % step) : 16 * (more / radix * (more % radix));
}

// Calls a function with R of a side of 256 R points as a constant; MOST: the largest R.
template <int MOST, class Function>
__device__ __forceinline__ void of_side(int32_t side, const Function &function)
{
    switch (side / 256) {
    case 2: function(std::integral_constant<int, 2>()); break;
    case 4: function(std::integral_constant<int, 4>()); break;
    case 8: function(std::integral_constant<int, 8>()); break;
    case 16:
        if constexpr (MOST == 16)
            function(std::integral_constant<int, 16>());
        break;
    }
}

} // namespace xncc

#endif
