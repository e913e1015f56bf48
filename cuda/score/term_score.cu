// Last pass of a joint match: a window's sums, term by term, and their score.
//
// The normed methods' quotient without its roots and its division, where everything fits 63 bits.
// num, var and part are exact integers, rounded to double once, as general.h has them (of
// ccorr_normed X, Q and sumT2). Let u = 2^-53. p = var * part has one rounding, so its reciprocal
// root is off by u / 2; y is the hardware's of it, e = 1 - p y^2, at most 2^-18, and c = e (1/2 +
// 3/8 e) leaves out less than 2^-55. t = num y and q = t + t c have a rounding each. So q is within
// 4 u of the exact quotient, relatively, and general.h's own four roundings within 4 u: they differ
// by less than 8 units of q's last place, and their floats only when the low 29 bits of q are
// within as much of a midpoint of two floats, 2^28. Those within 32, and windows or templates
// without variance, are done by general.h itself. Quotients are 0 or at least 2^-63: no float is
// subnormal.
#include "cuda/score/term_score.h"
#include "cuda/score/quotient.cuh"

namespace xncc {

namespace {

constexpr int THREADS = 128;
constexpr int BATCH = 8; // terms whose loads are in flight together

// Sums that wrap, of 64 or 128 bits: differences are exact when they fit.
__device__ __forceinline__ uint64_t plus(uint64_t a, uint64_t b)
{
    return a + b;
}
__device__ __forceinline__ xncc_u128 plus(xncc_u128 a, xncc_u128 b)
{
    return xncc_u128_add(a, b);
}
__device__ __forceinline__ uint64_t minus(uint64_t a, uint64_t b)
{
    return a - b;
}
__device__ __forceinline__ xncc_u128 minus(xncc_u128 a, xncc_u128 b)
{
    return xncc_u128_sub(a, b);
}
__device__ __forceinline__ uint64_t times(uint64_t a, uint64_t b)
{
    return a * b;
}
__device__ __forceinline__ xncc_u128 times(xncc_u128 a, uint64_t b)
{
    return xncc_u128_mul(a, b);
}
__device__ __forceinline__ void set(uint64_t *to, xncc_u128 v)
{
    *to = v.low;
}
__device__ __forceinline__ void set(xncc_u128 *to, xncc_u128 v)
{
    *to = v;
}
// Of two numbers of 64 bits.
__device__ __forceinline__ void multiply(uint64_t *to, uint64_t a, uint64_t b)
{
    *to = a * b;
}
__device__ __forceinline__ void multiply(xncc_u128 *to, uint64_t a, uint64_t b)
{
    *to = xncc_u128_of_product(a, b);
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

// A window's sums, as terms come in. S and T: of the channel under way.
template <class Wide> struct Window {
    uint64_t n, S, T, sum_s, sum_t;
    Wide X, Q, T2, cross, square_s, square_t; // sums over channels of S*T, S*S, T*T

    __device__ void begin(const GeneralScoreJob &job)
    {
        n = job.n;
        S = sum_s = sum_t = 0;
        T = job.T[0];
        xncc_u128 zero = xncc_u128_of(0);
        set(&X, zero);
        Q = cross = square_s = square_t = X;
        set(&T2, job.T2);
    }
    __device__ void take(const GeneralScoreJob &job, const GeneralTerm &term, uint64_t v)
    {
        Wide wide;
        set(&wide, xncc_u128_shift(xncc_u128_of(v), term.shift));
        switch (term.sum) {
        case XNCC_SUM_N: n += v; break;
        case XNCC_SUM_X: X = plus(X, wide); break;
        case XNCC_SUM_Q: Q = plus(Q, wide); break;
        case XNCC_SUM_T2: T2 = plus(T2, wide); break;
        case XNCC_SUM_S: S += v << term.shift; break;
        case XNCC_SUM_T: T += v << term.shift; break;
        default: break;
        }
        if (term.next)
            end_channel(job, term.next);
    }
    __device__ void end_channel(const GeneralScoreJob &job, int next)
    {
        Wide p;
        multiply(&p, S, T);
        cross = plus(cross, p);
        multiply(&p, S, S);
        square_s = plus(square_s, p);
        multiply(&p, T, T);
        square_t = plus(square_t, p);
        sum_s += S;
        sum_t += T;
        S = 0;
        T = next < XNCC_MAX_CHANNELS ? job.T[next] : 0;
    }
    __device__ xncc_general general(const GeneralScoreJob &job) const
    {
        xncc_general j;
        j.n = n;
        j.num = signed_wide(minus(times(X, n), cross));
        j.var = signed_wide(minus(times(Q, n), square_s));
        j.templ_var = signed_wide(minus(times(T2, n), square_t));
        // samples have the bias b added: X = X' - b (S' + sumT') + C n b^2, and Q and sumT2
        // likewise
        const uint64_t b = job.rule.bias;
        Wide all, s, t;
        multiply(&all, n * static_cast<uint64_t>(job.channels), b * b);
        multiply(&s, sum_s, b);
        multiply(&t, sum_t, b);
        j.X = signed_wide(minus(plus(X, all), plus(s, t)));
        j.Q = signed_wide(minus(plus(Q, all), plus(s, s)));
        j.T2 = signed_wide(minus(plus(T2, all), plus(t, t)));
        return j;
    }
};

// The normed methods are quotients of one form. False: general.h has to do it.
__device__ __forceinline__ bool quick_score(const GeneralScoreJob &job, const xncc_general &j,
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
    const bool sure = root_quotient(num, p, score);
    return j.n >= job.rule.least && p != 0.0 && sure;
}

// Adjacent windows of a thread: what a term is is then looked up less often.
template <class Wide> constexpr int SPAN = sizeof(Wide) == sizeof(uint64_t) ? 2 : 1;

template <class Sum, int COUNT> struct alignas(COUNT * sizeof(Sum)) Group {
    Sum v[COUNT];
};

template <class Wide, class Sum, bool QUICK>
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
                    window[i].take(job, job.term[first + k], v[k].v[i]);
    }
#pragma unroll
    for (int i = 0; i < SPAN<Wide>; i++) {
        float score;
        if (x + i >= job.width)
            break;
        const xncc_general general = window[i].general(job);
        if (!QUICK || !quick_score(job, general, &score))
            score = xncc_general_score(job.method, &job.rule, &general);
        __stcs(job.map + y * job.map_pitch + x + i, score);
    }
}

template <class Wide, class Sum, bool QUICK>
void launch(const GeneralScoreJob &job, cudaStream_t stream)
{
    for (int32_t y0 = 0; y0 < job.height; y0 += UINT16_MAX) {
        const int32_t rows = job.height - y0 < UINT16_MAX ? job.height - y0 : UINT16_MAX;
        dim3 grid(static_cast<unsigned>(ceil_div(job.width, THREADS * SPAN<Wide>)),
                  static_cast<unsigned>(rows));
        score_terms<Wide, Sum, QUICK><<<grid, THREADS, 0, stream>>>(job, y0);
    }
}

} // namespace

cudaError_t launch_general_score(const GeneralScoreJob &job, cudaStream_t stream)
{
    const bool quick = job.method == XNCC_CCOEFF_NORMED || job.method == XNCC_CCORR_NORMED ||
                       job.method == XNCC_SQDIFF_NORMED;
    if (job.narrow_score && job.wide)
        launch<uint64_t, uint64_t, false>(job, stream);
    else if (job.narrow_score && quick)
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
