// SPDX-License-Identifier: BSD-2-Clause
// The launches of the tensor kernels (tensor-wgmma, tensor-mma, tensor-fused): templates laid out,
// and exact integer matrix products. All memory belongs to the caller.
#ifndef XNCC_CUDA_ENGINE_TENSOR_PRODUCTS_H
#define XNCC_CUDA_ENGINE_TENSOR_PRODUCTS_H

#include "cuda/engine/call.h"
#include "cuda/products/correlate_wgmma.h"

namespace xncc {

// One byte per pixel of a template in device memory.
struct BytePlane {
    const unsigned char *data; // the byte of pixel (0, 0)
    int64_t pitch;             // bytes per row
    int32_t step;              // bytes per pixel
};

// Byte `digit` of a channel of a template.
inline BytePlane byte_plane_of(const DeviceTemplate &templ, int channel, int digit)
{
    const int size = static_cast<int>(xncc_pixel_size(templ.pixel));
    return { templ.pixels.as<unsigned char>() + channel * size + digit,
             static_cast<int64_t>(templ.pitch), templ.channels * size };
}

// Byte planes to lay out, of templates of the plan's size. All have the same pitch and step.
struct TensorLayout {
    BytePlane plane[XNCC_GENERAL_TEMPL_PLANES];
    int count;
    unsigned char *to; // toeplitz_bytes() each
};

// Products of byte planes of an image with planes of templates: 1 to PRODUCT_SLOTS of them side by
// side; or, with count 1, the sum of the products of `planes` planes of image and template, at most
// as many as the decision says.
struct TensorGroup {
    const unsigned char *toeplitz; // the first plane, laid out
    int64_t toeplitz_step;         // bytes from one to the next
    int planes;                    // 0 means 1
    int slot_planes;               // of the image, side by side with each template; 0 means 1
    int32_t image_rows;            // rows from one plane of the image to the next
    uint32_t *sums;                // the first result, in rows of xncc_workspace::sums_pitch
    int64_t sums_step;             // elements from one to the next
    int count;
    bool add; // true: add to the results
    // Early launch (pdl.cuh): the last work on the stream laid out the templates, or it is a
    // product, and the layout came before it.
    bool pdl, pdl_after_products;
    TileBound bound;
};

// Prepares the kernels for the blocks of the decision.
cudaError_t tensor_bind(xncc_engine_plan *plan);

// Bytes of a template plane as the products read it.
inline int64_t toeplitz_bytes(const xncc_engine_plan *plan)
{
    const xncc_tensor_blocks &blocks = plan->decision.tensor;
    return static_cast<int64_t>(blocks.toeplitz) * blocks.across * blocks.down;
}

cudaError_t lay_out_planes(const Call &call, const TensorLayout &layout);

// band.image: the first plane of the image that is multiplied.
xncc_status multiply_planes(const Call &call, const Band &band, const TensorGroup &group);

} // namespace xncc

#endif
