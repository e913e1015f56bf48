// SPDX-License-Identifier: BSD-2-Clause
// Interface of the correlation kernels that read the image through textures (correlate_texture.cu
// and correlate_shared.cu): their parameters, and a table entry per kernel family for the engine.
//
// All families compute the same integers or doubles, X = sum I*T of every window, so the engine
// chooses one by speed alone; every other pass of a match is independent of the choice.
#ifndef XNCC_CUDA_PRODUCTS_CORRELATE_FAMILY_H
#define XNCC_CUDA_PRODUCTS_CORRELATE_FAMILY_H

#include "cuda/planes/device_template.h"
#include "cuda/planes/stage.h"
#include "cuda/runtime/dispatch.h"

namespace xncc {

// Parameters of one launch: template rows first .. first + rows - 1 over a band of the map.
//
//     sums(x, y) (+)= sum over j < rows, i < size of I(x + i, y + first + j) * T(i, first + j)
//
// A template that does not fit into constant memory takes several launches, the later ones with
// `add` set.
struct CorrelateJob {
    // The image under the band, as textures.
    StageView stage;
    // Size of the band in map elements.
    int32_t width, height;
    // Template width in pixels.
    int32_t size;
    // First template row of this launch, and the number of rows.
    int32_t first, rows;
    // Shared-memory tile as the plan decided it: pitch in bytes (a multiple of 64), rows, and total
    // bytes. Read by correlate_shared.cu only.
    int32_t tile_pitch, tile_rows, shared_bytes;
    // Output X: uint32_t (8-bit pixels, narrow), uint64_t (other integer pixels) or double (f32).
    void *sums;
    // Pitch of `sums` in elements.
    int64_t pitch;
    // 0: overwrite `sums`. 1: add to `sums`.
    int32_t add;
    // f32 only: subtracted from every pixel of image and template.
    double pivot;
    // The whole template, row by row. Read only by the family that has no template in constant
    // memory.
    cudaTextureObject_t texture;
};

// Calls function with a pixel and a sum, of the types that integer pixels and their `sums` have.
template <class Function>
void with_integer_sum(xncc_pixel pixel, bool narrow, const Function &function)
{
    if (pixel != XNCC_U8)
        function(uint16_t(), uint64_t());
    else if (narrow)
        function(uint8_t(), uint32_t());
    else
        function(uint8_t(), uint64_t());
}

// One kernel family, as the engine calls it.
struct CorrelateFamily {
    // The constant-memory array that holds the template; FAMILY_NONE if the family needs none.
    Family constant_cache;
    // Copies template rows first .. first + rows - 1 into that array, in the family's own layout.
    // nullptr for FAMILY_NONE.
    cudaError_t (*load)(ConstantTurn &turn, const DeviceTemplate &prepared, int32_t first,
                        int32_t rows);
    // Launches the kernel for a pixel type. narrow: 8-bit pixels whose X fits 32 bits for every
    // window; `sums` then holds uint32_t.
    cudaError_t (*launch)(xncc_pixel pixel, bool narrow, const CorrelateJob &job,
                          cudaStream_t stream);
};

// Image and template through textures.
CorrelateFamily texture_family();
// Image through a texture, template in constant memory.
CorrelateFamily constant_family();
// Image through a texture into a tile in shared memory, template in constant memory.
CorrelateFamily shared_family();

// Symbols of the families' constant-memory arrays, for constant_cache_open().
const void *texture_constant();
const void *shared_constant();

// Raises the dynamic shared-memory limit of the kernels in correlate_shared.cu to `bytes` on the
// current device.
cudaError_t shared_set_max_shared_memory(int bytes);

// Copies template rows into constant memory as they are, tightly packed.
inline cudaError_t load_rows(ConstantTurn &turn, const DeviceTemplate &p, int32_t first,
                             int32_t rows)
{
    size_t bytes = static_cast<size_t>(p.width) * xncc_pixel_size(p.pixel);
    return turn.load(ConstantContent{ p.serial, first, 0 },
                     p.pixels.as<unsigned char>() + static_cast<size_t>(first) * p.pitch, p.pitch,
                     bytes, static_cast<size_t>(rows));
}

} // namespace xncc

#endif
