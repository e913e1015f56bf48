// Matching for problems of every route: the functions bring the image to where the route needs it,
// call the matching function of match.h, device_find.h or find_batch.h, and wait for images from
// the host.
#ifndef XNCC_CUDA_ENGINE_DISPATCH_H
#define XNCC_CUDA_ENGINE_DISPATCH_H

#include "cuda/engine/engine_plan.h"

namespace xncc {

// Allocates the memory of a plan whose problem, decision and buffers are set.
xncc_status dispatch_bind(xncc_engine_plan *plan, xncc_error *error);
// Frees what belongs to the route. The plan's work has ended.
void dispatch_unbind(xncc_engine_plan *plan);
// The operations of xncc_engine_ops with the same names.
xncc_status dispatch_correlate(xncc_engine_plan *plan, const xncc_image *image,
                               const xncc_template *templ, const xncc_map *map, xncc_stream stream,
                               xncc_error *error);
xncc_status dispatch_find(xncc_engine_plan *plan, const xncc_image *image,
                          const xncc_template *templ, const xncc_peak_rule *rule, xncc_match *match,
                          size_t *found, xncc_stream stream, xncc_error *error);
xncc_status dispatch_find_on_device(xncc_engine_plan *plan, const xncc_image *image,
                                    const xncc_template *templ, const xncc_peak_target *target,
                                    xncc_stream stream, xncc_error *error);
xncc_status dispatch_find_batch(xncc_engine_plan *plan, const xncc_image *image,
                                const xncc_plan_batch *batch, const xncc_peak_rule *rule,
                                xncc_stream stream, xncc_error *error);

} // namespace xncc

#endif
