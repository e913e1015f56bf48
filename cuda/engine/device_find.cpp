// SPDX-License-Identifier: BSD-2-Clause
// The matches of one template: the order of the steps of a search on the device.
#include "cuda/engine/device_find.h"

#include "cuda/engine/find_from_products.h"
#include "cuda/engine/image_pass.h"
#include "cuda/engine/match.h"
#include "cuda/engine/score_pass.h"

#include <string.h>

namespace xncc {

namespace {

// A search with the template of a call, from its products or in its map.
struct Search : ProductSearch {
    Target target; // the map; `band` is all of it, unless it is computed in bands
};

Search make_search(const Call &call, const xncc_search_rule &rule)
{
    const xncc_engine_plan *plan = call.plan;
    Search s = {};
    s.target = Target{ plan->memory.as<float>(XNCC_BUFFER_MAP), plan->x.map };
    s.band = make_band(plan, 0, 0);
    s.job = plan->find.search.job(rule);
    s.job.map = s.target.map;
    s.job.pitch = s.target.pitch;
    s.target.tiles = tiles_of(plan, s.job, 0);
    s.templ[0] = call.templ;
    s.rule[0] = call.rule;
    s.count = 1;
    s.slots.toeplitz = plan->memory.as<unsigned char>(XNCC_BUFFER_TOEPLITZ);
    s.slots.sums = plan->memory.as<uint32_t>(XNCC_BUFFER_SUMS);
    return s;
}

// Does everything up to the scores, unless the map is computed in bands.
xncc_status prepare_search(const Call &call, Search *s)
{
    return is_one_band(call.plan) ? prepare_band(call, &s->band, s->target, true) : XNCC_OK;
}

// Computes the map. skip: as for score_band.
xncc_status score_map(const Call &call, const Search &s, const uint32_t *skip)
{
    return is_one_band(call.plan) ? score_band(call, s.band, s.target, skip)
                                  : compute_rows(call, 0, call.plan->y.map, s.target);
}

// The fast search, from X to matches. PeakState::done tells whether it was conclusive.
xncc_status search_fast(const Call &call, const Search &s)
{
    if (call.plan->decision.searches_products) {
        xncc_status status = bound_tiles(call, s, 0, 1);
        return status ? status : choose_matches(call, s);
    }
    const bool has_best = s.target.tiles.best != nullptr;
    xncc_status status = score_map(call, s, nullptr);
    return status ? status
                  : check(launch_peak_passes(s.job, 1, has_best, call.stream),
                          "launching the search for matches", call.error);
}

// Completes an inconclusive search; does nothing on the device if the search is done. The
// tournament reads a map, which is computed first if the fast search did without one.
xncc_status run_tournament(const Call &call, const Search &s)
{
    xncc_status status = call.plan->decision.searches_products
                             ? score_map(call, s, &s.job.state->done)
                             : XNCC_OK;
    return status ? status
                  : check(launch_peak_tournament(s.job, 1, call.stream),
                          "launching the tournament of matches", call.error);
}

// Copies the state and the matches of a search to the host, and waits.
xncc_status fetch_results(const Call &call, const PeakWorkspace &search, uint64_t top,
                          PeakState *state)
{
    cudaError_t code = cudaMemcpyAsync(state, search.states(), sizeof *state,
                                       cudaMemcpyDeviceToHost, call.stream);
    if (code == cudaSuccess)
        code = cudaMemcpyAsync(state + 1, search.matches(), top * sizeof(xncc_match),
                               cudaMemcpyDeviceToHost, call.stream);
    xncc_status status = check(code, "fetching the matches", call.error);
    return status ? status : finish(call.plan, call.stream, true, call.error);
}

// Searches, completes the search if needed, and brings the matches to the host.
xncc_status search_to_host(const Call &call, const Search &s, const xncc_search_rule &rule,
                           xncc_match *match, size_t *found)
{
    xncc_engine_plan *plan = call.plan;
    PeakState *state = plan->find.fetched->one.as<PeakState>();
    xncc_status status = search_fast(call, s);
    if (!status)
        status = fetch_results(call, plan->find.search, rule.top, state);
    if (!status && !state->done && tournament_is_long(plan, rule.top))
        return find_by_fetching(call, &rule, match, found);
    if (!status && !state->done) {
        status = run_tournament(call, s);
        if (!status)
            status = fetch_results(call, plan->find.search, rule.top, state);
    }
    if (status)
        return status;
    *found = state->found;
    memcpy(match, state + 1, *found * sizeof *match);
    return XNCC_OK;
}

} // namespace

xncc_status find_bind(xncc_engine_plan *plan, xncc_error *error)
{
    Find &find = plan->find;
    find.served = plan->decision.workspace.bytes[XNCC_BUFFER_SEARCH] != 0;
    if (!find.served)
        return XNCC_OK;
    cudaError_t code = find.search.make(plan->x.map, plan->y.map, 1,
                                        plan->memory.as<unsigned char>(XNCC_BUFFER_SEARCH));
    find.search.place_results(1);
    if (code == cudaSuccess)
        code = find.fetched->one.need(sizeof(PeakState) + PEAK_ROOM * sizeof(xncc_match));
    return check(code, "allocating the search's workspace", error);
}

// A round costs about as much as fetching ROUND elements.
bool tournament_is_long(const xncc_engine_plan *plan, uint64_t top)
{
    constexpr uint64_t ROUND = 2048;
    return top * ROUND > static_cast<uint64_t>(plan->x.map) * static_cast<uint64_t>(plan->y.map);
}

xncc_status match_find(xncc_engine_plan *plan, const xncc_image *image, const xncc_template *templ,
                       const xncc_search_rule *rule, xncc_match *match, size_t *found,
                       xncc_stream stream, xncc_error *error)
{
    Call call = make_call(plan, image, templ, stream, error);
    xncc_status status = bring_image(&call);
    progress_begin(plan);
    if (!status && !(plan->find.served && rule->top <= PEAK_ROOM))
        return find_by_fetching(call, rule, match, found);
    if (!status) {
        Search search = make_search(call, *rule);
        status = prepare_search(call, &search);
        if (!status)
            status = search_to_host(call, search, *rule, match, found);
    }
    if (status)
        (void)finish(plan, stream, true, nullptr);
    progress_step(plan, plan->y.map);
    return status;
}

namespace {

// Finds the matches on the host and copies them to device memory. Waits.
xncc_status find_through_host(const Call &call, const xncc_template *templ,
                              const xncc_peak_target *target)
{
    size_t found = 0, top = target->rule->top;
    uint64_t positions = static_cast<uint64_t>(call.plan->x.map) *
                         static_cast<uint64_t>(call.plan->y.map);
    xncc_search_rule rule = *target->rule;
    rule.top = top < positions ? top : static_cast<size_t>(positions);
    xncc_match *match = static_cast<xncc_match *>(xncc_alloc(rule.top, sizeof *match));
    if (!match)
        return xncc_fail(call.error, XNCC_ERROR_MEMORY, "no memory for %llu matches",
                         static_cast<unsigned long long>(rule.top));
    xncc_status status = match_find(call.plan, &call.image, templ, &rule, match, &found,
                                    call.stream, call.error);
    xncc_matches_move(match, found, target->x0, target->y0);
    uint32_t count = static_cast<uint32_t>(found);
    cudaError_t code = cudaSuccess;
    if (!status) {
        code = cudaMemcpyAsync(target->match, match, found * sizeof *match, cudaMemcpyHostToDevice,
                               call.stream);
        if (code == cudaSuccess)
            code = cudaMemcpyAsync(target->found, &count, sizeof count, cudaMemcpyHostToDevice,
                                   call.stream);
        // also after a failure: `match` and `count` end here
        const cudaError_t waited = cudaStreamSynchronize(call.stream);
        code = code == cudaSuccess ? waited : code;
    }
    xncc_free(match);
    return status ? status : check(code, "copying the matches to the device", call.error);
}

} // namespace

xncc_status match_find_on_device(xncc_engine_plan *plan, const xncc_image *image,
                                 const xncc_template *templ, const xncc_peak_target *target,
                                 xncc_stream stream, xncc_error *error)
{
    Call call = make_call(plan, image, templ, stream, error);
    if (target->rule->top == 0)
        return check(cudaMemsetAsync(target->found, 0, sizeof *target->found, stream),
                     "writing the number of matches", error);
    if (!plan->find.served || image->memory == XNCC_HOST)
        return find_through_host(call, templ, target);
    progress_begin(plan);
    Search search = make_search(call, *target->rule);
    search.job.match = target->match;
    search.job.found = target->found;
    search.job.x0 = target->x0;
    search.job.y0 = target->y0;
    xncc_status status = prepare_search(call, &search);
    if (!status)
        status = search_fast(call, search);
    if (!status && !xncc_decision_takes_best(&plan->decision, search.job.top))
        status = run_tournament(call, search);
    progress_step(plan, plan->y.map);
    return finish_as(status, plan, stream, false, error);
}

} // namespace xncc
