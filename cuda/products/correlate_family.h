// Middle pass: X, the sum of image times template, of every window. Each kernel family has one way
// of doing it; the rest of a match is the same for all of them.
#ifndef XNCC_CUDA_PRODUCTS_CORRELATE_FAMILY_H
#define XNCC_CUDA_PRODUCTS_CORRELATE_FAMILY_H

#include "cuda/planes/device_template.h"
#include "cuda/planes/stage.h"

namespace xncc {

// A block of template rows under a band of the map.
struct CorrelateJob {
    StageView stage;
    int32_t width, height;                       // of the band, in map elements
    int32_t size;                                // pixels of a template row
    int32_t first, rows;                         // the block's rows of the template
    int32_t tile_pitch, tile_rows, shared_bytes; // as decided, for kernels that have a tile
    void *sums;    // X: 32-bit integers (narrow), 64-bit integers or, for floats, doubles
    int64_t pitch; // elements a row of sums
    int32_t add;   // 0: sums are overwritten, 1: the block is added to them
    double pivot;  // floats only
    cudaTextureObject_t texture; // the template, for kernels that read it so
};

// What a kernel family gives the engine.
struct CorrelateFamily {
    Family constant_cache; // FAMILY_NONE: the template is not read from constant memory
    // Fills the bank with the block's rows.
    cudaError_t (*load)(ConstantTurn &turn, const DeviceTemplate &prepared, int32_t first,
                        int32_t rows);
    cudaError_t (*launch)(xncc_pixel pixel, bool narrow, const CorrelateJob &job,
                          cudaStream_t stream);
};

CorrelateFamily texture_family();  // image and template through textures
CorrelateFamily constant_family(); // image through a texture, template in constant memory
CorrelateFamily
shared_family(); // image through a texture into a shared tile, template in constant memory

// The addresses of the families' banks, for constant_cache_open.
const void *texture_constant();
const void *shared_constant();

// Lets the tile of `shared` grow to what a block of the current device may have.
cudaError_t shared_set_max_shared_memory(int bytes);

// Rows of a template, tightly packed, as pixels.
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
