// Byte planes of staged or aligned pixels. The launchers leave the launch status to
// cudaGetLastError.
#ifndef XNCC_CUDA_PLANES_SPLIT_PLANES_H
#define XNCC_CUDA_PLANES_SPLIT_PLANES_H

#include "cuda/planes/byte_plane.h"
#include "cuda/planes/stage.h"

namespace xncc {

// Where the planes go: the low bytes of 16-bit pixels, or all bytes of 8-bit pixels, from `data`
// on, the high bytes plane_bytes further.
struct PlaneTarget {
    unsigned char *data;
    int64_t pitch, plane_bytes; // bytes
};

// The staged band as its windows see it, with the image's edge repeated. rows <= 65535.
void launch_copy_planes(xncc_pixel pixel, const StageView &stage, const PlaneTarget &to,
                        int32_t width, int32_t rows, cudaStream_t stream);

// 16-bit pixels whose rows are aligned to 16 bytes. width: a multiple of 8; rows <= 65535.
void launch_split_planes(const unsigned char *image, int64_t image_pitch, const PlaneTarget &to,
                         int32_t width, int32_t rows, cudaStream_t stream);

} // namespace xncc

#endif
