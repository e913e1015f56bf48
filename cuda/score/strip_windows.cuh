// Window sums of a strip of 512 columns, four rows at a time, and the map made of them and X: what
// the score pass of 8-bit pixels (score_u8.cu) and the fused kernel (fused_u8.cu) share.
#ifndef XNCC_CUDA_SCORE_STRIP_WINDOWS_CUH
#define XNCC_CUDA_SCORE_STRIP_WINDOWS_CUH

#include "cuda/score/score_arith.cuh"

namespace xncc {

template <int WORDS> struct Windows {
    static constexpr int COLUMNS = Span<WORDS>::COLUMNS, PITCH = Span<WORDS>::PITCH;
    alignas(16) uint32_t s[ROWS][PITCH],
        q[ROWS][PITCH]; // changes of S and Q, summed over the columns before
};

// A thread's four columns of a strip: adjacent ones,
struct Adjacent {
    static constexpr int STEP =
        4; // windows' right edges are read in aligned pieces of so many columns

    __device__ __forceinline__ static int first()
    {
        return 4 * threadIdx.x;
    }
    __device__ __forceinline__ static constexpr int column(int i)
    {
        return i;
    }
    template <bool VECTOR>
    __device__ __forceinline__ static void store(float *to, const float *f, int x, int width)
    {
        xncc::store<VECTOR>(to, f, x, width);
    }
};

// or two pairs, as m16n8 products leave them with 8 columns a matrix row.
struct Apart {
    static constexpr int STEP = 2, DISTANCE = 64;

    __device__ __forceinline__ static int first()
    {
        return threadIdx.x / LANES * 4 * LANES + threadIdx.x % LANES * 2;
    }
    __device__ __forceinline__ static constexpr int column(int i)
    {
        return i % 2 + i / 2 * DISTANCE;
    }
    template <bool VECTOR>
    __device__ __forceinline__ static void store(float *to, const float *f, int x, int width)
    {
        if (VECTOR && x + DISTANCE + 1 < width) {
            __stcs(reinterpret_cast<float2 *>(to), make_float2(f[0], f[1]));
            __stcs(reinterpret_cast<float2 *>(to + DISTANCE), make_float2(f[2], f[3]));
            return;
        }
#pragma unroll
        for (int i = 0; i < 4; i++)
            if (x + column(i) < width)
                to[column(i)] = f[i];
    }
};

__device__ __forceinline__ float plain_score(const Job &job, uint32_t s, uint32_t q, uint32_t x)
{
    return xncc_score_integer(XNCC_CCOEFF_NORMED, &job.all.rule, s, q, x);
}

// X of a batch and a thread's columns: where a kernel before left it,
struct Stored {
    // x, y: of the thread's first column and the batch's first row; column: one of the thread's
    // four
    __device__ __forceinline__ static uint32_t at(const Job &job, int x, int y, int row, int column)
    {
        return job.all.sums[(y + row) * job.all.sums_pitch + x + Adjacent::column(column)];
    }
};

// or in registers.
struct Held {
    uint32_t x[ROWS][4];

    __device__ __forceinline__ uint32_t at(const Job &, int, int, int row, int column) const
    {
        return x[row][column];
    }
};

// The four rows of a batch and a thread's four columns by the plain formula, from the last row up.
template <int WORDS, class Spread, class Products>
__device__ __noinline__ void score_again(const Job &job, const Windows<WORDS> &shared,
                                         const uint32_t *windows, const Products products, int x,
                                         int y, int rows)
{
#pragma unroll 1
    for (int i = 0; i < 4 && x + Spread::column(i) < job.all.width; i++) {
        const int left = Spread::first() + Spread::column(i), right = left + job.all.window_width;
        uint32_t s = windows[i], q = windows[4 + i];
#pragma unroll 1
        for (int r = ROWS - 1; r >= 0; r--) {
            if (r < rows)
                job.all.map[(y + r) * job.all.map_pitch + x + Spread::column(i)] = plain_score(
                    job, s, q, products.at(job, x, y, r, i));
            s -= shared.s[r][right] - shared.s[r][left];
            q -= shared.q[r][right] - shared.q[r][left];
        }
    }
}

// A lane's words of lead and lag to the sums before each of its columns. The barrier: until the
// batch before has been read.
template <int WORDS>
__device__ __forceinline__ void sum_row(const uint32_t *lead, const uint32_t *lag, uint32_t *to_s,
                                        uint32_t *to_q)
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
        uint32_t s1 = minus(b, 0xffu, __dp4a(a, 0x1u, s0)),
                 s2 = minus(b, 0xffffu, __dp4a(a, 0x101u, s0)),
                 s3 = minus(b, 0xffffffu, __dp4a(a, 0x10101u, s0));
        uint32_t q1 = __dp4a(a & 0xffu, a, q0) - __dp4a(b & 0xffu, b, 0u),
                 q2 = __dp4a(a & 0xffffu, a, q0) - __dp4a(b & 0xffffu, b, 0u),
                 q3 = __dp4a(a & 0xffffffu, a, q0) - __dp4a(b & 0xffffffu, b, 0u);
        *reinterpret_cast<uint4 *>(to_s + 4 * i) = make_uint4(s0, s1, s2, s3);
        *reinterpret_cast<uint4 *>(to_q + 4 * i) = make_uint4(q0, q1, q2, q3);
    }
}

