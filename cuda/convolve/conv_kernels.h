// SPDX-License-Identifier: BSD-2-Clause
// The convolution kernels. All of them compute
//
//     out(x, y) = sum over j, i of taps(i, j) * image(x - anchor_x + i, y - anchor_y + j)
//
// in float: each result starts at 0 and takes one fused multiply-add per tap, row by row from the
// top, and from left to right within a row. So all kernels give the same bits.
//
// - conv-tiled (the default): filter in constant memory, image with its halo in a shared tile.
// - conv-registers: 3 x 3 and 5 x 5 filters, image pixels straight to registers.
// - conv-global, conv-constant, conv-cached-halo: textbook kernels, for comparison.
#ifndef XNCC_CUDA_CONVOLVE_CONV_KERNELS_H
#define XNCC_CUDA_CONVOLVE_CONV_KERNELS_H

#include "cuda/runtime/constant_cache.h"

namespace xncc {

// The parameters of a launch: a range of rows of the result, which is as large as the image.
struct ConvolveJob {
    const unsigned char *data;  // image row `first`, in device memory
    int64_t pitch;              // bytes per row of the image
    int32_t image_width;        // pixels per row, of image and result
    int32_t first, end;         // `data` has the image rows first .. end - 1: all rows that the
                                // results need, so a window that reaches past them is at the border
    int32_t y0, rows;           // the first row of the result, and how many
    int32_t width, height;      // of the filter
    int32_t anchor_x, anchor_y; // the tap that is above the result's pixel
    int32_t zero;               // 1: the image is 0 outside; 0: the nearest pixel is repeated
    int32_t tile_pitch;         // conv-tiled: bytes per row of the shared tile
    int32_t tile_rows;          // conv-tiled: rows of the shared tile
    int32_t shared_bytes;       // conv-tiled: dynamic shared memory
    int32_t unrolled;           // conv-tiled: 1 if launch_unrolled serves the job
    const float *filter;        // the taps in global memory, for conv-global
    int32_t filter_pitch;       // taps per row, there and in constant memory
    float *out;                 // row y0 of the result
    int64_t out_pitch;          // elements per row of the result
};

// conv_tiled.cu

// The __constant__ array of FAMILY_CONVOLVE, for constant_cache_open.
const void *convolve_constant();

// Allows the tile of conv-tiled, in both of its forms, to grow to `bytes` on the current device.
cudaError_t convolve_set_max_shared_memory(int bytes);

// Launches conv-global, conv-constant, conv-cached-halo, or conv-tiled for any filter size. Except
// for conv-global, the filter must be in constant memory (ConstantTurn).
cudaError_t launch_convolve(xncc_kernel kernel, xncc_pixel pixel, const ConvolveJob &job,
                            cudaStream_t stream);

// conv_unrolled.cu

cudaError_t unrolled_set_max_shared_memory(int bytes); // its part of convolve_set_max_shared_memory

// Launches conv-tiled for float images and the filter sizes of xncc_conv_is_unrolled. taps: tightly
// packed in host memory; they are copied to the kernel's parameters, which are in constant memory.
cudaError_t launch_unrolled(const ConvolveJob &job, const float *taps, cudaStream_t stream);

// conv_registers.cu

// Launches conv-registers, for 3 x 3 and 5 x 5 filters. taps: as in launch_unrolled.
cudaError_t launch_registers(xncc_pixel pixel, const ConvolveJob &job, const float *taps,
                             cudaStream_t stream);

} // namespace xncc

#endif
