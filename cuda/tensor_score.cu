// Window sums and ccoeff_normed in one pass over the image and X, for 8-bit windows up to 128 pixels wide.
//
// A block walks down a strip of 512 columns, four rows at a time. First each of its warps takes one row: what the window's lower edge
// brings in (`lead`) less what its upper edge leaves (`lag`), summed along the row, once as it is and once squared. A lane has an odd
// number of words, so that 16-byte accesses to shared memory do not conflict. Then each thread slides the windows of four columns down
// the four rows: the difference of two prefixes is a window's change. All of it wraps modulo 2^32, which is exact because S and Q fit.
//
// The score without a division. S, Q < 2^32 and n < 2^17, so n X, S sumT, n Q and S^2 are integers below 2^53 (n^2 255^2 < 2^53 to
// n = 372,000): the two fused multiply-adds give numerator and variance exactly, as score.h has them. Let u = 2^-53.
//   y is the hardware's reciprocal root of the variance; e = 1 - var y^2 is at most 2^-19 (measured over all its 2^21 arguments, tests
//   and docs/performance-gpu.md: 2^-19.04), off by at most u. c = e (1/2 + 3/8 e) leaves out 5/16 e^3 < 2^-58 of 1 / sqrt(1 - e) - 1.
//   t = (num cT) y has two roundings, and cT, the reciprocal of a rounded root, three: 5 u. q = t + t c adds u / 2 + u + 2^-58.
// So q is within 7 u of the exact quotient, relatively, and score.h's own four roundings within 4 u: they differ by less than 11 u |q|,
// which is at most 11 units of q's last place. Their floats differ only when a midpoint of two floats lies between them: when the low
// 29 bits of q are within 11 of 2^28. Those within 32 (one pixel in 8 million), and windows without variance, for which q is no number,
// are done once more by the formula of score.h.
#include "tensor.cuh"

