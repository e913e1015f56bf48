// Matching by route: plain problems as they are; padded ones by a plan inside the plan, on the image laid out with its border; joint ones by
// their own passes.
#include "joint.cuh"

extern "C" {
#include "plan/cost_routes.h"
}

namespace cm {

namespace {

cm_status bind_padded(cm_work *work, cm_error *error)
{
    const cm_problem problem = cm_problem_inner(&work->problem);
    const uint64_t bytes = static_cast<uint64_t>(cm_cuda_padded_pitch(&problem)) * static_cast<uint64_t>(problem.image_height);
    cm_work *inner = work->inner = create<cm_work>();
    if (!inner)
        return cm_fail(error, CM_ERROR_MEMORY, "no memory for the plan");
    inner->engine = work->engine;
    inner->problem = problem;
    inner->decision = work->decision;
    inner->progress = work->progress;
    inner->roomy = true;
    inner->parts = cm_cuda_workspace(&problem, work->decision.band_width, work->decision.band_height);
    cm_status status = check(inner->done.make(), "making an event", error);
    if (!status)
        status = check(work->padded.take(bytes), "taking memory for the image with its border", error);
    if (!status)
        status = match_bind(inner, error);
    inner->parts.total += bytes;
    return status;
}

// Where a call goes: the work that matches, and the image it is given.
struct Way {
    cm_work *work;
    cm_image image;
};

cm_status lay_out(cm_work *work, const cm_image &image, cudaStream_t stream, Way *way, cm_error *error)
{
    const cm_extent map = cm_problem_extent(&work->problem);
    const cm_problem &p = work->inner->problem;
    const LayoutRect rect = { map.x0, map.y0, p.image_width, p.image_height };
    const LayoutTarget to = { work->padded.as<unsigned char>(), static_cast<int64_t>(cm_cuda_padded_pitch(&p)), 0 };
    way->work = work->inner;
    way->image = {};
    way->image.data = to.data;
    way->image.width = p.image_width;
    way->image.height = p.image_height;
    way->image.pitch = to.pitch;
    way->image.pixel = p.pixel;
    way->image.memory = CM_DEVICE;
    return check(launch_padding(image, work->problem.border, rect, to, stream), "laying out the image", error);
}

cm_status enter(cm_work *work, const cm_image *image, cudaStream_t stream, Way *way, cm_error *error)
{
    way->work = work;
    way->image = *image;
    if (work->route == CM_ROUTE_PLAIN)
        return CM_OK;
    cm_status status = work->source.bring(*image, &work->upload, stream, &way->image, error);
    const cm_image brought = way->image;
    return status || work->route == CM_ROUTE_JOINT ? status : lay_out(work, brought, stream, way, error);
}

// Images from the host are waited for: the caller may change them after the call.
cm_status leave(cm_work *work, const cm_image *image, cudaStream_t stream, cm_status status, cm_error *error)
{
    if (work->route == CM_ROUTE_PLAIN)
        return status;
    cm_status ended = finish(work, stream, image->memory == CM_HOST, status ? nullptr : error);
    return status ? status : ended;
}

} // namespace

cm_status joint_bind(cm_work *work, cm_error *error)
{
    const cm_joint_blocks &joint = work->decision.joint;
    work->parts = {};
    work->parts.map = static_cast<uint64_t>(cm_problem_extent(&work->problem).width) * static_cast<uint64_t>(joint.map_rows) * sizeof(float);
    work->parts.total = work->parts.map;
    cm_status status = bind_map(work, cm_problem_extent(&work->problem).width, joint.map_rows, error);
    if (!status)
        status = find_bind(work, error);
    if (status)
        return status;
    work->joint = create<Joint>();
    return work->joint ? work->joint->make(work, error) : cm_fail(error, CM_ERROR_MEMORY, "no memory for the plan");
}

cm_status put_joint(const Call &call, int32_t first, int32_t rows, const Target &target)
{
    return call.work->joint->run(call, first, rows, target);
}

cm_status routed_bind(cm_work *work, cm_error *error)
{
    work->route = cm_problem_route(&work->problem);
    return work->route == CM_ROUTE_PLAIN ? match_bind(work, error) : work->route == CM_ROUTE_PADDED ? bind_padded(work, error) : joint_bind(work, error);
}

void routed_unbind(cm_work *work)
{
    destroy(work->joint);
    destroy(work->inner);
}

cm_status routed_correlate(cm_work *work, const cm_image *image, const cm_template *part, const cm_map *map, cm_stream stream, cm_error *error)
{
    Way way;
    cm_status status = enter(work, image, stream, &way, error);
    if (!status)
        status = match_correlate(way.work, &way.image, part, map, stream, error);
    return leave(work, image, stream, status, error);
}

cm_status routed_find(cm_work *work, const cm_image *image, const cm_template *part, const cm_peak_rule *rule, cm_match *match,
                      size_t *found, cm_stream stream, cm_error *error)
{
    Way way;
    cm_status status = enter(work, image, stream, &way, error);
    if (!status)
        status = match_find(way.work, &way.image, part, rule, match, found, stream, error);
    return leave(work, image, stream, status, error);
}

cm_status routed_find_on_device(cm_work *work, const cm_image *image, const cm_template *part, const cm_peak_target *target,
                                cm_stream stream, cm_error *error)
{
    Way way;
    cm_status status = enter(work, image, stream, &way, error);
    if (!status)
        status = match_find_on_device(way.work, &way.image, part, target, stream, error);
    return leave(work, image, stream, status, error);
}

cm_status routed_find_bank(cm_work *work, const cm_image *image, const cm_bank *bank, const cm_peak_rule *rule, cm_stream stream,
                           cm_error *error)
{
    Way way;
    cm_status status = enter(work, image, stream, &way, error);
    if (!status)
        status = match_find_bank(way.work, &way.image, bank, rule, stream, error);
    return leave(work, image, stream, status, error);
}

} // namespace cm
