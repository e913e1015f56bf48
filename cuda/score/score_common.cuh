// What the score passes of the tensor kernels share: sums along image rows, windows that slide
// down, and the quotient.
//
// The score without a division. num and var are the numerator and the variance, exact or (16 bits)
// rounded to double once, as score.h has them. Let u = 2^-53.
//   y is the hardware's reciprocal root of the variance; e = 1 - var y^2 is at most 2^-19 (measured
//   over all its 2^21 arguments, tests and docs/performance-gpu.md: 2^-19.04), off by at most u. c
//   = e (1/2 + 3/8 e) leaves out 5/16 e^3 < 2^-58 of 1 / sqrt(1 - e) - 1. t = (num cT) y has two
//   roundings, and cT, the reciprocal of a rounded root, three: 5 u. q = t + t c adds u / 2 + u +
//   2^-58.
// So q is within 7 u of the exact quotient, relatively, and score.h's own four roundings within 4
// u: they differ by less than 11 u |q|, which is at most 11 units of q's last place. Their floats
// differ only when a midpoint of two floats lies between them: when the low 29 bits of q are within
// 11 of 2^28. Those within 32 (one pixel in 8 million), and windows without variance, for which q
// is no number, are done once more by the formula of score.h.
#ifndef XNCC_CUDA_SCORE_SCORE_COMMON_CUH
#define XNCC_CUDA_SCORE_SCORE_COMMON_CUH

#include "cuda/peaks/peak_key.cuh"
#include "cuda/runtime/pdl.cuh"
#include "cuda/runtime/shared_memory.h"
#include "cuda/score/score_u8.h"
#include "cuda/score/window_terms.cuh"

#include "math/float_float.h"

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
#pragma nv_diag_suppress 177 // the kernels are empty there, so that nothing calls these functions
#endif

namespace xncc {

constexpr int LANES = 32, WARPS = 4, THREADS = WARPS * LANES;
constexpr int ROWS = WARPS; // of a batch
constexpr uint32_t DOUBT = 32;
static_assert(THREADS * 4 == XNCC_TENSOR_COLUMNS, "a strip");

// The image columns of a strip's windows, `WORDS` words a lane.
template <int WORDS> struct Span {
    static constexpr int COLUMNS = 4 * WORDS * LANES, PITCH = COLUMNS + 4;
    static constexpr int PIECES = COLUMNS / 16; // 16-byte pieces of an image row
    static_assert(WORDS % 2 == 1 && PIECES <= 2 * LANES, "no bank conflicts, two pieces a lane");
};
constexpr int WORDS = 5, WIDE_WORDS = 7;
static_assert(Span<WORDS>::COLUMNS >= XNCC_TENSOR_COLUMNS + XNCC_TENSOR_WIDTH,
              "columns of a strip's windows");
static_assert(Span<WIDE_WORDS>::COLUMNS >= XNCC_TENSOR_COLUMNS + XNCC_TENSOR_SCORE_WIDTH,
              "columns of a strip's windows");

struct Job {
    TensorScoreJob all;
    int32_t segment;              // rows of a strip that a block walks
    double n, lowered, sum, unit; // n, -n 2^52, sumT, 1 / root_var
    xncc_float_float pair_unit;   // 1 / root_var
};

__device__ __forceinline__ uint32_t value(double lifted)
{
    return static_cast<uint32_t>(__double2loint(lifted));
}

__device__ __forceinline__ uint32_t minus(uint32_t pixels, uint32_t weights, uint32_t sum)
{
    asm("dp4a.u32.s32 %0, %1, %2, %0;"
        : "+r"(sum)
        : "r"(pixels), "r"(weights)); // weights: bytes of 0 and -1
    return sum;
}

// False: the score has to be done again.
__device__ __forceinline__ bool quick_quotient(double num, double var, double unit, float *score)
{
    double y;
    asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(var));
    double e = fma(-__dmul_rn(var, y), y, 1.0), c = __dmul_rn(e, fma(0.375, e, 0.5));
    double t = __dmul_rn(__dmul_rn(num, unit), y), quotient = fma(t, c, t);
    *score = __double2float_rn(quotient);
    uint32_t low = value(quotient) << 3; // the 29 bits that a float has not
    return low - (0x80000000u - (DOUBT << 3)) > 2 * (DOUBT << 3) && *score == *score;
}

