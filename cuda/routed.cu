// Matching by route: plain problems as they are; padded ones by a plan inside the plan, on the
// image laid out with its border; joint ones by their own passes.
#include "joint.cuh"

extern "C" {
#include "plan/cost_routes.h"
}

namespace xncc {

namespace {

xncc_status bind_padded(xncc_work *work, xncc_error *error)
{
    const xncc_problem problem = xncc_problem_inner(&work->problem);
    const uint64_t bytes = static_cast<uint64_t>(xncc_cuda_padded_pitch(&problem)) *
                           static_cast<uint64_t>(problem.image_height);
    xncc_work *inner = work->inner = create<xncc_work>();
    if (!inner)
        return xncc_fail(error, XNCC_ERROR_MEMORY, "no memory for the plan");
    inner->engine = work->engine;
    inner->problem = problem;
    inner->decision = work->decision;
    inner->progress = work->progress;
    inner->roomy = true;
    inner->parts = xncc_cuda_workspace(&problem, work->decision.band_width,
                                       work->decision.band_height);
    xncc_status status = check(inner->done.make(), "making an event", error);
    if (!status)
        status = check(work->padded.take(bytes), "taking memory for the image with its border",
                       error);
    if (!status)
        status = match_bind(inner, error);
    inner->parts.total += bytes;
    return status;
}

// Where a call goes: the work that matches, and the image it is given.
struct Way {
    xncc_work *work;
    xncc_image image;
};

xncc_status lay_out(xncc_work *work, const xncc_image &image, cudaStream_t stream, Way *way,
                    xncc_error *error)
{
    const xncc_extent map = xncc_problem_extent(&work->problem);
    const xncc_problem &p = work->inner->problem;
    const LayoutRect rect = { map.x0, map.y0, p.image_width, p.image_height };
    const LayoutTarget to = { work->padded.as<unsigned char>(),
                              static_cast<int64_t>(xncc_cuda_padded_pitch(&p)), 0 };
    way->work = work->inner;
    way->image = {};
    way->image.data = to.data;
    way->image.width = p.image_width;
    way->image.height = p.image_height;
    way->image.pitch = to.pitch;
    way->image.pixel = p.pixel;
    way->image.memory = XNCC_DEVICE;
    return check(launch_padding(image, work->problem.border, rect, to, stream),
                 "laying out the image", error);
}

xncc_status enter(xncc_work *work, const xncc_image *image, cudaStream_t stream, Way *way,
                  xncc_error *error)
{
    way->work = work;
    way->image = *image;
    if (work->route == XNCC_ROUTE_PLAIN)
        return XNCC_OK;
    xncc_status status = work->source.bring(*image, &work->upload, stream, &way->image, error);
    const xncc_image brought = way->image;
    return status || work->route == XNCC_ROUTE_JOINT ? status
                                                     : lay_out(work, brought, stream, way, error);
}

// Images from the host are waited for: the caller may change them after the call.
xncc_status leave(xncc_work *work, const xncc_image *image, cudaStream_t stream, xncc_status status,
                  xncc_error *error)
{
    if (work->route == XNCC_ROUTE_PLAIN)
        return status;
    xncc_status ended = finish(work, stream, image->memory == XNCC_HOST, status ? nullptr : error);
    return status ? status : ended;
}

} // namespace

xncc_status joint_bind(xncc_work *work, xncc_error *error)
{
    const xncc_joint_blocks &joint = work->decision.joint;
    work->parts = {};
    work->parts.map = static_cast<uint64_t>(xncc_problem_extent(&work->problem).width) *
                      static_cast<uint64_t>(joint.map_rows) * sizeof(float);
    work->parts.total = work->parts.map;
    xncc_status status = bind_map(work, xncc_problem_extent(&work->problem).width, joint.map_rows,
                                  error);
    if (!status)
        status = find_bind(work, error);
    if (status)
        return status;
    work->joint = create<Joint>();
    return work->joint ? work->joint->make(work, error)
                       : xncc_fail(error, XNCC_ERROR_MEMORY, "no memory for the plan");
}

xncc_status put_joint(const Call &call, int32_t first, int32_t rows, const Target &target)
{
    return call.work->joint->run(call, first, rows, target);
}

xncc_status routed_bind(xncc_work *work, xncc_error *error)
{
    work->route = xncc_problem_route(&work->problem);
    return work->route == XNCC_ROUTE_PLAIN    ? match_bind(work, error)
           : work->route == XNCC_ROUTE_PADDED ? bind_padded(work, error)
                                              : joint_bind(work, error);
}

void routed_unbind(xncc_work *work)
{
    destroy(work->joint);
    destroy(work->inner);
}

xncc_status routed_correlate(xncc_work *work, const xncc_image *image, const xncc_template *part,
                             const xncc_map *map, xncc_stream stream, xncc_error *error)
{
    Way way;
    xncc_status status = enter(work, image, stream, &way, error);
    if (!status)
        status = match_correlate(way.work, &way.image, part, map, stream, error);
    return leave(work, image, stream, status, error);
}

xncc_status routed_find(xncc_work *work, const xncc_image *image, const xncc_template *part,
                        const xncc_peak_rule *rule, xncc_match *match, size_t *found,
                        xncc_stream stream, xncc_error *error)
{
    Way way;
    xncc_status status = enter(work, image, stream, &way, error);
    if (!status)
        status = match_find(way.work, &way.image, part, rule, match, found, stream, error);
    return leave(work, image, stream, status, error);
}

xncc_status routed_find_on_device(xncc_work *work, const xncc_image *image,
                                  const xncc_template *part, const xncc_peak_target *target,
                                  xncc_stream stream, xncc_error *error)
{
    Way way;
    xncc_status status = enter(work, image, stream, &way, error);
    if (!status)
        status = match_find_on_device(way.work, &way.image, part, target, stream, error);
    return leave(work, image, stream, status, error);
}

xncc_status routed_find_bank(xncc_work *work, const xncc_image *image, const xncc_bank *bank,
                             const xncc_peak_rule *rule, xncc_stream stream, xncc_error *error)
{
    Way way;
    xncc_status status = enter(work, image, stream, &way, error);
    if (!status)
        status = match_find_bank(way.work, &way.image, bank, rule, stream, error);
    return leave(work, image, stream, status, error);
}

} // namespace xncc
