// SPDX-License-Identifier: BSD-2-Clause
// Splits aligned 16-bit pixels into their two byte planes.
#ifndef XNCC_CUDA_PLANES_SPLIT_PLANES_H
#define XNCC_CUDA_PLANES_SPLIT_PLANES_H

#include "cuda/planes/make_planes.h"

namespace xncc {

// Writes the plane of the low bytes, then that of the high ones. Rows of image and planes are
// aligned to 16 bytes. width: a multiple of 8 pixels. Does not return the launch status; ask
// cudaGetLastError.
void launch_split_planes(const unsigned char *image, int64_t image_pitch, const LayoutTarget &to,
                         int32_t width, int32_t rows, cudaStream_t stream);

} // namespace xncc

#endif
