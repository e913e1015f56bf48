// SPDX-License-Identifier: BSD-2-Clause
// Score pass of a general match: a window's sums, term by term, and their score (term_score.h).
//
// The quotient of the normed methods without roots and division, where everything fits 63 bits.
// num, var and templ_var are exact integers, rounded to double once, as in general_score.h (for
// ccorr_normed they are X, Q and sumT2). Let u = 2^-53.
//
// - p = var * templ_var has one rounding, so its reciprocal root is off by u / 2.
// - y is the hardware's reciprocal root of p. e = 1 - p y^2 is at most 2^-18, and
//   c = e (1/2 + 3/8 e) omits less than 2^-55.
// - t = num y and q = t + t c have one rounding each.
//
// So q is within 4 u of the exact quotient, relatively, and the four roundings of general_score.h
// within 4 u: the two differ by less than 8 units of q's last place. Their floats can differ only
// if the low 29 bits of q are within 8 of a midpoint of two floats, 2^28. Scores within
// ROUNDING_DOUBT = 32 of it, and windows or templates without variance, are computed by
// general_score.h itself. Quotients are 0 or at least 2^-63, so no float is subnormal.
//
// Data mapping: a thread computes 2 adjacent windows (1 if sums take 128 bits), so that the list of
// terms is decoded less often; 128 threads per block; blockIdx.y: map row (launches of at most
// 65535 rows). Loads of 8 terms are in flight at a time. No shared memory; any compute capability.
#include "cuda/score/term_score.h"
#include "cuda/score/quotient.cuh"
#include "math/method.h"

#include <type_traits>

