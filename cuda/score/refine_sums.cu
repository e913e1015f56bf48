// SPDX-License-Identifier: BSD-2-Clause
// X of listed windows by their own samples (float_sum_score.h). The other sums are those of the
// score.
//
// Thread mapping: a block of 256 threads has a window of the list at a time, or up to MANY if the
// list is long. A thread has the same pixels of each, so that a sample of the template is read once
// for all. Then each window has a warp, whose lanes add up its sums of columns; its first lane
// makes the score. Shared memory: 12 KB. Any compute capability.
//
// X is the sum of v (t - p), less q times that of t - p: v is a sample of the image, q its pivot, t
// one of the template, p its pivot, and t - p a pair of doubles. A pixel that does not count has q
// in place of v. A product is cut in two: a multiple of a unit, whose sums are exact, and the rest.
// A thread has K products of at most m in size, and the unit is at most K m 2^-50. So a rest is at
// most K m 2^-51, or a quarter more with v times the lower part of t - p, and their sum K times
// that. Each of 3 K roundings adds at most 2^-53 of it: together less than K^3 m 2^-102. The sums
// of threads are pairs of doubles. Some ten additions of these lose about 2^-104 each of all sizes,
// which are at most 16 sqrt(K) m: the bound for 256 threads has room for that, since K is at
// least 2.

#include "cuda/planes/counted_sample.cuh"
#include "cuda/planes/float_image.cuh"
#include "cuda/planes/walk.cuh"
#include "cuda/runtime/warp.cuh"
#include "cuda/score/float_sum_window.cuh"

namespace xncc {

namespace {

constexpr int THREADS = 256, WARPS = THREADS / WARP_LANES;
constexpr int BLOCKS = 2; // per multiprocessor
constexpr int MANY = 4;   // windows of a block at a time
constexpr int BATCH = 4;  // pixels of a thread whose loads are in flight at a time
static_assert(MANY <= WARPS && MANY <= SLIDE_PITCH, "a warp scores a window");

// The first sample of a window if all its pixels are in the image and count, like the template's;
// else nullptr.
__device__ const unsigned char *samples_at(const FloatSource &of, FloatDoubt at, int64_t digits)
{
    const int64_t left = of.x + at.x, top = of.y + at.y;
    const bool whole = !of.mask && !of.image.mask && !of.image.has_no_data && left >= 0 &&
                       top >= 0 && left + of.templ.width <= of.image.width &&
                       top + of.templ.height <= of.image.height;
    return whole ? static_cast<const unsigned char *>(of.image.data) + top * of.image.pitch +
                       left * of.channels * digits
                 : nullptr;
}

// How products are cut in two, and what X loses besides its own rounding.
struct Cut {
    double lift; // added and subtracted, it leaves a multiple of the unit
    double lost;

