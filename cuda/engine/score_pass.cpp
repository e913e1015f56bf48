// SPDX-License-Identifier: BSD-2-Clause
// The score steps: one function per step makes the job of its kernel.
#include "cuda/engine/score_pass.h"

#include "cuda/engine/float_pass.h"
#include "cuda/engine/general_pass.h"
#include "cuda/fused/fused_channels.h"
#include "cuda/fused/fused_floats.h"
#include "cuda/fused/fused_masked_u8.h"
#include "cuda/fused/fused_u8.h"
#include "cuda/score/channel_score.h"
#include "cuda/score/column_score.h"
#include "cuda/score/score_u8.h"
#include "cuda/score/sliding_score_u8.h"
#include "cuda/score/term_score.h"
#include "cuda/windows/row_sums.h"
#include "cuda/windows/window_sums.h"

#include "image/samples.h"

namespace xncc {

namespace {

// ---- kernels that read whole pixels ----

// Computes S and Q of the rows of the band's windows.
xncc_status sum_rows(const Call &call, const Band &band)
{
    const xncc_engine_plan *plan = call.plan;
    RowSumsJob job = {};
    job.stage = plan->stage.view(band.x, band.y);
    job.size = plan->problem.templ_width;
    job.columns = band.width;
    job.rows = band.height + plan->problem.templ_height - 1;
    job.sums = plan->memory.as<void>(XNCC_BUFFER_ROWS);
    job.pitch = static_cast<int64_t>(plan->memory.sizes().rows_pitch);
    job.pivot = call.rule.pivot;
    return check(launch_row_sums(xncc_problem_read(&plan->problem).pixel, job, call.stream),
                 "launching the window sums", call.error);
}

xncc_status score_pixels(const Call &call, const Band &band, const Target &target)
{
    const xncc_engine_plan *plan = call.plan;
    const xncc_problem of = xncc_problem_read(&plan->problem);
    const bool narrow = xncc_cuda_sums_fit_u32(&of) != 0;
    ScoreJob job = {};
    job.rule = call.rule;
    job.method = of.rule.method;
    job.map = target.map;
    job.map_pitch = target.pitch;
    job.width = band.width;
    job.height = band.height;
    job.size = of.templ_height;
    job.window_width = of.templ_width;
    job.stage = plan->stage.view(band.x, band.y);
    job.rows = plan->memory.as<void>(XNCC_BUFFER_ROWS);
    job.rows_pitch = static_cast<int64_t>(plan->memory.sizes().rows_pitch);
    job.sums = narrow ? nullptr : plan->memory.as<void>(XNCC_BUFFER_SUMS);
    job.sums_pitch = narrow ? target.pitch : band.width;
    job.fp64_is_slow = fp64_is_slow_on(plan);
    job.pair_unit = xncc_ff_unit(of.rule.method, &call.rule);
    const bool one_pass = xncc_decision_has(&plan->decision, XNCC_STEP_WINDOW_SCORE) != 0;
    return check(one_pass ? launch_window_score(job, call.stream)
                          : launch_score(of.pixel, narrow, job, call.stream),
                 "launching the score", call.error);
}

// ---- kernels that read byte planes ----

// A plane of sums.
unsigned char *term_at(const xncc_engine_plan *plan, int index)
{
    return plan->memory.as<unsigned char>(XNCC_BUFFER_SUMS) +
           static_cast<uint64_t>(index) * plan->memory.sizes().sums;
}

// The term of a sum with a given weight 2^shift, or nullptr.
const uint32_t *find_term(const xncc_engine_plan *plan, int sum, int shift)
{
    const xncc_general_planes &planes = plan->decision.planes;
    for (int i = 0; i < planes.term_count; i++)
        if (planes.term[i].sum == sum && planes.term[i].shift == shift)
            return reinterpret_cast<const uint32_t *>(term_at(plan, i));
    return nullptr;
}

// The lowest image plane of a kind, or nullptr.
const unsigned char *find_plane(const xncc_engine_plan *plan, const Band &band, int kind)
{
    const xncc_general_planes &planes = plan->decision.planes;
    for (int i = 0; i < planes.image_count; i++)
        if (planes.image[i].kind == kind && planes.image[i].digit == 0)
            return band.image.data + static_cast<uint64_t>(i) * plan->memory.sizes().plane;
    return nullptr;
}

// Computes the window sums of each plane and of its squares in one pass. For narrow windows whose
// sums fit 32 bits.
cudaError_t slide_windows(const Call &call, const Band &band)
{
    const xncc_engine_plan *plan = call.plan;
    const xncc_general_planes &planes = plan->decision.planes;
    const xncc_workspace &w = plan->memory.sizes();
    cudaError_t code = cudaSuccess;
    for (int i = planes.products, next; i < planes.step_count && code == cudaSuccess; i = next) {
        SlideJob job = {};
        job.bytes = band.image.data + planes.step[i].image * w.plane;
        job.plane_pitch = band.image.pitch;
        job.templ_width = plan->problem.templ_width;
        job.templ_height = plan->problem.templ_height;
        job.pitch = static_cast<int64_t>(w.sums_pitch);
        job.width = band.width;
        job.height = band.height;
        for (next = i; next < planes.step_count && planes.step[next].image == planes.step[i].image;
             next++) {
            const xncc_general_step &s = planes.step[next];
            (s.square ? job.squares
                      : job.sums) = reinterpret_cast<uint32_t *>(term_at(plan, s.term));
            (s.square ? job.add_squares : job.add_sums) = s.add;
        }
        code = launch_slide(job, call.stream);
    }
    return code;
}

// Computes the window sums that are terms, one by one if they are wide.
xncc_status sum_planes(const Call &call, const Band &band)
{
    const xncc_engine_plan *plan = call.plan;
    const xncc_general_planes &planes = plan->decision.planes;
    const xncc_workspace &w = plan->memory.sizes();
    if (!planes.terms_u64 && plan->problem.templ_width <= XNCC_WINDOW_WIDTH)
        return check(slide_windows(call, band), "launching the window sums", call.error);
    cudaError_t code = cudaSuccess;
    for (int i = planes.products; i < planes.step_count && code == cudaSuccess; i++) {
        const xncc_general_step &s = planes.step[i];
        WindowsJob job = {};
        job.bytes = band.image.data + s.image * w.plane;
        job.pitch = band.image.pitch;
        job.templ_width = plan->problem.templ_width;
        job.templ_height = plan->problem.templ_height;
        job.width = band.width;
        job.height = band.height;
        job.rows = plan->memory.as<uint32_t>(XNCC_BUFFER_ROWS);
        job.rows_pitch = static_cast<int64_t>(w.rows_pitch);
        job.square = s.square;
        job.add = s.add;
        job.wide = planes.terms_u64;
        job.sums = term_at(plan, s.term);
        code = launch_windows(job, call.stream);
    }
    return check(code, "launching the window sums", call.error);
}

// The order in which the score pass reads the terms: 0 for N, X, Q and sumT2, then 1 + channel for
// S and sumT of a channel.
int order_of(const xncc_general_term &term)
{
    const bool of_channel = term.sum == XNCC_SUM_S || term.sum == XNCC_SUM_T;
    return of_channel ? 1 + term.channel : 0;
}

// Lists the terms in that order, and marks the last term of each channel.
void list_terms(const xncc_general_planes &planes, GeneralTerm *list)
{
    for (int own = 0, count = 0; own <= XNCC_MAX_CHANNELS; own++) {
        const int first = count;
        for (int i = 0; i < planes.term_count; i++)
            if (order_of(planes.term[i]) == own)
                list[count++] = { planes.term[i].sum, planes.term[i].shift, static_cast<uint8_t>(i),
                                  0 };
        if (own && count > first)
            list[count - 1].next = static_cast<uint8_t>(own);
    }
}

xncc_status score_terms(const Call &call, const Band &band, const Target &target)
{
    const xncc_engine_plan *plan = call.plan;
    const xncc_problem &p = plan->problem;
    const xncc_general_planes &planes = plan->decision.planes;
    const xncc_workspace &w = plan->memory.sizes();
    GeneralScoreJob job = {};
    job.rule = general_rule_of(call);
    job.method = p.rule.method;
    job.channels = p.channels;
    job.count = planes.term_count;
    list_terms(planes, job.term);
    if (planes.needs.sum[XNCC_SUM_N] == XNCC_FROM_CONSTANT)
        job.n = call.source->whole;
    for (int c = 0; c < job.channels && planes.needs.sum[XNCC_SUM_T] == XNCC_FROM_CONSTANT; c++)
        job.T[c] = call.templ->sum[c];
    job.T2 = planes.needs.sum[XNCC_SUM_T2] == XNCC_FROM_CONSTANT ? call.templ->sum2
                                                                 : xncc_u128_of(0);
    job.sums = plan->memory.as<void>(XNCC_BUFFER_SUMS);
    job.pitch = static_cast<int64_t>(w.sums_pitch);
    job.plane = static_cast<int64_t>(w.sums) / (planes.terms_u64 ? 8 : 4);
    job.wide = planes.terms_u64;
    job.narrow_score = planes.score_fits_s63;
    set_map(&job, band, target);
    return check(launch_general_score(job, call.stream), "launching the score", call.error);
}

// One 8-bit channel in which not all pixels count.

// What the masked score passes and the fused masked kernel share.
MaskedScoreJob make_masked_job(const Call &call, const Band &band, const Target &target)
{
    const xncc_problem &p = call.plan->problem;
    MaskedScoreJob job = {};
    job.method = p.rule.method;
    job.rule = general_rule_of(call);
    job.n = static_cast<uint32_t>(call.source->whole);
    job.sum = static_cast<uint32_t>(call.templ->sum[0]);
    job.sum2 = static_cast<uint32_t>(call.templ->sum2.low);
    job.templ_width = p.templ_width;
    job.templ_height = p.templ_height;
    set_map(&job, band, target);
    return job;
}

xncc_status score_masked(const Call &call, const Band &band, const Target &target)
{
    const xncc_engine_plan *plan = call.plan;
    const MaskedScoreJob job = make_masked_terms(call, band, target);
    const bool windows = xncc_decision_has(&plan->decision, XNCC_STEP_MASKED_WINDOWS) != 0,
               varies = xncc_problem_image_varies(&plan->problem) != 0;
    const xncc_status status = clear_tiles(call, band, target.tiles);
    return status ? status
                  : check(windows ? launch_masked_windows(job, call.stream)
                                  : launch_masked_score(job, varies, call.stream),
                          "launching the score", call.error);
}

// The planes of the product that makes a term; below 0 if there is none.
MaskedProduct find_product(const xncc_general_planes &planes, int sum, int shift)
{
    for (int i = 0; i < planes.products; i++) {
        const xncc_general_step &s = planes.step[i];
        if (planes.term[s.term].sum == sum && planes.term[s.term].shift == shift)
            return { s.image, s.templ };
    }
    return { -1, -1 };
}

xncc_status score_fused_masked(const Call &call, const Band &band, const Target &target)
{
    static const struct {
        xncc_sum_id sum;
        int shift;
    } order[MASKED_PRODUCTS] = { { XNCC_SUM_X, 0 },  { XNCC_SUM_S, 0 }, { XNCC_SUM_Q, 8 },
                                 { XNCC_SUM_Q, 0 },  { XNCC_SUM_N, 0 }, { XNCC_SUM_T, 0 },
                                 { XNCC_SUM_T2, 8 }, { XNCC_SUM_T2, 0 } };
    const xncc_engine_plan *plan = call.plan;
    const xncc_tensor_blocks &blocks = plan->decision.tensor;
    MaskedPlanes of = {};
    of.image = band.image;
    of.plane = static_cast<int64_t>(plan->memory.sizes().plane);
    of.images = plan->decision.planes.image_count;
    of.taps = plan->memory.as<uint4>(XNCC_BUFFER_TOEPLITZ);
    of.templ_bytes = static_cast<int32_t>(blocks.toeplitz);
    of.templs = plan->decision.planes.templ_count;
    for (int i = 0; i < MASKED_PRODUCTS; i++)
        of.product[i] = find_product(plan->decision.planes, order[i].sum, order[i].shift);
    return check(launch_masked_planes(make_masked_job(call, band, target), of, blocks,
                                      xncc_problem_image_varies(&plan->problem) != 0,
                                      plan->engine->machine.cuda.processors, call.stream),
                 "launching the match", call.error);
}

// ---- strips: all pixels count ----

// Whether kernels may begin while the template is laid out: later bands are laid out without the
// template in between.
bool begins_early(const xncc_engine_plan *plan)
{
    return is_one_band(plan) && plan->may_use_pdl;
}

// What both kernels for several channels share. The image planes are those of the samples, in the
// order that the kernels expect, because no other planes are needed where all pixels count.
ChannelScoreJob make_channel_job(const Call &call, const Band &band, const Target &target,
                                 const uint32_t *skip)
{
    const xncc_engine_plan *plan = call.plan;
    const xncc_problem &p = plan->problem;
    const xncc_workspace &w = plan->memory.sizes();
    ChannelScoreJob job = {};
    job.image = band.image;
    job.plane = static_cast<int64_t>(w.plane);
    job.channels = p.channels;
    job.digits = xncc_pixel_digits(p.pixel);
    job.method = p.rule.method;
    job.rule = general_rule_of(call);
    for (int c = 0; c < job.channels; c++)
        job.T[c] = call.templ->sum[c];
    job.T2 = call.templ->sum2.low;
    job.window_width = p.templ_width;
    job.window_height = p.templ_height;
    set_map(&job, band, target);
    job.skip = skip;
    return job;
}

xncc_status score_fused_channels(const Call &call, const Band &band, const Target &target,
                                 const uint32_t *skip)
{
    const xncc_engine_plan *plan = call.plan;
    return check(launch_fused_channels(
                     make_channel_job(call, band, target, skip), plan->decision.tensor,
                     plan->memory.as<unsigned char>(XNCC_BUFFER_TOEPLITZ),
                     plan->engine->machine.cuda.processors, begins_early(plan), call.stream),
                 "launching the match", call.error);
}

xncc_status score_channels(const Call &call, const Band &band, const Target &target,
                           const uint32_t *skip)
{
    const xncc_engine_plan *plan = call.plan;
    const xncc_general_planes &planes = plan->decision.planes;
    const xncc_workspace &w = plan->memory.sizes();
    ChannelScoreJob job = make_channel_job(call, band, target, skip);
    job.sums = plan->memory.as<uint32_t>(XNCC_BUFFER_SUMS);
    job.sums_pitch = static_cast<int64_t>(w.sums_pitch);
    job.terms = planes.term_count; // those of X
    for (int i = 0; i < job.terms; i++)
        job.term[i] = { i * static_cast<int64_t>(w.sums / sizeof(uint32_t)), planes.term[i].shift };
    const auto &cuda = plan->engine->machine.cuda;
    return check(launch_channel_score(job, cuda.processors, static_cast<int>(cuda.shared_optin),
                                      call.stream),
                 "launching the score", call.error);
}

xncc_status score_strips(const Call &call, const Band &band, const Target &target,
                         const uint32_t *skip)
{
    const xncc_engine_plan *plan = call.plan;
    const int processors = plan->engine->machine.cuda.processors;
    TensorScoreJob job = make_strip_job(plan, band, call.rule);
    if (job.method != XNCC_CCOEFF_NORMED) {
        job.general = general_rule_of(call);
        job.T = call.templ->sum[0];
        job.T2 = call.templ->sum2.low;
    }
    job.sums = plan->memory.as<uint32_t>(XNCC_BUFFER_SUMS);
    job.map = target.map;
    job.map_pitch = target.pitch;
    job.skip = skip;
    job.tiles = target.tiles;
    job.pdl = begins_early(plan);
    cudaError_t code;
    if (xncc_decision_has(&plan->decision, XNCC_STEP_FUSED))
        code = fused_launch(job, plan->decision.tensor,
                            plan->memory.as<unsigned char>(XNCC_BUFFER_TOEPLITZ), processors,
                            call.stream);
    else if (xncc_pixel_digits(plan->problem.pixel) == 2)
        code = score_u16_launch(job, processors, call.stream);
    else
        code = score_u8_launch(job, processors, call.stream);
    return check(code, "launching the score", call.error);
}

xncc_status run_score_step(const Call &call, const Band &band, const Target &target,
                           const uint32_t *skip)
{
    const xncc_decision &d = call.plan->decision;
    switch (d.step[d.step_count - 1]) {
    case XNCC_STEP_COLUMN_SCORE:
    case XNCC_STEP_WINDOW_SCORE: return score_pixels(call, band, target);
    case XNCC_STEP_FUSED:
    case XNCC_STEP_STRIP_SCORE: return score_strips(call, band, target, skip);
    case XNCC_STEP_FUSED_CHANNELS: return score_fused_channels(call, band, target, skip);
    case XNCC_STEP_CHANNEL_SCORE: return score_channels(call, band, target, skip);
    case XNCC_STEP_MASKED_WINDOWS:
    case XNCC_STEP_MASKED_SCORE: return score_masked(call, band, target);
    case XNCC_STEP_TERM_SCORE: return score_terms(call, band, target);
    case XNCC_STEP_FUSED_MASKED: return score_fused_masked(call, band, target);
    case XNCC_STEP_PIXELS: return match_pixels(call, band, target);
    case XNCC_STEP_FLOAT_SCORE: return score_floats(call, band, target);
    case XNCC_STEP_FLOAT_SUM_SCORE: return score_float_sums(call, band, target);
    case XNCC_STEP_FUSED_FLOATS: return score_fused_floats(call, band, target);
    case XNCC_STEP_PRIME_SUMS: return score_by_primes(call, band, target);
    default:
        return xncc_fail(call.error, XNCC_ERROR_INTERNAL, "step %s gives no scores",
                         xncc_step_table[d.step[d.step_count - 1]].name);
    }
}

} // namespace

xncc_status score_bind(const xncc_engine_plan *plan, xncc_error *error)
{
    const xncc_decision &d = plan->decision;
    const int most = static_cast<int>(plan->engine->machine.cuda.shared_optin);
    const bool varies = xncc_problem_image_varies(&plan->problem) != 0;
    cudaError_t code = cudaSuccess;
    if (xncc_decision_has(&d, XNCC_STEP_FUSED_MASKED))
        code = masked_planes_set_max_shared_memory(d.tensor, plan->problem.rule.method, varies,
                                                   most);
    if (xncc_decision_has(&d, XNCC_STEP_FUSED))
        code = fused_set_max_shared_memory(make_strip_job(plan, {}, {}), d.tensor, most);
    if (xncc_decision_has(&d, XNCC_STEP_FUSED_CHANNELS))
        code = fused_channels_set_max_shared_memory(d.tensor, most);
    if (xncc_decision_has(&d, XNCC_STEP_FUSED_FLOATS))
        code = fused_floats_set_max_shared_memory(most - XNCC_FLOAT_FUSED_STATIC);
    if (xncc_decision_has(&d, XNCC_STEP_CHANNEL_SCORE))
        code = channel_score_set_max_shared_memory(most);
    if (xncc_decision_has(&d, XNCC_STEP_STRIP_SCORE))
        code = xncc_pixel_digits(plan->problem.pixel) == 2
                   ? score_u16_set_max_shared_memory()
                   : score_u8_prefer_cache(make_strip_job(plan, {}, {}));
    if (code == cudaSuccess)
        code = general_bind(plan);
    return check(code, "preparing the kernels", error);
}

TensorScoreJob make_strip_job(const xncc_engine_plan *plan, const Band &band,
                              const xncc_score_rule &rule)
{
    const xncc_workspace &w = plan->memory.sizes();
    TensorScoreJob job = {};
    job.image = band.image;
    job.plane = static_cast<int64_t>(w.plane);
    job.sums_step = static_cast<int64_t>(w.sums / sizeof(uint32_t));
    job.rule = rule;
    job.method = plan->problem.rule.method;
    job.general.bias = xncc_pixel_bias(plan->problem.pixel);
    job.window_width = plan->problem.templ_width;
    job.window_height = plan->problem.templ_height;
    job.fp64_is_slow = fp64_is_slow_on(plan);
    job.shared_most = static_cast<int32_t>(plan->engine->machine.cuda.shared_optin);
    job.sums_pitch = static_cast<int64_t>(w.sums_pitch);
    job.width = band.width;
    job.height = band.height;
    return job;
}

MaskedScoreJob make_masked_terms(const Call &call, const Band &band, const Target &target)
{
    const xncc_engine_plan *plan = call.plan;
    MaskedScoreJob job = make_masked_job(call, band, target);
    job.N = find_term(plan, XNCC_SUM_N, 0);
    job.X = find_term(plan, XNCC_SUM_X, 0);
    job.S = find_term(plan, XNCC_SUM_S, 0);
    job.T = find_term(plan, XNCC_SUM_T, 0);
    for (int i = 0; i < 2; i++) {
        job.Q[i] = find_term(plan, XNCC_SUM_Q, 8 * i);
        job.T2[i] = find_term(plan, XNCC_SUM_T2, 8 * i);
    }
    job.pitch = static_cast<int64_t>(plan->memory.sizes().sums_pitch);
    job.values = find_plane(plan, band, XNCC_PLANE_VALUE);
    job.counts = find_plane(plan, band, XNCC_PLANE_COUNT);
    job.plane_pitch = band.image.pitch;
    return job;
}

bool scores_tiles(const xncc_engine_plan *plan)
{
    if (!is_one_band(plan))
        return false;
    const xncc_decision &d = plan->decision;
    switch (d.step[d.step_count - 1]) {
    case XNCC_STEP_STRIP_SCORE: return xncc_pixel_digits(plan->problem.pixel) == 2;
    case XNCC_STEP_CHANNEL_SCORE:
    case XNCC_STEP_FUSED_CHANNELS:
    case XNCC_STEP_FUSED_FLOATS:
    case XNCC_STEP_FUSED_MASKED:
    case XNCC_STEP_MASKED_SCORE: return true;
    default: return false;
    }
}

MapTiles tiles_of(const xncc_engine_plan *plan, const PeakJob &search, int slot)
{
    if (!scores_tiles(plan))
        return {};
    return { search.best + static_cast<int64_t>(slot) * search.tiles, search.tile_rows,
             search.across, search.smallest ? -1.0f : 1.0f };
}

xncc_status sum_windows(const Call &call, const Band &band)
{
    const xncc_decision &d = call.plan->decision;
    return xncc_decision_has(&d, XNCC_STEP_ROW_SUMS)      ? sum_rows(call, band)
           : xncc_decision_has(&d, XNCC_STEP_WINDOW_SUMS) ? sum_planes(call, band)
           : xncc_decision_has(&d, XNCC_STEP_COLUMN_SUMS) ? sum_float_columns(call, band)
                                                          : XNCC_OK;
}

xncc_status score_band(const Call &call, const Band &band, const Target &target,
                       const uint32_t *skip)
{
    const xncc_problem &p = call.plan->problem;
    const xncc_decision &d = call.plan->decision;
    const bool settles = (xncc_pixel_is_float(p.pixel) || xncc_kernel_is_of_doubles(d.kernel) ||
                          (xncc_decision_has(&d, XNCC_STEP_PIXELS) && d.shared_bytes)) &&
                         p.rule.method != XNCC_COVERAGE;
    xncc_status status = run_score_step(call, band, target, skip);
    return status || !settles ? status : settle_band(call, band, target);
}

} // namespace xncc
