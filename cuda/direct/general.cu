// SPDX-License-Identifier: BSD-2-Clause
// Kernel `general` for integers: the sums of each window over the pixels that count, and the score
// of math/general_score.h.
//
// Thread mapping: a block of 128 threads has 128 adjacent windows of one map row, one per thread.
// Blocks are numbered row by row along blockIdx.x, `across` blocks per row. For each channel and
// each template row, the block loads 64 template pixels at a time and the 191 image pixels that
// meet them to shared memory, where border, bias and mask have been applied once. Shared memory:
// struct Tile, 1.3 KB. Any compute capability.
#include "cuda/direct/general.h"

#include "cuda/planes/sample_integer.cuh"
#include "cuda/runtime/dispatch.h"

#include "image/samples.h"

namespace xncc {

namespace {

constexpr int THREADS = 128;
constexpr int STRETCH = 64; // template pixels that are loaded at a time

__device__ __forceinline__ xncc_u128 widen(UInt128 v)
{
    return { static_cast<uint64_t>(v >> 64), static_cast<uint64_t>(v) };
}

// The sums of one channel of integers. Wide: the type of the sums of products, 64 or 128 bits; 64
// suffice for samples of up to 16 bits, since n is at most 2^31.
template <class Wide> struct Integers {
    uint64_t S = 0, T = 0;
    Wide Q = 0, X = 0, T2 = 0;

    // Adds a pixel that counts. v: of the image. t: of the template.
    __device__ void add(uint32_t v, uint32_t t)
    {
        S += v;
        T += t;
        Q += uint64_t{ v } * v;
        X += uint64_t{ v } * t;
        T2 += uint64_t{ t } * t;
    }
    // The sums as the score takes them.
    __device__ xncc_general_sums widened() const
    {
        return { S, T, widen(Q), widen(X), widen(T2) };
    }
};

// The shared memory of a block.
struct Tile {
    uint32_t v[THREADS + STRETCH];                            // of the image
    uint32_t t[STRETCH];                                      // of the template
    uint8_t counts[THREADS + STRETCH], templ_counts[STRETCH]; // 1 where a pixel counts
};

// Sample i of a row, biased.
template <xncc_pixel PIXEL> __device__ uint32_t sample_of(const void *row, int64_t i)
{
    return static_cast<uint32_t>(xncc_sample(PIXEL, row, i));
}

// The progress of a block.
struct At {
    int x, y;  // its first window
    int j;     // the template row
    int i;     // the first template pixel of the stretch
    int count; // template pixels in the stretch
    int channel;
};

// Loads a stretch of the template and the image pixels that it meets.
template <xncc_pixel PIXEL> __device__ void fill(const PixelsJob &job, const At &at, Tile *tile)
{
    xncc_image image = job.image;
    image.pixel = PIXEL; // a constant for the compiler
    const int64_t line = xncc_border_index(job.border, job.y + at.y + at.j, image.height);
    const unsigned char *row = static_cast<const unsigned char *>(image.data) +
                               (line < 0 ? 0 : line) * image.pitch;
    const uint8_t *mask = image.mask ? image.mask + (line < 0 ? 0 : line) * image.mask_pitch
                                     : nullptr;
    for (int k = static_cast<int>(threadIdx.x); k < THREADS - 1 + at.count; k += THREADS) {
        const int64_t column = xncc_border_index(job.border, job.x + at.x + at.i + k, image.width);
        const bool inside = line >= 0 && column >= 0;
        tile->counts[k] = inside ? xncc_pixel_counts(&image, job.channels, row, mask, column) != 0
                                 : job.border == XNCC_BORDER_ZERO;
        tile->v[k] = inside ? sample_of<PIXEL>(row, column * job.channels + at.channel)
                            : static_cast<uint32_t>(xncc_pixel_bias(PIXEL));
    }
    const int64_t first = static_cast<int64_t>(at.j) * job.templ_width + at.i;
    for (int k = static_cast<int>(threadIdx.x); k < at.count; k += THREADS) {
        tile->templ_counts[k] = job.mask ? job.mask[first + k] : 1;
        tile->t[k] = sample_of<xncc_pixel_stored(PIXEL)>(
            job.pixels + at.j * job.pitch,
            static_cast<int64_t>(at.i + k) * job.channels + at.channel);
    }
}

template <xncc_pixel PIXEL>
__global__ __launch_bounds__(THREADS) void match_pixels(const __grid_constant__ PixelsJob job,
                                                        int across)
{
    using Wide = std::conditional_t<xncc_pixel_is_wide(PIXEL), UInt128, uint64_t>;
    __shared__ Tile tile;
    At at = {};
    at.y = static_cast<int>(blockIdx.x / static_cast<unsigned>(across));
    at.x = static_cast<int>(blockIdx.x % static_cast<unsigned>(across)) * THREADS;
    const int own = static_cast<int>(threadIdx.x), x = at.x + own;
    xncc_general general = {};
    uint32_t n = 0;
    for (at.channel = 0; at.channel < job.channels; at.channel++) {
        Integers<Wide> sums;
        for (at.j = 0; at.j < job.templ_height; at.j++) {
            for (at.i = 0; at.i < job.templ_width; at.i += STRETCH) {
                at.count = min(job.templ_width - at.i, STRETCH);
                __syncthreads();
                fill<PIXEL>(job, at, &tile);
                __syncthreads();
                for (int k = 0; k < at.count; k++)
                    if (tile.templ_counts[k] && tile.counts[own + k]) {
                        sums.add(tile.v[own + k], tile.t[k]);
                        n += at.channel == 0;
                    }
            }
        }
        if (at.channel == 0)
            general = xncc_general_begin(n);
        const xncc_general_sums all = sums.widened();
        xncc_general_add(&general, &all, job.rule.bias);
    }
    if (x < job.width)
        job.map[at.y * job.map_pitch + x] = xncc_general_score(job.method, &job.rule, &general);
}

template <xncc_pixel PIXEL> void launch(const PixelsJob &job, cudaStream_t stream)
{
    const int across = ceil_div(job.width, THREADS);
    each_part(job, across, 1, [&](const PixelsJob &some, dim3 grid) {
        match_pixels<PIXEL><<<grid, THREADS, 0, stream>>>(some, across);
    });
}

} // namespace

cudaError_t launch_pixels(const PixelsJob &job, cudaStream_t stream)
{
    if (job.shared_bytes)
        return job.varies ? launch_small_masked(job, stream) : launch_small_floats(job, stream);
    if (xncc_pixel_is_float(job.image.pixel))
        return launch_float_pixels(job, stream);
    with_any_pixel(job.image.pixel, [&](auto type) {
        if constexpr (!xncc_pixel_is_float(type))
            launch<type>(job, stream);
    });
    return cudaGetLastError();
}

cudaError_t small_pixels_set_max_shared_memory(bool varies, int bytes)
{
    return varies ? small_masked_set_max_shared_memory(bytes)
                  : small_floats_set_max_shared_memory(bytes);
}

} // namespace xncc
