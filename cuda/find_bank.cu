// Many templates on one image: the image is staged and summed once, and several templates' maps are
// searched at a time.
#include "match.cuh"

#include <string.h>

namespace xncc {

namespace {

constexpr uint64_t PLANE_BYTES =
    256u << 20; // of X or the scores of the templates that are searched at a time

// How many slots of so many bytes there are, beside what the plan has taken and what all slots
// share.
int count_slots(const xncc_work *work, uint64_t bytes, uint64_t shared)
{
    uint64_t limit = work->engine->workspace_limit, taken = work->parts.total + shared,
             room = PLANE_BYTES;
    if (limit != 0 && limit < taken + room)
        room = limit > taken ? limit - taken : 0;
    uint64_t slots = room / bytes / TENSOR_SLOTS * TENSOR_SLOTS;
    return static_cast<int>(slots < PEAK_SLOTS ? slots : PEAK_SLOTS);
}

cudaError_t make_slots(xncc_work *work)
{
    FindBank &b = work->find.bank;
    uint64_t bytes = static_cast<uint64_t>(work->x.map) * static_cast<uint64_t>(work->y.map) *
                     sizeof(float);
    int slots = is_mapless(work)
                    ? count_slots(work, work->tensor.slot_bytes(), work->tensor.terms_bytes())
                    : count_slots(work, bytes, 0);
    if (slots == 0)
        return cudaSuccess;
    b.plane = static_cast<int64_t>(bytes / sizeof(float));
    b.planes.release();
    cudaError_t code = is_mapless(work) ? work->tensor.make_slots(slots)
                                        : b.planes.take(bytes * static_cast<uint64_t>(slots));
    if (code == cudaSuccess)
        code = b.search.make(work->x.map, work->y.map, slots);
    b.slots = code == cudaSuccess ? slots : 0;
    return code;
}

xncc_status make_bank(xncc_work *work, const xncc_bank *bank, uint64_t top, xncc_error *error)
{
    FindBank &b = work->find.bank;
    cudaError_t code = b.slots == 0 ? make_slots(work) : cudaSuccess;
    if (code == cudaSuccess)
        code = b.search.make_results(bank->count, top);
    uint64_t fetched = bank->count * (sizeof(PeakState) + top * sizeof(xncc_match));
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
    const xncc_bank *bank;
    const xncc_peak_rule *rule;
    cudaStream_t stream;
};

// Templates that are searched at once. plane: of the image, filled by the first of all.
struct Batch {
    size_t first;
    int count;
    const Prepared *part[PEAK_SLOTS];
    xncc_score_rule rule[PEAK_SLOTS];
    TensorPlane plane;
};

PeakJob make_job(const xncc_work *work, const Templates &t, const Batch &batch)
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
xncc_status search_mapless(xncc_work *work, const Templates &t, Batch *batch, xncc_error *error)
{
    PeakJob search = make_job(work, t, *batch);
    MaplessJob job = { search, batch->plane, batch->part, batch->rule, 1, batch->count };
    xncc_status status = XNCC_OK;
    if (batch->first == 0)
        status = put_plane(make_call(work, t.image, t.bank->part[0], t.stream, error), 0, 0,
                           &batch->plane);
    for (int i = 0; i < batch->count; i++) {
        Call call = make_call(work, t.image, t.bank->part[batch->first + static_cast<size_t>(i)],
                              t.stream, error);
        batch->part[i] = call.part;
        batch->rule[i] = call.rule;
    }
    if (!status)
        status = put_bank_tiles(work, job, batch->first == 0, t.stream, error);
    return status ? status : put_matches(work, job, t.stream, error);
}

// The map of one template.
xncc_status put_map(const Call &call, const Target &target, bool begins, TensorPlane *plane)
{
    xncc_work *work = call.work;
    xncc_status status = XNCC_OK;
    if (work->route == XNCC_ROUTE_JOINT)
        return put_joint(call, 0, work->y.map, target);
    if (is_all_tensor(work)) {
        status = begins ? put_plane(call, 0, 0, plane) : XNCC_OK;
        if (!status)
            status = work->tensor.correlate(*call.part, *plane, work->x.map, work->y.map,
                                            call.stream, call.error);
        return status ? status : put_tensor_scores(call, 0, 0, *plane, target, nullptr);
    }
    status = begins ? put_image(call, 0, 0, target)
                    : put_products(call, 0, 0, target, BandRows{ 0, work->y.map });
    if (!status && (begins || work->problem.pixel ==
                                  XNCC_F32)) // sums of floats are relative to the template's pivot
        status = put_sums(call, 0, 0);
    return status ? status : put_scores(call, make_score_job(call, 0, 0, target));
}

xncc_status search_maps(xncc_work *work, const Templates &t, Batch *batch, xncc_error *error)
{
    const FindBank &b = work->find.bank;
    xncc_status status = XNCC_OK;
    for (int i = 0; i < batch->count && !status; i++) {
        size_t at = batch->first + static_cast<size_t>(i);
        Target target = { b.planes.as<float>() + i * b.plane, work->x.map };
        status = put_map(make_call(work, t.image, t.bank->part[at], t.stream, error), target,
                         at == 0, &batch->plane);
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

xncc_status put_batches(xncc_work *work, const Templates &t, xncc_error *error)
{
    Batch batch = {};
    xncc_status status = XNCC_OK;
    while (batch.first < t.bank->count && !status) {
        size_t left = t.bank->count - batch.first,
               slots = static_cast<size_t>(work->find.bank.slots);
        batch.count = static_cast<int>(left < slots ? left : slots);
        status = is_mapless(work) ? search_mapless(work, t, &batch, error)
                                  : search_maps(work, t, &batch, error);
        batch.first += static_cast<size_t>(batch.count);
    }
    return status;
}

xncc_status fetch_all(xncc_work *work, const Templates &t, xncc_error *error)
{
    const FindBank &b = work->find.bank;
    size_t states = t.bank->count * sizeof(PeakState),
           matches = t.bank->count * t.rule->top * sizeof(xncc_match);
    unsigned char *host = b.fetched.as<unsigned char>();
    cudaError_t code = cudaMemcpyAsync(host, b.search.states(), states, cudaMemcpyDeviceToHost,
                                       t.stream);
    if (code == cudaSuccess)
        code = cudaMemcpyAsync(host + states, b.search.matches(), matches, cudaMemcpyDeviceToHost,
                               t.stream);
    xncc_status status = check(code, "fetching the matches", error);
    return status ? status : finish(work, t.stream, true, error);
}

xncc_status find_one(xncc_work *work, const Templates &t, size_t i, xncc_error *error)
{
    const xncc_bank *b = t.bank;
    return match_find(work, t.image, b->part[i], t.rule, b->match + i * b->capacity, &b->found[i],
                      t.stream, error);
}

} // namespace

xncc_status match_find_bank(xncc_work *work, const xncc_image *image, const xncc_bank *bank,
                            const xncc_peak_rule *rule, xncc_stream stream, xncc_error *error)
{
    Templates t = { image, bank, rule, stream };
    xncc_status status = XNCC_OK;
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
    const xncc_match *match = reinterpret_cast<const xncc_match *>(state + bank->count);
    for (size_t i = 0; i < bank->count && !status; i++) {
        if (state[i].done) {
            bank->found[i] = state[i].found;
            memcpy(bank->match + i * bank->capacity, match + i * rule->top,
                   state[i].found * sizeof *match);
        } else {
            status = find_one(work, t, i, error);
        }
    }
    return status;
}

} // namespace xncc
