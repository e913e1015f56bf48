// Convolution: the filter in constant memory and the image in a shared tile with its halo (the default), and three plainer ways to compare
// with. Every result starts at 0 and takes one fused multiply-add a tap, row by row from the top and from the left within a row.
#ifndef CM_CUDA_CONVOLVE_CUH
#define CM_CUDA_CONVOLVE_CUH

#include "prepared.cuh"

namespace cm {

struct ConvolveJob {
    const unsigned char *data; // image row `first`
    int64_t pitch;             // bytes
    int32_t image_width;
    int32_t first, end;        // data holds these image rows: all that the results need, so its edges are the image's or not reached
    int32_t y0, rows;          // of the result
    int32_t width, height;     // of the filter
    int32_t anchor_x, anchor_y;
    int32_t zero;              // border: 0 outside the image instead of the nearest pixel
    int32_t tile_pitch, tile_rows, shared_bytes; // as decided, for the tiled kernel
    const float *filter;       // in global memory, for the kernel that reads it there
    int32_t filter_pitch;      // coefficients a row, there and in the bank
    float *out;                // result row y0
    int64_t out_pitch;         // elements
};

const void *convolve_bank();

// Lets the tile of conv-tiled grow to what a block of the current device may have.
cudaError_t convolve_raise(int bytes);

// Launches one of the CM_KERNEL_CONV_* kernels.
cudaError_t launch_convolve(cm_kernel kernel, cm_pixel pixel, const ConvolveJob &job, cudaStream_t stream);

} // namespace cm

#endif
