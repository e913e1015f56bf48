// SPDX-License-Identifier: BSD-2-Clause
// The scores of many windows in doubt under a small template, by a centred method (refine.h). In a
// clear sky or in deep shadow, window and template have a few grey levels, so many numerators are
// exactly 0, or so small that sums in double decide nothing.
//
// Thread mapping: a thread per window of the list of hard ones, which makes the window's sums in
// integers: of its samples less the first one, in units of a bit of the first one, and of the
// template's, in units of their own. The formula's arguments are exact integers, too, and become
// doubles at last. What has samples too far apart for this stays in doubt.
// Shared memory: the template, at most 2 KB. Any compute capability.
//
// Sizes: a difference has at most BITS bits and a sign, the sums of products of MOST pixels 8 bits
// more than two of them, and n * Q, S * S and their difference 17.
#include "cuda/direct/refine.cuh"
#include "cuda/planes/sample_integer.cuh"

#include "math/method.h"

extern "C" {
#include "plan/cost_fft_cuda.h"
}

namespace xncc {

namespace {

constexpr int THREADS = 256;
constexpr int BLOCKS = 8;           // per multiprocessor
constexpr uint32_t LEAST = 1 << 13; // windows that a thread each serves better than a warp each
constexpr int MOST = XNCC_FLOAT_FUSED_TEMPLATE * XNCC_FLOAT_FUSED_TEMPLATE; // pixels
constexpr int MOST_UNIT = 400; // of the template, so that the formula's arguments are doubles
constexpr int BATCH = 8;       // samples of a row whose loads are in flight
static_assert(MOST <= 1 << 8, "see above");

// The integers of a pixel type. The unit of a window's samples is FINER bits below the first bit of
// the larger one of its first and its last sample.
template <xncc_pixel PIXEL> struct Kind {
    using Integer = int64_t;
    using Sum = Int128;
    static constexpr int BITS = 55, FINER = 54;
};
template <> struct Kind<XNCC_F32> {
    using Integer = int32_t;
    using Sum = int64_t;
    static constexpr int BITS = 27, FINER = 26;
};

// One of two samples less the other, in a unit. *fits becomes false if it is too large, and then
// the difference is 0.
template <xncc_pixel PIXEL>
__device__ typename Kind<PIXEL>::Integer difference(int64_t a, int64_t b, bool *fits)
{
    static_assert(2 * Kind<PIXEL>::BITS + 8 < 8 * sizeof(typename Kind<PIXEL>::Sum) &&
                      2 * Kind<PIXEL>::BITS + 17 <= 127,
                  "see above");
    *fits = *fits && llabs(a - b) < INT64_C(1) << Kind<PIXEL>::BITS;
    return *fits ? static_cast<typename Kind<PIXEL>::Integer>(a - b) : 0;
}

// The template's samples less the first one, as integers.
template <xncc_pixel PIXEL> struct Integers {
    typename Kind<PIXEL>::Integer sample[MOST];
    unsigned long long sum; // of them, which may be negative
    double unit;
};

// Makes the integers. Returns false if the samples are too far apart; all threads get the same
// answer.
template <xncc_pixel PIXEL> __device__ bool load_templ(const RefineJob &job, Integers<PIXEL> *to)
{
    const int own = static_cast<int>(threadIdx.x), pixels = job.templ_width * job.templ_height;
    const int unit = job.constants->grid.unit + XNCC_WIDE_VALUES;
    bool fits = job.constants->grid.top > 0 && abs(unit) <= MOST_UNIT;
    const double scale = fits ? ldexp(1.0, -unit) : 0.0;
    const int64_t first = integer_in(templ_sample<PIXEL>(job.templ, 0, 0), scale, &fits);
    int64_t sum = 0;
    if (own == 0) {
        to->sum = 0;
        to->unit = ldexp(1.0, unit);
    }
    __syncthreads();
    for (int i = own; i < pixels; i += THREADS) {
        const double t = templ_sample<PIXEL>(job.templ, i % job.templ_width, i / job.templ_width);
        to->sample[i] = difference<PIXEL>(integer_in(t, scale, &fits), first, &fits);
        sum += to->sample[i];
    }
    atomicAdd(&to->sum, static_cast<unsigned long long>(sum));
    return __syncthreads_and(fits) != 0;
}

// A number in a unit. It is rounded at most three times.
__device__ xncc_bounded real_of(Int128 v, double unit)
{
    const UInt128 size = v < 0 ? -static_cast<UInt128>(v) : static_cast<UInt128>(v);
    const double high = static_cast<double>(static_cast<uint64_t>(size >> 64)),
                 real = (high * 0x1p64 + static_cast<double>(static_cast<uint64_t>(size))) * unit;
    return { v < 0 ? -real : real, 0x1p-51 * real };
}

// The sums of a window's samples less the first one.
template <xncc_pixel PIXEL> struct WindowSums {
    int64_t S;
    typename Kind<PIXEL>::Sum Q, X;
    int unit;
    bool fits;
};

// Adds up a window's samples. sample(i, j): one of them. AT_ONCE: of them that are loaded.
template <int AT_ONCE, xncc_pixel PIXEL, class Sample>
__device__ __forceinline__ void add_samples(const RefineJob &job, const Integers<PIXEL> &templ,
                                            double first, const Sample &sample,
                                            WindowSums<PIXEL> *s)
{
    using Sum = typename Kind<PIXEL>::Sum;
    const double scale = ldexp(1.0, -s->unit);
    const int64_t base = integer_in(first, scale, &s->fits);
    for (int j = 0; j < job.templ_height; j++)
        for (int i = 0; i < job.templ_width; i += AT_ONCE) {
            double v[AT_ONCE];
#pragma unroll
            for (int k = 0; k < AT_ONCE; k++)
                v[k] = i + k < job.templ_width ? sample(i + k, j) : first;
#pragma unroll
            for (int k = 0; k < AT_ONCE; k++) {
                const auto d = difference<PIXEL>(integer_in(v[k], scale, &s->fits), base, &s->fits);
                const auto t = i + k < job.templ_width ? templ.sample[j * job.templ_width + i + k]
                                                       : 0;
                s->S += d;
                s->Q += Sum{ d } * d;
                s->X += Sum{ d } * t;
            }
        }
}

template <xncc_pixel PIXEL>
__device__ WindowSums<PIXEL> sums_of(const RefineJob &job, const Integers<PIXEL> &templ,
                                     FloatDoubt at)
{
    WindowSums<PIXEL> s = { 0, 0, 0, 0, false };
    const Reader<PIXEL> image(job, at);
    const double first = image.sample(0, 0),
                 last = image.sample(job.templ_width - 1, job.templ_height - 1),
                 large = fmax(fabs(first), fabs(last));
    if (large > 0x1p-300 && large < 0x1p300) {
        s.fits = true;
        s.unit = PIXEL == XNCC_U32 ? 0 : ilogb(large) - Kind<PIXEL>::FINER;
        image.with_sample([&](const auto &sample, auto inside) {
            add_samples<decltype(inside)::value ? BATCH : 1>(job, templ, first, sample, &s);
        });
    }
    return s;
}

// The score of a window, or XNCC_DOUBT.
template <xncc_pixel PIXEL>
__device__ float score_of(const RefineJob &job, const Integers<PIXEL> &templ,
                          const WindowSums<PIXEL> &s)
{
    const int n = job.templ_width * job.templ_height;
    const Int128 image = Int128{ n } * s.Q - Int128{ s.S } * s.S,
                 numerator = Int128{ n } * s.X - Int128{ s.S } * static_cast<int64_t>(templ.sum);
    if (!s.fits)
        return xncc_float_of_bits(XNCC_DOUBT);
    if (image == 0)
        return flat_score(job);
    const double unit = ldexp(1.0, s.unit);
    return xncc_window_formula(job.method, &job.constants->templ,
                               real_of(numerator, unit * templ.unit), real_of(image, unit * unit));
}

// Says how many windows are left, and lists them if they are few: the last block that is done.
__device__ void list_left(const RefineJob &job, uint32_t few)
{
    FloatConstants *constants = job.constants;
    if (!is_last_block(&constants->done))
        return;
    const uint32_t left = __ldcg(&constants->left);
    for (uint32_t i = threadIdx.x; i < left && left <= few; i += THREADS)
        job.doubts.hard[i] = read_of_others(job.doubts.list + i);
    __syncthreads();
    if (threadIdx.x)
        return;
    constants->doubts = constants->hard = left;
    constants->left = constants->done = 0;
}

template <xncc_pixel PIXEL>
__global__ __launch_bounds__(THREADS) void refine_many(const __grid_constant__ RefineJob job,
                                                       uint32_t few)
{
    __shared__ Integers<PIXEL> templ;
    const uint32_t count = job.constants->hard;
    if (count < LEAST || job.constants->doubts > job.doubts.room || !load_templ<PIXEL>(job, &templ))
        return;
    for (uint32_t i = blockIdx.x * THREADS + threadIdx.x; i < count; i += gridDim.x * THREADS) {
        const FloatDoubt at = job.doubts.hard[i];
        const float score = score_of<PIXEL>(job, templ, sums_of<PIXEL>(job, templ, at));
        store(job, at, score, job.doubts.list, &job.constants->left);
    }
    list_left(job, few);
}

} // namespace

cudaError_t launch_refine_many(const RefineJob &job, uint32_t few, int processors,
                               cudaStream_t stream)
{
    if (!xncc_method_is_centred(job.method))
        return cudaSuccess;
    const unsigned blocks = static_cast<unsigned>(processors * BLOCKS);
    with_float_pixel(job.image.image.pixel, [&](auto type) {
        refine_many<type><<<blocks, THREADS, 0, stream>>>(job, few);
    });
    return cudaGetLastError();
}

} // namespace xncc
