// SPDX-License-Identifier: BSD-2-Clause
// Score maps: the order of the steps over the bands of a map.
#ifndef XNCC_CUDA_ENGINE_MATCH_H
#define XNCC_CUDA_ENGINE_MATCH_H

#include "cuda/engine/call.h"

namespace xncc {

// The steps of a band up to the scores. target: where the scores will go. first: nothing of this
// template is laid out yet.
xncc_status prepare_band(const Call &call, Band *band, const Target &target, bool first);

// Computes a whole map.
xncc_status match_correlate(xncc_engine_plan *plan, const xncc_image *image,
                            const xncc_template *templ, const xncc_map *map, xncc_stream stream,
                            xncc_error *error);

// Computes `count` rows of the map from row `first` on: whole rows of bands. The call for row 0
// lays out the template, so it comes first.
xncc_status compute_rows(const Call &call, int32_t first, int32_t count, const Target &target);

// Finds matches by fetching the map and searching it on the host, for searches that the device does
// not serve. Waits.
xncc_status find_by_fetching(const Call &call, const xncc_search_rule *rule, xncc_match *match,
                             size_t *found);

} // namespace xncc

#endif