// A warp's row, one batch ahead in shared memory.
template <int WORDS> struct Rows {
    static constexpr int COLUMNS = Span<WORDS>::COLUMNS, PIECES = Span<WORDS>::PIECES;
    const unsigned char *lead;
    uint32_t now, next; // where the lane's pieces go
    uint32_t near, far; // bytes of its pieces that lie in the image
    int room;           // image rows from the lead row on
    bool first;

    // buffer: of the warp, two rows for this batch and two for the next
    __device__ Rows(const Job &job, const TensorPlane &image, const unsigned char *buffer, int x0,
                    int y0)
    {
        int lane = threadIdx.x % LANES, warp = threadIdx.x / LANES, x = x0 + 16 * lane;
        near = x < image.width ? 16 : 0;
        // what lies right of the windows is zeros
        far = 16 * lane < min(image.width - x0 - 16 * LANES, job.all.window_width) ? 16 : 0;
        room = image.height - (y0 + warp + job.all.window_height - 1);
        lead = image.data + (near ? x : 0) +
               static_cast<int64_t>(y0 + warp + job.all.window_height - 1) * image.pitch;
        now = static_cast<uint32_t>(__cvta_generic_to_shared(buffer + 16 * lane));
        next = now + 2 * COLUMNS;
        first = warp == 0; // nothing has left the first window
    }
    __device__ static void copy(uint32_t to, const unsigned char *from, uint32_t bytes)
    {
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from),
                     "r"(bytes));
    }
    __device__ static void copy(uint32_t to, const unsigned char *from, uint32_t bytes,
                                uint64_t policy)
    {
        asm volatile("cp.async.cg.shared.global.L2::cache_hint [%0], [%1], 16, %2, %3;" ::"r"(to),
                     "l"(from), "r"(bytes), "l"(policy));
    }
    // The lag row is a window's height above the lead row; behind the last batch low windows have
    // it below the image too.
    __device__ void fetch(const Job &job)
    {
        const int64_t pitch = job.all.image.pitch; // of every plane
        const unsigned char *lag = lead - job.all.window_height * pitch;
        uint32_t in = room > 0 ? ~0u : 0u, out = first || room <= -job.all.window_height ? 0u : ~0u,
                 t = now;
        uint64_t keep, let;
        asm volatile("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(keep));
        asm volatile("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(let));
        copy(now, lead, near & in, keep);
        copy(now + COLUMNS, lag, near & out, let);
        if (threadIdx.x % LANES < PIECES - LANES) {
            copy(now + 16 * LANES, lead + (far ? 16 * LANES : 0), far & in, keep);
            copy(now + COLUMNS + 16 * LANES, lag + (far ? 16 * LANES : 0), far & out, let);
        }
        asm volatile("cp.async.commit_group;");
        first = false;
        lead += ROWS * pitch;
        room -= ROWS;
        now = next;
        next = t;
    }
};

// Inclusive sums over the lanes.
__device__ __forceinline__ void scan(uint32_t &a, uint32_t &b)
{
#define XNCC_SCAN_STEP(o)                                                                          \
    asm("{ .reg .pred p; .reg .u32 t;\n"                                                           \
        "shfl.sync.up.b32 t|p, %0, " #o ", 0, -1; @p add.u32 %0, %0, t;\n"                         \
        "shfl.sync.up.b32 t|p, %1, " #o ", 0, -1; @p add.u32 %1, %1, t; }"                         \
        : "+r"(a), "+r"(b))
    XNCC_SCAN_STEP(1);
    XNCC_SCAN_STEP(2);
    XNCC_SCAN_STEP(4);
    XNCC_SCAN_STEP(8);
    XNCC_SCAN_STEP(16);
#undef XNCC_SCAN_STEP
}

// A thread's share of a map row: four columns from x on.
template <bool VECTOR>
__device__ __forceinline__ void store(float *to, const float *f, int x, int width)
{
    if (VECTOR && x + 3 < width) {
        __stcs(reinterpret_cast<float4 *>(to), make_float4(f[0], f[1], f[2], f[3]));
        return;
    }
#pragma unroll
    for (int i = 0; i < 4; i++)
        if (x + i < width)
            to[i] = f[i];
}

// The rows of a strip that a block walks: one wave of blocks, but no segment so short that starting
// it costs more than walking it.
inline dim3 cut_strips(int32_t width, int32_t height, int32_t window_height, int blocks, int batch,
                       int32_t *segment)
{
    int strips = ceil_div<int32_t>(width, XNCC_TENSOR_COLUMNS), segments = blocks / strips;
    int rows = ceil_div<int32_t>(height, segments > 1 ? segments : 1), least = window_height / 8;
    *segment = ceil_div(rows > least ? rows : least, batch) * batch;
    return dim3(static_cast<unsigned>(strips),
                static_cast<unsigned>(ceil_div<int32_t>(height, *segment)));
}

inline dim3 cut_strips(Job *job, int processors, int blocks)
{
    return cut_strips(job->all.width, job->all.height, job->all.window_height, processors * blocks,
                      ROWS, &job->segment);
}

inline Job make_job(const TensorScoreJob &all)
{
    double n = static_cast<double>(all.rule.n);
    xncc_float_float pair_unit = xncc_ff_unit(XNCC_CCOEFF_NORMED, &all.rule);
    return Job{
        all, 0, n, -n * LIFT, static_cast<double>(all.rule.sum), 1.0 / all.rule.root_var, pair_unit
    };
}

// Are rows of the map made of whole vectors of so many floats?
inline bool rows_aligned(const float *map, int64_t pitch, int floats)
{
    return pitch % floats == 0 &&
           reinterpret_cast<uintptr_t>(map) % (sizeof(float) * static_cast<size_t>(floats)) == 0;
}

} // namespace xncc

#endif
