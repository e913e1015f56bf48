// SPDX-License-Identifier: BSD-2-Clause
// Brings an image to where kernels can read it.
#ifndef XNCC_CUDA_PLANES_IMAGE_SOURCE_H
#define XNCC_CUDA_PLANES_IMAGE_SOURCE_H

#include "cuda/runtime/upload.h"

namespace xncc {

// Bytes of a row, rounded up to what kernels that read byte planes need.
inline int64_t source_pitch(int64_t bytes)
{
    return ceil_div<int64_t>(bytes, 16) * 16;
}

// Puts the copy of a host image to `memory` on the stream, the pixels and then the mask, with rows
// of source_pitch() bytes. *image becomes the copy. error may be NULL.
xncc_status bring_to_device(xncc_image *image, unsigned char *memory, Upload *upload,
                            cudaStream_t stream, xncc_error *error);

} // namespace xncc

#endif
