// SPDX-License-Identifier: BSD-2-Clause
// Peak search without a score map, from X or from the pixels (xncc_decision::searches_products):
// the best score of each tile, within a bound; a level; exact scores of the tiles that may reach
// it.
#ifndef XNCC_CUDA_ENGINE_FIND_FROM_PRODUCTS_H
#define XNCC_CUDA_ENGINE_FIND_FROM_PRODUCTS_H

#include "cuda/engine/call.h"
#include "cuda/score/window_terms.h"

namespace xncc {

// Memory of several templates: each has its form for the products, and X; and of their masks.
struct ProductSlots {
    unsigned char *toeplitz; // of the first template
    int64_t toeplitz_step;   // bytes from one to the next
    uint32_t *sums;          // X of the first template
    int64_t sums_step;       // elements from one to the next
    WindowTerms *terms;      // of the image, if the products bound the tiles; of the first mask
    int64_t terms_step;      // elements from one mask to the next
    unsigned char *masks;    // laid out, as the templates
    uint32_t *mask_sums;     // of the first mask: XNCC_MASK_SUMS planes, as those of X
};

// The masks of the templates of a group.
struct MaskUse {
    int mask[PEAK_SLOTS];        // the place of each template's mask: below xncc_batch_slots::masks
    int count;                   // masks
    int fresh;                   // those whose terms are not there yet
    int first[XNCC_BATCH_MASKS]; // of each of them the first template
    int last;                    // the place of the last template's mask
};

// A search with several templates.
struct ProductSearch {
    PeakJob job;                             // of all templates
    Band band;                               // the whole map, with the image
    const DeviceTemplate *templ[PEAK_SLOTS]; // `count` of them
    xncc_score_rule rule[PEAK_SLOTS];        // of each template
    int count;
    ProductSlots slots;
    MaskUse masks; // of masked templates; zeros: all read the same terms
};

// Computes the best scores of the tiles of `count` templates from template `first` on. Their X is
// there or, for tensor-fused, they are laid out.
xncc_status bound_tiles(const Call &call, const ProductSearch &search, int first, int count);
// Lays out all templates, and computes X and the best scores of the tiles. begins: this is the
// first group of templates on this image.
xncc_status bound_batch_tiles(const Call &call, const ProductSearch &search, bool begins);
// Lays out all templates, and computes X and the best scores of the tiles from the windows' terms,
// which are there (xncc_decision::bounds_tiles).
xncc_status bound_by_products(const Call &call, const ProductSearch &search);
// Then chooses the matches of all templates at once. Templates whose fast search was inconclusive
// have PeakState::done = 0.
xncc_status choose_matches(const Call &call, const ProductSearch &search);

} // namespace xncc

#endif
