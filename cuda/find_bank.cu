// Many templates on one image: the image is staged and summed once, and several templates' maps are searched at a time.
#include "match.cuh"

#include <string.h>

namespace cm {

namespace {

constexpr uint64_t PLANE_BYTES = 256u << 20; // of X or the scores of the templates that are searched at a time

// How many slots of so many bytes there are, beside what the plan has taken and what all slots share.
int count_slots(const cm_work *work, uint64_t bytes, uint64_t shared)
{
    uint64_t limit = work->engine->workspace_limit, taken = work->parts.total + shared, room = PLANE_BYTES;
    if (limit != 0 && limit < taken + room)
        room = limit > taken ? limit - taken : 0;
    uint64_t slots = room / bytes / TENSOR_SLOTS * TENSOR_SLOTS;
    return static_cast<int>(slots < PEAK_SLOTS ? slots : PEAK_SLOTS);
}

cudaError_t make_slots(cm_work *work)
{
    FindBank &b = work->find.bank;
    uint64_t bytes = static_cast<uint64_t>(work->x.map) * static_cast<uint64_t>(work->y.map) * sizeof(float);
    int slots = is_mapless(work) ? count_slots(work, work->tensor.slot_bytes(), work->tensor.terms_bytes()) : count_slots(work, bytes, 0);
    if (slots == 0)
        return cudaSuccess;
    b.plane = static_cast<int64_t>(bytes / sizeof(float));
    b.planes.release();
    cudaError_t code = is_mapless(work) ? work->tensor.make_slots(slots) : b.planes.take(bytes * static_cast<uint64_t>(slots));
    if (code == cudaSuccess)
        code = b.search.make(work->x.map, work->y.map, slots);
    b.slots = code == cudaSuccess ? slots : 0;
    return code;
}

cm_status make_bank(cm_work *work, const cm_bank *bank, uint64_t top, cm_error *error)
{
    FindBank &b = work->find.bank;
    cudaError_t code = b.slots == 0 ? make_slots(work) : cudaSuccess;
    if (code == cudaSuccess)
        code = b.search.make_results(bank->count, top);
    uint64_t fetched = bank->count * (sizeof(PeakState) + top * sizeof(cm_match));
    if (code == cudaSuccess && fetched > b.room) {
        b.room = 0;
        b.fetched.release();
        code = b.fetched.take(fetched);
        b.room = code == cudaSuccess ? fetched : 0;
    }
    return check(code, "taking the workspace of many templates", error);
}

struct Templates {
    const cm_image *image;
    const cm_bank *bank;
    const cm_peak_rule *rule;
    cudaStream_t stream;
};

// Templates that are searched at once. plane: of the image, filled by the first of all.
struct Batch {
    size_t first;
    int count;
    const Prepared *part[PEAK_SLOTS];
    cm_score_rule rule[PEAK_SLOTS];
    TensorPlane plane;
};

PeakJob make_job(const cm_work *work, const Templates &t, const Batch &batch)
{
    const FindBank &b = work->find.bank;
    PeakJob job = b.search.job(*t.rule);
    job.state += batch.first;
    job.match += batch.first * t.rule->top;
    job.map = b.planes.as<float>();
    job.pitch = work->x.map;
    job.plane = b.plane;
    return job;
}

// X, the best score of every tile, and the matches.
cm_status search_mapless(cm_work *work, const Templates &t, Batch *batch, cm_error *error)
{
    PeakJob search = make_job(work, t, *batch);
    MaplessJob job = { search, batch->plane, batch->part, batch->rule, 1, batch->count };
    cm_status status = CM_OK;
    if (batch->first == 0)
        status = put_plane(make_call(work, t.image, t.bank->part[0], t.stream, error), 0, 0, &batch->plane);
    for (int i = 0; i < batch->count; i++) {
        Call call = make_call(work, t.image, t.bank->part[batch->first + static_cast<size_t>(i)], t.stream, error);
        batch->part[i] = call.part;
        batch->rule[i] = call.rule;
    }
    if (!status)
        status = put_bank_tiles(work, job, batch->first == 0, t.stream, error);
    return status ? status : put_matches(work, job, t.stream, error);
}

// The map of one template.
cm_status put_map(const Call &call, const Target &target, bool begins, TensorPlane *plane)
{
    cm_work *work = call.work;
    cm_status status = CM_OK;
    if (work->route == CM_ROUTE_JOINT)
        return put_joint(call, 0, work->y.map, target);
    if (is_all_tensor(work)) {
        status = begins ? put_plane(call, 0, 0, plane) : CM_OK;
        if (!status)
            status = work->tensor.correlate(*call.part, *plane, work->x.map, work->y.map, call.stream, call.error);
        return status ? status : put_tensor_scores(call, 0, 0, *plane, target, nullptr);
    }
    status = begins ? put_image(call, 0, 0, target) : put_products(call, 0, 0, target, BandRows{ 0, work->y.map });
    if (!status && (begins || work->problem.pixel == CM_F32)) // sums of floats are relative to the template's pivot
        status = put_sums(call, 0, 0);
    return status ? status : put_scores(call, make_score_job(call, 0, 0, target));
}

cm_status search_maps(cm_work *work, const Templates &t, Batch *batch, cm_error *error)
{
    const FindBank &b = work->find.bank;
    cm_status status = CM_OK;
    for (int i = 0; i < batch->count && !status; i++) {
        size_t at = batch->first + static_cast<size_t>(i);
        Target target = { b.planes.as<float>() + i * b.plane, work->x.map };
        status = put_map(make_call(work, t.image, t.bank->part[at], t.stream, error), target, at == 0, &batch->plane);
    }
    PeakJob job = make_job(work, t, *batch);
    cudaError_t code = cudaSuccess;
    if (!status)
        code = launch_peak_tiles(job, batch->count, t.stream);
    if (!status && code == cudaSuccess)
        code = launch_peak_select(job, batch->count, t.stream);
    if (!status && code == cudaSuccess)
        code = launch_peak_collect(job, batch->count, t.stream);
    return status ? status : check(code, "launching the search for matches", error);
}

cm_status put_batches(cm_work *work, const Templates &t, cm_error *error)
{
    Batch batch = {};
    cm_status status = CM_OK;
    while (batch.first < t.bank->count && !status) {
        size_t left = t.bank->count - batch.first, slots = static_cast<size_t>(work->find.bank.slots);
        batch.count = static_cast<int>(left < slots ? left : slots);
        status = is_mapless(work) ? search_mapless(work, t, &batch, error) : search_maps(work, t, &batch, error);
        batch.first += static_cast<size_t>(batch.count);
    }
    return status;
}

cm_status fetch_all(cm_work *work, const Templates &t, cm_error *error)
{
    const FindBank &b = work->find.bank;
    size_t states = t.bank->count * sizeof(PeakState), matches = t.bank->count * t.rule->top * sizeof(cm_match);
    unsigned char *host = b.fetched.as<unsigned char>();
    cudaError_t code = cudaMemcpyAsync(host, b.search.states(), states, cudaMemcpyDeviceToHost, t.stream);
    if (code == cudaSuccess)
        code = cudaMemcpyAsync(host + states, b.search.matches(), matches, cudaMemcpyDeviceToHost, t.stream);
    cm_status status = check(code, "fetching the matches", error);
    return status ? status : finish(work, t.stream, true, error);
}

cm_status find_one(cm_work *work, const Templates &t, size_t i, cm_error *error)
{
    const cm_bank *b = t.bank;
    return match_find(work, t.image, b->part[i], t.rule, b->match + i * b->capacity, &b->found[i], t.stream, error);
}

} // namespace

cm_status match_find_bank(cm_work *work, const cm_image *image, const cm_bank *bank, const cm_peak_rule *rule, cm_stream stream,
                          cm_error *error)
{
    Templates t = { image, bank, rule, stream };
    cm_status status = CM_OK;
    bool served = work->find.served && rule->top <= PEAK_ROOM;
    if (served)
        status = make_bank(work, bank, rule->top, error);
    if (!status && (!served || work->find.bank.slots == 0)) {
        for (size_t i = 0; i < bank->count && !status; i++)
            status = find_one(work, t, i, error);
        return status;
    }
    if (!status)
        status = put_batches(work, t, error);
    if (status) {
        (void)finish(work, stream, true, nullptr);
        return status;
    }
    status = fetch_all(work, t, error);
    const PeakState *state = work->find.bank.fetched.as<PeakState>();
    const cm_match *match = reinterpret_cast<const cm_match *>(state + bank->count);
    for (size_t i = 0; i < bank->count && !status; i++) {
        if (state[i].done) {
            bank->found[i] = state[i].found;
            memcpy(bank->match + i * bank->capacity, match + i * rule->top, state[i].found * sizeof *match);
        } else {
            status = find_one(work, t, i, error);
        }
    }
    return status;
}

} // namespace cm
