// SPDX-License-Identifier: BSD-2-Clause
// Window sums and scores in one pass over the image and X, for 8-bit windows up to 384 pixels wide
// (score_u8.h); ccoeff_normed:
//
//     score = (n X - S sumT) / (sqrt(n Q - S^2) * root_var)
//
// and by the other methods up to 128 pixels wide. Only the sums that a method needs are made: for
// ccorr without a bias none, and then no image row is read.
//
// Data mapping: a block of four warps walks down a segment of a strip of 512 map columns, four map
// rows per batch, as strip_windows.cuh describes: one warp per map row for the prefix sums along
// the row, then four adjacent columns per thread for windows and scores. A lane sums an odd number
// of words (WORDS: 5 for windows up to 128 wide, 7 up to 384), so that 16-byte accesses to shared
// memory have no bank conflicts. Image rows come through shared memory by asynchronous copies, one
// batch ahead; X is loaded into registers before the sums. blockIdx.x: strip; blockIdx.y: segment;
// blockIdx.z: template (tiles only).
//
// Resources: static shared memory 30,848 bytes (5 words) or 43,136 bytes (7 words); 5 or 4 blocks
// of 128 threads per multiprocessor (__launch_bounds__), so at most 96 or 128 registers per thread.
// Spilled registers are expensive, because most of the first-level cache is shared memory here.
//
// Template parameters: Arith, the method and the arithmetic of the score (score_arith.cuh); WORDS;
// SHIFT, the window's width modulo 4; Output, what is made of the sums.
//
// Preconditions: window width and sums fit (xncc_tensor_scores); image planes have whole 16-byte
// pieces. Compute capability 8.0 (cp.async); below it the kernels are empty.
//
// Measured (H200, November 2026, 8192 x 8192): 0.184 ms at n = 8 and 0.195 ms at n = 64, against
// 0.38 ms at n = 64 for the first version with 64-bit products (41 instead of 85 instructions per
// element). In pairs of floats 0.231 to 0.233 ms. Windows 256 wide: 6.37 ms for the whole match,
// against 7.73 ms with the passes of the other kernels.
#include "cuda/score/tile_best.cuh"
#include "cuda/runtime/warp.cuh"

namespace xncc {

namespace {

// Blocks per multiprocessor.
constexpr int blocks_of(int words)
{
    return words == WORDS ? 5 : 4;
}

template <int WORDS> struct Shared : StripPrefixes<WORDS> {
    // Image rows: per warp, this batch and the next, lead and lag row.
    alignas(16) unsigned char pixels[WARPS][2][2][StripPrefixes<WORDS>::COLUMNS];
};

// Walks down map rows y0 .. y1 - 1 of the block's strip. X may still be being written when this
// begins (pdl.cuh): it is read only after wait_for_front().
template <class Arith, int WORDS, int SHIFT, class Output>
__device__ void walk(const Job &job, Shared<WORDS> &shared, Output output, int y0, int y1)
{
    constexpr int COLUMNS = Span<WORDS>::COLUMNS;
    constexpr bool SUMS = Arith::OF_S || Arith::OF_Q;
    const int own = Adjacent::first(), x = first_column() + own, lane = threadIdx.x % WARP_LANES,
              warp = threadIdx.x / WARP_LANES;
    const int distance = job.all.window_width - SHIFT;
    RowLoader<WORDS> rows(job.all.image, job.all.window_width, job.all.window_height,
                          &shared.pixels[warp][0][0][0], first_column(), y0);
    typename Arith::Sum s[4] = {}, q[4] = {};
    if constexpr (SUMS) {
        rows.fetch(job);
        sum_first_windows<WORDS>(job, shared, first_column(), y0);
        load_first_windows<Arith, Adjacent>(job, shared, s, q);
    }
    const uint32_t *now = reinterpret_cast<const uint32_t *>(
                       &shared.pixels[warp][0][0][4 * WORDS * lane]),
                   *next = now + COLUMNS / 2;
    // nothing has left the first window, and that is not to be flipped
    uint32_t lag_flip = warp == 0 ? 0 : job.all.image.flip;
    wait_for_front();
    const int64_t sums_pitch = job.all.sums_pitch;
    const uint32_t *sums = output.sums(job) + y0 * sums_pitch + x;
    for (int left = y1 - y0; left > 0; left -= ROWS, sums += ROWS * sums_pitch) {
        uint4 products[ROWS] = {};
        if constexpr (Output::FROM_PRODUCTS)
#pragma unroll
            for (int r = 0; r < ROWS; r++)
                products[r] = __ldcs(reinterpret_cast<const uint4 *>(sums + r * sums_pitch));
        if constexpr (SUMS) {
            uint32_t lead[WORDS], lag[WORDS];
            asm volatile("cp.async.wait_group 0;" ::: "memory");
            __syncwarp();
#pragma unroll
            for (int i = 0; i < WORDS; i++) {
                lead[i] = now[i] ^ job.all.image.flip;
                lag[i] = now[COLUMNS / 4 + i] ^ lag_flip;
            }
            lag_flip = job.all.image.flip;
            const uint32_t *t = now;
            now = next;
            next = t;
            rows.fetch(job);
            prefix_row<Arith, WORDS>(lead, lag, &shared.s[warp][4 * WORDS * lane],
                                     &shared.q[warp][4 * WORDS * lane]);
            __syncthreads();
        }
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            slide_windows<Arith, Adjacent, SHIFT>(s, q, shared, r, own, distance);
            const uint32_t product[4] = { products[r].x, products[r].y, products[r].z,
                                          products[r].w };
            output.score_row(job, s, q, product, x, left > r);
        }
        output.end_batch(job, shared, s, q, StoredProducts(), x, y1 - left, left);
    }
    asm volatile("cp.async.wait_group 0;" ::: "memory");
}

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 1000
#pragma nv_diag_suppress 177 // write_terms is empty there, so TermsOutput has no caller
#endif

// Output class (strip_windows.cuh): writes the windows' terms. Rows of terms have room for whole
// strips; columns right of the map get 0.
struct TermsOutput {
    static constexpr bool FROM_PRODUCTS = false;
    WindowTerms *to;

