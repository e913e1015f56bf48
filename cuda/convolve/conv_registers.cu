// SPDX-License-Identifier: BSD-2-Clause
// conv-registers: convolution with 3 x 3 and 5 x 5 filters without shared memory.
//
// Thread mapping: a block of 32 x 4 threads covers 128 columns and 16 rows of the result; a thread
// has 4 adjacent columns of 4 rows. It reads each image line once, from the cache into registers.
// The taps are kernel parameters, so they are operands in constant memory. The launch bounds leave
// 64 registers per thread.
//
// Measured on one H200, 2026-11, 1920 x 1080 floats, in a graph: 3 x 3 0.0037 ms against 0.0104 ms
// with a shared tile; 5 x 5 0.0048 ms against 0.0110 ms (docs/notes/2026-11-convolution.md).
#include "cuda/convolve/conv_device.cuh"
#include "cuda/runtime/dispatch.h"

#include <string.h>

namespace xncc {

namespace {

constexpr int FOUR = 4, DEEP = 4;                // columns and rows per thread
constexpr int REGISTERS_X = 32, REGISTERS_Y = 4; // threads per block
// Blocks per multiprocessor. It limits a thread to 64 registers, and 132 multiprocessors hold all
// blocks of a 1920 x 1080 image at once.
constexpr int BLOCKS = 8;

template <int SIZE> struct Taps {
    float v[SIZE][SIZE];
};

template <class Pixel, int COUNT> struct __align__(COUNT * sizeof(Pixel)) Vector
{
    Pixel v[COUNT];
};

// Reads COUNT adjacent pixels with one load. The address is aligned to it.
template <int COUNT, class Pixel> __device__ __forceinline__ void load(float *v, const Pixel *at)
{
    Vector<Pixel, COUNT> vector = *reinterpret_cast<const Vector<Pixel, COUNT> *>(at);
#pragma unroll
    for (int i = 0; i < COUNT; i++)
        v[i] = static_cast<float>(vector.v[i]);
}

// Adds the products of image line j to the thread's results. v: the line's pixels; v[0] is under
// the first tap of the first column. The loops keep the order of the taps for each result.
template <int SIZE>
__device__ __forceinline__ void
add_line(float (&sum)[DEEP][FOUR], const float (&v)[SIZE + FOUR - 1], const Taps<SIZE> &taps, int j)
{
#pragma unroll
    for (int k = 0; k < DEEP; k++) {
        if (j < k || j - k >= SIZE)
            continue;
#pragma unroll
        for (int t = 0; t < SIZE; t++)
#pragma unroll
            for (int i = 0; i < FOUR; i++)
                sum[k][i] = __fmaf_rn(taps.v[j - k][t], v[i + t], sum[k][i]);
    }
}

// Adds the products of all image lines of a thread, from line `top` on, for a filter whose anchor
// is in the middle. x is a multiple of 4, and the rows are aligned, so each line is a vector of 4
// pixels and half a filter on either side of it. INSIDE: all lines are inside the image.
template <class Pixel, int SIZE, bool INSIDE>
__device__ __forceinline__ void add_vectors(float (&sum)[DEEP][FOUR], const ConvolveJob &job,
                                            const Taps<SIZE> &taps, int x, int top)
{
    constexpr int HALF = SIZE / 2;
    bool left = x == 0, right = x + FOUR == job.image_width; // the side reaches past the image
    const unsigned char *row = job.data + static_cast<int64_t>(
                                              min(max(top, job.first), job.end - 1) - job.first) *
                                              job.pitch;
#pragma unroll
    for (int j = 0; j < SIZE + DEEP - 1; j++) {
        const Pixel *at = reinterpret_cast<const Pixel *>(row) + x;
        float v[SIZE + FOUR - 1] = {};
        load<FOUR>(v + HALF, at);
        if (!left)
            load<HALF>(v, at - HALF);
        if (!right)
            load<HALF>(v + HALF + FOUR, at + FOUR);
#pragma unroll
        for (int i = 0; i < HALF; i++) {
            v[i] = left && !job.zero ? v[HALF] : v[i];
            v[HALF + FOUR + i] = right && !job.zero ? v[HALF + FOUR - 1] : v[HALF + FOUR + i];
        }
        if (!INSIDE && job.zero && (top + j < job.first || top + j >= job.end)) {
#pragma unroll
            for (int i = 0; i < SIZE + FOUR - 1; i++)
                v[i] = 0.0f;
        }
        add_line<SIZE>(sum, v, taps, j);
        if (INSIDE || (top + j >= job.first && top + j < job.end - 1))
            row += job.pitch;
    }
}

// The filter is SIZE x SIZE. Images that are not aligned, filters whose anchor is not in the
// middle, and threads too close to the right edge read pixel by pixel.
template <class Pixel, int SIZE>
__global__ __launch_bounds__(REGISTERS_X *REGISTERS_Y, BLOCKS) void registers(ConvolveJob job,
                                                                              Taps<SIZE> taps)
{
    constexpr int HALF = SIZE / 2, LINES = SIZE + DEEP - 1;
    int x = (blockIdx.x * REGISTERS_X + threadIdx.x) * FOUR,
        y = (blockIdx.y * REGISTERS_Y + threadIdx.y) * DEEP;
    if (x >= job.image_width || y >= job.rows)
        return;
    int top = job.y0 + y - job.anchor_y, to_right = job.image_width - x - FOUR;
    bool aligned = (reinterpret_cast<uintptr_t>(job.data) | static_cast<uintptr_t>(job.pitch)) %
                       sizeof(Vector<Pixel, FOUR>) ==
                   0;
    float sum[DEEP][FOUR] = {};
    if (aligned && job.anchor_x == HALF && (to_right == 0 || to_right >= HALF)) {
        if (top >= job.first && top + LINES <= job.end)
            add_vectors<Pixel, SIZE, true>(sum, job, taps, x, top);
        else
            add_vectors<Pixel, SIZE, false>(sum, job, taps, x, top);
    } else {
#pragma unroll
        for (int j = 0; j < LINES; j++) {
            float v[SIZE + FOUR - 1];
#pragma unroll
            for (int i = 0; i < SIZE + FOUR - 1; i++)
                v[i] = pixel_at<Pixel>(job, x - job.anchor_x + i, top + j);
            add_line<SIZE>(sum, v, taps, j);
        }
    }
#pragma unroll
    for (int k = 0; k < DEEP; k++)
        store(job, x, y + k, sum[k]);
}

template <class Pixel, int SIZE>
void launch(const ConvolveJob &job, const float *taps, cudaStream_t stream)
{
    Taps<SIZE> parameter;
    memcpy(parameter.v, taps, sizeof parameter.v);
    registers<Pixel, SIZE><<<grid_of(job, REGISTERS_X * FOUR, REGISTERS_Y * DEEP),
                             dim3(REGISTERS_X, REGISTERS_Y), 0, stream>>>(job, parameter);
}

} // namespace

cudaError_t launch_registers(xncc_pixel pixel, const ConvolveJob &job, const float *taps,
                             cudaStream_t stream)
{
    with_pixel(pixel, [&](auto of) {
        with_one_of<3, 5>(job.width,
                          [&](auto size) { launch<decltype(of), size>(job, taps, stream); });
    });
    return cudaGetLastError();
}

} // namespace xncc
