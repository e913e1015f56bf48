// Many templates of one size on one image. The image is staged and summed once, and the templates
// are searched in groups.
#include "cuda/engine/find_batch.h"

#include "cuda/engine/device_find.h"
#include "cuda/engine/find_from_products.h"
#include "cuda/engine/general_plan.h"
#include "cuda/engine/match.h"
#include "cuda/engine/product_pass.h"
#include "cuda/engine/staging.h"

#include <string.h>

namespace xncc {

namespace {

// The most memory for X or the scores of a group.
constexpr uint64_t PLANE_BYTES = 256u << 20;

// Returns how many templates a group may have: a multiple of TENSOR_SLOTS or PEAK_SLOTS, or 0 if
// the workspace limit leaves no room. bytes: per template. shared: once for all templates.
int count_slots(const xncc_engine_plan *plan, uint64_t bytes, uint64_t shared)
{
    uint64_t limit = plan->engine->workspace_limit, taken = plan->buffers.total + shared,
             room = PLANE_BYTES;
    if (limit != 0 && limit < taken + room)
        room = limit > taken ? limit - taken : 0;
    uint64_t slots = room / bytes / TENSOR_SLOTS * TENSOR_SLOTS;
    return static_cast<int>(slots < PEAK_SLOTS ? slots : PEAK_SLOTS);
}

// Allocates the memory of a group. Leaves slots = 0 if there is no room.
cudaError_t make_slots(xncc_engine_plan *plan)
{
    FindBatch &b = plan->find.batch;
    uint64_t bytes = static_cast<uint64_t>(plan->x.map) * static_cast<uint64_t>(plan->y.map) *
                     sizeof(float);
    int slots = finds_from_products(plan)
                    ? count_slots(plan, plan->tensor.slot_bytes(), plan->tensor.terms_bytes())
                    : count_slots(plan, bytes, 0);
    if (slots == 0)
        return cudaSuccess;
    b.plane = static_cast<int64_t>(bytes / sizeof(float));
    b.planes.release();
    cudaError_t code = finds_from_products(plan)
                           ? plan->tensor.make_slots(slots)
                           : b.planes.take(bytes * static_cast<uint64_t>(slots));
    if (code == cudaSuccess)
        code = b.search.make(plan->x.map, plan->y.map, slots);
    b.slots = code == cudaSuccess ? slots : 0;
    return code;
}

// Allocates the memory that the call needs and that no earlier call has allocated.
xncc_status make_batch(xncc_engine_plan *plan, const xncc_plan_batch *batch, uint64_t top,
                       xncc_error *error)
{
    FindBatch &b = plan->find.batch;
    cudaError_t code = b.slots == 0 ? make_slots(plan) : cudaSuccess;
    if (code == cudaSuccess)
        code = b.search.make_results(batch->count, top);
    uint64_t fetched = batch->count * (sizeof(PeakState) + top * sizeof(xncc_match));
    if (code == cudaSuccess && fetched > b.room) {
        b.room = 0;
        b.fetched.release();
        code = b.fetched.take(fetched);
        b.room = code == cudaSuccess ? fetched : 0;
    }
    return check(code, "allocating the workspace of a batch", error);
}

// The arguments of a call.
struct BatchCall {
    const xncc_image *image;
    const xncc_plan_batch *batch;
    const xncc_peak_rule *rule;
    cudaStream_t stream;
};

// A group of templates that are searched at once.
struct Group {
    size_t first; // the first template of the batch that is in the group
    int count;    // templates
    const DeviceTemplate *templ[PEAK_SLOTS];
    xncc_score_rule rule[PEAK_SLOTS];
    TensorPlane plane; // the image, which the first group prepares
};

PeakJob make_job(const xncc_engine_plan *plan, const BatchCall &t, const Group &group)
{
    const FindBatch &b = plan->find.batch;
    PeakJob job = b.search.job(*t.rule);
    job.state += group.first;
    job.match += group.first * t.rule->top;
    job.map = b.planes.as<float>();
    job.pitch = plan->x.map;
    job.plane = b.plane;
    return job;
}

// Searches a group without maps: X, the best score of every tile, the matches.
xncc_status search_from_products(xncc_engine_plan *plan, const BatchCall &t, Group *group,
                                 xncc_error *error)
{
    PeakJob search = make_job(plan, t, *group);
    ProductSearch job = { search, group->plane, group->templ, group->rule, 1, group->count };
    xncc_status status = XNCC_OK;
    if (group->first == 0)
        status = prepare_plane(make_call(plan, t.image, t.batch->templ[0], t.stream, error), 0, 0,
                               &group->plane);
    for (int i = 0; i < group->count; i++) {
        Call call = make_call(plan, t.image, t.batch->templ[group->first + static_cast<size_t>(i)],
                              t.stream, error);
        group->templ[i] = call.templ;
        group->rule[i] = call.rule;
    }
    if (!status)
        status = bound_batch_tiles(plan, job, group->first == 0, t.stream, error);
    return status ? status : choose_matches(plan, job, t.stream, error);
}

// Computes the map of one template. begins: it is the first one on this image.
xncc_status compute_map(const Call &call, const Target &target, bool begins, TensorPlane *plane)
{
    xncc_engine_plan *plan = call.plan;
    xncc_status status = XNCC_OK;
    if (plan->route == XNCC_ROUTE_GENERAL)
        return plan->general->run(call, 0, plan->y.map, target);
    if (is_all_tensor(plan)) {
        status = begins ? prepare_plane(call, 0, 0, plane) : XNCC_OK;
        if (!status)
            status = plan->tensor.correlate(*call.templ, *plane, plan->x.map, plan->y.map,
                                            call.stream, call.error);
        return status ? status : score_tensor_band(call, 0, 0, *plane, target, nullptr);
    }
    status = begins ? stage_and_multiply(call, 0, 0, target)
                    : multiply_rows(call, 0, 0, target, BandRows{ 0, plan->y.map });
    // The sums of floats are relative to the template's pivot, so each template needs its own.
    if (!status && (begins || plan->problem.pixel == XNCC_F32))
        status = sum_window_rows(call, 0, 0);
    return status ? status : score_band(call, make_score_job(call, 0, 0, target));
}

// Searches a group by way of maps.
xncc_status search_maps(xncc_engine_plan *plan, const BatchCall &t, Group *group, xncc_error *error)
{
    const FindBatch &b = plan->find.batch;
    xncc_status status = XNCC_OK;
    for (int i = 0; i < group->count && !status; i++) {
        size_t at = group->first + static_cast<size_t>(i);
        Target target = { b.planes.as<float>() + i * b.plane, plan->x.map };
        status = compute_map(make_call(plan, t.image, t.batch->templ[at], t.stream, error), target,
                             at == 0, &group->plane);
    }
    PeakJob job = make_job(plan, t, *group);
    cudaError_t code = cudaSuccess;
    if (!status)
        code = launch_peak_tiles(job, group->count, t.stream);
    if (!status && code == cudaSuccess)
        code = launch_peak_select(job, group->count, t.stream);
    if (!status && code == cudaSuccess)
        code = launch_peak_collect(job, group->count, t.stream);
    return status ? status : check(code, "launching the search for matches", error);
}

// Searches all templates, group by group.
xncc_status search_groups(xncc_engine_plan *plan, const BatchCall &t, xncc_error *error)
{
    Group group = {};
    xncc_status status = XNCC_OK;
    while (group.first < t.batch->count && !status) {
        size_t left = t.batch->count - group.first,
               slots = static_cast<size_t>(plan->find.batch.slots);
        group.count = static_cast<int>(left < slots ? left : slots);
        status = finds_from_products(plan) ? search_from_products(plan, t, &group, error)
                                           : search_maps(plan, t, &group, error);
        group.first += static_cast<size_t>(group.count);
    }
    return status;
}

// Copies the states and matches of all templates to the host, and waits.
xncc_status fetch_all(xncc_engine_plan *plan, const BatchCall &t, xncc_error *error)
{
    const FindBatch &b = plan->find.batch;
    size_t states = t.batch->count * sizeof(PeakState),
           matches = t.batch->count * t.rule->top * sizeof(xncc_match);
    unsigned char *host = b.fetched.as<unsigned char>();
    cudaError_t code = cudaMemcpyAsync(host, b.search.states(), states, cudaMemcpyDeviceToHost,
                                       t.stream);
    if (code == cudaSuccess)
        code = cudaMemcpyAsync(host + states, b.search.matches(), matches, cudaMemcpyDeviceToHost,
                               t.stream);
    xncc_status status = check(code, "fetching the matches", error);
    return status ? status : finish(plan, t.stream, true, error);
}

// Finds the matches of template i of the batch alone.
xncc_status find_one(xncc_engine_plan *plan, const BatchCall &t, size_t i, xncc_error *error)
{
    const xncc_plan_batch *b = t.batch;
    return match_find(plan, t.image, b->templ[i], t.rule, b->match + i * b->capacity, &b->found[i],
                      t.stream, error);
}

} // namespace

xncc_status match_find_batch(xncc_engine_plan *plan, const xncc_image *image,
                             const xncc_plan_batch *batch, const xncc_peak_rule *rule,
                             xncc_stream stream, xncc_error *error)
{
    BatchCall t = { image, batch, rule, stream };
    xncc_status status = XNCC_OK;
    bool served = plan->find.served && rule->top <= PEAK_ROOM;
    if (served)
        status = make_batch(plan, batch, rule->top, error);
    if (!status && (!served || plan->find.batch.slots == 0)) {
        for (size_t i = 0; i < batch->count && !status; i++)
            status = find_one(plan, t, i, error);
        return status;
    }
    if (!status)
        status = search_groups(plan, t, error);
    if (status) {
        (void)finish(plan, stream, true, nullptr);
        return status;
    }
    status = fetch_all(plan, t, error);
    const PeakState *state = plan->find.batch.fetched.as<PeakState>();
    const xncc_match *match = reinterpret_cast<const xncc_match *>(state + batch->count);
    for (size_t i = 0; i < batch->count && !status; i++) {
        if (state[i].done) {
            batch->found[i] = state[i].found;
            memcpy(batch->match + i * batch->capacity, match + i * rule->top,
                   state[i].found * sizeof *match);
        } else {
            status = find_one(plan, t, i, error);
        }
    }
    return status;
}

} // namespace xncc
