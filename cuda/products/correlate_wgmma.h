// SPDX-License-Identifier: BSD-2-Clause
// X by the asynchronous matrix products of compute capability 9.0: the kernel `tensor-wgmma`
// (method and data mapping: correlate_wgmma.cu).
#ifndef XNCC_CUDA_PRODUCTS_CORRELATE_WGMMA_H
#define XNCC_CUDA_PRODUCTS_CORRELATE_WGMMA_H

#include "cuda/products/toeplitz.h"
#include "cuda/score/window_terms.h"

#include <cuda.h>

namespace xncc {

// The most products of one launch: 12 of them divide the 132 multiprocessors of an H200 evenly.
constexpr int PRODUCT_SLOTS = 12;

// Optional output of wgmma_launch: the best score of each tile of the map, as TensorTiles
// (score_u8.h) has it. Only for templates of a single block, whose X is complete in one launch.
struct TileBound {
    // Terms of the image's windows for each slot's template, in rows as long as those of X;
    // nullptr: no scores are computed.
    const WindowTerms *terms[PRODUCT_SLOTS];
    // Output of slot 0: a peak_order per tile.
    uint32_t *best;
    // Map rows per tile (8 or 16), and tiles per row of tiles.
    int32_t rows, across;
    // Number of tiles, which is also the distance from slot to slot in `best`.
    int32_t count;
    // n and sumT of each slot's template.
    double n[PRODUCT_SLOTS], sum[PRODUCT_SLOTS];
    // unit_of() each slot's template.
    float unit[PRODUCT_SLOTS];
};

// One block of the template over a band of the map, for up to PRODUCT_SLOTS pairs of a template and
// a plane of the image at once, or several planes of image and template, whose products are added:
//
//     sums(x, y) (+)= the block's contribution to X
struct TensorJob {
    // The byte planes of the image, below each other, as a tensor map of 32-bit elements, with
    // boxes of one period.
    CUtensorMap image;
    // What the planes are XORed with (TensorPlane::flip); 0 with `bound`.
    uint32_t flip;
    // Number of planes, 1 .. blocks.planes; 1 if there are several slots, or with `bound`. From one
    // to the next: rows of the image, and bytes of the laid-out template.
    int32_t planes, plane_rows;
    int64_t plane_toeplitz;
    // The block as toeplitz_build laid it out, for slot 0.
    const uint4 *toeplitz;
    // Output of slot 0, 32-bit sums. Whole tiles are written.
    uint32_t *sums;
    // Pitch of `sums` in elements; a multiple of XNCC_TENSOR_COLUMNS.
    int64_t pitch;
    // Tiles of 512 x 16 map elements: per row of tiles, and in all.
    int32_t tiles_across, tiles;
    // Where the block begins in the template: column in 32-bit elements, row.
    int32_t x, y;
    // 0: overwrite `sums`. 1: add to them.
    int32_t add;
    // Always 0; a value that the compiler does not know (run_tile).
    uint32_t zero;
    // The shape of the block.
    xncc_tensor_blocks blocks;
    // Number of products, at least 1. Each gets its own share of the multiprocessors.
    int32_t slots;
    // Elements of `sums` from one slot to the next; bytes of `toeplitz` from one template to the
    // next.
    int64_t slot_sums, slot_toeplitz;
    // Slots of one template, each with another plane of the image (plane_rows); at least 1. The
    // slots of the first template come first.
    int32_t slot_planes;
    // Launch before the previous kernel on the stream has ended (pdl.cuh). That kernel must be the
    // one of toeplitz_build or, with pdl_after_products, another one of wgmma_launch.
    bool pdl;
    // Only with pdl: the previous kernel is one of wgmma_launch, and its templates were laid out
    // together with this one's.
    bool pdl_after_products;
    // Scores of tiles.
    TileBound bound;
};

// Sets the dynamic shared-memory limit of the kernels for this shape of block on the current device
// to `most` bytes. The last call holds for all plans, so pass the device's maximum.
cudaError_t wgmma_set_max_shared_memory(const xncc_tensor_blocks &blocks, int most);

// Launches the job on a device of compute capability 9.0 with `processors` multiprocessors, at most
// one block per multiprocessor.
cudaError_t wgmma_launch(const TensorJob &job, int processors, cudaStream_t stream);

} // namespace xncc

#endif
