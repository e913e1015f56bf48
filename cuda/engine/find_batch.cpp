// SPDX-License-Identifier: BSD-2-Clause
// Many templates of one size on one image. The image is prepared once, and the templates are
// searched in groups of xncc_batch_slots::slots.
#include "cuda/engine/device_find.h"

#include "cuda/engine/find_from_products.h"
#include "cuda/engine/find_masked.h"
#include "cuda/engine/image_pass.h"
#include "cuda/engine/match.h"
#include "cuda/engine/product_pass.h"
#include "cuda/engine/score_pass.h"
#include "cuda/engine/tensor_products.h"

#include <string.h>

namespace xncc {

namespace {

// Takes the memory of batches, when the first batch arrives. Its order: maps or X of the slots,
// templates, masks, window terms, window sums under masks, search, results.
xncc_status make_batch(xncc_engine_plan *plan, xncc_error *error)
{
    Find &find = plan->find;
    const xncc_batch_slots &b = plan->decision.batch;
    if (find.batch_made)
        return XNCC_OK;
    xncc_status status = plan->memory.need(XNCC_BUFFER_BATCH, error);
    if (status)
        return status;
    unsigned char *at = plan->memory.as<unsigned char>(XNCC_BUFFER_BATCH) +
                        plan->decision.workspace.bytes[XNCC_BUFFER_BATCH] - b.search - b.results;
    status = check(find.batch.make(plan->x.map, plan->y.map, b.slots, at),
                   "preparing the workspace of a batch", error);
    find.batch_made = !status;
    return status;
}

// The templates of a batch whose results fit the memory.
struct Piece {
    const xncc_templ_group *batch;
    size_t first, count;
};

// A group of templates that are searched at once.
struct Group : ProductSearch {
    size_t first; // the group's first template in the piece
};

const xncc_template *templ_at(const Piece &piece, const Group &group, int i)
{
    return piece.batch->templ[piece.first + group.first + static_cast<size_t>(i)]; // i: -1 too
}

PeakJob make_job(const xncc_engine_plan *plan, const xncc_search_rule &rule, const Group &group)
{
    PeakJob job = plan->find.batch.job(rule);
    job.state += group.first;
    job.match += group.first * rule.top;
    job.map = plan->memory.as<float>(XNCC_BUFFER_BATCH);
    job.pitch = plan->x.map;
    job.plane = static_cast<int64_t>(plan->decision.batch.map / sizeof(float));
    return job;
}

// The memory of groups that are searched without maps.
ProductSlots slots_of(const xncc_engine_plan *plan)
{
    const xncc_batch_slots &b = plan->decision.batch;
    const uint64_t slots = static_cast<uint64_t>(b.slots);
    unsigned char *memory = plan->memory.as<unsigned char>(XNCC_BUFFER_BATCH);
    ProductSlots of = {};
    of.sums = reinterpret_cast<uint32_t *>(memory);
    of.sums_step = static_cast<int64_t>(b.sums / sizeof(uint32_t));
    of.toeplitz = memory + b.sums * slots;
    of.toeplitz_step = toeplitz_bytes(plan);
    of.masks = of.toeplitz + b.toeplitz * slots;
    of.terms = b.terms ? reinterpret_cast<WindowTerms *>(
                             of.masks + b.toeplitz * static_cast<uint64_t>(b.masks))
                       : nullptr;
    of.terms_step = static_cast<int64_t>(b.terms / sizeof(WindowTerms));
    of.mask_sums = reinterpret_cast<uint32_t *>(of.terms + b.masks * of.terms_step);
    return of;
}

// Searches a group without maps: X, the best score of every tile, the matches.
xncc_status search_from_products(const Call &call, const Group &group)
{
    xncc_status status = bound_batch_tiles(call, group, group.first == 0);
    return status ? status : choose_matches(call, group);
}

// Computes the map of one template. begins: it is the first one on this image.
xncc_status compute_map(const Call &call, Band *band, const Target &target, bool begins)
{
    if (!is_one_band(call.plan))
        return compute_rows(call, 0, call.plan->y.map, target);
    xncc_status status = xncc_check_cancelled(call.plan->watch, call.error);
    if (begins && !status) {
        status = prepare_band(call, band, target, true);
    } else if (!status) {
        status = lay_out_template(call, call.plan->memory.as<unsigned char>(XNCC_BUFFER_TOEPLITZ));
        if (!status)
            status = multiply_band(call, *band, target, true);
        // The sums of floats are relative to the template's pivot, so each template needs its own.
        if (!status && (call.plan->problem.pixel == XNCC_F32 ||
                        xncc_decision_has(&call.plan->decision, XNCC_STEP_COLUMN_SUMS)))
            status = sum_windows(call, *band);
    }
    return status ? status : score_band(call, *band, target, nullptr);
}

// Tells whether the products with the mask of template i are there: the template before it has that
// mask, and the band is the whole map.
bool has_last_mask(const xncc_engine_plan *plan, const Piece &piece, const Group &group, int i)
{
    return is_one_band(plan) && (group.first > 0 || i > 0) &&
           xncc_template_has_mask_of(templ_at(piece, group, i), templ_at(piece, group, i - 1));
}

// Searches a group by way of maps.
xncc_status search_maps(const Call &call, const Piece &piece, Group *group)
{
    const PeakJob &search = group->job;
    xncc_status status = XNCC_OK;
    for (int i = 0; i < group->count && !status; i++) {
        Call one = with_template(call, templ_at(piece, *group, i));
        one.mask_done = has_last_mask(call.plan, piece, *group, i);
        const Target target = { const_cast<float *>(search.map) + i * search.plane, search.pitch,
                                tiles_of(call.plan, search, i) };
        status = compute_map(one, &group->band, target, group->first == 0 && i == 0);
    }
    if (status)
        return status;
    cudaError_t code = launch_peak_passes(search, group->count, scores_tiles(call.plan),
                                          call.stream);
    if (code == cudaSuccess && !tournament_is_long(call.plan, search.top))
        code = launch_peak_tournament(search, group->count, call.stream);
    return check(code, "launching the search for matches", call.error);
}

// Finds where the mask of template i of a group is kept, or gives it the place after the last one.
// False: all places have masks of this group.
bool place_mask(const xncc_engine_plan *plan, const Piece &piece, Group *group, int i)
{
    MaskUse &use = group->masks;
    const int places = plan->decision.batch.masks;
    const bool there = has_last_mask(plan, piece, *group, i);
    if (!there && use.count == places)
        return false;
    if (!there) {
        use.last = (use.last + 1) % places;
        use.first[use.fresh++] = i;
    }
    if (!there || i == 0)
        use.count++;
    use.mask[i] = use.last;
    return true;
}

// The templates of a piece from group->first on that are searched at once.
void fill_group(const Call &call, const Piece &piece, Group *group)
{
    const xncc_engine_plan *plan = call.plan;
    const size_t left = piece.count - group->first,
                 slots = static_cast<size_t>(plan->decision.batch.slots);
    const int most = static_cast<int>(left < slots ? left : slots);
    const bool masked = bounds_masked(plan);
    group->masks.count = group->masks.fresh = 0;
    for (group->count = 0; group->count < most; group->count++) {
        const int i = group->count;
        if (masked && !place_mask(plan, piece, group, i))
            break;
        const Call one = with_template(call, templ_at(piece, *group, i));
        group->templ[i] = one.templ;
        group->rule[i] = masked ? masked_bound_rule(one) : one.rule;
    }
}

// Searches all templates of a piece, group by group. call: of its first template.
xncc_status search_groups(const Call &call, const Piece &piece, const xncc_search_rule &rule)
{
    xncc_engine_plan *plan = call.plan;
    const bool masked = bounds_masked(plan), products = plan->decision.searches_products != 0;
    bool multiplied = false;
    Call image = call;
    image.many = true;
    Group group = {};
    group.band = make_band(plan, 0, 0);
    group.slots = slots_of(plan);
    xncc_status status = products || masked
                             ? prepare_image(image, &group.band, nullptr, &multiplied)
                             : XNCC_OK;
    for (; group.first < piece.count && !status; group.first += static_cast<size_t>(group.count)) {
        fill_group(call, piece, &group);
        group.job = make_job(plan, rule, group);
        status = xncc_check_cancelled(plan->watch, call.error);
        if (!status)
            status = products ? search_from_products(call, group)
                     : masked ? search_masked(with_template(call, templ_at(piece, group, 0)), group)
                              : search_maps(call, piece, &group);
    }
    return status;
}

// Most templates have few matches, even where many are allowed: so many of each come to the host
// with the states.
constexpr uint64_t FIRST_MATCHES = 64;

uint64_t first_matches(const xncc_search_rule &rule)
{
    return rule.top < FIRST_MATCHES ? rule.top : FIRST_MATCHES;
}

// Copies the states and the first matches of a piece to the host, and waits.
xncc_status fetch_piece(const Call &call, const Piece &piece, const xncc_search_rule &rule)
{
    xncc_engine_plan *plan = call.plan;
    const size_t states = piece.count * sizeof(PeakState),
                 row = first_matches(rule) * sizeof(xncc_match);
    PinnedMemory &fetched = plan->find.fetched->batch;
    cudaError_t code = fetched.need(states + piece.count * row, plan->find.fetched->usual);
    unsigned char *host = fetched.as<unsigned char>();
    if (code == cudaSuccess)
        code = cudaMemcpyAsync(host, plan->find.batch.states(), states, cudaMemcpyDeviceToHost,
                               call.stream);
    if (code == cudaSuccess)
        code = cudaMemcpy2DAsync(host + states, row, plan->find.batch.matches(),
                                 rule.top * sizeof(xncc_match), row, piece.count,
                                 cudaMemcpyDeviceToHost, call.stream);
    xncc_status status = check(code, "fetching the matches", call.error);
    return status ? status : finish(plan, call.stream, true, call.error);
}

// Gives the caller the matches of template i of a piece: those that are there, and the others from
// the device.
xncc_status take_matches(const Call &call, const Piece &piece, const xncc_search_rule &rule,
                         size_t i)
{
    const Find &find = call.plan->find;
    const PeakState *state = find.fetched->batch.as<PeakState>();
    const uint64_t there = first_matches(rule), found = state[i].found,
                   first = found < there ? found : there;
    const xncc_match *match = reinterpret_cast<const xncc_match *>(state + piece.count) + i * there;
    xncc_match *to = piece.batch->match + (piece.first + i) * piece.batch->capacity;
    piece.batch->found[piece.first + i] = found;
    memcpy(to, match, first * sizeof *match);
    if (found == first)
        return XNCC_OK;
    cudaError_t code = cudaMemcpyAsync(to + first, find.batch.matches() + i * rule.top + first,
                                       (found - first) * sizeof *match, cudaMemcpyDeviceToHost,
                                       call.stream);
    const cudaError_t waited = cudaStreamSynchronize(call.stream);
    return check(code == cudaSuccess ? waited : code, "fetching the matches", call.error);
}

// Finds the matches of template i of the batch alone.
xncc_status find_one(const Call &call, const xncc_templ_group *b, const xncc_search_rule *rule,
                     size_t i)
{
    return match_find(call.plan, &call.image, b->templ[i], rule, b->match + i * b->capacity,
                      &b->found[i], call.stream, call.error);
}

// Finds the matches of a piece. Searches that are still inconclusive are done again, one by one.
xncc_status find_piece(const Call &call, const Piece &piece, const xncc_search_rule *rule)
{
    xncc_engine_plan *plan = call.plan;
    const xncc_templ_group *b = piece.batch;
    plan->find.batch.place_results(piece.count);
    xncc_status status = search_groups(call, piece, *rule);
    if (!status)
        status = fetch_piece(call, piece, *rule);
    if (status)
        return status;
    const PeakState *state = plan->find.fetched->batch.as<PeakState>();
    for (size_t i = 0; i < piece.count && !status; i++)
        status = state[i].done ? take_matches(call, piece, *rule, i)
                               : find_one(call, b, rule, piece.first + i);
    return status;
}

} // namespace

xncc_status match_find_batch(xncc_engine_plan *plan, const xncc_image *image,
                             const xncc_templ_group *batch, const xncc_search_rule *rule,
                             xncc_stream stream, xncc_error *error)
{
    Call call = make_call(plan, image, batch->templ[0], stream, error);
    xncc_status status = bring_image(&call);
    // templates whose results fit the memory
    const uint64_t most = plan->decision.batch.results / xncc_search_results(1, rule->top);
    const bool alone = rule->top > PEAK_ROOM || most == 0;
    if (!status && !alone)
        status = make_batch(plan, error);
    for (size_t first = 0, count; first < batch->count && !status; first += count) {
        const size_t left = batch->count - first;
        count = alone ? 1 : left < most ? left : most;
        status = alone ? find_one(call, batch, rule, first)
                       : find_piece(with_template(call, batch->templ[first]),
                                    Piece{ batch, first, count }, rule);
    }
    if (status)
        (void)finish(plan, stream, true, nullptr);
    return status;
}

} // namespace xncc
