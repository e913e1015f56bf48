// SPDX-License-Identifier: BSD-2-Clause
// Peak search without a score map: bounds of the tiles' best scores from X, then exact scores of
// the tiles that may reach the level.
#include "cuda/engine/find_from_products.h"

#include "cuda/engine/score_pass.h"
#include "cuda/engine/tensor_products.h"
#include "cuda/fused/fused_u8.h"

namespace xncc {

namespace {

bool is_fused(const xncc_engine_plan *plan)
{
    return plan->decision.kernel == XNCC_KERNEL_TENSOR_FUSED;
}

// The bias of the samples, if the method depends on it.
uint64_t bias_of(const xncc_engine_plan *plan)
{
    return xncc_problem_route(&plan->problem) == XNCC_ROUTE_GENERAL
               ? xncc_pixel_bias(plan->problem.pixel)
               : 0;
}

// The rule of template i, with sumT2 of the samples without that bias.
xncc_score_rule rule_of(const xncc_engine_plan *plan, const ProductSearch &m, int i)
{
    xncc_score_rule rule = m.rule[i];
    const uint64_t bias = bias_of(plan);
    if (bias != 0) {
        rule.sum2 = rule.sum2 - 2 * bias * rule.sum + bias * bias * rule.n;
        rule.root_sum2 = sqrt(static_cast<double>(rule.sum2));
    }
    return rule;
}

// The tiles of `count` templates of the search from template `first` on.
TensorTiles make_tiles(const xncc_engine_plan *plan, const ProductSearch &m, int first, int count)
{
    TensorTiles tiles = {};
    tiles.best = m.job.best + static_cast<int64_t>(first) * m.job.tiles;
    tiles.rows = m.job.tile_rows;
    tiles.across = m.job.across;
    tiles.count = m.job.tiles;
    tiles.slots = count;
    tiles.width = plan->x.map;
    tiles.height = plan->y.map;
    tiles.plane = m.slots.sums_step;
    for (int i = 0; i < count && count <= TENSOR_SLOTS; i++)
        tiles.rule[i] = rule_of(plan, m, first + i);
    return tiles;
}

// The products of `count` templates from template `first` on.
TensorGroup make_group(const ProductSearch &m, int first, int count)
{
    TensorGroup to = {};
    to.toeplitz = m.slots.toeplitz + first * m.slots.toeplitz_step;
    to.toeplitz_step = m.slots.toeplitz_step;
    to.sums = m.slots.sums + first * m.slots.sums_step;
    to.sums_step = m.slots.sums_step;
    to.count = count;
    to.pdl = true;
    return to;
}

// Lays out templates, which have one byte plane each.
xncc_status lay_out(const Call &call, const ProductSearch &m, int first, int count)
{
    TensorLayout layout = {};
    layout.to = m.slots.toeplitz + first * m.slots.toeplitz_step;
    layout.count = count;
    for (int i = 0; i < count; i++)
        layout.plane[i] = byte_plane_of(*m.templ[first + i], 0, 0);
    return check(lay_out_planes(call, layout), "laying out templates", call.error);
}

} // namespace

xncc_status bound_tiles(const Call &call, const ProductSearch &m, int first, int count)
{
    const xncc_engine_plan *plan = call.plan;
    const TensorTiles tiles = make_tiles(plan, m, first, count);
    const int processors = plan->engine->machine.cuda.processors;
    TensorScoreJob job = make_strip_job(plan, m.band, m.rule[first]);
    job.general.whole = job.rule.n;
    job.sums = m.slots.sums + first * m.slots.sums_step;
    job.pdl = plan->may_use_pdl;
    return check(is_fused(plan)
                     ? fused_tiles_launch(job, tiles, plan->decision.tensor,
                                          m.slots.toeplitz + first * m.slots.toeplitz_step,
                                          processors, call.stream)
                     : score_u8_tiles_launch(job, tiles, processors, call.stream),
                 "launching the tiles' best scores", call.error);
}

xncc_status bound_by_products(const Call &call, const ProductSearch &m)
{
    xncc_status status = lay_out(call, m, 0, m.count);
    const int launches = ceil_div(m.count, PRODUCT_SLOTS), most = ceil_div(m.count, launches);
    for (int i = 0; i < m.count && !status; i += most) {
        const int count = m.count - i < most ? m.count - i : most;
        TensorGroup to = make_group(m, i, count);
        to.pdl_after_products = i > 0;
        to.bound.best = m.job.best + static_cast<int64_t>(i) * m.job.tiles;
        to.bound.rows = m.job.tile_rows;
        to.bound.across = m.job.across;
        to.bound.count = m.job.tiles;
        for (int k = 0; k < count; k++) {
            to.bound.terms[k] = m.slots.terms + m.masks.mask[i + k] * m.slots.terms_step;
            to.bound.n[k] = static_cast<double>(m.rule[i + k].n);
            to.bound.sum[k] = static_cast<double>(m.rule[i + k].sum);
            to.bound.unit[k] = unit_of(m.rule[i + k].root_var);
        }
        status = multiply_planes(call, m.band, to);
    }
    return status;
}

xncc_status bound_batch_tiles(const Call &call, const ProductSearch &m, bool begins)
{
    const xncc_engine_plan *plan = call.plan;
    xncc_status status = XNCC_OK;
    // Window terms pay off if several templates share them; for a single one they take longer.
    const bool alone = begins && m.count == 1;
    if (m.slots.terms && !alone) {
        if (begins)
            status = check(
                score_u8_terms_launch(make_strip_job(plan, m.band, m.rule[0]), m.slots.terms,
                                      plan->engine->machine.cuda.processors, call.stream),
                "launching the window sums", call.error);
        return status ? status : bound_by_products(call, m);
    }
    for (int i = 0, count; i < m.count && !status; i += count) {
        count = m.count - i < TENSOR_SLOTS ? m.count - i : TENSOR_SLOTS;
        status = lay_out(call, m, i, count);
        if (!status && !is_fused(plan))
            status = multiply_planes(call, m.band, make_group(m, i, count));
        if (!status)
            status = bound_tiles(call, m, i, count);
    }
    return status;
}

xncc_status choose_matches(const Call &call, const ProductSearch &m)
{
    const xncc_engine_plan *plan = call.plan;
    const xncc_problem &p = plan->problem;
    const TensorPlane &image = m.band.image;
    WindowScores scores = {};
    scores.data = image.data;
    scores.pitch = image.pitch;
    scores.flip = image.flip;
    scores.last_column = image.width - 1;
    scores.last_row = image.height - 1;
    scores.window_width = p.templ_width;
    scores.window_height = p.templ_height;
    scores.method = p.rule.method;
    scores.bias = bias_of(plan);
    scores.products = is_fused(plan) ? nullptr : m.slots.sums;
    scores.templ_pitch = static_cast<int64_t>(m.templ[0]->pitch);
    for (int i = 0; i < m.count; i++) {
        scores.rule[i] = rule_of(plan, m, i);
        scores.templ[i] = m.templ[i]->pixels.as<unsigned char>();
    }
    PeakJob job = m.job;
    job.map = nullptr;
    job.pitch = static_cast<int64_t>(plan->memory.sizes().sums_pitch);
    job.plane = m.slots.sums_step;
    job.bound_margin = xncc_method_is_normed(p.rule.method) ? BOUND_MARGIN : 0.0f;
    const bool alone = xncc_decision_takes_best(&plan->decision, job.top) != 0;
    cudaError_t code = alone ? launch_window_best(job, scores, m.count, call.stream)
                             : launch_peak_select(job, m.count, call.stream);
    if (code == cudaSuccess && !alone)
        code = launch_window_collect(job, scores, m.count, call.stream);
    return check(code, "launching the search for matches", call.error);
}

} // namespace xncc
