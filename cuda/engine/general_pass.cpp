// SPDX-License-Identifier: BSD-2-Clause
// The launches of kernel general, and of what settles windows in doubt (general_pass.h).
#include "cuda/engine/general_pass.h"

#include "cuda/direct/general.h"
#include "cuda/direct/settle.h"
#include "cuda/direct/small_exact.h"
#include "cuda/engine/float_pass.h"

namespace xncc {

namespace {

// The windows of the band as kernels read them that look at every pixel by itself. The image is the
// call's or, if the plan stages bands, what is staged.
PixelsJob make_pixels_job(const Call &call, const Band &band, const Target &target)
{
    const xncc_problem &p = call.plan->problem;
    const FirstPixel first(call, band);
    PixelsJob job = {};
    job.image = xncc_image_with_pitches(&call.image);
    job.border = p.rule.border;
    job.x = first.x;
    job.y = first.y;
    if (call.plan->memory.sizes().bytes[XNCC_BUFFER_BAND]) {
        const StageView view = call.plan->stage.view(band.x, band.y);
        job.image = {};
        job.image.data = view.data;
        job.image.pitch = view.pitch;
        job.image.width = view.width;
        job.image.height = view.height;
        job.image.pixel = p.pixel;
        job.border = XNCC_BORDER_CLAMP;
        job.x = view.left;
        job.y = view.top;
    }
    job.width = band.width;
    job.rows = band.height;
    job.pixels = call.templ->pixels.as<unsigned char>();
    job.pitch = static_cast<int64_t>(call.templ->pitch);
    job.mask = call.templ->mask.as<uint8_t>();
    job.templ_width = p.templ_width;
    job.templ_height = p.templ_height;
    job.channels = p.channels;
    job.method = p.rule.method;
    job.rule = general_rule_of(call);
    job.map = target.map;
    job.map_pitch = target.pitch;
    job.varies = xncc_problem_image_varies(&p) != 0;
    return job;
}

// The windows in doubt that kernel general counts, in device memory, or nullptr.
uint32_t *count_of_doubts(const xncc_engine_plan *plan)
{
    return xncc_decision_has(&plan->decision, XNCC_STEP_PIXELS)
               ? plan->memory.as<uint32_t>(XNCC_BUFFER_DOUBTS)
               : nullptr;
}

bool is_small(const xncc_problem &p)
{
    return p.templ_width <= XNCC_FLOAT_FUSED_TEMPLATE &&
           p.templ_height <= XNCC_FLOAT_FUSED_TEMPLATE;
}

// Whether other kernels may leave windows in doubt that the exact sums of small templates settle.
bool takes_small_exact(const xncc_engine_plan *plan)
{
    return is_small(plan->problem) &&
           (count_of_doubts(plan) || xncc_decision_has(&plan->decision, XNCC_STEP_FLOAT_SUMS));
}

} // namespace

xncc_general_rule general_rule_of(const Call &call)
{
    const xncc_match_rule &rule = call.plan->problem.rule;
    xncc_general_rule made = xncc_general_rule_make(call.source, rule.flat, rule.min_valid);
    xncc_general_rule_set_pivots(&made, call.source, rule.method);
    return made;
}

cudaError_t general_bind(const xncc_engine_plan *plan)
{
    const xncc_decision &d = plan->decision;
    const int most = static_cast<int>(plan->engine->machine.cuda.shared_optin);
    cudaError_t code = cudaSuccess;
    if (xncc_decision_has(&d, XNCC_STEP_PIXELS) && d.shared_bytes)
        code = small_pixels_set_max_shared_memory(xncc_problem_image_varies(&plan->problem) != 0,
                                                  most - XNCC_FLOAT_FUSED_STATIC);
    return code == cudaSuccess && takes_small_exact(plan) ? small_exact_set_max_shared_memory()
                                                          : code;
}

xncc_status match_pixels(const Call &call, const Band &band, const Target &target)
{
    PixelsJob job = make_pixels_job(call, band, target);
    job.shared_bytes = call.plan->decision.shared_bytes;
    job.in_doubt = count_of_doubts(call.plan);
    cudaError_t code = cudaSuccess;
    if (job.in_doubt)
        code = cudaMemsetAsync(job.in_doubt, 0, sizeof *job.in_doubt, call.stream);
    if (job.shared_bytes)
        set_float_pivots(call, job.rule.pivot);
    if (code == cudaSuccess)
        code = launch_pixels(job, call.stream);
    return check(code, "launching the match", call.error);
}

// Threads of a block with windows in doubt, from which on the block makes the sums of all of its
// windows: then that takes less time than settling them one by one.
constexpr int32_t MANY_DOUBTS = 32;

xncc_status settle_band(const Call &call, const Band &band, const Target &target)
{
    constexpr uint32_t few = 8 * XNCC_FLOAT_HARD; // windows, which take little time one by one
    const xncc_engine_plan *plan = call.plan;
    const int processors = plan->engine->machine.cuda.processors;
    const PixelsJob job = make_pixels_job(call, band, target);
    SettleList list = floats_to_settle(plan);
    if (count_of_doubts(plan))
        list.doubts = count_of_doubts(plan);
    cudaError_t code = cudaSuccess;
    if (takes_small_exact(plan))
        code = launch_small_exact(job, list.doubts, list.room ? list.room : few, processors,
                                  call.stream);
    if (code == cudaSuccess && xncc_decision_has(&plan->decision, XNCC_STEP_FLOAT_SUMS)) {
        PixelsJob many = job;
        many.doubts = MANY_DOUBTS;
        many.listed = list.doubts;
        many.room = list.room;
        set_float_pivots(call, many.rule.pivot);
        code = launch_float_pixels(many, call.stream);
    }
    if (code == cudaSuccess)
        code = launch_settle(job, list, processors, call.stream);
    return check(code, "launching the exact scores", call.error);
}

} // namespace xncc