namespace cm {

namespace {

constexpr int LANES = 32, WARPS = 4, THREADS = WARPS * LANES;
constexpr int ROWS = WARPS;                 // of a batch
constexpr int WORDS = 5;                    // a lane, odd
constexpr int COLUMNS = 4 * WORDS * LANES;  // whose sums are at hand: 512 and the widest window
constexpr int PIECES = COLUMNS / 16;        // 16-byte pieces of an image row
constexpr int PITCH = COLUMNS + 4;
constexpr int BLOCKS = 5;                   // a multiprocessor
constexpr double LIFT = 4503599627370496.0; // 2^52: a double 2^52 + v has the integer v in its low word
constexpr int LIFT_HIGH = 0x43300000;
constexpr uint32_t DOUBT = 32;
static_assert(COLUMNS >= CM_TENSOR_COLUMNS + CM_TENSOR_WIDTH, "columns of a strip's windows");
static_assert(THREADS * 4 == CM_TENSOR_COLUMNS && PIECES <= 2 * LANES, "a strip");

struct Job {
    TensorScoreJob all;
    int32_t segment;              // rows of a strip that a block walks
    double n, lowered, sum, unit; // n, -n 2^52, sumT, 1 / root_var
};

struct Shared {
    alignas(16) uint32_t s[ROWS][PITCH], q[ROWS][PITCH]; // changes of S and Q, summed over the columns before
    alignas(16) unsigned char pixels[WARPS][2][2][COLUMNS]; // of lead and lag, this batch's and the next's
};

__device__ __forceinline__ uint32_t value(double lifted)
{
    return static_cast<uint32_t>(__double2loint(lifted));
}

__device__ __forceinline__ uint32_t minus(uint32_t pixels, uint32_t weights, uint32_t sum)
{
    asm("dp4a.u32.s32 %0, %1, %2, %0;" : "+r"(sum) : "r"(pixels), "r"(weights)); // weights: bytes of 0 and -1
    return sum;
}

__device__ __forceinline__ float plain_score(const Job &job, uint32_t s, uint32_t q, uint32_t x)
{
    return cm_score_integer(CM_CCOEFF_NORMED, &job.all.rule, s, q, x);
}

// False: the score has to be done again.
__device__ __forceinline__ bool quick_score(const Job &job, double s, double q, uint32_t x, float *score)
{
    double sum = __dadd_rn(s, -LIFT), nx = fma(job.n, __hiloint2double(LIFT_HIGH, static_cast<int>(x)), job.lowered);
    double num = fma(-job.sum, sum, nx), var = fma(-sum, sum, fma(job.n, q, job.lowered)), y;
    asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(var));
    double e = fma(-__dmul_rn(var, y), y, 1.0), c = __dmul_rn(e, fma(0.375, e, 0.5));
    double t = __dmul_rn(__dmul_rn(num, job.unit), y), quotient = fma(t, c, t);
    *score = __double2float_rn(quotient);
    uint32_t low = value(quotient) << 3; // the 29 bits that a float has not
    return low - (0x80000000u - (DOUBT << 3)) > 2 * (DOUBT << 3) && *score == *score;
}

// The four rows of a batch and a thread's four columns by the plain formula, from the last row up.
template <int SHIFT>
__device__ __noinline__ void score_again(const Job &job, const Shared &shared, const uint32_t *windows, int x, int y, int rows)
{
    const int right = job.all.window_width + static_cast<int>(threadIdx.x) * 4, left = static_cast<int>(threadIdx.x) * 4;
#pragma unroll 1
    for (int i = 0; i < 4 && x + i < job.all.width; i++) {
        uint32_t s = windows[i], q = windows[4 + i];
#pragma unroll 1
        for (int r = ROWS - 1; r >= 0; r--) {
            if (r < rows)
                job.all.map[(y + r) * job.all.map_pitch + x + i] =
                    plain_score(job, s, q, job.all.sums[(y + r) * job.all.sums_pitch + x + i]);
            s -= shared.s[r][right + i] - shared.s[r][left + i];
            q -= shared.q[r][right + i] - shared.q[r][left + i];
        }
    }
}

// A warp's row, one batch ahead in shared memory.
struct Rows {
    const unsigned char *lead, *lag;
    int64_t step;
    uint32_t now, next; // where the lane's pieces go
    uint32_t near, far; // bytes of its pieces that lie in the image
    int room;           // image rows from the lead row on
    bool first;

    __device__ Rows(const Job &job, Shared &shared, int x0, int y0)
    {
        const TensorPlane &image = job.all.image;
        int lane = threadIdx.x % LANES, warp = threadIdx.x / LANES, x = x0 + 16 * lane;
        near = x < image.width ? 16 : 0;
        far = x + 16 * LANES < image.width && lane < PIECES - LANES ? 16 : 0;
        room = image.height - (y0 + warp + job.all.window_height - 1);
        lead = image.data + (near ? x : 0) + static_cast<int64_t>(y0 + warp + job.all.window_height - 1) * image.pitch;
        lag = image.data + (near ? x : 0) + static_cast<int64_t>(y0 + warp - 1) * image.pitch;
        step = ROWS * image.pitch;
        now = static_cast<uint32_t>(__cvta_generic_to_shared(&shared.pixels[warp][0][0][16 * lane]));
        next = now + 2 * COLUMNS;
        first = warp == 0; // nothing has left the first window
    }
    __device__ static void copy(uint32_t to, const unsigned char *from, uint32_t bytes)
    {
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(bytes));
    }
    __device__ void fetch()
    {
        uint32_t in = room > 0 ? ~0u : 0u, out = first ? 0u : ~0u, t = now;
        copy(now, lead, near & in);
        copy(now + COLUMNS, lag, near & out);
        if (threadIdx.x % LANES < PIECES - LANES) {
            copy(now + 16 * LANES, lead + (far ? 16 * LANES : 0), far & in);
            copy(now + COLUMNS + 16 * LANES, lag + (far ? 16 * LANES : 0), far & out);
        }
        asm volatile("cp.async.commit_group;");
        first = false;
        lead += step;
        lag += step;
        room -= ROWS;
        now = next;
        next = t;
    }
};

