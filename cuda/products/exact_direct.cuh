// SPDX-License-Identifier: BSD-2-Clause
// X of small templates, for exact_sums.cu: products of integers, without transforms. Samples of at
// most 53 bits are cut into two signed limbs, of 26 and 27 bits, those of at most 64 bits into
// three, of 26, 26 and 12. With templates of up to 16 x 16 pixels, the sum of a weight has at most
// 256 products of 54 bits, 512 of 53, or 768 of 52, so that it is below 2^63.
//
// Thread mapping: a block of 512 threads has a tile of 64 x 32 windows at a time, a thread EACH
// windows, one below the other. The template's rows are padded with zeros to whole groups of GROUP.
// Shared memory: at most 50 KB.
#ifndef XNCC_CUDA_PRODUCTS_EXACT_DIRECT_CUH
#define XNCC_CUDA_PRODUCTS_EXACT_DIRECT_CUH

#include "cuda/products/exact_planes.cuh"

namespace xncc {

constexpr int LIMB_BITS = 26, DIRECT_SIDE = 16; // the latter of a template

// The limbs of a sample of so many bits, or 0 if they would be too many.
static __device__ int limbs_for(int bits)
{
    return bits <= 2 * LIMB_BITS + 1 ? 2 : bits <= 64 ? 3 : 0;
}

template <int LIMBS> struct DirectTile {
    static constexpr int WIDTH = 64, EACH = 4, HEIGHT = THREADS / WIDTH * EACH, GROUP = 8;
    static constexpr int WEIGHTS = 2 * LIMBS - 1;
    static constexpr int PITCH = WIDTH + DIRECT_SIDE - 1, ROWS = HEIGHT + DIRECT_SIDE - 1;
    static constexpr int SAMPLES = ROWS * PITCH, OF_TEMPL = DIRECT_SIDE * DIRECT_SIDE;
    static_assert((SAMPLES + OF_TEMPL) * LIMBS * sizeof(int32_t) <= XNCC_SPLIT_SHARED,
                  "there is less room");

    // Limb l of sample i is at l * SAMPLES + i, and that of the template at l * OF_TEMPL + i: row
    // by row, and column by column.
    static __device__ int32_t *samples()
    {
        extern __shared__ __align__(16) unsigned char memory[];
        return reinterpret_cast<int32_t *>(memory);
    }
    static __device__ int32_t *templ()
    {
        return samples() + LIMBS * SAMPLES;
    }
    static __device__ __forceinline__ void put(int32_t *to, int step, const Integer &v)
    {
        const uint64_t size = shifted(v.mantissa, v.place);
#pragma unroll
        for (int l = 0; l < LIMBS; l++) {
            const uint64_t from = size >> LIMB_BITS * l,
                           part = l == LIMBS - 1 ? from : from & ((1u << LIMB_BITS) - 1);
            to[l * step] = v.negative ? -static_cast<int32_t>(part) : static_cast<int32_t>(part);
        }
    }
    static __device__ void load_template(const ExactJob &job, int32_t unit)
    {
        for (int i = static_cast<int>(threadIdx.x); i < OF_TEMPL; i += THREADS) {
            const int x = i / DIRECT_SIDE, y = i % DIRECT_SIDE;
            const double v = x < job.templ.width && y < job.templ.height
                                 ? templ_sample(job, 0, x, y).v
                                 : 0.0;
            put(templ() + i, OF_TEMPL, integer_of(v, unit));
        }
    }
    // The samples under the windows from (x, y) on.
    static __device__ void load(const ExactJob &job, int x, int y, int32_t unit)
    {
        for (int i = static_cast<int>(threadIdx.x); i < SAMPLES; i += THREADS) {
            double v[1];
            load_samples(job, 0, x + i % PITCH, y + i / PITCH, v);
            put(samples() + i, SAMPLES, integer_of(v[0], unit));
        }
    }
    // X of the thread's windows, weight by weight.
    static __device__ __forceinline__ void multiply(const ExactJob &job,
                                                    int64_t (&X)[EACH][WEIGHTS])
    {
        const int own = static_cast<int>(threadIdx.x);
        const int32_t *from = samples() + own / WIDTH * EACH * PITCH + own % WIDTH;
        for (int x = 0; x < job.templ.width; x++)
            for (int y = 0; y < job.templ.height; y += GROUP) {
                int32_t v[EACH + GROUP - 1][LIMBS];
#pragma unroll
                for (int k = 0; k < EACH + GROUP - 1; k++)
#pragma unroll
                    for (int l = 0; l < LIMBS; l++)
                        v[k][l] = from[l * SAMPLES + (y + k) * PITCH + x];
#pragma unroll
                for (int j = 0; j < GROUP; j++)
#pragma unroll
                    for (int m = 0; m < LIMBS; m++) {
                        const int64_t t = templ()[m * OF_TEMPL + x * DIRECT_SIDE + y + j];
#pragma unroll
                        for (int k = 0; k < EACH; k++)
#pragma unroll
                            for (int l = 0; l < LIMBS; l++)
                                X[k][l + m] += t * v[k + j][l];
                    }
            }
    }
};

// X of the windows of a batch.
template <int LIMBS>
__device__ __noinline__ void multiply_limbs(const ExactJob &job, int first, int index)
{
    using Tile = DirectTile<LIMBS>;
    constexpr int WORDS = 6;
    const ExactState &s = *state_of(job);
    const Arena arena(job);
    const int across = ceil_div(job.blocks.step_x, Tile::WIDTH),
              tiles = across * ceil_div(job.blocks.step_y, Tile::HEIGHT),
              own = static_cast<int>(threadIdx.x);
    Tile::load_template(job, s.unit);
    for (int piece = index; piece < tiles * blocks_at(job, first);
         piece += static_cast<int>(gridDim.x)) {
        const int transform = piece / tiles, left = piece % tiles % across * Tile::WIDTH,
                  top = piece % tiles / across * Tile::HEIGHT;
        const int2 start = start_of(job, first + transform);
        if (!has_doubts(job, first + transform) || start.x + left >= job.width ||
            start.y + top >= job.height)
            continue;
        __syncthreads(); // the tile before has been read
        Tile::load(job, start.x + left, start.y + top, s.unit);
        __syncthreads();
        int64_t X[Tile::EACH][Tile::WEIGHTS] = {};
        Tile::multiply(job, X);
        const int x = left + own % Tile::WIDTH, y = top + own / Tile::WIDTH * Tile::EACH;
#pragma unroll
        for (int k = 0; k < Tile::EACH; k++) {
            if (x >= job.blocks.step_x || y + k >= job.blocks.step_y)
                continue;
            uint32_t words[WORDS] = {};
#pragma unroll
            for (int weight = 0; weight < Tile::WEIGHTS; weight++)
                xncc_long_add(words, 1, WORDS, X[k][weight], LIMB_BITS * weight);
            uint32_t *to = arena.sums + transform * windows_of(job) +
                           int64_t{ y + k } * job.blocks.step_x + x;
#pragma unroll
            for (int i = 0; i < WORDS; i++)
                if (i < s.of_X)
                    to[i * arena.windows] = words[i];
        }
    }
}

static __device__ void multiply_directly(const ExactJob &job, int first, int index)
{
    if (state_of(job)->limbs_of_X == 2)
        multiply_limbs<2>(job, first, index);
    else
        multiply_limbs<3>(job, first, index);
}

} // namespace xncc

#endif
