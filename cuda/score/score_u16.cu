// Window sums and ccoeff_normed of 16-bit windows, as score_u8.cu has them for 8 bits, from
// byte planes: with a pixel l + 256 h,
//   S = L + 256 H,   Q = LL + 512 LH + 65536 HH,   X = ll + 256 (lh + hl) + 65536 hh,
// where every part is a sum of bytes or of products of bytes and fits 32 bits; lh + hl, which comes
// as one, does to n = 33,025. num and var are below 2^63 (score.h: n to 46,341), exact in 64 bits
// and then rounded to double once, as score.h does; or, where doubles are slow, they become pairs
// of floats (math/float_float.h).
#include "cuda/score/score_common.cuh"
#include "cuda/score/score_u16.h"

namespace xncc {

namespace {

constexpr int BLOCKS = 3; // a multiprocessor

constexpr int COLUMNS = Span<WORDS>::COLUMNS, PITCH = Span<WORDS>::PITCH;

enum Part { S, LL, LH, HH, PARTS }; // S modulo 2^32, which fits too: n 65535 < 2^32

struct Shared {
    alignas(16) uint32_t sums[PARTS][ROWS][PITCH]; // changes, summed over the columns before
    alignas(16) unsigned char pixels[WARPS][2][2][2][COLUMNS]; // of both planes: lead and lag, this
                                                               // batch's and the next's
};

// Four pixels' bytes.
struct Word {
    uint32_t low, high;
};

// 64-bit integers as doubles by two additions, rounded once: each half's double is exact.
__device__ __forceinline__ double to_double(uint64_t v)
{
    double high = __hiloint2double(0x45300000, static_cast<int>(v >> 32)),
           low = __hiloint2double(LIFT_HIGH, static_cast<int>(v));
    return __dadd_rn(__dadd_rn(high, -19342813118337666422669312.0), low); // 2^84 + 2^52
}

__device__ __forceinline__ double to_double_signed(int64_t v)
{
    double high = __hiloint2double(0x45300000, static_cast<int>(v >> 32) ^ INT32_MIN),
           low = __hiloint2double(LIFT_HIGH, static_cast<int>(v));
    return __dadd_rn(__dadd_rn(high, -19342822341709703277445120.0), low); // 2^84 + 2^63 + 2^52
}

struct Window {
    uint32_t s;
    uint64_t q, x;
};

template <bool PAIRS>
__device__ __forceinline__ bool quick_score(const Job &job, const Window &w, float *score)
{
    uint32_t n = static_cast<uint32_t>(job.all.rule.n),
             sum = static_cast<uint32_t>(job.all.rule.sum);
    int64_t num = static_cast<int64_t>(n * w.x) -
                  static_cast<int64_t>(static_cast<uint64_t>(w.s) * sum);
    uint64_t var = n * w.q - static_cast<uint64_t>(w.s) * w.s;
    if (!PAIRS)
        return quick_quotient(to_double_signed(num), to_double(var), job.unit, score);
    xncc_float_float spread = xncc_ff_from_s64(static_cast<int64_t>(var));
    return xncc_ff_quotient(xncc_ff_from_s64(num), spread, job.pair_unit,
                            xncc_ff_rsqrt_seed(spread), score) != 0;
}

__device__ __forceinline__ uint64_t parts_to_q(uint32_t ll, uint32_t lh, uint32_t hh)
{
    return ll + (static_cast<uint64_t>(lh) << 9) + (static_cast<uint64_t>(hh) << 16);
}

__device__ __forceinline__ uint64_t parts_to_x(uint32_t ll, uint32_t mixed, uint32_t hh)
{
    return ll + (static_cast<uint64_t>(mixed) << 8) + (static_cast<uint64_t>(hh) << 16);
}

// The four rows of a batch and a thread's four columns by the plain formula, from the last row up.
__device__ __noinline__ void score_again(const Job &job, const Shared &shared,
                                         const uint32_t *windows, int x, int y, int rows)
{
    const int left = static_cast<int>(threadIdx.x) * 4, right = left + job.all.window_width;
    const int64_t step = job.all.sums_step;
#pragma unroll 1
    for (int i = 0; i < 4 && x + i < job.all.width; i++) {
        uint32_t w[PARTS] = { windows[i], windows[4 + i], windows[8 + i], windows[12 + i] };
#pragma unroll 1
        for (int r = ROWS - 1; r >= 0; r--) {
            const uint32_t *p = job.all.sums + (y + r) * job.all.sums_pitch + x + i;
            if (r < rows)
                job.all.map[(y + r) * job.all.map_pitch + x + i] = xncc_score_integer(
                    XNCC_CCOEFF_NORMED, &job.all.rule, w[S], parts_to_q(w[LL], w[LH], w[HH]),
                    parts_to_x(p[0], p[step], p[3 * step]));
            for (int k = 0; k < PARTS; k++)
                w[k] -= shared.sums[k][r][right + i] - shared.sums[k][r][left + i];
        }
    }
}

// The sums over the first `count` of four pixels: what the lead row brings less what the lag row
// takes.
__device__ __forceinline__ void sum_pixels(const Word &in, const Word &out, int count,
                                           uint32_t *sums)
{
    const uint32_t all = 0xffffffffu >> (32 - 8 * count), ones = 0x01010101u & all;
    uint32_t low = minus(out.low, all, __dp4a(in.low, ones, 0u)),
             high = minus(out.high, all, __dp4a(in.high, ones, 0u));
    sums[S] = low + (high << 8);
    sums[LL] = __dp4a(in.low & all, in.low, 0u) - __dp4a(out.low & all, out.low, 0u);
    sums[LH] = __dp4a(in.low & all, in.high, 0u) - __dp4a(out.low & all, out.high, 0u);
    sums[HH] = __dp4a(in.high & all, in.high, 0u) - __dp4a(out.high & all, out.high, 0u);
}

// A lane's words of lead and lag to the sums before each of its columns. The barrier: until the
// batch before has been read.
__device__ __forceinline__ void sum_row(const Word *lead, const Word *lag, Shared &shared, int warp,
                                        int lane)
{
    uint32_t total[PARTS] = {}, before[PARTS];
#pragma unroll
    for (int i = 0; i < WORDS; i++) {
        uint32_t word[PARTS];
        sum_pixels(lead[i], lag[i], 4, word);
#pragma unroll
        for (int k = 0; k < PARTS; k++)
            total[k] += word[k];
    }
#pragma unroll
    for (int k = 0; k < PARTS; k++)
        before[k] = total[k];
    scan(before[S], before[LL]);
    scan(before[LH], before[HH]);
#pragma unroll
    for (int k = 0; k < PARTS; k++)
        before[k] -= total[k];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < WORDS; i++) {
        uint32_t one[PARTS], two[PARTS], three[PARTS], four[PARTS];
        sum_pixels(lead[i], lag[i], 1, one);
        sum_pixels(lead[i], lag[i], 2, two);
        sum_pixels(lead[i], lag[i], 3, three);
        sum_pixels(lead[i], lag[i], 4, four);
#pragma unroll
        for (int k = 0; k < PARTS; k++) {
            *reinterpret_cast<uint4 *>(&shared.sums[k][warp][4 * (WORDS * lane + i)]) = make_uint4(
                before[k], before[k] + one[k], before[k] + two[k], before[k] + three[k]);
            before[k] += four[k];
        }
    }
}

// Sums over all but the last row of the segment's first windows, down the columns and then along
// the row.
__device__ void start(const Job &job, Shared &shared, int x0, int y0)
{
    const TensorPlane &image = job.all.image;
    const Word nothing = { 0, 0 };
    for (int word = threadIdx.x; word < COLUMNS / 4; word += THREADS) {
        const unsigned char *from = image.data + min(x0 + 4 * word, image.width - 4) +
                                    y0 * image.pitch;
        uint32_t columns[4][PARTS] = {};
#pragma unroll 4
        for (int j = 0; j < job.all.window_height - 1; j++, from += image.pitch) {
            Word in = { __ldg(reinterpret_cast<const uint32_t *>(from)),
                        __ldg(reinterpret_cast<const uint32_t *>(from + job.all.plane)) };
#pragma unroll
            for (int i = 0; i < 4; i++) {
                uint32_t byte = 0xffu << (8 * i), sums[PARTS];
                sum_pixels(Word{ in.low & byte, in.high & byte }, nothing, 4, sums);
#pragma unroll
                for (int k = 0; k < PARTS; k++)
                    columns[i][k] += sums[k];
            }
        }
#pragma unroll
        for (int k = 0; k < PARTS; k++)
            *reinterpret_cast<uint4 *>(&shared.sums[k][0][4 * word]) = make_uint4(
                columns[0][k], columns[1][k], columns[2][k], columns[3][k]);
    }
    __syncthreads();
    uint32_t *own = &shared.sums[threadIdx.x / LANES][0][4 * WORDS * (threadIdx.x % LANES)],
             total = 0, unused = 0; // a warp a part
    for (int i = 0; i < 4 * WORDS; i++)
        total += own[i];
    uint32_t before = total;
    scan(before, unused);
    before -= total;
    for (int i = 0; i < 4 * WORDS; i++) {
        uint32_t next = before + own[i];
        own[i] = before;
        before = next;
    }
    __syncthreads();
}
static_assert(static_cast<int>(PARTS) == WARPS, "a warp a part");

template <int SHIFT>
__device__ __forceinline__ void slide(uint32_t *windows, const uint32_t *left, int distance)
{
    uint4 out = *reinterpret_cast<const uint4 *>(left),
          in = *reinterpret_cast<const uint4 *>(left + distance), more = in;
    if (SHIFT)
        more = *reinterpret_cast<const uint4 *>(left + distance + 4);
    const uint32_t gone[4] = { out.x, out.y, out.z, out.w };
    const uint32_t come[8] = { in.x, in.y, in.z, in.w, more.x, more.y, more.z, more.w };
#pragma unroll
    for (int i = 0; i < 4; i++)
        windows[i] += come[SHIFT + i] - gone[i];
}

__device__ __forceinline__ void load_words(const unsigned char *low, const unsigned char *high,
                                           int row, int lane, Word *words)
{
    const int at = row * COLUMNS + 4 * WORDS * lane;
#pragma unroll
    for (int i = 0; i < WORDS; i++)
        words[i] = Word{ *reinterpret_cast<const uint32_t *>(low + at + 4 * i),
                         *reinterpret_cast<const uint32_t *>(high + at + 4 * i) };
}

// A thread's four scores of a row. False: one of them has to be done again.
template <bool PAIRS>
__device__ __forceinline__ bool score_row(const Job &job, const uint32_t (*w)[4],
                                          const uint4 *products, float *f)
{
    const uint32_t *p[3] = { &products[0].x, &products[1].x, &products[2].x };
    bool sure = true;
#pragma unroll
    for (int i = 0; i < 4; i++) {
        Window window = { w[S][i], parts_to_q(w[LL][i], w[LH][i], w[HH][i]),
                          parts_to_x(p[0][i], p[1][i], p[2][i]) };
        sure &= quick_score<PAIRS>(job, window, &f[i]);
    }
    return sure;
}

template <bool PAIRS, int SHIFT, bool VECTOR>
__device__ void walk(const Job &job, Shared &shared, int y0, int y1)
{
    const int x0 = blockIdx.x * XNCC_TENSOR_COLUMNS, own = 4 * threadIdx.x, x = x0 + own;
    const int lane = threadIdx.x % LANES, warp = threadIdx.x / LANES,
              distance = job.all.window_width - SHIFT;
    const unsigned char *low = &shared.pixels[warp][0][0][0][0],
                        *high = &shared.pixels[warp][1][0][0][0];
    TensorPlane above = job.all.image;
    above.data += job.all.plane;
    Rows<WORDS> low_rows(job, job.all.image, low, x0, y0), high_rows(job, above, high, x0, y0);
    low_rows.fetch(job);
    high_rows.fetch(job);
    start(job, shared, x0, y0);
    uint32_t windows[PARTS][4];
#pragma unroll
    for (int k = 0; k < PARTS; k++)
#pragma unroll
        for (int i = 0; i < 4; i++)
            windows[k][i] = shared.sums[k][0][own + job.all.window_width + i] -
                            shared.sums[k][0][own + i];
    const int64_t sums_pitch = job.all.sums_pitch, map_pitch = job.all.map_pitch,
                  step = job.all.sums_step;
    const uint32_t *sums = job.all.sums + y0 * sums_pitch + x;
    float *map = job.all.map + y0 * map_pitch + x;
    int turn = 0;
    for (int left = y1 - y0; left > 0; left -= ROWS, turn ^= 2) {
        Word lead[WORDS], lag[WORDS];
        asm volatile("cp.async.wait_group 0;" ::: "memory");
        __syncwarp();
        load_words(low, high, turn, lane, lead);
        load_words(low, high, turn + 1, lane, lag);
        low_rows.fetch(job);
        high_rows.fetch(job);
        sum_row(lead, lag, shared, warp, lane);
        __syncthreads();
        bool sure = true;
        float *to = map;
#pragma unroll
        for (int r = 0; r < ROWS; r++, to += map_pitch, sums += sums_pitch) {
            const uint4 products[3] = { __ldcs(reinterpret_cast<const uint4 *>(sums)),
                                        __ldcs(reinterpret_cast<const uint4 *>(sums + step)),
                                        __ldcs(reinterpret_cast<const uint4 *>(sums + 3 * step)) };
#pragma unroll
            for (int k = 0; k < PARTS; k++)
                slide<SHIFT>(windows[k], &shared.sums[k][r][own], distance);
            float f[4];
            sure &= score_row<PAIRS>(job, windows, products, f);
            if (left > r)
                store<VECTOR>(to, f, x, job.all.width);
        }
        if (__builtin_expect(!sure, 0)) {
            uint32_t copy[4 * PARTS];
#pragma unroll
            for (int k = 0; k < 4 * PARTS; k++)
                copy[k] = windows[k / 4][k % 4];
            score_again(job, shared, copy, x, y1 - left, left);
        }
        map = to;
    }
    asm volatile("cp.async.wait_group 0;" ::: "memory");
}

template <bool PAIRS, int SHIFT, bool VECTOR>
__global__ __launch_bounds__(THREADS, BLOCKS) void slide_wide(const __grid_constant__ Job job)
{
#if __CUDA_ARCH__ >= 800
    extern __shared__ __align__(16) unsigned char memory[];
    int y0 = blockIdx.y * job.segment, y1 = min(y0 + job.segment, job.all.height);
    if (y0 < y1 && !(job.all.skip && *job.all.skip))
        walk<PAIRS, SHIFT, VECTOR>(job, *reinterpret_cast<Shared *>(memory), y0, y1);
#endif
}

using Kernel = void (*)(Job);

template <bool PAIRS> Kernel kernel_of(int shift, bool vector)
{
    switch (2 * shift + (vector ? 1 : 0)) {
    case 0: return slide_wide<PAIRS, 0, false>;
    case 1: return slide_wide<PAIRS, 0, true>;
    case 2: return slide_wide<PAIRS, 1, false>;
    case 3: return slide_wide<PAIRS, 1, true>;
    case 4: return slide_wide<PAIRS, 2, false>;
    case 5: return slide_wide<PAIRS, 2, true>;
    case 6: return slide_wide<PAIRS, 3, false>;
    default: return slide_wide<PAIRS, 3, true>;
    }
}

Kernel kernel_of(bool pairs, int shift, bool vector)
{
    return pairs ? kernel_of<true>(shift, vector) : kernel_of<false>(shift, vector);
}

} // namespace

cudaError_t score_u16_set_max_shared_memory()
{
    cudaError_t code = cudaSuccess;
    for (int i = 0; i < 16 && code == cudaSuccess; i++)
        code = set_max_shared_memory(kernel_of(i / 8 != 0, i / 2 % 4, i % 2 != 0),
                                     static_cast<int>(sizeof(Shared)));
    return code;
}

cudaError_t score_u16_launch(const TensorScoreJob &all, int processors, cudaStream_t stream)
{
    Job job = {
        all, 0, 0.0, 0.0, 0.0, 1.0 / all.rule.root_var, xncc_ff_unit(XNCC_CCOEFF_NORMED, &all.rule)
    };
    dim3 grid = cut_strips(&job, processors, BLOCKS);
    kernel_of(all.fp64_is_slow, all.window_width % 4,
              rows_aligned(all.map, all.map_pitch, 4))<<<grid, THREADS, sizeof(Shared), stream>>>(
        job);
    return cudaGetLastError();
}

} // namespace xncc
