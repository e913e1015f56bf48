// Window sums and ccoeff_normed in one pass over the image and X, for 8-bit windows up to 384
// pixels wide.
//
// A block walks down a strip of 512 columns, four rows at a time. First each of its warps takes one
// row: what the window's lower edge brings in (`lead`) less what its upper edge leaves (`lag`),
// summed along the row, once as it is and once squared. A lane has an odd number of words, so that
// 16-byte accesses to shared memory do not conflict. Then each thread slides the windows of four
// columns down the four rows: the difference of two prefixes is a window's change. All of it wraps
// modulo 2^32, which is exact because S and Q fit. `Route` (score_arith.cuh) is the way from the
// sums to a score.
#include "cuda/score/tile_best.cuh"

namespace xncc {

namespace {

constexpr int blocks_of(int words) // a multiprocessor
{
    return words == WORDS ? 5 : 4;
}

template <int WORDS> struct Shared : Windows<WORDS> {
    alignas(
        16) unsigned char pixels[WARPS][2][2][Windows<WORDS>::COLUMNS]; // of lead and lag, this
                                                                        // batch's and the next's
};

template <class Arith, int WORDS, int SHIFT, class Output>
__device__ void walk(const Job &job, Shared<WORDS> &shared, Output output, int y0, int y1)
{
    constexpr int COLUMNS = Span<WORDS>::COLUMNS;
    const int own = Adjacent::first(), x = first_column() + own, lane = threadIdx.x % LANES,
              warp = threadIdx.x / LANES;
    const int distance = job.all.window_width - SHIFT;
    Rows<WORDS> rows(job, job.all.image, &shared.pixels[warp][0][0][0], first_column(), y0);
    rows.fetch(job);
    start<WORDS>(job, shared, first_column(), y0);
    typename Arith::Sum s[4], q[4];
    lift_started<Arith, Adjacent>(job, shared, s, q);
    const uint32_t *now = reinterpret_cast<const uint32_t *>(
                       &shared.pixels[warp][0][0][4 * WORDS * lane]),
                   *next = now + COLUMNS / 2;
    wait_for_front();
    const int64_t sums_pitch = job.all.sums_pitch;
    const uint32_t *sums = output.sums(job) + y0 * sums_pitch + x;
    for (int left = y1 - y0; left > 0; left -= ROWS, sums += ROWS * sums_pitch) {
        uint4 products[ROWS] = {};
        if constexpr (Output::FROM_PRODUCTS)
#pragma unroll
            for (int r = 0; r < ROWS; r++)
                products[r] = __ldcs(reinterpret_cast<const uint4 *>(sums + r * sums_pitch));
        uint32_t lead[WORDS], lag[WORDS];
        asm volatile("cp.async.wait_group 0;" ::: "memory");
        __syncwarp();
#pragma unroll
        for (int i = 0; i < WORDS; i++) {
            lead[i] = now[i];
            lag[i] = now[COLUMNS / 4 + i];
        }
        const uint32_t *t = now;
        now = next;
        next = t;
        rows.fetch(job);
        sum_row<WORDS>(lead, lag, &shared.s[warp][4 * WORDS * lane],
                       &shared.q[warp][4 * WORDS * lane]);
        __syncthreads();
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            slide<Arith, Adjacent, SHIFT>(s, &shared.s[r][own], distance);
            slide<Arith, Adjacent, SHIFT>(q, &shared.q[r][own], distance);
            const uint32_t product[4] = { products[r].x, products[r].y, products[r].z,
                                          products[r].w };
            output.row(job, s, q, product, x, left > r);
        }
        output.batch(job, shared, s, q, Stored(), x, y1 - left, left);
    }
    asm volatile("cp.async.wait_group 0;" ::: "memory");
}

// What becomes of the sums alone. Rows of terms have room for whole strips; columns right of the
// map get 0.
struct ToTerms {
    static constexpr bool FROM_PRODUCTS = false;
    WindowTerms *to;

    __device__ ToTerms(const Job &job, WindowTerms *terms, int x, int y)
        : to(terms + y * job.all.sums_pitch + x)
    {
    }
    __device__ const uint32_t *sums(const Job &job) const
    {
        return job.all.sums;
    }
    __device__ __forceinline__ void row(const Job &job, const double *s, const double *q,
                                        const uint32_t *, int x, bool inside)
    {
        uint32_t terms[8];
#pragma unroll
        for (int i = 0; i < 4; i++) {
            const bool has = x + i < job.all.width;
            terms[2 * i] = has ? value(s[i]) : 0;
            terms[2 * i + 1] = has ? static_cast<uint32_t>(
                                         Fp64::root(job, __dadd_rn(s[i], -LIFT), q[i]))
                                   : 0;
        }
        if (inside) {
            reinterpret_cast<uint4 *>(to)[0] = make_uint4(terms[0], terms[1], terms[2], terms[3]);
            reinterpret_cast<uint4 *>(to)[1] = make_uint4(terms[4], terms[5], terms[6], terms[7]);
        }
        to += job.all.sums_pitch;
    }
    template <int WORDS>
    __device__ void batch(const Job &, const Windows<WORDS> &, const double *, const double *,
                          const Stored &, int, int, int)
    {
    }
};

template <class Arith, int WORDS, int SHIFT, bool VECTOR>
__global__ __launch_bounds__(THREADS,
                             blocks_of(WORDS)) void slide_windows(const __grid_constant__ Job job)
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
                ToMap<Arith, Adjacent, VECTOR>(job, first_column() + Adjacent::first(), y0), y0,
                y1);
