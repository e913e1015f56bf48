// SPDX-License-Identifier: BSD-2-Clause
// Lays out images for kernels that know neither borders nor masks: the pixels of a rectangle, which
// may reach past the image, become one plane of pixels or a list of byte planes.
#ifndef XNCC_CUDA_PLANES_MAKE_PLANES_H
#define XNCC_CUDA_PLANES_MAKE_PLANES_H

#include "cuda/runtime/handles.h"

extern "C" {
#include "plan/general_planes.h"
}

namespace xncc {

// A rectangle in image coordinates. It may reach past the image on every side.
struct LayoutRect {
    int64_t x, y;          // its top-left pixel
    int32_t columns, rows; // pixels
};

// Where the planes go, in device memory. Each row begins at a multiple of 16 bytes and is written
// up to such a multiple.
struct LayoutTarget {
    unsigned char *data; // the first plane
    int64_t pitch;       // bytes per row
    int64_t plane;       // bytes from one plane to the next
};

// Writes the rectangle as one plane of pixels; signed samples are biased. The image is in device
// memory, has one channel of 8 bits, 16 bits or f32, and all of its pixels count.
cudaError_t launch_padding(const xncc_image &image, xncc_border border, const LayoutRect &rect,
                           const LayoutTarget &to, cudaStream_t stream);

// Writes the image planes that the list of a general integer problem names. The image is in device
// memory.
cudaError_t launch_planes(const xncc_image &image, xncc_border border, const LayoutRect &rect,
                          const xncc_general_planes &planes, const LayoutTarget &to,
                          cudaStream_t stream);

// launch_planes for one channel of 8 bits (make_planes_u8.cu). The image has explicit pitches, and
// rect.columns is a multiple of 16.
cudaError_t launch_byte_planes(const xncc_image &image, xncc_border border, const LayoutRect &rect,
                               const xncc_general_planes &planes, const LayoutTarget &to,
                               cudaStream_t stream);

// launch_planes for the planes of all samples, in order, of an image whose pixels all count
// (split_channels.cu): 2, 3, 4, 6 or 8 bytes per pixel. The image has explicit pitches, and
// rect.columns is a multiple of 8. serves_split_channels: whether it serves an image and a list.
bool serves_split_channels(const xncc_image &image, const xncc_general_planes &planes);
cudaError_t launch_split_channels(const xncc_image &image, xncc_border border,
                                  const LayoutRect &rect, const LayoutTarget &to,
                                  cudaStream_t stream);

} // namespace xncc

#endif
