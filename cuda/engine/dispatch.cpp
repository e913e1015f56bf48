// Matching by route. Plain problems are matched as they are. Padded problems are matched by an
// inner plan on the image with its border. General problems have passes of their own
// (general_plan.h).
#include "cuda/engine/dispatch.h"

#include "cuda/engine/device_find.h"
#include "cuda/engine/find_batch.h"
#include "cuda/engine/general_plan.h"
#include "cuda/engine/match.h"
#include "cuda/planes/make_planes.h"

extern "C" {
#include "plan/cost_routes.h"
}

namespace xncc {

namespace {

// Allocates the memory of a plain problem.
xncc_status bind_plain(xncc_engine_plan *plan, xncc_error *error)
{
    const xncc_problem &p = plan->problem;
    const xncc_decision &d = plan->decision;
    xncc_status status = bind_map(plan, d.band_width, d.band_height, error);
    if (status)
        return status;
    cudaError_t code = plan->stage.make(p.pixel, plan->x, plan->y, plan->buffers);
    if (code == cudaSuccess)
        code = plan->row_sums.take(plan->buffers.rows);
    if (code == cudaSuccess)
        code = plan->products.take(plan->buffers.sums);
    status = check(code, "allocating the plan's workspace", error);
    if (!status)
        status = find_bind(plan, error);
    if (!status && xncc_kernel_is_tensor(d.kernel))
        status = plan->tensor.make(p, d, plan->engine->machine, error);
    return status || d.kernel != XNCC_KERNEL_FFT_CUDA ? status : plan->fft.make(p, d.fft, error);
}

// Allocates the memory of a padded problem: the image with its border, and the inner plan.
xncc_status bind_padded(xncc_engine_plan *plan, xncc_error *error)
{
    const xncc_problem problem = xncc_problem_inner(&plan->problem);
    const uint64_t bytes = static_cast<uint64_t>(xncc_cuda_padded_pitch(&problem)) *
                           static_cast<uint64_t>(problem.image_height);
    xncc_engine_plan *inner = plan->inner = create<xncc_engine_plan>();
    if (!inner)
        return xncc_fail(error, XNCC_ERROR_MEMORY, "no memory for the plan");
    inner->engine = plan->engine;
    inner->problem = problem;
    inner->decision = plan->decision;
    inner->progress = plan->progress;
    inner->rows_padded = true;
    inner->buffers = xncc_cuda_workspace(&problem, plan->decision.band_width,
                                         plan->decision.band_height);
    xncc_status status = check(inner->done.make(), "making an event", error);
    if (!status)
        status = check(plan->padded.take(bytes), "allocating the image with its border", error);
    if (!status)
        status = bind_plain(inner, error);
    inner->buffers.total += bytes;
    return status;
}

// Allocates the memory of a general problem.
xncc_status bind_general(xncc_engine_plan *plan, xncc_error *error)
{
    const xncc_general_blocks &general = plan->decision.general;
    plan->buffers = {};
    plan->buffers.map = static_cast<uint64_t>(xncc_problem_extent(&plan->problem).width) *
                        static_cast<uint64_t>(general.map_rows) * sizeof(float);
    plan->buffers.total = plan->buffers.map;
    xncc_status status = bind_map(plan, xncc_problem_extent(&plan->problem).width, general.map_rows,
                                  error);
    if (!status)
        status = find_bind(plan, error);
    if (status)
        return status;
    plan->general = create<GeneralPlan>();
    return plan->general ? plan->general->make(plan, error)
                         : xncc_fail(error, XNCC_ERROR_MEMORY, "no memory for the plan");
}

// What a matching function is called with.
struct PreparedCall {
    xncc_engine_plan *plan; // the plan itself, or its inner plan
    xncc_image image;       // the image where that plan can read it
};

// Lays out the image with its border, for the inner plan.
xncc_status lay_out(xncc_engine_plan *plan, const xncc_image &image, cudaStream_t stream,
                    PreparedCall *prepared, xncc_error *error)
{
    const xncc_extent map = xncc_problem_extent(&plan->problem);
    const xncc_problem &p = plan->inner->problem;
    const LayoutRect rect = { map.x0, map.y0, p.image_width, p.image_height };
    const LayoutTarget to = { plan->padded.as<unsigned char>(),
                              static_cast<int64_t>(xncc_cuda_padded_pitch(&p)), 0 };
    prepared->plan = plan->inner;
    prepared->image = {};
    prepared->image.data = to.data;
    prepared->image.width = p.image_width;
    prepared->image.height = p.image_height;
    prepared->image.pitch = to.pitch;
    prepared->image.pixel = p.pixel;
    prepared->image.memory = XNCC_DEVICE;
    return check(launch_padding(image, plan->problem.border, rect, to, stream),
                 "laying out the image", error);
}

// Brings the image to where the plan's route needs it.
xncc_status prepare_call(xncc_engine_plan *plan, const xncc_image *image, cudaStream_t stream,
                         PreparedCall *prepared, xncc_error *error)
{
    prepared->plan = plan;
    prepared->image = *image;
    if (plan->route == XNCC_ROUTE_PLAIN)
        return XNCC_OK;
    xncc_status status = plan->source.bring(*image, &plan->upload, stream, &prepared->image, error);
    const xncc_image source = prepared->image;
    return status || plan->route == XNCC_ROUTE_GENERAL
               ? status
               : lay_out(plan, source, stream, prepared, error);
}

// Ends a call with the status so far. Waits for images from the host, since the caller may change
// them after the call. Plain problems have done this already.
xncc_status finish_call(xncc_engine_plan *plan, const xncc_image *image, cudaStream_t stream,
                        xncc_status status, xncc_error *error)
{
    if (plan->route == XNCC_ROUTE_PLAIN)
        return status;
    xncc_status ended = finish(plan, stream, image->memory == XNCC_HOST, status ? nullptr : error);
    return status ? status : ended;
}

} // namespace

xncc_status dispatch_bind(xncc_engine_plan *plan, xncc_error *error)
{
    plan->route = xncc_problem_route(&plan->problem);
    return plan->route == XNCC_ROUTE_PLAIN    ? bind_plain(plan, error)
           : plan->route == XNCC_ROUTE_PADDED ? bind_padded(plan, error)
                                              : bind_general(plan, error);
}

void dispatch_unbind(xncc_engine_plan *plan)
{
    destroy(plan->general);
    destroy(plan->inner);
}

xncc_status dispatch_correlate(xncc_engine_plan *plan, const xncc_image *image,
                               const xncc_template *templ, const xncc_map *map, xncc_stream stream,
                               xncc_error *error)
{
    PreparedCall prepared;
    xncc_status status = prepare_call(plan, image, stream, &prepared, error);
    if (!status)
        status = match_correlate(prepared.plan, &prepared.image, templ, map, stream, error);
    return finish_call(plan, image, stream, status, error);
}

xncc_status dispatch_find(xncc_engine_plan *plan, const xncc_image *image,
                          const xncc_template *templ, const xncc_peak_rule *rule, xncc_match *match,
                          size_t *found, xncc_stream stream, xncc_error *error)
{
    PreparedCall prepared;
    xncc_status status = prepare_call(plan, image, stream, &prepared, error);
    if (!status)
        status = match_find(prepared.plan, &prepared.image, templ, rule, match, found, stream,
                            error);
    return finish_call(plan, image, stream, status, error);
}

xncc_status dispatch_find_on_device(xncc_engine_plan *plan, const xncc_image *image,
                                    const xncc_template *templ, const xncc_peak_target *target,
                                    xncc_stream stream, xncc_error *error)
{
    PreparedCall prepared;
    xncc_status status = prepare_call(plan, image, stream, &prepared, error);
    if (!status)
        status = match_find_on_device(prepared.plan, &prepared.image, templ, target, stream, error);
    return finish_call(plan, image, stream, status, error);
}

xncc_status dispatch_find_batch(xncc_engine_plan *plan, const xncc_image *image,
                                const xncc_plan_batch *batch, const xncc_peak_rule *rule,
                                xncc_stream stream, xncc_error *error)
{
    PreparedCall prepared;
    xncc_status status = prepare_call(plan, image, stream, &prepared, error);
    if (!status)
        status = match_find_batch(prepared.plan, &prepared.image, batch, rule, stream, error);
    return finish_call(plan, image, stream, status, error);
}

} // namespace xncc