#endif
}

template <class Arith, int WORDS, int SHIFT>
__global__ __launch_bounds__(THREADS,
                             blocks_of(WORDS)) void bound_tiles(const __grid_constant__ TilesJob of)
{
#if __CUDA_ARCH__ >= 800
    __shared__ Shared<WORDS> shared;
    const int y0 = first_row(of.job), y1 = min(y0 + of.job.segment, of.job.all.height);
    if constexpr (Arith::IS_BUILT)
        if (y0 < y1)
            walk<Arith, WORDS, SHIFT>(of.job, shared, ToTiles<Arith, Adjacent>(of.tiles), y0, y1);
#endif
}

struct TermsJob {
    Job job;
    WindowTerms *terms;
};

template <int SHIFT>
__global__ __launch_bounds__(THREADS,
                             blocks_of(WORDS)) void put_terms(const __grid_constant__ TermsJob of)
{
#if __CUDA_ARCH__ >= 800
    __shared__ Shared<WORDS> shared;
    const int y0 = first_row(of.job), y1 = min(y0 + of.job.segment, of.job.all.height);
    if constexpr (Fp64::IS_BUILT)
        if (y0 < y1)
            walk<Fp64, WORDS, SHIFT>(
                of.job, shared, ToTerms(of.job, of.terms, first_column() + Adjacent::first(), y0),
                y0, y1);
#endif
}

using MapKernel = void (*)(Job);
using TilesKernel = void (*)(TilesJob);
using TermsKernel = void (*)(TermsJob);

template <class Arith, int WORDS, bool VECTOR> MapKernel map_kernel(int shift)
{
    constexpr MapKernel kernels[] = { slide_windows<Arith, WORDS, 0, VECTOR>,
                                      slide_windows<Arith, WORDS, 1, VECTOR>,
                                      slide_windows<Arith, WORDS, 2, VECTOR>,
                                      slide_windows<Arith, WORDS, 3, VECTOR> };
    return kernels[shift];
}

template <class Arith, int WORDS> TilesKernel tiles_kernel(int shift)
{
    constexpr TilesKernel kernels[] = { bound_tiles<Arith, WORDS, 0>, bound_tiles<Arith, WORDS, 1>,
                                        bound_tiles<Arith, WORDS, 2>,
                                        bound_tiles<Arith, WORDS, 3> };
    return kernels[shift];
}

int words_of(const TensorScoreJob &all)
{
    return all.window_width <= XNCC_TENSOR_WIDTH ? WORDS : WIDE_WORDS;
}

template <class Arith> MapKernel any_map_kernel(const TensorScoreJob &all)
{
    const int shift = all.window_width % Adjacent::STEP;
    const bool aligned = rows_aligned(all.map, all.map_pitch, Adjacent::STEP);
    if (words_of(all) == WORDS)
        return aligned ? map_kernel<Arith, WORDS, true>(shift)
                       : map_kernel<Arith, WORDS, false>(shift);
    return aligned ? map_kernel<Arith, WIDE_WORDS, true>(shift)
                   : map_kernel<Arith, WIDE_WORDS, false>(shift);
}

template <class Arith> TilesKernel any_tiles_kernel(const TensorScoreJob &all)
{
    const int shift = all.window_width % Adjacent::STEP;
    return words_of(all) == WORDS ? tiles_kernel<Arith, WORDS>(shift)
                                  : tiles_kernel<Arith, WIDE_WORDS>(shift);
}

} // namespace

cudaError_t score_u8_launch(const TensorScoreJob &all, int processors, cudaStream_t stream)
{
    Job job = make_job(all);
    dim3 grid = cut_strips(&job, processors, blocks_of(words_of(all)));
    MapKernel kernel = all.fp64_is_slow ? any_map_kernel<FloatFloat>(all)
                                        : any_map_kernel<Fp64>(all);
    return launch(kernel, grid, THREADS, 0, stream, all.pdl, job);
}

cudaError_t tensor_tiles_launch(const TensorScoreJob &all, const TensorTiles &tiles, int processors,
                                cudaStream_t stream)
{
    TilesJob of = { make_job(all), tiles };
    const dim3 grid = cut_tiles(&of, processors, blocks_of(words_of(all)));
    TilesKernel kernel = tiles.fp64_is_slow ? any_tiles_kernel<FloatFloat>(all)
                                            : any_tiles_kernel<Fp64>(all);
    return launch(kernel, grid, THREADS, 0, stream, all.pdl, of);
}

cudaError_t tensor_terms_launch(const TensorScoreJob &all, WindowTerms *terms, int processors,
                                cudaStream_t stream)
{
    constexpr TermsKernel kernels[] = { put_terms<0>, put_terms<1>, put_terms<2>, put_terms<3> };
    TermsJob of = { make_job(all), terms };
    const dim3 grid = cut_strips(&of.job, processors, blocks_of(WORDS));
    return launch(kernels[all.window_width % Adjacent::STEP], grid, THREADS, 0, stream, false, of);
}

} // namespace xncc
