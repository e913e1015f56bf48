// X by the asynchronous matrix products of compute capability 9.0.
#ifndef XNCC_CUDA_PRODUCTS_CORRELATE_WGMMA_H
#define XNCC_CUDA_PRODUCTS_CORRELATE_WGMMA_H

#include "cuda/products/toeplitz.h"
#include "cuda/score/window_terms.h"

#include <cuda.h>

namespace xncc {

// The best score of each tile of the map, as TensorTiles has it, from the products of whole
// templates.
struct TileBound {
    const WindowTerms
        *terms;           // of the image, rows as long as those of X; nullptr: no scores are wanted
    uint32_t *best;       // of slot 0
    int32_t rows, across; // of a tile; tiles in a row
    int32_t count;        // of tiles, from slot to slot
    double n, lowered;    // pixels of a template, -n 2^52
    double sum[TENSOR_SLOTS]; // of a template
    float unit[TENSOR_SLOTS]; // unit_of it
};

// One block of the template over a band: sums(x, y) = or += the block's share of X.
struct TensorJob {
    CUtensorMap image; // the plane, in 32-bit elements, boxes of a period
    const uint4 *toeplitz;
    uint32_t *sums;
    int64_t pitch; // elements; a multiple of XNCC_TENSOR_COLUMNS
    int32_t tiles_across, tiles;
    int32_t x, y; // of the block's first pixel in the template: 32-bit elements, rows
    int32_t add;
    uint32_t zero; // 0
    xncc_tensor_blocks blocks;
    int32_t
        slots; // templates at once, at least 1; each has its own share of the device's processors
    int64_t slot_toeplitz, slot_sums; // bytes, elements from one to the next
    bool pdl;                         // the kernel in front is that of toeplitz_build,
    bool pdl_after_products; // or one like this, and the templates of both were laid out before
    TileBound bound;
};

// For devices of compute capability 9.0 only. raise: lets a block have that much shared memory: all
// that the device allows, since the last call holds for every plan.
cudaError_t wgmma_set_max_shared_memory(const xncc_tensor_blocks &blocks, int most);
cudaError_t wgmma_launch(const TensorJob &job, int processors, cudaStream_t stream);

} // namespace xncc

#endif