    __device__ Cut(const FloatSumScoreJob &job)
    {
        const FloatTerms &t = *job.terms;
        double most = 0.0, of_T = 0.0; // of all pivots
        for (int c = 0; c < job.at.channels; c++) {
            most = fmax(most, fabs(t.image_pivot[c]));
            of_T += fabs(t.image_pivot[c]) * t.templ[c].T.error;
        }
        const double count = static_cast<double>(
                                 ceil_div(job.templ_width * job.templ_height, THREADS)) *
                             job.at.channels,
                     product = 1.01 * (most + __uint_as_float(t.largest)) * t.norm_of_all +
                               XNCC_WINDOW_TINY;
        lift = 0x1.8p52 * scalbn(1.0, ilogb(count * product) - 50);
        lost = THREADS * 1.01 * count * count * count * product * 0x1p-102 + 1.01 * of_T;
        if (!(product < 0x1p900))
            lift = NAN;
    }
};

// Adds a product to the sums of multiples, X->high, and of rests.
__device__ __forceinline__ void put_product(xncc_twofold *X, double lift, double v,
                                            const xncc_twofold &t)
{
    const double whole = xncc_sum(fma(v, t.high, lift), -lift);
    X->high += whole;
    X->low += fma(v, t.low, fma(v, t.high, -whole));
}

// Sums the products of a thread's pixels of EACH windows. sample(m, i, j, channel): of column i and
// row j of window m, or the pivot if it does not count.
template <xncc_pixel PIXEL, int EACH, class Sample>
__device__ __forceinline__ void multiply(const FloatSource &of, const FloatTerms &terms,
                                         double lift, const Sample &sample, xncc_twofold (&X)[EACH])
{
    const int own = static_cast<int>(threadIdx.x), count = of.templ.width * of.templ.height;
    Walk walk(own, THREADS, of.templ.width);
    for (int at = own; at < count; at += BATCH * THREADS) {
        int column[BATCH], row[BATCH];
#pragma unroll
        for (int k = 0; k < BATCH; k++, walk.next()) {
            const bool real = at + k * THREADS < count;
            column[k] = real ? walk.i : 0;
            row[k] = real ? walk.j : -1;
        }
#pragma unroll 1
        for (int c = 0; c < of.channels; c++) {
            const double pivot = terms.image_pivot[c];
            double v[BATCH][EACH], t[BATCH];
#pragma unroll
            for (int k = 0; k < BATCH; k++) {
                const bool counts = row[k] >= 0 &&
                                    (!of.mask || of.mask[row[k] * of.templ.width + column[k]]);
                t[k] = counts ? xncc_sample_value(PIXEL, of.templ.pixels + row[k] * of.templ.pitch,
                                                  int64_t{ column[k] } * of.channels + c)
                              : of.pivot[c];
#pragma unroll
                for (int m = 0; m < EACH; m++)
                    v[k][m] = counts ? sample(m, column[k], row[k], c) : pivot;
            }
#pragma unroll
            for (int k = 0; k < BATCH; k++) {
                const double rest = xncc_sum(t[k], -of.pivot[c]);
                const xncc_twofold of_templ = { rest, xncc_sum_error(t[k], -of.pivot[c], rest) };
#pragma unroll
                for (int m = 0; m < EACH; m++)
                    put_product(&X[m], lift, v[k][m], of_templ);
            }
        }
    }
}

// X of a thread's pixels of any window. Samples are read before it is known whether they count, so
// that all loads are in flight together.
template <xncc_pixel PIXEL>
__device__ __noinline__ xncc_twofold multiply_counted(const FloatSource &of,
                                                      const FloatTerms &terms, double lift,
                                                      FloatDoubt window)
{
    const int64_t left = of.x + window.x, top = of.y + window.y;
    const bool inside = left >= 0 && top >= 0 && left + of.templ.width <= of.image.width &&
                        top + of.templ.height <= of.image.height;
    xncc_twofold X[1] = {};
    if (inside && !of.image.has_no_data)
        multiply<PIXEL>(
            of, terms, lift,
            [&](int, int i, int j, int c) {
                const double v = xncc_sample_value(
                    PIXEL,
                    static_cast<const unsigned char *>(of.image.data) + (top + j) * of.image.pitch,
                    (left + i) * of.channels + c);
                return !of.image.mask || of.image.mask[(top + j) * of.image.mask_pitch + left + i]
                           ? v
                           : terms.image_pivot[c];
            },
            X);
    else
        multiply<PIXEL>(
            of, terms, lift,
            [&](int, int i, int j, int c) {
                const Counted v = counted_sample<PIXEL>(of.image, of.border, of.channels, left + i,
                                                        top + j, c);
                return v.counts ? v.v : terms.image_pivot[c];
            },
            X);
    return X[0];
}

// The shared memory of a block. sums: as Turn has them, a window per place.
struct Room {
    xncc_twofold part[MANY][WARPS];
    double sums[TURN_SUMS * SLIDE_ROOM], loss[MANY][TURN_SUMS];
};

// Scores EACH windows of the list from `from` on.
template <xncc_pixel PIXEL, bool SLIDES, int EACH>
__device__ __forceinline__ void refine(const FloatSumScoreJob &job, const FloatSource &of,
                                       const SlideLoss &loss, const Cut &cut, uint32_t from,
                                       uint32_t count, Room *room)
{
    if (from >= count)
        return;
    FloatTerms *terms = job.terms;
    const int lane = static_cast<int>(threadIdx.x) % WARP_LANES,
              warp = static_cast<int>(threadIdx.x) / WARP_LANES;
    FloatDoubt at[EACH];
    const unsigned char *first[EACH];
    bool whole = true;
#pragma unroll
    for (int m = 0; m < EACH; m++) {
        at[m] = job.doubts.at[min(from + m, count - 1)]; // the others follow the last one
        first[m] = samples_at(of, at[m], xncc_pixel_digits(PIXEL));
        whole = whole && first[m];
    }
    xncc_twofold X[EACH] = {};
    if (whole) {
        multiply<PIXEL>(
            of, *terms, cut.lift,
            [&](int m, int i, int j, int c) {
                return xncc_sample_value(PIXEL, first[m] + j * of.image.pitch,
                                         int64_t{ i } * of.channels + c);
            },
            X);
    } else {
#pragma unroll
        for (int m = 0; m < EACH; m++)
            X[m] = multiply_counted<PIXEL>(of, *terms, cut.lift, at[m]);
    }
#pragma unroll
    for (int m = 0; m < EACH; m++) {
        const double high = xncc_sum(X[m].high, X[m].low);
        const xncc_twofold all = group_pair(
            xncc_twofold_of(high, xncc_sum_error(X[m].high, X[m].low, high)), WARP_LANES);
        if (lane == 0)
            room->part[m][warp] = all;
    }
    __syncthreads();
    if (warp < EACH && from + warp < count) {
        const FloatDoubt own = job.doubts.at[from + warp];
        xncc_twofold all = group_pair(lane < WARPS ? room->part[warp][lane] : xncc_twofold{},
                                      WARP_LANES);
        for (int c = 0; c < job.at.channels; c++)
            xncc_twofold_put_product(&all, -terms->image_pivot[c], terms->templ[c].T.value);
        if constexpr (SLIDES)
            begin_sums(job, loss, own.x, own.y, 1, lane, room->loss[warp],
                       [&](int sum, const xncc_twofold &all_of) {
                           room->sums[sum * SLIDE_ROOM + warp] = xncc_sum(all_of.high, all_of.low);
                       });
        if (lane == 0) {
            const xncc_bounded templ = term_of_templ(job);
            const Turn turn = { &templ, room->sums, room->loss[warp] };
            const XAgain again = { xncc_sum(all.high, all.low), cut.lost };
            const float score = score_of<SLIDES>(job.method, job, turn, warp, own.x, own.y, &again);
            if (__float_as_uint(score) == XNCC_DOUBT)
                list_window(job.hard, own.x, own.y);
            else
                job.map[own.y * job.map_pitch + own.x] = score;
        }
    }
    __syncthreads();
}

template <xncc_pixel PIXEL, bool SLIDES>
__global__ __launch_bounds__(THREADS,
                             BLOCKS) void refine_sums(const __grid_constant__ FloatSumScoreJob job,
                                                      const __grid_constant__ FloatSource of,
                                                      SlideLoss loss)
{
    __shared__ Room room;
    const uint32_t count = *job.doubts.count;
    if (count > job.doubts.room) {
        if (blockIdx.x == 0 && threadIdx.x == 0)
            *job.hard.count = UINT32_MAX / 2;
        return;
    }
    const Cut cut(job);
    // two or four windows at a time if there is at least one, or four, for each block
    const bool all_count = !of.mask && !of.image.mask && !of.image.has_no_data;
    for (uint32_t from = 0; from < count;) {
        const uint32_t rest = (count - from) / gridDim.x;
        const auto some = [&](auto each) {
            constexpr int EACH = decltype(each)::value;
            refine<PIXEL, SLIDES, EACH>(job, of, loss, cut, from + blockIdx.x * EACH, count, &room);
            from += gridDim.x * EACH;
        };
        if (all_count && rest >= MANY)
            some(std::integral_constant<int, MANY>());
        else if (all_count && rest >= 1)
            some(std::integral_constant<int, 2>());
        else
            some(std::integral_constant<int, 1>());
    }
}

} // namespace

cudaError_t launch_refine_sums(const FloatSumScoreJob &job, const FloatSource &of, int processors,
                               cudaStream_t stream)
{
    const unsigned blocks = static_cast<unsigned>(processors) * BLOCKS;
    with_float_pixel(of.image.pixel, [&](auto type) {
        if (job.at.windows)
            refine_sums<type, true>
                <<<blocks, THREADS, 0, stream>>>(job, of,
                                                 slide_loss(job.columns.first, job.at.channels,
                                                            job.templ_width, job.templ_height, 1));
        else
            refine_sums<type, false><<<blocks, THREADS, 0, stream>>>(job, of, SlideLoss{});
    });
    return cudaGetLastError();
}

} // namespace xncc
