// Matching by route: plain problems as they are; padded ones by a plan inside the plan, on the
// image laid out with its border; joint ones by their own passes.
#include "cuda/engine/general_plan.h"

extern "C" {
#include "plan/cost_routes.h"
}

namespace xncc {

namespace {

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
    inner->roomy = true;
    inner->buffers = xncc_cuda_workspace(&problem, plan->decision.band_width,
                                         plan->decision.band_height);
    xncc_status status = check(inner->done.make(), "making an event", error);
    if (!status)
        status = check(plan->padded.take(bytes), "taking memory for the image with its border",
                       error);
    if (!status)
        status = match_bind(inner, error);
    inner->buffers.total += bytes;
    return status;
}

// Where a call goes: the work that matches, and the image it is given.
struct PaddedCall {
    xncc_engine_plan *plan;
    xncc_image image;
};

xncc_status lay_out(xncc_engine_plan *plan, const xncc_image &image, cudaStream_t stream,
                    PaddedCall *way, xncc_error *error)
{
    const xncc_extent map = xncc_problem_extent(&plan->problem);
    const xncc_problem &p = plan->inner->problem;
    const LayoutRect rect = { map.x0, map.y0, p.image_width, p.image_height };
    const LayoutTarget to = { plan->padded.as<unsigned char>(),
                              static_cast<int64_t>(xncc_cuda_padded_pitch(&p)), 0 };
    way->plan = plan->inner;
    way->image = {};
    way->image.data = to.data;
    way->image.width = p.image_width;
    way->image.height = p.image_height;
    way->image.pitch = to.pitch;
    way->image.pixel = p.pixel;
    way->image.memory = XNCC_DEVICE;
    return check(launch_padding(image, plan->problem.border, rect, to, stream),
                 "laying out the image", error);
}

xncc_status enter(xncc_engine_plan *plan, const xncc_image *image, cudaStream_t stream,
                  PaddedCall *way, xncc_error *error)
{
    way->plan = plan;
    way->image = *image;
    if (plan->route == XNCC_ROUTE_PLAIN)
        return XNCC_OK;
    xncc_status status = plan->source.bring(*image, &plan->upload, stream, &way->image, error);
    const xncc_image brought = way->image;
    return status || plan->route == XNCC_ROUTE_GENERAL ? status
                                                       : lay_out(plan, brought, stream, way, error);
}

// Images from the host are waited for: the caller may change them after the call.
xncc_status leave(xncc_engine_plan *plan, const xncc_image *image, cudaStream_t stream,
                  xncc_status status, xncc_error *error)
{
    if (plan->route == XNCC_ROUTE_PLAIN)
        return status;
    xncc_status ended = finish(plan, stream, image->memory == XNCC_HOST, status ? nullptr : error);
    return status ? status : ended;
}

} // namespace

xncc_status general_bind(xncc_engine_plan *plan, xncc_error *error)
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

xncc_status put_general(const Call &call, int32_t first, int32_t rows, const Target &target)
{
    return call.plan->general->run(call, first, rows, target);
}

xncc_status dispatch_bind(xncc_engine_plan *plan, xncc_error *error)
{
    plan->route = xncc_problem_route(&plan->problem);
    return plan->route == XNCC_ROUTE_PLAIN    ? match_bind(plan, error)
           : plan->route == XNCC_ROUTE_PADDED ? bind_padded(plan, error)
                                              : general_bind(plan, error);
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
    PaddedCall way;
    xncc_status status = enter(plan, image, stream, &way, error);
    if (!status)
        status = match_correlate(way.plan, &way.image, templ, map, stream, error);
    return leave(plan, image, stream, status, error);
}

xncc_status dispatch_find(xncc_engine_plan *plan, const xncc_image *image,
                          const xncc_template *templ, const xncc_peak_rule *rule, xncc_match *match,
                          size_t *found, xncc_stream stream, xncc_error *error)
{
    PaddedCall way;
    xncc_status status = enter(plan, image, stream, &way, error);
    if (!status)
        status = match_find(way.plan, &way.image, templ, rule, match, found, stream, error);
    return leave(plan, image, stream, status, error);
}

xncc_status dispatch_find_on_device(xncc_engine_plan *plan, const xncc_image *image,
                                    const xncc_template *templ, const xncc_peak_target *target,
                                    xncc_stream stream, xncc_error *error)
{
    PaddedCall way;
    xncc_status status = enter(plan, image, stream, &way, error);
    if (!status)
        status = match_find_on_device(way.plan, &way.image, templ, target, stream, error);
    return leave(plan, image, stream, status, error);
}

xncc_status dispatch_find_batch(xncc_engine_plan *plan, const xncc_image *image,
                                const xncc_plan_batch *batch, const xncc_peak_rule *rule,
                                xncc_stream stream, xncc_error *error)
{
    PaddedCall way;
    xncc_status status = enter(plan, image, stream, &way, error);
    if (!status)
        status = match_find_batch(way.plan, &way.image, batch, rule, stream, error);
    return leave(plan, image, stream, status, error);
}

} // namespace xncc
