// SPDX-License-Identifier: BSD-2-Clause
// Peak search without score maps for masked templates.
#include "cuda/engine/find_masked.h"

#include "cuda/engine/score_pass.h"
#include "cuda/engine/tensor_products.h"
#include "cuda/score/masked_collect.h"

namespace xncc {

namespace {

MaskWindows windows_of(const xncc_engine_plan *plan, const ProductSearch &m)
{
    MaskWindows w = {};
    w.sums = m.slots.mask_sums;
    w.plane = m.slots.sums_step;
    w.mask = XNCC_MASK_SUMS * m.slots.sums_step;
    w.pitch = static_cast<int64_t>(plan->memory.sizes().sums_pitch);
    w.width = plan->x.map;
    w.height = plan->y.map;
    for (int i = 0; i < m.count; i++)
        w.n[m.masks.mask[i]] = static_cast<uint32_t>(m.rule[i].n);
    return w;
}

// Lays out the new masks.
cudaError_t lay_out_masks(const Call &call, const ProductSearch &m)
{
    const MaskUse &use = m.masks;
    TensorLayout layout = {};
    layout.to = m.slots.masks;
    for (; layout.count < use.fresh; layout.count++)
        layout.plane[layout.count] = { m.templ[use.first[layout.count]]->mask.as<unsigned char>(),
                                       call.plan->problem.templ_width, 1 };
    return lay_out_planes(call, layout);
}

// How many new masks from this one on have places that follow each other.
int run_at(const MaskUse &use, int first)
{
    int count = 1;
    while (first + count < use.fresh &&
           use.mask[use.first[first + count]] == use.mask[use.first[first]] + count)
        count++;
    return count;
}

// S and both parts of Q under the new masks, in the order of the image's planes (the recipe of step
// masked-score: samples, low and high bytes of squares).
xncc_status multiply_masks(const Call &call, const ProductSearch &m)
{
    const MaskUse &use = m.masks;
    const xncc_workspace &w = call.plan->memory.sizes();
    xncc_status status = XNCC_OK;
    static_assert(XNCC_BATCH_MASKS * XNCC_MASK_SUMS <= PRODUCT_SLOTS, "all are one launch");
    for (int i = 0, masks; i < use.fresh && !status; i += masks) {
        masks = run_at(use, i);
        TensorGroup to = {};
        to.toeplitz = m.slots.masks + i * m.slots.toeplitz_step;
        to.toeplitz_step = m.slots.toeplitz_step;
        to.slot_planes = XNCC_MASK_SUMS;
        to.image_rows = static_cast<int32_t>(w.plane / w.plane_pitch);
        to.sums = m.slots.mask_sums + use.mask[use.first[i]] * XNCC_MASK_SUMS * m.slots.sums_step;
        to.sums_step = m.slots.sums_step;
        to.count = masks * XNCC_MASK_SUMS;
        to.pdl = true;
        to.pdl_after_products = i > 0;
        status = multiply_planes(call, m.band, to);
    }
    return status;
}

// The terms of the windows under the new masks.
xncc_status make_terms(const Call &call, const ProductSearch &m)
{
    const MaskUse &use = m.masks;
    MaskTerms to = {};
    to.terms = m.slots.terms;
    to.step = m.slots.terms_step;
    to.count = use.fresh;
    for (int i = 0; i < use.fresh; i++)
        to.mask[i] = use.mask[use.first[i]];
    xncc_status status = check(lay_out_masks(call, m), "laying out masks", call.error);
    if (!status)
        status = multiply_masks(call, m);
    return status ? status
                  : check(launch_masked_terms(windows_of(call.plan, m), to, call.stream),
                          "launching the window sums", call.error);
}

} // namespace

bool bounds_masked(const xncc_engine_plan *plan)
{
    return plan->decision.bounds_tiles && !plan->decision.searches_products;
}

xncc_score_rule masked_bound_rule(const Call &call)
{
    const uint64_t n = call.source->whole, sum = call.templ->sum[0], sum2 = call.templ->sum2.low;
    xncc_score_rule rule = call.rule;
    rule.n = n;
    rule.sum = sum;
    rule.sum2 = sum2;
    rule.root_var = sqrt(static_cast<double>(n * sum2 - sum * sum)); // each is below 2^49
    return rule;
}

xncc_status search_masked(const Call &call, const ProductSearch &m)
{
    xncc_status status = m.masks.fresh > 0 ? make_terms(call, m) : XNCC_OK;
    if (!status)
        status = bound_by_products(call, m);
    if (status)
        return status;
    MaskedWindows scores = {
        make_masked_terms(call, m.band, {}), windows_of(call.plan, m), m.slots.sums, {}, {}, {}
    };
    scores.job.rule.least = 1; // all pixels of each mask count
    for (int i = 0; i < m.count; i++) {
        scores.mask[i] = m.masks.mask[i];
        scores.sum[i] = static_cast<uint32_t>(m.rule[i].sum);
        scores.sum2[i] = static_cast<uint32_t>(m.rule[i].sum2);
    }
    PeakJob job = m.job;
    job.map = nullptr;
    job.plane = m.slots.sums_step;
    job.bound_margin = BOUND_MARGIN;
    cudaError_t code = launch_peak_select(job, m.count, call.stream);
    if (code == cudaSuccess)
        code = launch_masked_collect(job, scores, m.count, call.stream);
    return check(code, "launching the search for matches", call.error);
}

} // namespace xncc
