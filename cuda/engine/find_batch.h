// SPDX-License-Identifier: BSD-2-Clause
// The matches of many templates of one size on one image.
#ifndef XNCC_CUDA_ENGINE_FIND_BATCH_H
#define XNCC_CUDA_ENGINE_FIND_BATCH_H

#include "cuda/engine/call.h"

namespace xncc {

// Finds the matches of each template and brings them to the host. Waits.
xncc_status match_find_batch(xncc_engine_plan *plan, const xncc_image *image,
                             const xncc_templ_group *batch, const xncc_search_rule *rule,
                             xncc_stream stream, xncc_error *error);

} // namespace xncc

#endif