// The block's first row and column of the map.
__device__ __forceinline__ int first_row(const Job &job)
{
    return blockIdx.y * job.segment;
}
__device__ __forceinline__ int first_column()
{
    return blockIdx.x * XNCC_TENSOR_COLUMNS;
}

// Sums over all but the last row of the segment's first windows, down the columns and then along
// the row.
template <int WORDS> __device__ void start(const Job &job, Windows<WORDS> &shared, int x0, int y0)
{
    const TensorPlane &image = job.all.image;
    for (int word = threadIdx.x; word < Span<WORDS>::COLUMNS / 4; word += THREADS) {
        const unsigned char *from = image.data + min(x0 + 4 * word, image.width - 4) +
                                    y0 * image.pitch;
        uint32_t even = 0, odd = 0, q0 = 0, q1 = 0, q2 = 0,
                 q3 = 0; // even, odd: two sums of 16 bits each are carried out below
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
        uint32_t *s = &shared.s[0][4 * WORDS * threadIdx.x],
                 *q = &shared.q[0][4 * WORDS * threadIdx.x];
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

// What start left, of a thread's windows.
template <class Arith, class Spread, int WORDS>
__device__ __forceinline__ void lift_started(const Job &job, const Windows<WORDS> &shared,
                                             typename Arith::Sum *s, typename Arith::Sum *q)
{
#pragma unroll
    for (int i = 0; i < 4; i++) {
        const int left = Spread::first() + Spread::column(i), right = left + job.all.window_width;
        s[i] = Arith::lift(shared.s[0][right] - shared.s[0][left]);
        q[i] = Arith::lift(shared.q[0][right] - shared.q[0][left]);
    }
}

// What lies in shared memory under a thread's columns, and a whole number of its pieces further
// right.
template <class Spread> struct Under;
template <> struct Under<Adjacent> {
    template <int SHIFT>
    __device__ __forceinline__ static void read(const uint32_t *from, uint32_t *to)
    {
        uint4 a = *reinterpret_cast<const uint4 *>(from), b = a;
        if (SHIFT)
            b = *reinterpret_cast<const uint4 *>(from + 4);
        const uint32_t v[8] = { a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w };
#pragma unroll
        for (int i = 0; i < 4; i++)
            to[i] = v[SHIFT + i];
    }
};
template <> struct Under<Apart> {
    template <int SHIFT>
    __device__ __forceinline__ static void read(const uint32_t *from, uint32_t *to)
    {
#pragma unroll
        for (int p = 0; p < 2; p++) {
            uint2 a = *reinterpret_cast<const uint2 *>(from + p * Apart::DISTANCE), b = a;
            if (SHIFT)
                b = *reinterpret_cast<const uint2 *>(from + p * Apart::DISTANCE + 2);
            to[2 * p] = SHIFT ? a.y : a.x;
            to[2 * p + 1] = SHIFT ? b.x : a.y;
        }
    }
};

// Slides the windows of a thread's four columns by a row. SHIFT: the window's width modulo
// Spread::STEP, so that reads stay aligned.
template <class Arith, class Spread, int SHIFT>
__device__ __forceinline__ void slide(typename Arith::Sum *windows, const uint32_t *left,
                                      int distance)
{
    uint32_t gone[4], come[4];
    Under<Spread>::template read<0>(left, gone);
    Under<Spread>::template read<SHIFT>(left + distance, come);
#pragma unroll
    for (int i = 0; i < 4; i++)
        windows[i] = Arith::move(windows[i], come[i], gone[i]);
}

// What becomes of X and the sums: the map. VECTOR: its rows are aligned to 16 bytes.
template <class Arith, class Spread, bool VECTOR> struct ToMap {
    using Sum = typename Arith::Sum;
    static constexpr bool FROM_PRODUCTS = true;
    float *to;
    bool sure;

    __device__ ToMap(const Job &job, int x, int y)
        : to(job.all.map + y * job.all.map_pitch + x), sure(true)
    {
    }
    __device__ __forceinline__ const uint32_t *sums(const Job &job) const
    {
        return job.all.sums;
    }
    __device__ __forceinline__ void row(const Job &job, const Sum *s, const Sum *q,
                                        const uint32_t *product, int x, bool inside)
    {
        float f[4];
#pragma unroll
        for (int i = 0; i < 4; i++)
            sure &= Arith::score(job, s[i], q[i], product[i], &f[i]);
        if (inside)
            Spread::template store<VECTOR>(to, f, x, job.all.width);
        to += job.all.map_pitch;
    }
    template <int WORDS, class Products>
    __device__ __forceinline__ void batch(const Job &job, const Windows<WORDS> &shared,
                                          const Sum *s, const Sum *q, const Products &products,
                                          int x, int y, int left)
    {
        if (__builtin_expect(!sure, 0)) {
            const uint32_t windows[8] = { Arith::lower(s[0]), Arith::lower(s[1]),
                                          Arith::lower(s[2]), Arith::lower(s[3]),
                                          Arith::lower(q[0]), Arith::lower(q[1]),
                                          Arith::lower(q[2]), Arith::lower(q[3]) };
            score_again<WORDS, Spread>(job, shared, windows, products, x, y, left);
        }
        sure = true;
    }
};

} // namespace xncc

#endif
