// SPDX-License-Identifier: BSD-2-Clause
// The launches of the tensor kernels (tensor-wgmma, tensor-mma, tensor-fused): templates laid out,
// and exact integer matrix products. All memory belongs to the caller.
#ifndef XNCC_CUDA_ENGINE_TENSOR_PRODUCTS_H
#define XNCC_CUDA_ENGINE_TENSOR_PRODUCTS_H

#include "cuda/fused/fused_u8.h"
#include "cuda/planes/device_template.h"
#include "cuda/products/correlate_mma.h"
#include "cuda/products/correlate_wgmma.h"

extern "C" {
#include "plan/cost_tensor.h"
}

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

class TensorProducts {
  public:
    // Byte planes of templates to lay out. All have the same size, pitch and step.
    struct Layout {
        BytePlane plane[XNCC_GENERAL_TEMPL_PLANES];
        int count;
        int32_t width, height; // of the templates
        unsigned char *to;     // toeplitz_bytes() each
    };
    // Products of byte planes of an image with planes of templates: 1 to PRODUCT_SLOTS of them side
    // by side; or, with count 1, the sum of the products of `planes` planes of image and template,
    // at most as many as the decision says. The first image plane is an argument of multiply.
    struct Group {
        const unsigned char *toeplitz; // the first plane, laid out
        int64_t toeplitz_step;         // bytes from one to the next
        int planes;                    // 0 means 1
        int slot_planes;               // of the image, side by side with each template; 0 means 1
        int32_t image_rows;            // rows from one plane of the image to the next
        uint32_t *sums;                // the first result
        int64_t sums_step;             // elements from one to the next
        int64_t pitch;                 // elements per row of the results
        int count;
        bool add;              // true: add to the results
        int32_t width, height; // of the band, in map elements
        // Early launch (pdl.cuh): the last work on the stream laid out the templates, or it is a
        // product, and the layout came before it.
        bool pdl, pdl_after_products;
        TileBound bound;
    };

    // Prepares the kernels for the blocks of a decision.
    cudaError_t make(const xncc_decision &decision, const xncc_machine &machine);
    // Bytes of a template plane as the products read it.
    int64_t toeplitz_bytes() const
    {
        return static_cast<int64_t>(blocks.toeplitz) * blocks.across * blocks.down;
    }
    cudaError_t lay_out(const Layout &layout, cudaStream_t stream) const;
    xncc_status multiply(const TensorPlane &image, const Group &group, cudaStream_t stream,
                         xncc_error *error) const;
    // True if kernels may be launched early.
    bool may_use_pdl() const
    {
        return pdl;
    }

  private:
    xncc_status multiply_wgmma(const TensorPlane &image, const Group &group, cudaStream_t stream,
                               xncc_error *error) const;
    xncc_status multiply_mma(const TensorPlane &image, const Group &group, cudaStream_t stream,
                             xncc_error *error) const;

    xncc_kernel kernel = XNCC_KERNEL_TENSOR_MMA;
    xncc_tensor_blocks blocks = {}; // how a template is divided
    int processors = 0;             // multiprocessors of the device
    bool pdl = false;
};

} // namespace xncc

#endif
