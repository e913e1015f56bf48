// SPDX-License-Identifier: BSD-2-Clause
// The steps of kernels float-fft, float-split, float-tiles and float-fused: one function per step
// makes the jobs of its kernels.
#include "cuda/engine/float_pass.h"

#include "cuda/direct/refine.h"
#include "cuda/direct/small_exact.h"
#include "cuda/fused/fused_floats.h"
#include "cuda/products/exact_sums.h"
#include "cuda/score/float_score.h"
#include "cuda/score/float_sum_score.h"
#include "cuda/windows/column_sums.h"

namespace xncc {

namespace {

FloatImage image_of(const Call &call, const Band &band)
{
    const LayoutRect rect = rect_of(call.plan, band);
    FloatImage of = {};
    of.image = xncc_image_with_pitches(&call.image);
    of.border = call.plan->problem.rule.border;
    of.x = rect.x;
    of.y = rect.y;
    of.columns = rect.columns;
    of.rows = rect.rows;
    return of;
}

// The lists of doubts lie behind X.
FloatDoubts doubts_of(const xncc_engine_plan *plan)
{
    const xncc_workspace &w = plan->memory.sizes();
    FloatDoubt *list = reinterpret_cast<FloatDoubt *>(
        plan->memory.as<unsigned char>(XNCC_BUFFER_SUMS) + w.sums);
    return { list, list + w.doubts, static_cast<uint32_t>(w.doubts), list + 2 * w.doubts };
}

FloatColumns columns_of(const xncc_engine_plan *plan, const Band &band)
{
    const xncc_problem &p = plan->problem;
    FloatColumns of = columns_in(p, plan->memory.sizes(),
                                 plan->memory.as<unsigned char>(XNCC_BUFFER_ROWS));
    of.across = ceil_div(band.width + p.templ_width - 1, static_cast<int>(XNCC_COLUMN_BLOCK));
    return of;
}

// The bound of X's error that is relative to a window's samples, by float-split.
constexpr double SPLIT_OWN = XNCC_SPLIT_OWN * 1.01 * 0x1p-53;

FloatProductsJob make_products_job(const Call &call, const Band &band)
{
    const xncc_engine_plan *plan = call.plan;
    FloatProductsJob job = {};
    job.image = image_of(call, band);
    job.method = plan->problem.rule.method;
    job.width = band.width;
    job.height = band.height;
    job.sums = plan->memory.as<double>(XNCC_BUFFER_SUMS);
    job.pitch = static_cast<int64_t>(plan->memory.sizes().sums_pitch);
    return job;
}

ColumnSumsJob make_columns_job(const Call &call, const Band &band)
{
    const xncc_engine_plan *plan = call.plan;
    ColumnSumsJob job = {};
    job.image = image_of(call, band);
    job.constants = plan->floats.constants();
    job.templ_height = plan->problem.templ_height;
    job.rows = band.height;
    job.to = columns_of(plan, band);
    job.groups = plan->memory.as<unsigned char>(XNCC_BUFFER_ROWS) + plan->memory.sizes().groups;
    return job;
}

// Sets what the jobs share that score windows by the template's constants.
template <class Job>
void set_float_map(Job *job, const xncc_engine_plan *plan, const Target &target)
{
    job->constants = plan->floats.constants();
    job->method = plan->problem.rule.method;
    job->templ_width = plan->problem.templ_width;
    job->templ_height = plan->problem.templ_height;
    job->undefined = plan->problem.rule.flat == XNCC_FLAT_NAN ? NAN : 0.0f;
    job->map = target.map;
    job->map_pitch = target.pitch;
}

FloatScoreJob make_score_job(const Call &call, const Band &band, const Target &target)
{
    const xncc_engine_plan *plan = call.plan;
    FloatScoreJob job = {};
    set_float_map(&job, plan, target);
    job.width = band.width;
    job.height = band.height;
    job.columns = columns_of(plan, band);
    job.sums = plan->memory.as<double>(XNCC_BUFFER_SUMS);
    job.sums_pitch = static_cast<int64_t>(plan->memory.sizes().sums_pitch);
    job.bounds = bounds_of(plan->floats.last(),
                           plan->decision.kernel == XNCC_KERNEL_FLOAT_SPLIT ? SPLIT_OWN : 0.0);
    job.doubts = doubts_of(plan);
    return job;
}

RefineJob make_refine_job(const Call &call, const Band &band, const Target &target)
{
    const xncc_engine_plan *plan = call.plan;
    RefineJob job = {};
    set_float_map(&job, plan, target);
    job.image = image_of(call, band);
    job.templ = view_of(*call.templ);
    job.doubts = doubts_of(plan);
    job.columns = columns_of(plan, band);
    job.tiles = target.tiles;
    return job;
}

// Small templates, many windows in doubt: settles those whose samples are near to each other, then
// tiles where many are left, and lists the rest.
xncc_status settle_many(const Call &call, const Band &band, const Target &target,
                        const RefineJob &finer)
{
    const xncc_engine_plan *plan = call.plan;
    FloatConstants *constants = plan->floats.constants();
    const FloatDoubts doubts = doubts_of(plan);
    const DoubtsLeft left = { doubts.hard,      doubts.room,      &constants->doubts,
                              &constants->hard, &constants->left, &constants->done };
    const uint32_t few = doubts.room < SMALL_EXACT_FEW ? doubts.room : SMALL_EXACT_FEW;
    const int processors = plan->engine->machine.cuda.processors;
    const xncc_status status = check(launch_refine_many(finer, few, processors, call.stream),
                                     "launching the sums of integers", call.error);
    PixelsJob job = make_pixels_job(call, band, target);
    job.finite = true; // float-fused scores the other windows
    return status ? status
                  : check(launch_small_exact(job, left.doubts, few, SMALL_EXACT_MANY, left,
                                             processors, call.stream),
                          "launching the exact scores of tiles", call.error);
}

// The windows in doubt of one channel of which all pixels count; last: those that sums in pairs of
// doubles leave.
ExactJob make_exact_job(const xncc_engine_plan *plan, bool last)
{
    FloatConstants *constants = plan->floats.constants();
    const xncc_problem &p = plan->problem;
    const double pixels = static_cast<double>(p.templ_width) * p.templ_height;
    ExactJob job = {};
    job.doubts = last ? &constants->last : &constants->doubts;
    job.hard = last ? &constants->doubts : &constants->hard;
    job.few = last ? plan->decision.exact.most_long : plan->decision.exact.most_alone;
    job.work = last ? &constants->exact_last : &constants->exact;
    job.alone_ns = job.hard_ns = last ? xncc_exact_long_ns(pixels) : xncc_exact_alone_ns(pixels);
    return job;
}

// Settles the windows in doubt that are left, from sums in pairs of doubles, and then from
// integers: together if many are left, or one by one.
xncc_status settle_hard(const Call &call, const Band &band, const Target &target,
                        const RefineJob &finer)
{
    const xncc_engine_plan *plan = call.plan;
    const xncc_match_rule &rule = plan->problem.rule;
    const int processors = plan->engine->machine.cuda.processors;
    xncc_status status = check(launch_refine_hard(finer, processors, call.stream),
                               "launching the sums in pairs of doubles", call.error);
    if (!status)
        status = sum_exactly(call, band, target, make_exact_job(plan, true));
    return status ? status
                  : check(launch_settle_long(
                              finer, xncc_general_rule_make(call.source, rule.flat, rule.min_valid),
                              processors, call.stream),
                          "launching the sums of long integers", call.error);
}

} // namespace

xncc_status sum_exactly(const Call &call, const Band &band, const Target &target,
                        const ExactJob &doubts)
{
    const xncc_engine_plan *plan = call.plan;
    const xncc_problem &p = plan->problem;
    if (!plan->decision.exact.width)
        return XNCC_OK;
    const double samples = static_cast<double>(p.templ_width) * p.templ_height * p.channels;
    ExactJob job = doubts;
    job.image = image_of(call, band);
    job.templ = view_of(*call.templ);
    job.mask = call.templ->mask.as<uint8_t>();
    job.masked = p.templ_masked != 0;
    job.channels = p.channels;
    job.varies = xncc_problem_image_varies(&p) != 0;
    if (!job.hard) {
        job.alone_ns = xncc_exact_alone_ns(samples);
        job.hard_ns = xncc_exact_hard_ns(samples);
    }
    job.method = p.rule.method;
    job.rule = xncc_general_rule_make(call.source, p.rule.flat, p.rule.min_valid);
    job.width = band.width;
    job.height = band.height;
    job.map = target.map;
    job.map_pitch = target.pitch;
    job.tiles = target.tiles;
    unsigned char *memory = plan->memory.as<unsigned char>(XNCC_BUFFER_DOUBTS);
    if (xncc_counts_pixel_doubts(&plan->decision))
        memory += XNCC_PIXEL_DOUBTS;
    return check(launch_exact_sums(job, plan->decision.exact, memory,
                                   plan->engine->machine.cuda.processors, call.stream),
                 "launching the exact sums", call.error);
}

xncc_status multiply_floats(const Call &call, const Band &band)
{
    xncc_engine_plan *plan = call.plan;
    return plan->floats.correlate(make_products_job(call, band), *call.templ, call.stream,
                                  call.error);
}

xncc_status sum_float_columns(const Call &call, const Band &band)
{
    return check(launch_column_sums(make_columns_job(call, band), call.stream),
                 "launching the window sums", call.error);
}

xncc_status score_fused_floats(const Call &call, const Band &band, const Target &target)
{
    xncc_engine_plan *plan = call.plan;
    const xncc_problem &p = plan->problem;
    xncc_status status = plan->floats.prepare_template(p.pixel, p.rule.method, *call.templ,
                                                       call.stream, call.error);
    const RefineJob finer = make_refine_job(call, band, target);
    FusedFloatsJob job = {};
    set_float_map(&job, plan, target);
    job.image = finer.image;
    job.width = band.width;
    job.height = band.height;
    job.doubts = finer.doubts.hard;
    job.room = finer.doubts.room;
    job.tiles = target.tiles;
    if (!status)
        status = clear_tiles(call, band, job.tiles);
    if (!status)
        status = check(launch_fused_floats(job, call.stream), "launching the scores", call.error);
    if (!status)
        status = settle_many(call, band, target, finer);
    if (!status)
        status = sum_exactly(call, band, target, make_exact_job(plan, false));
    return status ? status : settle_hard(call, band, target, finer);
}

// The windows in doubt that take as long as sums by levels, by the samples that both read.
uint32_t doubts_worth_levels(const xncc_engine_plan *plan)
{
    constexpr double per_point = 25.0, least = 1024.0;
    const FloatBlocks &of = plan->floats.splits().blocks();
    const double points = static_cast<double>(of.width) * of.height * of.count,
                 pixels = static_cast<double>(plan->problem.templ_width) *
                          plan->problem.templ_height;
    return static_cast<uint32_t>(fmin(least + per_point * points / pixels, 0x1p31));
}

// If many windows are in doubt, makes their sums again so that no bound is relative to samples that
// are far larger than the window's.
xncc_status score_again(const Call &call, const Band &band, const Target &target)
{
    FloatProducts &floats = call.plan->floats;
    const xncc_method method = call.plan->problem.rule.method;
    const FloatSplit &split = floats.splits();
    const JudgeDoubtsJob judge = { floats.constants(),
                                   split.the_levels(),
                                   split.sizes_of_blocks(),
                                   split.blocks().count,
                                   doubts_worth_levels(call.plan),
                                   xncc_method_is_centred(method) != 0 };
    LevelScoreJob job = {};
    job.score = make_score_job(call, band, target);
    job.score.bounds = bounds_of(split.blocks(), SPLIT_OWN);
    job.score.bounds.error = split.errors_of_levels();
    job.sums = call.plan->memory.as<double>(XNCC_BUFFER_SUMS);
    job.levels = split.the_levels();
    job.sizes = split.sizes_of_blocks();
    job.blocks = split.blocks().count;
    xncc_status status = check(launch_judge_doubts(judge, call.stream),
                               "counting the windows in doubt", call.error);
    if (!status)
        status = check(launch_own_columns(make_columns_job(call, band), call.stream),
                       "launching the window sums", call.error);
    if (!status)
        status = check(launch_window_sizes(job, call.stream), "launching the sizes", call.error);
    const xncc_exact_blocks &exact = call.plan->decision.exact;
    if (!status)
        status = check(split.transform_levels(make_products_job(call, band), exact.width != 0,
                                              exact.most_levels, call.stream),
                       "correlating by levels", call.error);
    return status ? status
                  : check(launch_level_score(job, call.stream), "launching the score", call.error);
}

// Each step takes up what the one before left in doubt.
xncc_status score_floats(const Call &call, const Band &band, const Target &target)
{
    const xncc_engine_plan *plan = call.plan;
    const int processors = plan->engine->machine.cuda.processors;
    const FloatScoreJob score = make_score_job(call, band, target);
    RefineJob finer = make_refine_job(call, band, target);
    xncc_status status = check(launch_float_score(score, call.stream), "launching the score",
                               call.error);
    if (plan->decision.kernel == XNCC_KERNEL_FLOAT_SPLIT)
        finer.known = { score.sums, score.sums_pitch, score.bounds };
    if (!status && plan->floats.has_levels())
        status = score_again(call, band, target);
    if (!status)
        status = sum_exactly(call, band, target, make_exact_job(plan, false));
    if (!status)
        status = check(launch_refine(finer, processors, call.stream), "launching the finer sums",
                       call.error);
    return status ? status : settle_hard(call, band, target, finer);
}

void set_float_pivots(const Call &call, double *pivot)
{
    const xncc_problem &p = call.plan->problem;
    xncc_general_rule rule = {};
    xncc_general_rule_set_pivots(&rule, call.source, p.rule.method);
    for (int c = 0; c < p.channels; c++)
        pivot[c] = xncc_pixel_is_float(p.pixel) || !xncc_method_ignores_offset(p.rule.method)
                       ? rule.pivot[c]
                       : rint(static_cast<double>(call.templ->sum[c]) /
                              static_cast<double>(call.source->whole));
}

// The pixels of a band, and the pivots.
static FloatSource source_of(const Call &call, const Band &band)
{
    const xncc_engine_plan *plan = call.plan;
    const xncc_problem &p = plan->problem;
    FloatSource of = {};
    static_cast<FloatImage &>(of) = image_of(call, band);
    of.channels = p.channels;
    of.templ = view_of(*call.templ);
    of.mask = call.templ->mask.as<uint8_t>();
    of.whole = call.source->whole;
    of.method = p.rule.method;
    set_float_pivots(call, of.pivot);
    return of;
}

xncc_status make_float_sums(const Call &call, const Band &band)
{
    xncc_engine_plan *plan = call.plan;
    const xncc_workspace &w = plan->memory.sizes();
    const SumMaps to = { plan->memory.as<double>(XNCC_BUFFER_SUMS),
                         static_cast<int64_t>(w.sums / sizeof(double)),
                         static_cast<int64_t>(w.sums_pitch), band.width, band.height };
    return plan->float_sums.correlate(source_of(call, band), to, call.stream, call.error);
}

// The windows in doubt whose X is made again. If there are more, it is most likely not X that
// leaves them in doubt. In white noise it is one of 3700, under three channels of 512 x 512.
uint32_t doubts_worth_refining(const Band &band)
{
    constexpr int64_t least = XNCC_FLOAT_HARD, most = XNCC_FLOAT_DOUBTS;
    const int64_t some = int64_t{ band.width } * band.height / 512;
    return static_cast<uint32_t>(some < least ? least : some < most ? some : most);
}

xncc_status score_float_sums(const Call &call, const Band &band, const Target &target)
{
    const xncc_engine_plan *plan = call.plan;
    const xncc_problem &p = plan->problem;
    const xncc_workspace &w = plan->memory.sizes();
    FloatSumScoreJob job = {};
    plan->float_sums.set_sums(&job);
    job.method = p.rule.method;
    job.rule = xncc_general_rule_make(call.source, p.rule.flat, p.rule.min_valid);
    job.width = band.width;
    job.height = band.height;
    job.templ_width = p.templ_width;
    job.templ_height = p.templ_height;
    job.mask = call.templ->mask.as<uint8_t>();
    job.sums = plan->memory.as<double>(XNCC_BUFFER_SUMS);
    job.step = static_cast<int64_t>(w.sums / sizeof(double));
    job.pitch = static_cast<int64_t>(w.sums_pitch);
    job.own = SPLIT_OWN;
    job.root_whole = 1.01 * sqrt(static_cast<double>(job.rule.whole));
    const FloatImage image = image_of(call, band);
    job.image_x = image.x;
    job.image_y = image.y;
    job.image_width = image.image.width;
    job.image_height = image.image.height;
    job.map = target.map;
    job.map_pitch = target.pitch;
    // with one channel it takes longer than to settle the windows one by one
    const bool refines = p.channels > 1;
    FloatTerms *terms = job.terms;
    job.hard = { &terms->hard, terms->hard_at, XNCC_FLOAT_HARD };
    job.doubts = job.hard;
    if (refines)
        job.doubts = { &terms->doubts, terms->doubt_at, doubts_worth_refining(band) };
    xncc_status status = check(launch_float_sum_score(job, call.stream), "launching the score",
                               call.error);
    if (!status && refines)
        status = check(launch_refine_sums(job, source_of(call, band),
                                          plan->engine->machine.cuda.processors, call.stream),
                       "launching the finer sums", call.error);
    if (!status)
        status = check(launch_mark_left_out(job, call.stream), "marking windows", call.error);
    ExactJob exact = {};
    exact.doubts = &terms->hard;
    exact.few = XNCC_FLOAT_HARD;
    exact.bad = &terms->bad_samples;
    exact.work = &terms->exact;
    return status ? status : sum_exactly(call, band, target, exact);
}

SettleList floats_to_settle(const xncc_engine_plan *plan)
{
    if (!xncc_kernel_is_of_doubles(plan->decision.kernel) ||
        xncc_counts_pixel_doubts(&plan->decision))
        return {};
    if (xncc_decision_has(&plan->decision, XNCC_STEP_FLOAT_SUMS)) {
        const FloatTerms *terms = plan->float_sums.terms_of_source();
        return { terms->hard_at, &terms->hard, &terms->hard, XNCC_FLOAT_HARD };
    }
    const FloatConstants *constants = plan->floats.constants();
    const FloatDoubts doubts = doubts_of(plan);
    return { doubts.hard, &constants->far, &constants->doubts, doubts.room };
}

} // namespace xncc
