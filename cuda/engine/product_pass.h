// The product pass: X, the sum of image times template, of the windows of a staged band. It serves
// the kernels that read a staged image: texture, shared, fft, and tensor where it does not score
// itself.
#ifndef XNCC_CUDA_ENGINE_PRODUCT_PASS_H
#define XNCC_CUDA_ENGINE_PRODUCT_PASS_H

#include "cuda/engine/call.h"

namespace xncc {

// Computes X of a staged band by the plan's kernel and stores it where the job says, one block of
// template rows at a time. The caller sets all fields of the job except those that describe a block
// (first, rows, add) and its shared tile (tile_rows, shared_bytes).
xncc_status run_products(const Call &call, CorrelateJob job);

// Computes X of some rows of a band. The image rows under them are staged. X goes to the map's own
// memory where it fits (xncc_cuda_sums_fit_u32), else to plan->products.
xncc_status multiply_rows(const Call &call, int32_t bx, int32_t by, const Target &target,
                          const BandRows &rows);

} // namespace xncc

#endif
