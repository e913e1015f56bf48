// SPDX-License-Identifier: BSD-2-Clause
// The launches of kernels general and float-primes, and of what settles windows in doubt
// (general_pass.h).
#include "cuda/engine/general_pass.h"

#include "cuda/direct/general.h"
#include "cuda/direct/mark_windows.h"
#include "cuda/direct/settle.h"
#include "cuda/direct/small_exact.h"
#include "cuda/engine/float_pass.h"

#include <algorithm>

namespace xncc {

namespace {

// What these kernels know of windows in doubt, in device memory; what the exact sums need lies
// behind it.
struct PixelDoubts {
    uint32_t count, bad_template; // of float-primes: 1 if a sample of the template is not finite
    ExactWork exact;
};
static_assert(sizeof(PixelDoubts) <= XNCC_PIXEL_DOUBTS, "the decision has less room");

// nullptr for other kernels, and where no window is ever in doubt.
PixelDoubts *doubts_of(const xncc_engine_plan *plan)
{
    return xncc_counts_pixel_doubts(&plan->decision)
               ? plan->memory.as<PixelDoubts>(XNCC_BUFFER_DOUBTS)
               : nullptr;
}

bool makes_primes(const xncc_engine_plan *plan)
{
    return xncc_decision_has(&plan->decision, XNCC_STEP_PRIME_SUMS) != 0;
}

// Whether windows in doubt of small templates that other kernels leave are settled by tiles, too.
bool settles_tiles(const xncc_engine_plan *plan)
{
    const xncc_problem &p = plan->problem;
    return xncc_is_small_template(&p) &&
           (doubts_of(plan) || xncc_decision_has(&plan->decision, XNCC_STEP_FLOAT_SUMS));
}

xncc_status sum_pixels_exactly(const Call &call, const Band &band, const Target &target,
                               PixelDoubts *doubts)
{
    ExactJob job = {};
    job.doubts = &doubts->count;
    job.work = &doubts->exact;
    if (!makes_primes(call.plan)) {
        job.few = XNCC_FLOAT_HARD;
        // tiles that are settled by themselves take less time if not most windows are in doubt
        if (settles_tiles(call.plan))
            job.few = static_cast<uint32_t>(std::clamp<int64_t>(
                int64_t{ band.width } * band.height / 5 * 2, XNCC_FLOAT_HARD, UINT32_MAX));
        job.all_finite = true;
    }
    return sum_exactly(call, band, target, job);
}

} // namespace

cudaError_t general_bind(const xncc_engine_plan *plan)
{
    const xncc_decision &d = plan->decision;
    const int most = static_cast<int>(plan->engine->machine.cuda.shared_optin);
    cudaError_t code = cudaSuccess;
    if (xncc_decision_has(&d, XNCC_STEP_PIXELS) && d.shared_bytes)
        code = small_pixels_set_max_shared_memory(xncc_problem_image_varies(&plan->problem) != 0,
                                                  most - XNCC_FLOAT_FUSED_STATIC);
    const bool tiles = settles_tiles(plan) || xncc_decision_has(&d, XNCC_STEP_FUSED_FLOATS);
    if (code == cudaSuccess && tiles)
        code = small_exact_set_max_shared_memory();
    return code;
}

xncc_status score_by_primes(const Call &call, const Band &band, const Target &target)
{
    const xncc_engine_plan *plan = call.plan;
    PixelDoubts *doubts = doubts_of(plan);
    MarkJob job = {};
    job.of = make_pixels_job(call, band, target);
    job.of.in_doubt = &doubts->count;
    job.columns = plan->memory.as<uint32_t>(XNCC_BUFFER_ROWS);
    job.pitch = static_cast<int32_t>(plan->memory.sizes().rows_pitch);
    job.bad = &doubts->bad_template;
    cudaError_t code = cudaMemsetAsync(doubts, 0, sizeof *doubts, call.stream);
    if (code == cudaSuccess)
        code = launch_mark_windows(job, call.stream);
    return check(code, "launching the marks", call.error);
}

xncc_status match_pixels(const Call &call, const Band &band, const Target &target)
{
    PixelsJob job = make_pixels_job(call, band, target);
    job.shared_bytes = call.plan->decision.shared_bytes;
    PixelDoubts *doubts = doubts_of(call.plan);
    cudaError_t code = cudaSuccess;
    if (doubts) {
        job.in_doubt = &doubts->count;
        code = cudaMemsetAsync(doubts, 0, sizeof *doubts, call.stream);
    }
    if (job.shared_bytes)
        set_float_pivots(call, job.rule.pivot);
    if (code == cudaSuccess)
        code = launch_pixels(job, call.stream);
    return check(code, "launching the match", call.error);
}

// Threads of a block with windows in doubt, from which on the block makes the sums of all of its
// windows: then that takes less time than settling them one by one.
constexpr int32_t MANY_DOUBTS = 32;

// Windows in doubt that are settled one by one in little time, so that nobody looks for tiles that
// have some: a few hundred nanoseconds each if they are hard.
uint32_t few_of_tiles(const Band &band)
{
    const int64_t some = int64_t{ band.width } * band.height / 256;
    return static_cast<uint32_t>(std::min<int64_t>(some, XNCC_FLOAT_HARD));
}

// Windows in doubt that are settled one by one in less time than it takes to look for blocks that
// have many.
uint32_t few_doubts(const xncc_engine_plan *plan)
{
    const int64_t pixels = int64_t{ plan->problem.templ_width } * plan->problem.templ_height;
    return static_cast<uint32_t>((int64_t{ 1 } << 25) / std::max<int64_t>(pixels, 256));
}

xncc_status settle_band(const Call &call, const Band &band, const Target &target)
{
    const xncc_engine_plan *plan = call.plan;
    const int processors = plan->engine->machine.cuda.processors;
    PixelsJob job = make_pixels_job(call, band, target);
    job.finite = makes_primes(plan);
    SettleList list = floats_to_settle(plan);
    PixelDoubts *doubts = doubts_of(plan);
    if (doubts) {
        list.doubts = &doubts->count;
        const xncc_status status = sum_pixels_exactly(call, band, target, doubts);
        if (status)
            return status;
    }
    cudaError_t code = cudaSuccess;
    if (settles_tiles(plan)) {
        const uint32_t few = list.room ? list.room : few_of_tiles(band);
        code = makes_primes(plan)
                   ? launch_small_exact(job, list.doubts, 0, 1, {}, processors, call.stream)
                   : launch_small_exact(job, list.doubts, few, SMALL_EXACT_SOME, {}, processors,
                                        call.stream);
    }
    if (code == cudaSuccess && xncc_decision_has(&plan->decision, XNCC_STEP_FLOAT_SUMS)) {
        PixelsJob many = job;
        many.doubts = MANY_DOUBTS;
        many.listed = list.doubts;
        many.room = std::max(list.room, few_doubts(plan));
        set_float_pivots(call, many.rule.pivot);
        code = launch_float_pixels(many, call.stream);
    }
    if (code == cudaSuccess)
        code = launch_settle(job, list, processors, call.stream);
    return check(code, "launching the exact scores", call.error);
}

} // namespace xncc
