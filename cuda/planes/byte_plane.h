// SPDX-License-Identifier: BSD-2-Clause
// A plane of bytes in device memory, which the tensor kernels read.
#ifndef XNCC_CUDA_PLANES_BYTE_PLANE_H
#define XNCC_CUDA_PLANES_BYTE_PLANE_H

#include "cuda/runtime/handles.h"

namespace xncc {

// The most templates whose products X one launch computes. Three of them divide the 132
// multiprocessors of an H200 evenly.
constexpr int TENSOR_SLOTS = 3;

// The most templates that one launch lays out for the products.
constexpr int LAYOUT_SLOTS = 24;

// The XOR with it biases four signed samples.
constexpr uint32_t FLIP_SIGNS = 0x80808080;

// A byte plane. Each row begins at a multiple of 16 bytes.
struct TensorPlane {
    const unsigned char *data;
    int64_t pitch;         // bytes per row
    int32_t width, height; // readable bytes per row, a multiple of 16; rows
    // What each group of four bytes is XORed with where it is read: FLIP_SIGNS where the samples
    // are signed and read as biased ones, else 0. Kernels that do not say otherwise expect 0.
    uint32_t flip = 0;
};

} // namespace xncc

#endif
