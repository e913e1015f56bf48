// Many templates on one image: the image is staged and summed once, and several templates' maps are
// searched at a time.
#include "cuda/engine/match_passes.h"

#include <string.h>

namespace xncc {

namespace {

constexpr uint64_t PLANE_BYTES =
    256u << 20; // of X or the scores of the templates that are searched at a time

// How many slots of so many bytes there are, beside what the plan has taken and what all slots
// share.
int count_slots(const xncc_engine_plan *plan, uint64_t bytes, uint64_t shared)
{
    uint64_t limit = plan->engine->workspace_limit, taken = plan->buffers.total + shared,
             room = PLANE_BYTES;
    if (limit != 0 && limit < taken + room)
        room = limit > taken ? limit - taken : 0;
    uint64_t slots = room / bytes / TENSOR_SLOTS * TENSOR_SLOTS;
    return static_cast<int>(slots < PEAK_SLOTS ? slots : PEAK_SLOTS);
}

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
    return check(code, "taking the workspace of many templates", error);
}

struct Templates {
    const xncc_image *image;
    const xncc_plan_batch *batch;
    const xncc_peak_rule *rule;
    cudaStream_t stream;
};

// Templates that are searched at once. plane: of the image, filled by the first of all.
struct Batch {
    size_t first;
    int count;
    const DeviceTemplate *templ[PEAK_SLOTS];
    xncc_score_rule rule[PEAK_SLOTS];
    TensorPlane plane;
};

PeakJob make_job(const xncc_engine_plan *plan, const Templates &t, const Batch &batch)
{
    const FindBatch &b = plan->find.batch;
    PeakJob job = b.search.job(*t.rule);
    job.state += batch.first;
    job.match += batch.first * t.rule->top;
    job.map = b.planes.as<float>();
    job.pitch = plan->x.map;
    job.plane = b.plane;
    return job;
}

// X, the best score of every tile, and the matches.
xncc_status search_from_products(xncc_engine_plan *plan, const Templates &t, Batch *batch,
                                 xncc_error *error)
{
    PeakJob search = make_job(plan, t, *batch);
    ProductSearch job = { search, batch->plane, batch->templ, batch->rule, 1, batch->count };
    xncc_status status = XNCC_OK;
    if (batch->first == 0)
        status = put_plane(make_call(plan, t.image, t.batch->templ[0], t.stream, error), 0, 0,
                           &batch->plane);
    for (int i = 0; i < batch->count; i++) {
        Call call = make_call(plan, t.image, t.batch->templ[batch->first + static_cast<size_t>(i)],
                              t.stream, error);
        batch->templ[i] = call.templ;
        batch->rule[i] = call.rule;
    }
    if (!status)
        status = put_batch_tiles(plan, job, batch->first == 0, t.stream, error);
    return status ? status : put_matches(plan, job, t.stream, error);
}

// The map of one template.
xncc_status put_map(const Call &call, const Target &target, bool begins, TensorPlane *plane)
{
    xncc_engine_plan *plan = call.plan;
    xncc_status status = XNCC_OK;
    if (plan->route == XNCC_ROUTE_GENERAL)
        return put_general(call, 0, plan->y.map, target);
    if (is_all_tensor(plan)) {
        status = begins ? put_plane(call, 0, 0, plane) : XNCC_OK;
        if (!status)
            status = plan->tensor.correlate(*call.templ, *plane, plan->x.map, plan->y.map,
                                            call.stream, call.error);
        return status ? status : put_tensor_scores(call, 0, 0, *plane, target, nullptr);
    }
    status = begins ? put_image(call, 0, 0, target)
                    : put_products(call, 0, 0, target, BandRows{ 0, plan->y.map });
    if (!status && (begins || plan->problem.pixel ==
                                  XNCC_F32)) // sums of floats are relative to the template's pivot
        status = put_sums(call, 0, 0);
    return status ? status : put_scores(call, make_score_job(call, 0, 0, target));
}

xncc_status search_maps(xncc_engine_plan *plan, const Templates &t, Batch *batch, xncc_error *error)
{
    const FindBatch &b = plan->find.batch;
    xncc_status status = XNCC_OK;
    for (int i = 0; i < batch->count && !status; i++) {
        size_t at = batch->first + static_cast<size_t>(i);
        Target target = { b.planes.as<float>() + i * b.plane, plan->x.map };
        status = put_map(make_call(plan, t.image, t.batch->templ[at], t.stream, error), target,
                         at == 0, &batch->plane);
    }
    PeakJob job = make_job(plan, t, *batch);
    cudaError_t code = cudaSuccess;
    if (!status)
        code = launch_peak_tiles(job, batch->count, t.stream);
    if (!status && code == cudaSuccess)
        code = launch_peak_select(job, batch->count, t.stream);
    if (!status && code == cudaSuccess)
        code = launch_peak_collect(job, batch->count, t.stream);
    return status ? status : check(code, "launching the search for matches", error);
}

xncc_status put_batches(xncc_engine_plan *plan, const Templates &t, xncc_error *error)
{
    Batch batch = {};
    xncc_status status = XNCC_OK;
    while (batch.first < t.batch->count && !status) {
        size_t left = t.batch->count - batch.first,
               slots = static_cast<size_t>(plan->find.batch.slots);
        batch.count = static_cast<int>(left < slots ? left : slots);
        status = finds_from_products(plan) ? search_from_products(plan, t, &batch, error)
                                           : search_maps(plan, t, &batch, error);
        batch.first += static_cast<size_t>(batch.count);
    }
    return status;
}

xncc_status fetch_all(xncc_engine_plan *plan, const Templates &t, xncc_error *error)
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

xncc_status find_one(xncc_engine_plan *plan, const Templates &t, size_t i, xncc_error *error)
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
    Templates t = { image, batch, rule, stream };
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
        status = put_batches(plan, t, error);
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
