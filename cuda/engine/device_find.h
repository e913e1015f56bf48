// SPDX-License-Identifier: BSD-2-Clause
// The matches of one template, of many templates of one size on one image (find_batch.cpp), and of
// one template in many images (find_stack.cpp), searched on the device.
#ifndef XNCC_CUDA_ENGINE_DEVICE_FIND_H
#define XNCC_CUDA_ENGINE_DEVICE_FIND_H

#include "cuda/engine/call.h"

namespace xncc {

// Allocates the memory of a search on the device, if it can serve the plan's map. The axes are set.
xncc_status find_bind(xncc_engine_plan *plan, xncc_error *error);

// Tells whether a tournament would take longer than fetching the map.
bool tournament_is_long(const xncc_engine_plan *plan, uint64_t top);

// Finds the matches and brings them to the host. Waits. Falls back to find_by_fetching.
xncc_status match_find(xncc_engine_plan *plan, const xncc_image *image, const xncc_template *templ,
                       const xncc_search_rule *rule, xncc_match *match, size_t *found,
                       xncc_stream stream, xncc_error *error);

// Finds the matches and leaves them in device memory. Does not wait, unless the image is on the
// host or the device cannot search the map.
xncc_status match_find_on_device(xncc_engine_plan *plan, const xncc_image *image,
                                 const xncc_template *templ, const xncc_peak_target *target,
                                 xncc_stream stream, xncc_error *error);

// Finds the matches of each template and brings them to the host. Waits.
xncc_status match_find_batch(xncc_engine_plan *plan, const xncc_image *image,
                             const xncc_templ_group *batch, const xncc_search_rule *rule,
                             xncc_stream stream, xncc_error *error);

// True if several of these images are searched in one launch (plan/stack.h). The plan then needs
// its stack.
bool uses_stack(const xncc_engine_plan *plan, const xncc_image_group *group,
                const xncc_search_rule *rule);

// Finds the matches of each image and brings them to the host. Waits. plan->stack.plan is there if
// uses_stack() says so.
xncc_status match_find_images(xncc_engine_plan *plan, const xncc_image_group *group,
                              const xncc_template *templ, const xncc_search_rule *rule,
                              xncc_stream stream, xncc_error *error);

} // namespace xncc

#endif
