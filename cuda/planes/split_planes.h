// Kernels that make byte planes of 8-bit or 16-bit pixels whose windows are plain. The launchers do
// not return the launch status; ask cudaGetLastError.
#ifndef XNCC_CUDA_PLANES_SPLIT_PLANES_H
#define XNCC_CUDA_PLANES_SPLIT_PLANES_H

#include "cuda/planes/byte_plane.h"
#include "cuda/planes/stage.h"

namespace xncc {

// Where the planes go, in device memory.
struct PlaneTarget {
    unsigned char *data; // the plane of the samples (8 bits) or of their low bytes (16 bits)
    int64_t pitch;       // bytes per row
    int64_t plane_bytes; // 16 bits: bytes from that plane to the plane of the high bytes
};

// Writes the staged band as its windows see it, with the image's edge repeated. width: pixels per
// row of the result. rows: 1 to 65535.
void launch_copy_planes(xncc_pixel pixel, const StageView &stage, const PlaneTarget &to,
                        int32_t width, int32_t rows, cudaStream_t stream);

// Splits 16-bit pixels into the two planes. Rows of image and planes are aligned to 16 bytes.
// width: a multiple of 8 pixels. rows: 1 to 65535.
void launch_split_planes(const unsigned char *image, int64_t image_pitch, const PlaneTarget &to,
                         int32_t width, int32_t rows, cudaStream_t stream);

} // namespace xncc

#endif