namespace xncc {

namespace {

constexpr int THREADS = 128;
constexpr int BATCH = 8; // terms whose loads are in flight at a time

// Arithmetic that wraps, of 64 or 128 bits (Wide): differences are exact if they fit.
__device__ __forceinline__ xncc_u128 operator+(xncc_u128 a, xncc_u128 b)
{
    return xncc_u128_add(a, b);
}
__device__ __forceinline__ xncc_u128 operator-(xncc_u128 a, xncc_u128 b)
{
    return xncc_u128_sub(a, b);
}
__device__ __forceinline__ xncc_u128 operator*(xncc_u128 a, uint64_t b)
{
    return xncc_u128_mul(a, b);
}
template <class Wide> __device__ __forceinline__ Wide of_wide(xncc_u128 v)
{
    if constexpr (std::is_same_v<Wide, uint64_t>)
        return v.low;
    else
        return v;
}
template <class Wide> __device__ __forceinline__ Wide product(uint64_t a, uint64_t b)
{
    if constexpr (std::is_same_v<Wide, uint64_t>)
        return a * b;
    else
        return xncc_u128_of_product(a, b);
}
__device__ __forceinline__ xncc_u128 signed_wide(uint64_t v)
{
    xncc_u128 w;
    w.high = static_cast<uint64_t>(static_cast<int64_t>(v) >> 63);
    w.low = v;
    return w;
}
__device__ __forceinline__ xncc_u128 signed_wide(xncc_u128 v)
{
    return v;
}

// A window's sums while terms are added. S and T belong to the current channel, sum_s and sum_t to
// all channels so far.
template <class Wide> struct Window {
    uint64_t n, S, T, sum_s, sum_t;
    Wide X, Q, T2, cross, square_s, square_t; // sums over channels of S*T, S*S, T*T

    // Starts with the sums that are the same in every window.
    __device__ void begin(const GeneralScoreJob &job)
    {
        n = job.n;
        S = sum_s = sum_t = 0;
        T = job.T[0];
        X = Q = cross = square_s = square_t = of_wide<Wide>(xncc_u128_of(0));
        T2 = of_wide<Wide>(job.T2);
    }
    // Adds 2^shift v to the term's sum.
    __device__ void add_term(const GeneralScoreJob &job, const GeneralTerm &term, uint64_t v)
    {
        const Wide wide = of_wide<Wide>(xncc_u128_shift(xncc_u128_of(v), term.shift));
        switch (term.sum) {
        case XNCC_SUM_N: n += v; break;
        case XNCC_SUM_X: X = X + wide; break;
        case XNCC_SUM_Q: Q = Q + wide; break;
        case XNCC_SUM_T2: T2 = T2 + wide; break;
        case XNCC_SUM_S: S += v << term.shift; break;
        case XNCC_SUM_T: T += v << term.shift; break;
        default: break;
        }
        if (term.next)
            end_channel(job, term.next);
    }
    // Adds the products of the channel's S and T, and starts channel `next`.
    __device__ void end_channel(const GeneralScoreJob &job, int next)
    {
        cross = cross + product<Wide>(S, T);
        square_s = square_s + product<Wide>(S, S);
        square_t = square_t + product<Wide>(T, T);
        sum_s += S;
        sum_t += T;
        S = 0;
        T = next < XNCC_MAX_CHANNELS ? job.T[next] : 0;
    }
    // What the formulas of general_score.h start from.
    __device__ xncc_general general(const GeneralScoreJob &job) const
    {
        xncc_general j;
        j.n = n;
        j.num = signed_wide(X * n - cross);
        j.var = signed_wide(Q * n - square_s);
        j.templ_var = signed_wide(T2 * n - square_t);
        // samples have the bias b added: X = X' - b (S' + sumT') + C n b^2; Q and sumT2 in the same
        // way
        const uint64_t b = job.rule.bias;
        const Wide all = product<Wide>(n * static_cast<uint64_t>(job.channels), b * b),
                   s = product<Wide>(sum_s, b), t = product<Wide>(sum_t, b);
        j.X = signed_wide(X + all - (s + t));
        j.Q = signed_wide(Q + all - (s + s));
        j.T2 = signed_wide(T2 + all - (t + t));
        return j;
    }
};

// The normed methods are quotients of the same form. Returns false if general_score.h must decide.
__device__ __forceinline__ bool fast_score(const GeneralScoreJob &job, const xncc_general &j,
                                           float *score)
{
    uint64_t over = j.num.low, var = j.var.low, templ = j.templ_var.low;
    if (job.method != XNCC_CCOEFF_NORMED) {
        var = j.Q.low;
        templ = j.T2.low;
        over = job.method == XNCC_CCORR_NORMED ? j.X.low : var + templ - 2 * j.X.low;
    }
    const double num = static_cast<double>(static_cast<int64_t>(over));
    const double p = __dmul_rn(static_cast<double>(var), static_cast<double>(templ));
    const bool certain = root_quotient(num, p, score);
    return j.n >= job.rule.least && p != 0.0 && certain;
}

// Adjacent windows per thread.
template <class Wide> constexpr int SPAN = sizeof(Wide) == sizeof(uint64_t) ? 2 : 1;

// COUNT adjacent sums, loaded as one vector.
template <class Sum, int COUNT> struct alignas(COUNT * sizeof(Sum)) Group {
    Sum v[COUNT];
};

// Wide: type of the sums in the formula; Sum: type of the planes. FAST: the method is a normed one
// and everything fits 63 bits. y0: first map row of the launch.
template <class Wide, class Sum, bool FAST>
__global__ __launch_bounds__(THREADS) void score_terms(const __grid_constant__ GeneralScoreJob job,
                                                       int y0)
{
    using Sums = Group<Sum, SPAN<Wide>>;
    const int x = (blockIdx.x * THREADS + threadIdx.x) * SPAN<Wide>,
              y = y0 + static_cast<int>(blockIdx.y);
    if (x >= job.width)
        return;
    const Sum *sums = static_cast<const Sum *>(job.sums) + y * job.pitch +
                      x; // rows of sums are padded
    Window<Wide> window[SPAN<Wide>];
#pragma unroll
    for (int i = 0; i < SPAN<Wide>; i++)
        window[i].begin(job);
    for (int first = 0; first < job.count; first += BATCH) {
        Sums v[BATCH];
#pragma unroll
        for (int k = 0; k < BATCH; k++)
            if (first + k < job.count)
                v[k] = *reinterpret_cast<const Sums *>(sums +
                                                       job.term[first + k].plane * job.plane);
#pragma unroll
        for (int k = 0; k < BATCH; k++)
            if (first + k < job.count)
#pragma unroll
                for (int i = 0; i < SPAN<Wide>; i++)
                    window[i].add_term(job, job.term[first + k], v[k].v[i]);
    }
#pragma unroll
    for (int i = 0; i < SPAN<Wide>; i++) {
        float score;
        if (x + i >= job.width)
            break;
        const xncc_general general = window[i].general(job);
        if (!FAST || !fast_score(job, general, &score))
            score = xncc_general_score(job.method, &job.rule, &general);
        __stcs(job.map + y * job.map_pitch + x + i, score);
    }
}

template <class Wide, class Sum, bool FAST>
void launch(const GeneralScoreJob &job, cudaStream_t stream)
{
    for (int32_t y0 = 0; y0 < job.height; y0 += UINT16_MAX) {
        const int32_t rows = job.height - y0 < UINT16_MAX ? job.height - y0 : UINT16_MAX;
        const dim3 grid = rows_grid(job.width, rows, THREADS * SPAN<Wide>);
        score_terms<Wide, Sum, FAST><<<grid, THREADS, 0, stream>>>(job, y0);
    }
}

} // namespace

cudaError_t launch_general_score(const GeneralScoreJob &job, cudaStream_t stream)
{
    const bool has_fast_score = xncc_method_is_normed(job.method);
    if (job.narrow_score && job.wide)
        launch<uint64_t, uint64_t, false>(job, stream);
    else if (job.narrow_score && has_fast_score)
        launch<uint64_t, uint32_t, true>(job, stream);
    else if (job.narrow_score)
        launch<uint64_t, uint32_t, false>(job, stream);
    else if (job.wide)
        launch<xncc_u128, uint64_t, false>(job, stream);
    else
        launch<xncc_u128, uint32_t, false>(job, stream);
    return cudaGetLastError();
}

} // namespace xncc
