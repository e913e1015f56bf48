// Convolution: the filter in constant memory and the image in a shared tile with its halo (the
// default), small filters with the image in registers, and three plainer ways to compare with.
// Every result starts at 0 and takes one fused multiply-add a tap, row by row from the top and from
// the left within a row.
#ifndef XNCC_CUDA_CONVOLVE_CUH
#define XNCC_CUDA_CONVOLVE_CUH

#include "cuda/planes/device_template.cuh"

namespace xncc {

struct ConvolveJob {
    const unsigned char *data; // image row `first`
    int64_t pitch;             // bytes
    int32_t image_width;
    int32_t first, end; // data holds these image rows: all that the results need, so its edges are
                        // the image's or not reached
    int32_t y0, rows;   // of the result
    int32_t width, height; // of the filter
    int32_t anchor_x, anchor_y;
    int32_t zero; // border: 0 outside the image instead of the nearest pixel
    int32_t tile_pitch, tile_rows, shared_bytes; // as decided, for the tiled kernel
    int32_t unrolled;     // the tiled kernel with the filter's width known to the compiler
    const float *filter;  // in global memory, for the kernel that reads it there
    int32_t filter_pitch; // coefficients a row, there and in the bank
    float *out;           // result row y0
    int64_t out_pitch;    // elements
};

// The image with its border at column x, row y.
template <class Pixel> __device__ float pixel_at(const ConvolveJob &job, int x, int y)
{
    int cx = min(max(x, 0), job.image_width - 1), cy = min(max(y, job.first), job.end - 1);
    if (job.zero && (cx != x || cy != y))
        return 0.0f;
    const unsigned char *row = job.data + static_cast<int64_t>(cy - job.first) * job.pitch;
    return static_cast<float>(__ldg(reinterpret_cast<const Pixel *>(row) + cx));
}

// COUNT adjacent results, as far as they lie in the map.
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

inline dim3 grid_of(const ConvolveJob &job, int width, int height)
{
    return dim3(static_cast<unsigned>(ceil_div(job.image_width, width)),
                static_cast<unsigned>(ceil_div(job.rows, height)));
}

const void *convolve_constant();

// Lets the tile of conv-tiled grow to what a block of the current device may have.
cudaError_t convolve_set_max_shared_memory(int bytes);

cudaError_t unrolled_set_max_shared_memory(int bytes); // its part of that

// Launches one of the XNCC_KERNEL_CONV_* kernels but conv-registers, and conv-tiled where it is not
// unrolled.
cudaError_t launch_convolve(xncc_kernel kernel, xncc_pixel pixel, const ConvolveJob &job,
                            cudaStream_t stream);

// The others. Their taps, tightly packed in host memory, travel as a kernel parameter, which lies
// in constant memory too.
cudaError_t launch_unrolled(const ConvolveJob &job, const float *taps, cudaStream_t stream);
cudaError_t launch_registers(xncc_pixel pixel, const ConvolveJob &job, const float *taps,
                             cudaStream_t stream);

} // namespace xncc

#endif