    __device__ TermsOutput(const Job &job, WindowTerms *terms, int x, int y)
        : to(terms + y * job.all.sums_pitch + x)
    {
    }
    __device__ const uint32_t *sums(const Job &job) const
    {
        return job.all.sums;
    }
    __device__ __forceinline__ void score_row(const Job &job, const double *s, const double *q,
                                              const uint32_t *, int x, bool inside)
    {
        uint32_t terms[8];
#pragma unroll
        for (int i = 0; i < 4; i++) {
            const bool has = x + i < job.all.width;
            terms[2 * i] = has ? low_word(s[i]) : 0;
            terms[2 * i + 1] = has ? static_cast<uint32_t>(
                                         Fp64::root_key(job, __dadd_rn(s[i], -LIFT), q[i]))
                                   : 0;
        }
        if (inside) {
            reinterpret_cast<uint4 *>(to)[0] = make_uint4(terms[0], terms[1], terms[2], terms[3]);
            reinterpret_cast<uint4 *>(to)[1] = make_uint4(terms[4], terms[5], terms[6], terms[7]);
        }
        to += job.all.sums_pitch;
    }
    template <int WORDS>
    __device__ void end_batch(const Job &, const StripPrefixes<WORDS> &, const double *,
                              const double *, const StoredProducts &, int, int, int)
    {
    }
};

// The scores of a band.
template <class Arith, int WORDS, int SHIFT>
__global__ __launch_bounds__(THREADS,
                             blocks_of(WORDS)) void score_map(const __grid_constant__ Job job)
{
#if __CUDA_ARCH__ >= 800
    __shared__ Shared<WORDS> shared;
    const int y0 = first_row(job), y1 = min(y0 + job.segment, job.all.height);
    if (job.all.skip) {
        let_next_begin();
        wait_for_front();
    }
    if constexpr (Arith::IS_BUILT)
        if (y0 < y1 && !(job.all.skip && *job.all.skip))
            walk<Arith, WORDS, SHIFT>(
                job, shared,
                MapOutput<Arith, Adjacent>(job, first_column() + Adjacent::first(), y0), y0, y1);
#endif
}

// The best score of each tile. Searches go without a map only if windows are at most 128 wide
// (xncc_cuda_is_one_pass).
template <class Arith, int SHIFT>
__global__ __launch_bounds__(THREADS,
                             blocks_of(WORDS)) void score_tiles(const __grid_constant__ TilesJob of)
{
#if __CUDA_ARCH__ >= 800
    __shared__ Shared<WORDS> shared;
    const int y0 = first_row(of.job), y1 = min(y0 + of.job.segment, of.job.all.height);
    if constexpr (Arith::IS_BUILT)
        if (y0 < y1)
            walk<Arith, WORDS, SHIFT>(of.job, shared,
                                      TilesOutput<Arith, Adjacent>(
                                          of.job, of.tiles, first_column() + Adjacent::first(), y0),
                                      y0, y1);
#endif
}

struct TermsJob {
    Job job;
    WindowTerms *terms;
};

// The terms of the windows. Only the matrix products of devices of capability 9.0 use them, and
// those do not run code for later ones.
template <int SHIFT>
__global__ __launch_bounds__(THREADS,
                             blocks_of(WORDS)) void write_terms(const __grid_constant__ TermsJob of)
{
#if __CUDA_ARCH__ >= 800 && __CUDA_ARCH__ < 1000
    __shared__ Shared<WORDS> shared;
    const int y0 = first_row(of.job), y1 = min(y0 + of.job.segment, of.job.all.height);
    if (y0 < y1)
        walk<Fp64, WORDS, SHIFT>(
            of.job, shared, TermsOutput(of.job, of.terms, first_column() + Adjacent::first(), y0),
            y0, y1);
#endif
}

using MapKernel = void (*)(Job);
using TilesKernel = void (*)(TilesJob);
using TermsKernel = void (*)(TermsJob);

// Words per lane for a window width.
int words_of(const TensorScoreJob &all)
{
    return all.window_width <= XNCC_TENSOR_WIDTH ? WORDS : WIDE_WORDS;
}

template <class Arith> MapKernel map_kernel(const TensorScoreJob &all)
{
    return with_one_of<0, 1, 2, 3>(all.window_width % Adjacent::STEP, [&](auto shift) -> MapKernel {
        if constexpr (Arith::WIDE)
            if (words_of(all) == WIDE_WORDS)
                return score_map<Arith, WIDE_WORDS, shift>;
        return score_map<Arith, WORDS, shift>;
    });
}

template <class Arith> TilesKernel tiles_kernel(const TensorScoreJob &all)
{
    return with_one_of<0, 1, 2, 3>(
        all.window_width % Adjacent::STEP,
        [](auto shift) -> TilesKernel { return score_tiles<Arith, shift>; });
}

// Shared memory of a multiprocessor that no thread block has, and that each one has besides.
constexpr int RESERVED = 1024;

// Dynamic shared memory without a use of its own. Kernels without window sums take so few registers
// that more than blocks_of() blocks fit. Those that are launched early begin where the products
// have ended, and the first multiprocessors that are free would take more than their share.
template <class Arith> size_t ballast(const TensorScoreJob &all)
{
    constexpr int WITHOUT_REQUEST = 48 * 1024, GRAIN = 128;
    if (Arith::OF_S || Arith::OF_Q || !all.pdl)
        return 0;
    const int share = (all.shared_most + RESERVED) / blocks_of(WORDS) - RESERVED;
    return static_cast<size_t>(min(share, WITHOUT_REQUEST) / GRAIN * GRAIN);
}

// Asks for shared memory for blocks_of() blocks, so that more of them do not take it from the
// cache.
template <class Arith> cudaError_t prefer_cache(const TensorScoreJob &all, MapKernel kernel)
{
    if (!Arith::OF_S && !Arith::OF_Q)
        return cudaSuccess;
    const size_t each = words_of(all) == WORDS ? sizeof(Shared<WORDS>) : sizeof(Shared<WIDE_WORDS>);
    const int bytes = blocks_of(words_of(all)) * (static_cast<int>(each) + RESERVED);
    return cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout,
                                min(100, ceil_div(100 * bytes, all.shared_most + RESERVED)));
}

