// Convolution: the filter in constant memory and the image in a shared tile with its halo (the
// default), small filters with the image in registers, and three plainer ways to compare with.
// Every result starts at 0 and takes one fused multiply-add a tap, row by row from the top and from
// the left within a row.
#ifndef XNCC_CUDA_CONVOLVE_CONV_KERNELS_H
#define XNCC_CUDA_CONVOLVE_CONV_KERNELS_H

#include "cuda/planes/device_template.h"

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
