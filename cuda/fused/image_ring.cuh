// SPDX-License-Identifier: BSD-2-Clause
// Products of small templates with image rows that are in a ring in shared memory: the common part
// of the fused kernels of plain (fused_u8.cu) and of masked matches (fused_masked_u8.cu).
//
// X of a batch of map rows is a chain of m16n8k32 products (the Toeplitz product of
// correlate_wgmma.cu) that stays in the registers of the threads that score it. A warp's 128
// columns are two times 64: x = 64 p + 8 g + b, where p and g select a row of A and b is a column
// of B. A holds image bytes 8 g + k, B template bytes k - b. The 32 bytes of K are those of one
// image row or, where up to 16 are left of it, 16 of that row and 16 of the next: there two
// template rows share a product (a "half").
//
// Template rows are padded to a multiple of eight by zero rows above. So the last row of a window
// is always the row that was loaded last.
#ifndef XNCC_CUDA_FUSED_IMAGE_RING_CUH
#define XNCC_CUDA_FUSED_IMAGE_RING_CUH

#include "cuda/products/mma_ptx.cuh"
#include "cuda/runtime/warp.cuh"
#include "cuda/score/strip_windows.cuh"

namespace xncc {

// Bytes of a ring row, for template rows of CHUNKS products.
template <int CHUNKS>
constexpr int RING_PITCH = CHUNKS < 2 ? XNCC_TENSOR_FUSED_NARROW_PITCH : XNCC_TENSOR_FUSED_PITCH;

// The layout of a template. Lane 4 b + t needs bytes 4 m + k - b, k = 0 .. 3, of a row for various
// m >= t. With b = 4 b1 + b0 these are bytes 4 (m - b1) + k - b0: so a row is stored four times,
// shifted by b0 = 0 .. 3 bytes, with a word of zeros in front. COPY, ROW: words of a copy and of a
// row. For less than two chunks a warp's 32 words are in different banks or the same.
template <int CHUNKS, int HALF> struct TapLayout {
    static constexpr int COPY = 8 * CHUNKS + 4 * HALF + 1, ROW = 4 * COPY;

    // The lane's word for m = t of row 0.
    __device__ __forceinline__ static int first(int lane)
    {
        return lane / 4 % 4 * COPY + lane % 4 - lane / 16 + 1;
    }
};

// The A registers of an image row, and those of its last bytes with the next row's. They are loaded
// as single words: a wider load would leave them in registers from which they had to be moved for
// every product.
template <int CHUNKS, int HALF> struct Pixels {
    uint32_t whole[CHUNKS ? CHUNKS : 1][4], half[4];

    __device__ __forceinline__ static uint32_t word(const unsigned char *from)
    {
        return *reinterpret_cast<const uint32_t *>(from);
    }
    // from: the thread's four bytes of a row (fragment_bytes).
    __device__ __forceinline__ void load(const unsigned char *from)
    {
#pragma unroll
        for (int i = 0; i < 4 * CHUNKS; i++)
            whole[i / 4][i % 4] = word(from + 32 * (i / 4) + 16 * (i % 4 / 2) +
                                       Apart::DISTANCE * (i % 2));
    }
    __device__ __forceinline__ void load_half(const unsigned char *from, const unsigned char *next)
    {
#pragma unroll
        for (int i = 0; i < 4 * HALF; i++)
            half[i] = word((i < 2 ? from : next) + 32 * CHUNKS + Apart::DISTANCE * (i % 2));
    }
};

// Below, BATCH is the number of map rows that a block computes at a time, and also the number of
// image rows and of template rows per group; 4 or 8. With G groups of template rows, a batch of map
// rows has G + 1 groups of image rows under it. In the FIRST one, image row s contributes to map
// rows r <= s only, with the first group of template rows; in the one BEHIND the last group of
// template rows, to map rows r > s only.
enum Part { FIRST, MIDDLE, BEHIND };

// The B fragments in use: template row j is whole[j % BATCH], and the half that rows j and j + 1
// share, j even, is half[j / 2 % (BATCH / 2)].
template <int BATCH, int CHUNKS> struct Taps {
    uint2 whole[BATCH][CHUNKS ? CHUNKS : 1], half[BATCH / 2];
};

// Adds the products of a group of image rows. Image row s meets template row s - r of this group,
// or of the one before, in map row r. now, next: this group and the one below in the ring. taps:
// the lane's first word of the group. The loop over map rows is the inner one, because products of
// the same map row depend on each other.
template <int BATCH, int CHUNKS, int HALF, Part PART>
__device__ __forceinline__ void multiply_group(RegisterProducts *x, Taps<BATCH, CHUNKS> &b,
                                               const unsigned char *now, const unsigned char *next,
                                               const uint32_t *taps)
{
    constexpr int PITCH = RING_PITCH<CHUNKS>, ROW = TapLayout<CHUNKS, HALF>::ROW;
#pragma unroll
    for (int s = 0; s < (PART == BEHIND ? BATCH - 1 : BATCH); s++) {
        Pixels<CHUNKS, HALF> a;
        a.load(now + s * PITCH);
        if (PART != BEHIND || s < BATCH - 2)
            a.load_half(now + s * PITCH, s < BATCH - 1 ? now + (s + 1) * PITCH : next);
#pragma unroll
        for (int c = 0; c < CHUNKS && PART != BEHIND; c++)
            b.whole[s][c] = make_uint2(taps[s * ROW + 8 * c], taps[s * ROW + 8 * c + 4]);
        if (HALF && s % 2 == 0 && PART != BEHIND)
            b.half[s / 2] = make_uint2(taps[s * ROW + 8 * CHUNKS],
                                       taps[(s + 1) * ROW + 8 * CHUNKS]);
#pragma unroll
        for (int c = 0; c < CHUNKS + HALF; c++)
#pragma unroll
            for (int r = 0; r < BATCH; r++) {
                const int tap = (s - r + BATCH) % BATCH;
                if (PART == FIRST ? r > s : PART == BEHIND ? r <= s : false)
                    continue;
                if (c < CHUNKS)
                    mma_m16n8k32(x[r / ROWS].x[r % ROWS], a.whole[c], b.whole[tap][c]);
                else if (tap % 2 == 0)
                    mma_m16n8k32(x[r / ROWS].x[r % ROWS], a.half, b.half[tap / 2]);
            }
    }
}

// The thread's bytes of A in a ring row.
__device__ __forceinline__ const unsigned char *fragment_bytes(const unsigned char *row, int warp,
                                                               int lane)
{
    return row + 2 * Apart::DISTANCE * warp + 8 * (lane / 4) + 4 * (lane % 4);
}

// X of a batch of map rows. image: the ring, with the thread's offset into a row (fragment_bytes);
// at: offset of the first window's first row; end: size of the ring in bytes; taps: with the lane's
// offset (TapLayout); rows: padded template rows. Rows below the last window need not be loaded
// yet.
template <int BATCH, int CHUNKS, int HALF>
__device__ __forceinline__ void multiply(RegisterProducts *x, const unsigned char *image, int at,
                                         int end, const uint32_t *taps, int rows)
{
    constexpr int GROUP = BATCH * RING_PITCH<CHUNKS>;
    const unsigned char *now = image + at, *next = now + GROUP == image + end ? image : now + GROUP;
    Taps<BATCH, CHUNKS> b;
    multiply_group<BATCH, CHUNKS, HALF, FIRST>(x, b, now, next, taps);
#pragma unroll 1
    for (int left = rows - BATCH; left > 0; left -= BATCH) {
        now = next;
        next = now + GROUP == image + end ? image : now + GROUP;
        taps += BATCH * TapLayout<CHUNKS, HALF>::ROW;
        multiply_group<BATCH, CHUNKS, HALF, MIDDLE>(x, b, now, next, taps);
    }
    multiply_group<BATCH, CHUNKS, HALF, BEHIND>(x, b, next, next, taps);
}

// Loads image rows into the ring by asynchronous copies, one row per warp.
template <int PITCH> struct RingLoader {
    static constexpr int PIECES = PITCH / 16; // 16-byte pieces per ring row
    static_assert(PITCH % 16 == 0 && PIECES <= 2 * WARP_LANES, "two pieces per lane");
    const unsigned char *image;
    int64_t pitch;
    int height;
    // Shared-memory address of the lane's first piece in the ring's first row.
    uint32_t to;
    // Bytes inside the image (0 or 16) of the lane's first and second piece.
    uint32_t near, far;

    __device__ RingLoader(const TensorPlane &plane, const unsigned char *ring, int x0,
                          int window_width)
    {
        const int lane = threadIdx.x % WARP_LANES, x = x0 + 16 * lane;
        near = x < plane.width ? 16 : 0;
        far = 16 * lane < min(plane.width - x0 - 16 * WARP_LANES, window_width) ? 16 : 0;
        image = plane.data + (near ? x : 0);
        pitch = plane.pitch;
        height = plane.height;
        to = static_cast<uint32_t>(__cvta_generic_to_shared(ring + 16 * lane));
    }
    // Starts loading image row `row` to ring offset `at`. Pixels outside the image become 0. plane:
    // bytes from the first image plane to the one to load.
    __device__ void load_row(int at, int row, int64_t plane = 0) const
    {
        const bool inside = row >= 0 && row < height;
        const unsigned char *from = image + plane + (inside ? row * pitch : 0);
        RowLoader<WORDS>::copy(to + at, from, inside ? near : 0);
        if (threadIdx.x % WARP_LANES < PIECES - WARP_LANES)
            RowLoader<WORDS>::copy(to + at + 16 * WARP_LANES, from + (far ? 16 * WARP_LANES : 0),
                                   inside ? far : 0);
    }
    // Flips a row (TensorPlane::flip) that the thread's copies have loaded to ring offset `at`.
    // Pixels outside the image change, too, but no window of the map has any.
    __device__ void flip_row(int at, uint32_t flip) const
    {
        flip_piece(to + at, flip);
        if (threadIdx.x % WARP_LANES < PIECES - WARP_LANES)
            flip_piece(to + at + 16 * WARP_LANES, flip);
    }
    __device__ static void flip_piece(uint32_t at, uint32_t flip)
    {
        asm volatile("{ .reg .b32 a, b, c, d;\n"
                     "ld.shared.v4.b32 {a, b, c, d}, [%0];\n"
                     "xor.b32 a, a, %1; xor.b32 b, b, %1; xor.b32 c, c, %1; xor.b32 d, d, %1;\n"
                     "st.shared.v4.b32 [%0], {a, b, c, d}; }" ::"r"(at),
                     "r"(flip)
                     : "memory");
    }
    // Waits until the thread's copies are complete.
    __device__ static void wait()
    {
        asm volatile("cp.async.wait_all;" ::: "memory");
    }
};

// The ring offset `rows` rows further up.
template <int PITCH> __device__ __forceinline__ int before(int at, int rows, int end)
{
    at -= rows * PITCH;
    return at < 0 ? at + end : at;
}

// The ring offset one batch of ROWS rows further.
template <int PITCH> __device__ __forceinline__ int further(int at, int end)
{
    at += ROWS * PITCH;
    return at >= end ? at - end : at;
}

} // namespace xncc

#endif
