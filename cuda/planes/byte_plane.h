// A plane of bytes in device memory, as the tensor kernels read it.
#ifndef XNCC_CUDA_PLANES_BYTE_PLANE_H
#define XNCC_CUDA_PLANES_BYTE_PLANE_H

#include "cuda/runtime/handles.h"

namespace xncc {

// Templates whose X is computed at once. Three share the 132 processors of an H200 evenly.
constexpr int TENSOR_SLOTS = 3;

// The most templates that one launch lays out.
constexpr int LAYOUT_SLOTS = 24;

// A byte plane: rows begin at multiples of 16 bytes, `width` bytes of them may be read, a multiple
// of 16.
struct TensorPlane {
    const unsigned char *data;
    int64_t pitch;
    int32_t width, height;
};

} // namespace xncc

#endif
