// Window sums and ccoeff_normed in one pass over the image and X, for 8-bit windows up to 384 pixels wide.
//
// A block walks down a strip of 512 columns, four rows at a time. First each of its warps takes one row: what the window's lower edge
// brings in (`lead`) less what its upper edge leaves (`lag`), summed along the row, once as it is and once squared. A lane has an odd
// number of words, so that 16-byte accesses to shared memory do not conflict. Then each thread slides the windows of four columns down
// the four rows: the difference of two prefixes is a window's change. All of it wraps modulo 2^32, which is exact because S and Q fit.
// `Route` (tensor_route.cuh) is the way from the sums to a score.
#include "tensor_route.cuh"

namespace cm {

namespace {

constexpr int blocks_of(int words) // a multiprocessor
{
    return words == WORDS ? 5 : 4;
}

template <int WORDS> struct Shared {
    static constexpr int COLUMNS = Span<WORDS>::COLUMNS, PITCH = Span<WORDS>::PITCH;
    alignas(16) uint32_t s[ROWS][PITCH], q[ROWS][PITCH]; // changes of S and Q, summed over the columns before
    alignas(16) unsigned char pixels[WARPS][2][2][COLUMNS]; // of lead and lag, this batch's and the next's
};

__device__ __forceinline__ float plain_score(const Job &job, uint32_t s, uint32_t q, uint32_t x)
{
    return cm_score_integer(CM_CCOEFF_NORMED, &job.all.rule, s, q, x);
}

// The four rows of a batch and a thread's four columns by the plain formula, from the last row up.
template <int WORDS, int SHIFT>
__device__ __noinline__ void score_again(const Job &job, const Shared<WORDS> &shared, const uint32_t *windows, int x, int y, int rows)
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

// A lane's words of lead and lag to the sums before each of its columns. The barrier: until the batch before has been read.
template <int WORDS>
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
template <int WORDS> __device__ void start(const Job &job, Shared<WORDS> &shared, int x0, int y0)
{
    const TensorPlane &image = job.all.image;
    for (int word = threadIdx.x; word < Span<WORDS>::COLUMNS / 4; word += THREADS) {
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
template <class Route, int SHIFT>
__device__ __forceinline__ void slide(typename Route::Sum *windows, const uint32_t *left, int distance)
{
    uint4 out = *reinterpret_cast<const uint4 *>(left), in = *reinterpret_cast<const uint4 *>(left + distance), more = in;
    if (SHIFT)
        more = *reinterpret_cast<const uint4 *>(left + distance + 4);
    const uint32_t gone[4] = { out.x, out.y, out.z, out.w };
    const uint32_t come[8] = { in.x, in.y, in.z, in.w, more.x, more.y, more.z, more.w };
#pragma unroll
    for (int i = 0; i < 4; i++)
        windows[i] = Route::move(windows[i], come[SHIFT + i], gone[i]);
}

// What becomes of X and the sums: the map. VECTOR: its rows are aligned to 16 bytes.
template <class Route, int SHIFT, bool VECTOR> struct ToMap {
    using Sum = typename Route::Sum;
    float *to;
    bool sure;

    __device__ ToMap(const Job &job, int x, int y) : to(job.all.map + y * job.all.map_pitch + x), sure(true)
    {
    }
    __device__ __forceinline__ const uint32_t *sums(const Job &job) const
    {
        return job.all.sums;
    }
    __device__ __forceinline__ void row(const Job &job, const Sum *s, const Sum *q, const uint32_t *product, int x, bool inside)
    {
        float f[4];
#pragma unroll
        for (int i = 0; i < 4; i++)
            sure &= Route::score(job, s[i], q[i], product[i], &f[i]);
        if (inside)
            store<VECTOR>(to, f, x, job.all.width);
        to += job.all.map_pitch;
    }
    template <int WORDS>
    __device__ __forceinline__ void batch(const Job &job, const Shared<WORDS> &shared, const Sum *s, const Sum *q, int x, int y,
                                          int left)
    {
        if (__builtin_expect(!sure, 0)) {
            const uint32_t windows[8] = { Route::lower(s[0]), Route::lower(s[1]), Route::lower(s[2]), Route::lower(s[3]),
                                          Route::lower(q[0]), Route::lower(q[1]), Route::lower(q[2]), Route::lower(q[3]) };
            score_again<WORDS, SHIFT>(job, shared, windows, x, y, left);
        }
        sure = true;
    }
};

// Or the best score of each tile, within TENSOR_SLACK of the exact one, 0 for less. num y is within 2^-19 + 2^-40 (tensor_route.cuh). The
// product with 1 / root_var, in float, adds 5 roundings of 2^-24 at most, and score.h's own float one. So a score of at most 1 is off by
// less than 2^-18.6. A window without variance has num = 0, and y is cut to 1, its largest value otherwise: 0, even where the score is
// not a number. A flat template has unit 0.
template <class Route> struct ToTiles {
    using Sum = typename Route::Sum;
    const TensorTiles &tiles;
    typename Route::Whole sum; // of the template
    int best;                  // num y

    __device__ ToTiles(const TensorTiles &of)
        : tiles(of), sum(static_cast<typename Route::Whole>(of.rule[blockIdx.z].sum)), best(0)
    {
    }
    __device__ __forceinline__ const uint32_t *sums(const Job &job) const
    {
        return job.all.sums + blockIdx.z * tiles.plane;
    }
    __device__ __forceinline__ void row(const Job &job, const Sum *s, const Sum *q, const uint32_t *product, int x, bool inside)
    {
#pragma unroll
        for (int i = 0; i < 4; i++) {
            int judged = Route::judge(job, sum, s[i], q[i], product[i]);
            if (inside && x + i < job.all.width)
                best = max(best, judged);
        }
    }
    template <int WORDS>
    __device__ __forceinline__ void batch(const Job &job, const Shared<WORDS> &, const Sum *, const Sum *, int x, int y, int left)
    {
        if ((y + ROWS) % tiles.rows != 0 && left > ROWS)
            return;
        int all = __reduce_max_sync(0xffffffffu, best);
        best = 0;
        if (threadIdx.x % LANES != 0 || x >= job.all.width)
            return;
        float score = Route::judged(all, tiles.rule[blockIdx.z].root_var);
        tiles.best[static_cast<int64_t>(blockIdx.z) * tiles.count + y / tiles.rows * tiles.across + x / PEAK_COLUMNS] =
            peak_order(score, 0);
    }
};

template <class Route, int WORDS, int SHIFT, class Output>
__device__ void walk(const Job &job, Shared<WORDS> &shared, Output output, int y0, int y1)
{
    constexpr int COLUMNS = Span<WORDS>::COLUMNS;
    const int x = blockIdx.x * CM_TENSOR_COLUMNS + 4 * threadIdx.x, lane = threadIdx.x % LANES, warp = threadIdx.x / LANES;
    const int own = 4 * threadIdx.x, distance = job.all.window_width - SHIFT;
    Rows<WORDS> rows(job, job.all.image, &shared.pixels[warp][0][0][0], blockIdx.x * CM_TENSOR_COLUMNS, y0);
    rows.fetch(job);
    start<WORDS>(job, shared, blockIdx.x * CM_TENSOR_COLUMNS, y0);
    typename Route::Sum s[4], q[4];
#pragma unroll
    for (int i = 0; i < 4; i++) {
        s[i] = Route::lift(shared.s[0][own + job.all.window_width + i] - shared.s[0][own + i]);
        q[i] = Route::lift(shared.q[0][own + job.all.window_width + i] - shared.q[0][own + i]);
    }
    const uint32_t *now = reinterpret_cast<const uint32_t *>(&shared.pixels[warp][0][0][4 * WORDS * lane]), *next = now + COLUMNS / 2;
    const int64_t sums_pitch = job.all.sums_pitch;
    const uint32_t *sums = output.sums(job) + y0 * sums_pitch + x;
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
        rows.fetch(job);
        sum_row<WORDS>(lead, lag, &shared.s[warp][4 * WORDS * lane], &shared.q[warp][4 * WORDS * lane]);
        __syncthreads();
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            slide<Route, SHIFT>(s, &shared.s[r][own], distance);
            slide<Route, SHIFT>(q, &shared.q[r][own], distance);
            const uint32_t product[4] = { products[r].x, products[r].y, products[r].z, products[r].w };
            output.row(job, s, q, product, x, left > r);
        }
        output.batch(job, shared, s, q, x, y1 - left, left);
    }
    asm volatile("cp.async.wait_group 0;" ::: "memory");
}

template <class Route, int WORDS, int SHIFT, bool VECTOR>
__global__ __launch_bounds__(THREADS, blocks_of(WORDS)) void slide_windows(const __grid_constant__ Job job)
{
#if __CUDA_ARCH__ >= 800
    __shared__ Shared<WORDS> shared;
    int y0 = blockIdx.y * job.segment, y1 = min(y0 + job.segment, job.all.height);
    if (y0 < y1 && !(job.all.skip && *job.all.skip))
        walk<Route, WORDS, SHIFT>(job, shared,
                                  ToMap<Route, SHIFT, VECTOR>(job, blockIdx.x * CM_TENSOR_COLUMNS + 4 * threadIdx.x, y0), y0, y1);
#endif
}

template <class Route, int WORDS, int SHIFT>
__global__ __launch_bounds__(THREADS, blocks_of(WORDS)) void judge_tiles(const __grid_constant__ Job job, const __grid_constant__ TensorTiles tiles)
{
#if __CUDA_ARCH__ >= 800
    __shared__ Shared<WORDS> shared;
    int y0 = blockIdx.y * job.segment, y1 = min(y0 + job.segment, job.all.height);
    if (y0 < y1)
        walk<Route, WORDS, SHIFT>(job, shared, ToTiles<Route>(tiles), y0, y1);
#endif
}

template <class Route, int WORDS, bool VECTOR> void launch(const Job &job, dim3 grid, cudaStream_t stream)
{
    switch (job.all.window_width % 4) {
    case 0: slide_windows<Route, WORDS, 0, VECTOR><<<grid, THREADS, 0, stream>>>(job); break;
    case 1: slide_windows<Route, WORDS, 1, VECTOR><<<grid, THREADS, 0, stream>>>(job); break;
    case 2: slide_windows<Route, WORDS, 2, VECTOR><<<grid, THREADS, 0, stream>>>(job); break;
    default: slide_windows<Route, WORDS, 3, VECTOR><<<grid, THREADS, 0, stream>>>(job); break;
    }
}

template <class Route, int WORDS> void launch_tiles(const Job &job, const TensorTiles &tiles, dim3 grid, cudaStream_t stream)
{
    switch (job.all.window_width % 4) {
    case 0: judge_tiles<Route, WORDS, 0><<<grid, THREADS, 0, stream>>>(job, tiles); break;
    case 1: judge_tiles<Route, WORDS, 1><<<grid, THREADS, 0, stream>>>(job, tiles); break;
    case 2: judge_tiles<Route, WORDS, 2><<<grid, THREADS, 0, stream>>>(job, tiles); break;
    default: judge_tiles<Route, WORDS, 3><<<grid, THREADS, 0, stream>>>(job, tiles); break;
    }
}

Job make_job(const TensorScoreJob &all)
{
    double n = static_cast<double>(all.rule.n);
    cm_pair pair_unit = cm_pair_unit(CM_CCOEFF_NORMED, &all.rule);
    return Job{ all, 0, n, -n * LIFT, static_cast<double>(all.rule.sum), 1.0 / all.rule.root_var, pair_unit };
}

int words_of(const TensorScoreJob &all)
{
    return all.window_width <= CM_TENSOR_WIDTH ? WORDS : WIDE_WORDS;
}

template <class Route> void launch_map(const Job &job, dim3 grid, cudaStream_t stream)
{
    bool vector = rows_aligned(job.all);
    if (words_of(job.all) == WORDS)
        vector ? launch<Route, WORDS, true>(job, grid, stream) : launch<Route, WORDS, false>(job, grid, stream);
    else
        vector ? launch<Route, WIDE_WORDS, true>(job, grid, stream) : launch<Route, WIDE_WORDS, false>(job, grid, stream);
}

template <class Route> void launch_any_tiles(const Job &job, const TensorTiles &tiles, dim3 grid, cudaStream_t stream)
{
    if (words_of(job.all) == WORDS)
        launch_tiles<Route, WORDS>(job, tiles, grid, stream);
    else
        launch_tiles<Route, WIDE_WORDS>(job, tiles, grid, stream);
}

} // namespace

cudaError_t tensor_score_launch(const TensorScoreJob &all, int processors, cudaStream_t stream)
{
    Job job = make_job(all);
    dim3 grid = cut_strips(&job, processors, blocks_of(words_of(all)));
    all.slow_doubles ? launch_map<Pairs>(job, grid, stream) : launch_map<Doubles>(job, grid, stream);
    return cudaGetLastError();
}

cudaError_t tensor_tiles_launch(const TensorScoreJob &all, const TensorTiles &tiles, int processors, cudaStream_t stream)
{
    Job job = make_job(all);
    dim3 grid = cut_strips(&job, processors, ceil_div(blocks_of(words_of(all)), tiles.slots));
    job.segment = ceil_div(job.segment, tiles.rows) * tiles.rows;
    grid.y = static_cast<unsigned>(ceil_div<int32_t>(all.height, job.segment));
    grid.z = static_cast<unsigned>(tiles.slots);
    tiles.slow_doubles ? launch_any_tiles<Pairs>(job, tiles, grid, stream) : launch_any_tiles<Doubles>(job, tiles, grid, stream);
    return cudaGetLastError();
}

} // namespace cm