// Inclusive sums over the lanes.
__device__ __forceinline__ void scan(uint32_t &a, uint32_t &b)
{
#define CM_SCAN_STEP(o)                                                                       \
    asm("{ .reg .pred p; .reg .u32 t;\n"                                                       \
        "shfl.sync.up.b32 t|p, %0, " #o ", 0, -1; @p add.u32 %0, %0, t;\n"                     \
        "shfl.sync.up.b32 t|p, %1, " #o ", 0, -1; @p add.u32 %1, %1, t; }"                     \
        : "+r"(a), "+r"(b))
    CM_SCAN_STEP(1);
    CM_SCAN_STEP(2);
    CM_SCAN_STEP(4);
    CM_SCAN_STEP(8);
    CM_SCAN_STEP(16);
#undef CM_SCAN_STEP
}

// A lane's words of lead and lag to the sums before each of its columns. The barrier: until the batch before has been read.
__device__ __forceinline__ void sum_row(const uint32_t *lead, const uint32_t *lag, uint32_t *to_s, uint32_t *to_q)
{
    uint32_t s[WORDS], q[WORDS], s_all = 0, q_in = 0, q_out = 0;
#pragma unroll
    for (int i = 0; i < WORDS; i++) {
        s[i] = s_all;
        q[i] = q_in - q_out;
        s_all = minus(lag[i], 0xffffffffu, __dp4a(lead[i], 0x01010101u, s_all));
        q_in = __dp4a(lead[i], lead[i], q_in);
        q_out = __dp4a(lag[i], lag[i], q_out);
    }
    uint32_t s_before = s_all, q_before = q_in - q_out;
    scan(s_before, q_before);
    s_before -= s_all;
    q_before -= q_in - q_out;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < WORDS; i++) {
        uint32_t a = lead[i], b = lag[i], s0 = s[i] + s_before, q0 = q[i] + q_before;
        uint32_t s1 = minus(b, 0xffu, __dp4a(a, 0x1u, s0)), s2 = minus(b, 0xffffu, __dp4a(a, 0x101u, s0)),
                 s3 = minus(b, 0xffffffu, __dp4a(a, 0x10101u, s0));
        uint32_t q1 = __dp4a(a & 0xffu, a, q0) - __dp4a(b & 0xffu, b, 0u),
                 q2 = __dp4a(a & 0xffffu, a, q0) - __dp4a(b & 0xffffu, b, 0u),
                 q3 = __dp4a(a & 0xffffffu, a, q0) - __dp4a(b & 0xffffffu, b, 0u);
        *reinterpret_cast<uint4 *>(to_s + 4 * i) = make_uint4(s0, s1, s2, s3);
        *reinterpret_cast<uint4 *>(to_q + 4 * i) = make_uint4(q0, q1, q2, q3);
    }
}

