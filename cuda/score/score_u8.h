// SPDX-License-Identifier: BSD-2-Clause
// Window sums and scores of 8-bit windows in one pass over the image and X: ccoeff_normed up to
// XNCC_TENSOR_SCORE_WIDTH = 384 pixels wide, the other methods but coverage up to
// XNCC_TENSOR_WIDTH. For compute capability 8.0 and later. Method and data mapping: score_u8.cu and
// strip_windows.cuh.
#ifndef XNCC_CUDA_SCORE_SCORE_U8_H
#define XNCC_CUDA_SCORE_SCORE_U8_H

#include "cuda/peaks/peak_search.h"
#include "cuda/planes/byte_plane.h"
#include "cuda/runtime/map_job.h"
#include "cuda/score/window_terms.h"
#include "math/general_score.h"

extern "C" {
#include "plan/cost_tensor.h"
}

namespace xncc {

// Parameters of the tensor kernels' score passes: score_u8.cu, score_u16.cu and fused_u8.cu.
struct TensorScoreJob {
    // The image under the band as bytes; 16-bit pixels: their low bytes.
    TensorPlane image;
    // 16-bit pixels: bytes from the plane of low bytes to that of high bytes.
    int64_t plane;
    // 16-bit pixels: elements from one product of bytes to the next in `sums`.
    int64_t sums_step;
    // The template's constants for ccoeff_normed.
    xncc_score_rule rule;
    // The method, and for the others (8-bit pixels): what general_score.h needs to know, and sumT
    // and sumT2. All sums are of biased samples.
    xncc_method method;
    xncc_general_rule general;
    uint64_t T, T2;
    // Size of a window in pixels.
    int32_t window_width, window_height;
    // X as 32-bit integers, and its pitch in elements, a multiple of XNCC_TENSOR_COLUMNS. 16-bit
    // pixels: three planes of products of bytes (score_u16.cu). Rows up to XNCC_TENSOR_SPARE_ROWS
    // below the band are read and ignored.
    const uint32_t *sums;
    int64_t sums_pitch;
    // Output: scores; pitch in elements.
    float *map;
    int64_t map_pitch;
    // Size of the band in map elements.
    int32_t width, height;
    // nullptr, or a word in device memory: if it is not 0 the kernel does nothing.
    const uint32_t *skip;
    // Where the best score of each tile goes besides. Not for 8-bit pixels, of which searches do
    // without a map.
    MapTiles tiles;
    // Compute ccoeff_normed in pairs of floats (score_arith.cuh).
    bool fp64_is_slow;
    // Launch before the previous kernel has ended, if that one allows it (pdl.cuh).
    bool pdl;
    // The most shared memory of a thread block on this device, bytes.
    int32_t shared_most;
};

// Prepares the kernels of score_u8_launch on the current device. Of the job, only the method, the
// bias, the window's width and what belongs to the device are read.
cudaError_t score_u8_prefer_cache(const TensorScoreJob &job);

// Scores of a band. processors: multiprocessors of the device.
cudaError_t score_u8_launch(const TensorScoreJob &job, int processors, cudaStream_t stream);

// How far a tile's best score may be from the exact one, above 1 as a part; tile_best.cuh has more.
constexpr float BOUND_MARGIN = 1.0f / (1 << 18);

// Output of a pass over tiles: for up to TENSOR_SLOTS templates of the same size on one image, the
// best score of each tile of the map, as TilesOutput (tile_best.cuh) makes it. 8-bit pixels.
struct TensorTiles {
    // A peak_order per tile; of slot 0.
    uint32_t *best;
    // Map rows per tile, and tiles per row of tiles. A tile has PEAK_COLUMNS columns.
    int32_t rows, across;
    // Number of tiles, which is also the distance from slot to slot in `best`; number of slots.
    int32_t count, slots;
    // Size of the map in elements.
    int32_t width, height;
    // Elements from one slot's X to the next one's.
    int64_t plane;
    // The constants of each slot's template.
    xncc_score_rule rule[TENSOR_SLOTS];
};

// The best score of each tile, by any method that does not depend on a bias. job.map is not used;
// job.rule and job.general only for what all slots share.
cudaError_t score_u8_tiles_launch(const TensorScoreJob &job, const TensorTiles &tiles,
                                  int processors, cudaStream_t stream);

// The terms of all windows (window_terms.h), in rows of job.sums_pitch elements. Windows up to
// XNCC_TENSOR_WIDTH wide; X is not read.
cudaError_t score_u8_terms_launch(const TensorScoreJob &job, WindowTerms *terms, int processors,
                                  cudaStream_t stream);

// Window sums and ccoeff_normed of 16-bit windows up to XNCC_TENSOR_WIDTH wide and up to 33,025
// pixels (score_u16.cu). job.image and job.plane: the planes of low and of high bytes. job.sums:
// planes 0, 1 and 3 of products of bytes, job.sums_step apart: low * low, low * high + high * low,
// high * high.
cudaError_t score_u16_launch(const TensorScoreJob &job, int processors, cudaStream_t stream);

// Sets the dynamic shared-memory limit of its kernels on the current device to what they need,
// 61,696 bytes. Call once before the first launch.
cudaError_t score_u16_set_max_shared_memory();

} // namespace xncc

#endif