// A kernel and its dynamic shared memory.
template <class Kernel> struct Choice {
    Kernel kernel;
    size_t shared;
};

} // namespace

cudaError_t score_u8_prefer_cache(const TensorScoreJob &all)
{
    return with_arithmetic(all, [&](auto arith) {
        using Arith = decltype(arith);
        return prefer_cache<Arith>(all, map_kernel<Arith>(all));
    });
}

cudaError_t score_u8_launch(const TensorScoreJob &all, int processors, cudaStream_t stream)
{
    Job job = make_job(all, Adjacent::STEP);
    dim3 grid = cut_strips(&job, processors, blocks_of(words_of(all)));
    const auto choice = with_arithmetic(all, [&](auto arith) {
        using Arith = decltype(arith);
        return Choice<MapKernel>{ map_kernel<Arith>(all), ballast<Arith>(all) };
    });
    return launch(choice.kernel, grid, THREADS, choice.shared, stream, all.pdl, job);
}

cudaError_t score_u8_tiles_launch(const TensorScoreJob &all, const TensorTiles &tiles,
                                  int processors, cudaStream_t stream)
{
    TilesJob of = { make_job(all, Adjacent::STEP), tiles };
    const dim3 grid = cut_tiles(&of, processors, blocks_of(WORDS));
    const auto choice = with_arithmetic(all, [&](auto arith) {
        using Arith = decltype(arith);
        return Choice<TilesKernel>{ tiles_kernel<Arith>(all), ballast<Arith>(all) };
    });
    return launch(choice.kernel, grid, THREADS, choice.shared, stream, all.pdl, of);
}

cudaError_t score_u8_terms_launch(const TensorScoreJob &all, WindowTerms *terms, int processors,
                                  cudaStream_t stream)
{
    const TermsKernel kernel = with_one_of<0, 1, 2, 3>(
        all.window_width % Adjacent::STEP,
        [](auto shift) -> TermsKernel { return write_terms<shift>; });
    TermsJob of = { make_job(all, Adjacent::STEP), terms };
    const dim3 grid = cut_strips(&of.job, processors, blocks_of(WORDS));
    return launch(kernel, grid, THREADS, 0, stream, false, of);
}

} // namespace xncc