// Sums over all but the last row of the segment's first windows, down the columns and then along the row.
__device__ void start(const Job &job, Shared &shared, int x0, int y0)
{
    const TensorPlane &image = job.all.image;
    for (int word = threadIdx.x; word < COLUMNS / 4; word += THREADS) {
        const unsigned char *from = image.data + min(x0 + 4 * word, image.width - 4) + y0 * image.pitch;
        uint32_t even = 0, odd = 0, q0 = 0, q1 = 0, q2 = 0, q3 = 0; // even, odd: two sums of 16 bits each are carried out below
        uint32_t s0 = 0, s1 = 0, s2 = 0, s3 = 0;
        for (int j = 0; j < job.all.window_height - 1;) {
            const int end = min(j + 256, job.all.window_height - 1); // 256 * 255 < 2^16
#pragma unroll 8
            for (; j < end; j++, from += image.pitch) {
                uint32_t v = __ldg(reinterpret_cast<const uint32_t *>(from));
                even += v & 0x00ff00ffu;
                odd += v >> 8 & 0x00ff00ffu;
                q0 = __dp4a(v & 0xffu, v, q0);
                q1 = __dp4a(v & 0xff00u, v, q1);
                q2 = __dp4a(v & 0xff0000u, v, q2);
                q3 = __dp4a(v & 0xff000000u, v, q3);
            }
            s0 += even & 0xffffu;
            s1 += odd & 0xffffu;
            s2 += even >> 16;
            s3 += odd >> 16;
            even = odd = 0;
        }
        *reinterpret_cast<uint4 *>(&shared.s[0][4 * word]) = make_uint4(s0, s1, s2, s3);
        *reinterpret_cast<uint4 *>(&shared.q[0][4 * word]) = make_uint4(q0, q1, q2, q3);
    }
    __syncthreads();
    if (threadIdx.x < LANES) {
        uint32_t *s = &shared.s[0][4 * WORDS * threadIdx.x], *q = &shared.q[0][4 * WORDS * threadIdx.x];
        uint32_t s_all = 0, q_all = 0;
        for (int i = 0; i < 4 * WORDS; i++) {
            s_all += s[i];
            q_all += q[i];
        }
        uint32_t s_before = s_all, q_before = q_all;
        scan(s_before, q_before);
        s_before -= s_all;
        q_before -= q_all;
        for (int i = 0; i < 4 * WORDS; i++) {
            uint32_t s_next = s_before + s[i], q_next = q_before + q[i];
            s[i] = s_before;
            q[i] = q_before;
            s_before = s_next;
            q_before = q_next;
        }
    }
    __syncthreads();
}

// Slides the windows of a thread's four columns by a row. SHIFT: the window's width modulo 4, so that reads stay aligned.
template <int SHIFT> __device__ __forceinline__ void slide(double *windows, const uint32_t *left, int distance)
{
    uint4 out = *reinterpret_cast<const uint4 *>(left), in = *reinterpret_cast<const uint4 *>(left + distance), more = in;
    if (SHIFT)
        more = *reinterpret_cast<const uint4 *>(left + distance + 4);
    const uint32_t gone[4] = { out.x, out.y, out.z, out.w };
    const uint32_t come[8] = { in.x, in.y, in.z, in.w, more.x, more.y, more.z, more.w };
#pragma unroll
    for (int i = 0; i < 4; i++)
        windows[i] = __hiloint2double(__double2hiint(windows[i]), static_cast<int>(value(windows[i]) + come[SHIFT + i] - gone[i]));
}

// A register that the compiler does not know to be constant: a lifted value's high word stays where it is.
__device__ __forceinline__ double lift(uint32_t v)
{
    int high = LIFT_HIGH;
    asm volatile("" : "+r"(high));
    return __hiloint2double(high, static_cast<int>(v));
}

