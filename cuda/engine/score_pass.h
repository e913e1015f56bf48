// SPDX-License-Identifier: BSD-2-Clause
// The last steps of a plan: sums over windows, and the scores.
#ifndef XNCC_CUDA_ENGINE_SCORE_PASS_H
#define XNCC_CUDA_ENGINE_SCORE_PASS_H

#include "cuda/engine/call.h"
#include "cuda/score/masked_score_u8.h"
#include "cuda/score/score_u8.h"

namespace xncc {

// Prepares the kernels.
xncc_status score_bind(const xncc_engine_plan *plan, xncc_error *error);

// Sums a band's windows where that is a step of its own. The sums of integers serve all templates,
// those of floats only templates with the same pivot.
xncc_status sum_windows(const Call &call, const Band &band);

// Scores a band. skip: nullptr, or a word in device memory: if it is not 0, the steps that a search
// uses do nothing.
xncc_status score_band(const Call &call, const Band &band, const Target &target,
                       const uint32_t *skip);

// Tells whether score_band also finds the best score of each tile, if the target asks for it.
bool scores_tiles(const xncc_engine_plan *plan);

// Where it puts them for slot `slot` of a search: nowhere if it does not.
MapTiles tiles_of(const xncc_engine_plan *plan, const PeakJob &search, int slot);

// What the strip score and the fused kernel read, without X and the map.
TensorScoreJob make_strip_job(const xncc_engine_plan *plan, const Band &band,
                              const xncc_score_rule &rule);

// What the scores of masked windows are computed from (step masked-score): the template, the terms
// that the products have made, and the planes of the image.
MaskedScoreJob make_masked_terms(const Call &call, const Band &band, const Target &target);

} // namespace xncc

#endif
