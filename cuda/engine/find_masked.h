// SPDX-License-Identifier: BSD-2-Clause
// Peak search without score maps for masked templates: the windows' terms from products with their
// masks, then bounds of the tiles' best scores with the products of each template, then exact
// scores of the tiles that may reach the level. Templates with one mask share its terms.
#ifndef XNCC_CUDA_ENGINE_FIND_MASKED_H
#define XNCC_CUDA_ENGINE_FIND_MASKED_H

#include "cuda/engine/find_from_products.h"

namespace xncc {

// True if a batch of the plan is searched in this way.
bool bounds_masked(const xncc_engine_plan *plan);

// The rule of a masked template for the bounds: its n, sumT and sumT2.
xncc_score_rule masked_bound_rule(const Call &call);

// Searches with all templates. call: of the first one. Templates whose search was inconclusive have
// PeakState::done = 0.
xncc_status search_masked(const Call &call, const ProductSearch &search);

} // namespace xncc

#endif
