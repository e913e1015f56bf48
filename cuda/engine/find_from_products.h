// Peak search without a score map, where the tensor kernels do all of a match: the best score of
// each tile, within a bound; a level; exact scores of the tiles that may reach it. Templates are in
// slots.
#ifndef XNCC_CUDA_ENGINE_FIND_FROM_PRODUCTS_H
#define XNCC_CUDA_ENGINE_FIND_FROM_PRODUCTS_H

#include "cuda/engine/call.h"

namespace xncc {

// True if matches of this plan can be found without a map.
bool finds_from_products(const xncc_engine_plan *plan);

// A search over several slots.
struct ProductSearch {
    const PeakJob &search;               // of all slots
    const TensorPlane &plane;            // the image
    const DeviceTemplate *const *templs; // one per slot
    const xncc_score_rule *rules;        // one per slot
    int first_slot;                      // the slot of the tensor plan that has the first template
    int slots;                           // templates
};

// Computes the best scores of the tiles of `count` slots from slot `first` of the search on. The
// tensor plan has their X or, for tensor-fused, their templates laid out.
xncc_status bound_tiles(xncc_engine_plan *plan, const ProductSearch &job, int first, int count,
                        cudaStream_t stream, xncc_error *error);
// Computes X and the best scores of the tiles of all slots. begins: this is the first group of
// templates on this image.
xncc_status bound_batch_tiles(xncc_engine_plan *plan, const ProductSearch &job, bool begins,
                              cudaStream_t stream, xncc_error *error);
// Then chooses the matches of all slots at once. Slots whose fast search was inconclusive have
// PeakState::done == 0.
xncc_status choose_matches(xncc_engine_plan *plan, const ProductSearch &job, cudaStream_t stream,
                           xncc_error *error);

} // namespace xncc

#endif