// VECTOR: map rows are aligned to 16 bytes.
template <int SHIFT, bool VECTOR> __device__ void walk(const Job &job, Shared &shared, int y0, int y1)
{
    const int x = blockIdx.x * CM_TENSOR_COLUMNS + 4 * threadIdx.x, lane = threadIdx.x % LANES, warp = threadIdx.x / LANES;
    const int own = 4 * threadIdx.x, distance = job.all.window_width - SHIFT;
    Rows rows(job, shared, blockIdx.x * CM_TENSOR_COLUMNS, y0);
    rows.fetch();
    start(job, shared, blockIdx.x * CM_TENSOR_COLUMNS, y0);
    double s[4], q[4];
#pragma unroll
    for (int i = 0; i < 4; i++) {
        s[i] = lift(shared.s[0][own + job.all.window_width + i] - shared.s[0][own + i]);
        q[i] = lift(shared.q[0][own + job.all.window_width + i] - shared.q[0][own + i]);
    }
    const uint32_t *now = reinterpret_cast<const uint32_t *>(&shared.pixels[warp][0][0][4 * WORDS * lane]), *next = now + COLUMNS / 2;
    const int64_t sums_pitch = job.all.sums_pitch, map_pitch = job.all.map_pitch;
    const uint32_t *sums = job.all.sums + y0 * sums_pitch + x;
    float *map = job.all.map + y0 * map_pitch + x;
    for (int left = y1 - y0; left > 0; left -= ROWS, sums += ROWS * sums_pitch) {
        uint4 products[ROWS];
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
        rows.fetch();
        sum_row(lead, lag, &shared.s[warp][4 * WORDS * lane], &shared.q[warp][4 * WORDS * lane]);
        __syncthreads();
        bool sure = true;
        float *to = map;
#pragma unroll
        for (int r = 0; r < ROWS; r++, to += map_pitch) {
            slide<SHIFT>(s, &shared.s[r][own], distance);
            slide<SHIFT>(q, &shared.q[r][own], distance);
            const uint32_t product[4] = { products[r].x, products[r].y, products[r].z, products[r].w };
            float f[4];
#pragma unroll
            for (int i = 0; i < 4; i++)
                sure &= quick_score(job, s[i], q[i], product[i], &f[i]);
            if (left <= r || x >= job.all.width)
                continue;
            if (VECTOR && x + 3 < job.all.width) {
                __stcs(reinterpret_cast<float4 *>(to), make_float4(f[0], f[1], f[2], f[3]));
                continue;
            }
#pragma unroll
            for (int i = 0; i < 4; i++)
                if (x + i < job.all.width)
                    to[i] = f[i];
        }
        if (__builtin_expect(!sure, 0)) {
            const uint32_t windows[8] = { value(s[0]), value(s[1]), value(s[2]), value(s[3]),
                                          value(q[0]), value(q[1]), value(q[2]), value(q[3]) };
            score_again<SHIFT>(job, shared, windows, x, y1 - left, left);
        }
        map = to;
    }
    asm volatile("cp.async.wait_group 0;" ::: "memory");
}

template <int SHIFT, bool VECTOR> __global__ __launch_bounds__(THREADS, BLOCKS) void slide_windows(const __grid_constant__ Job job)
{
#if __CUDA_ARCH__ >= 800
    __shared__ Shared shared;
    int y0 = blockIdx.y * job.segment, y1 = min(y0 + job.segment, job.all.height);
    if (y0 < y1)
        walk<SHIFT, VECTOR>(job, shared, y0, y1);
#endif
}

template <bool VECTOR> void launch(const Job &job, dim3 grid, cudaStream_t stream)
{
    switch (job.all.window_width % 4) {
    case 0: slide_windows<0, VECTOR><<<grid, THREADS, 0, stream>>>(job); break;
    case 1: slide_windows<1, VECTOR><<<grid, THREADS, 0, stream>>>(job); break;
    case 2: slide_windows<2, VECTOR><<<grid, THREADS, 0, stream>>>(job); break;
    default: slide_windows<3, VECTOR><<<grid, THREADS, 0, stream>>>(job); break;
    }
}

} // namespace

cudaError_t tensor_score_launch(const TensorScoreJob &all, int processors, cudaStream_t stream)
{
    double n = static_cast<double>(all.rule.n);
    Job job = { all, 0, n, -n * LIFT, static_cast<double>(all.rule.sum), 1.0 / all.rule.root_var };
    int strips = ceil_div<int32_t>(all.width, CM_TENSOR_COLUMNS), segments = processors * BLOCKS / strips;
    // one wave of blocks, but no segment so short that starting it costs more than walking it
    int rows = ceil_div<int32_t>(all.height, segments > 1 ? segments : 1), least = all.window_height / 8;
    job.segment = ceil_div(rows > least ? rows : least, ROWS) * ROWS;
    dim3 grid(static_cast<unsigned>(strips), static_cast<unsigned>(ceil_div<int32_t>(all.height, job.segment)));
    if (all.map_pitch % 4 == 0 && reinterpret_cast<uintptr_t>(all.map) % 16 == 0)
        launch<true>(job, grid, stream);
    else
        launch<false>(job, grid, stream);
    return cudaGetLastError();
}

} // namespace cm
