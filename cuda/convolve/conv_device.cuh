// SPDX-License-Identifier: BSD-2-Clause
// Device functions that the convolution kernels share.
#ifndef XNCC_CUDA_CONVOLVE_CONV_DEVICE_CUH
#define XNCC_CUDA_CONVOLVE_CONV_DEVICE_CUH

#include "cuda/convolve/conv_kernels.h"

namespace xncc {

// The pixel at column x and row y, with the border rule. Coordinates may be outside the image.
template <class Pixel> __device__ float pixel_at(const ConvolveJob &job, int x, int y)
{
    int cx = min(max(x, 0), job.image_width - 1), cy = min(max(y, job.first), job.end - 1);
    if (job.zero && (cx != x || cy != y))
        return 0.0f;
    const unsigned char *row = job.data + static_cast<int64_t>(cy - job.first) * job.pitch;
    return static_cast<float>(__ldg(reinterpret_cast<const Pixel *>(row) + cx));
}

// Stores COUNT adjacent results from column x on, as far as they are inside the result. COUNT is a
// multiple of 4. If all are inside, they are stored as vectors of 4.
template <int COUNT>
__device__ void store(const ConvolveJob &job, int x, int y, const float (&sum)[COUNT])
{
    if (y >= job.rows)
        return;
    float *out = job.out + y * job.out_pitch + x;
    if (x + COUNT <= job.image_width && reinterpret_cast<uintptr_t>(out) % sizeof(float4) == 0) {
#pragma unroll
        for (int i = 0; i < COUNT; i += 4)
            *reinterpret_cast<float4 *>(out + i) = make_float4(sum[i], sum[i + 1], sum[i + 2],
                                                               sum[i + 3]);
        return;
    }
#pragma unroll
    for (int i = 0; i < COUNT; i++)
        if (x + i < job.image_width)
            out[i] = sum[i];
}

// The grid for blocks of width x height results.
inline dim3 grid_of(const ConvolveJob &job, int width, int height)
{
    return make_grid(ceil_div(job.image_width, width), ceil_div(job.rows, height));
}

} // namespace xncc

#endif
