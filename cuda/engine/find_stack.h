// SPDX-License-Identifier: BSD-2-Clause
// The matches of one template in many images, of which one launch searches several
// (plan/stack.h).
#ifndef XNCC_CUDA_ENGINE_FIND_STACK_H
#define XNCC_CUDA_ENGINE_FIND_STACK_H

#include "cuda/engine/call.h"

namespace xncc {

// True if several of these images are searched in one launch. The plan then needs its stack.
bool uses_stack(const xncc_engine_plan *plan, const xncc_image_group *group,
                const xncc_search_rule *rule);

// Finds the matches of each image and brings them to the host. Waits. plan->stack.plan is there if
// uses_stack() says so.
xncc_status match_find_images(xncc_engine_plan *plan, const xncc_image_group *group,
                              const xncc_template *templ, const xncc_search_rule *rule,
                              xncc_stream stream, xncc_error *error);

} // namespace xncc

#endif
