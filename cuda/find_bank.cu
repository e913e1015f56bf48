// Many templates on one image: the image is staged and summed once, and several templates' maps are searched at a time.
#include "match.cuh"

#include <string.h>

namespace cm {

namespace {

constexpr uint64_t PLANE_BYTES = 40u << 20; // of the maps that are worked on at a time: they stay in the L2 cache of a large device

cudaError_t make_slots(cm_work *work)
{
    FindBank &b = work->find.bank;
    uint64_t bytes = static_cast<uint64_t>(work->x.map) * static_cast<uint64_t>(work->y.map) * sizeof(float);
    uint64_t slots = PLANE_BYTES / bytes / FindBank::SETS;
    slots = slots < 1 ? 1 : slots > PEAK_SLOTS ? PEAK_SLOTS : slots;
    int all = FindBank::SETS * static_cast<int>(slots);
    b.plane = static_cast<int64_t>(bytes / sizeof(float));
    b.planes.release();
    cudaError_t code = is_mapless(work) ? work->tensor.make_slots(all) : b.planes.take(bytes * static_cast<uint64_t>(all));
    if (code == cudaSuccess && !b.side.get())
        code = b.side.make();
    for (int i = 0; i < FindBank::SETS; i++) {
        if (code == cudaSuccess)
            code = b.search[i].make(work->x.map, work->y.map, static_cast<int>(slots));
        if (code == cudaSuccess && !b.computed[i].get())
            code = b.computed[i].make();
        if (code == cudaSuccess && !b.searched[i].get())
            code = b.searched[i].make();
    }
    b.slots = code == cudaSuccess ? static_cast<int>(slots) : 0;
    return code;
}

cm_status make_bank(cm_work *work, const cm_bank *bank, uint64_t top, cm_error *error)
{
    FindBank &b = work->find.bank;
    cudaError_t code = b.slots == 0 ? make_slots(work) : cudaSuccess;
    if (code == cudaSuccess)
        code = b.search[0].make_results(bank->count, top);
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

// Some templates, in a set of slots.
struct Batch {
    size_t first;
    int count, set;
    cm_score_rule rule[PEAK_SLOTS];
};

// X of a batch, or its scores where there are maps. plane: of the image, filled by the first of all templates.
cm_status put_products(cm_work *work, const Templates &t, Batch *batch, TensorPlane *plane, cm_error *error)
{
    const FindBank &b = work->find.bank;
    cm_status status = CM_OK;
    for (int i = 0; i < batch->count && !status; i++) {
        Call call = make_call(work, t.image, t.bank->part[batch->first + static_cast<size_t>(i)], t.stream, error);
        int slot = batch->set * b.slots + i;
        bool begins = batch->first == 0 && i == 0;
        batch->rule[i] = call.rule;
        Target target = { b.planes.as<float>() + slot * b.plane, work->x.map };
        if (is_all_tensor(work)) {
            status = begins ? put_plane(call, 0, 0, plane) : CM_OK;
            work->tensor.turn_to(is_mapless(work) ? 1 + slot : 0);
            if (!status)
                status = work->tensor.correlate(*call.part, *plane, work->x.map, work->y.map, t.stream, error);
            work->tensor.turn_to(0);
            if (!status && !is_mapless(work))
                status = put_tensor_scores(call, 0, 0, *plane, target, nullptr);
            continue;
        }
        status = begins ? put_image(call, 0, 0, target) : cm::put_products(call, 0, 0, target, BandRows{ 0, work->y.map });
        if (!status && (begins || work->problem.pixel == CM_F32)) // sums of floats are relative to the template's pivot
            status = put_sums(call, 0, 0);
        if (!status)
            status = put_scores(call, make_score_job(call, 0, 0, target));
    }
    return status;
}

cm_status put_search(cm_work *work, const Templates &t, const Batch &batch, const TensorPlane &plane, cm_error *error)
{
    const FindBank &b = work->find.bank;
    PeakJob job = b.search[batch.set].job(*t.rule);
    job.state = b.search[0].states() + batch.first;
    job.match = b.search[0].matches() + batch.first * t.rule->top;
    int slot = batch.set * b.slots;
    if (is_mapless(work))
        return put_mapless(work, MaplessJob{ job, plane, batch.rule, 1 + slot, batch.count }, b.side.get(), error);
    job.map = b.planes.as<float>() + slot * b.plane;
    job.pitch = work->x.map;
    job.plane = b.plane;
    cudaError_t code = launch_peak_tiles(job, batch.count, b.side.get());
    if (code == cudaSuccess)
        code = launch_peak_select(job, batch.count, b.side.get());
    if (code == cudaSuccess)
        code = launch_peak_collect(job, batch.count, b.side.get());
    if (code == cudaSuccess)
        code = launch_peak_choose(job, batch.count, b.side.get());
    return check(code, "launching the search for matches", error);
}

// A batch's X on the caller's stream, its search on the other: each set waits for what last used it.
cm_status put_batch(cm_work *work, const Templates &t, Batch *batch, TensorPlane *plane, cm_error *error)
{
    FindBank &b = work->find.bank;
    cudaError_t code = cudaSuccess;
    if (batch->first >= static_cast<size_t>(FindBank::SETS * b.slots))
        code = cudaStreamWaitEvent(t.stream, b.searched[batch->set].get(), 0);
    cm_status status = check(code, "waiting for a search", error);
    if (!status)
        status = put_products(work, t, batch, plane, error);
    if (!status) {
        code = cudaEventRecord(b.computed[batch->set].get(), t.stream);
        if (code == cudaSuccess)
            code = cudaStreamWaitEvent(b.side.get(), b.computed[batch->set].get(), 0);
        status = check(code, "handing maps to the search", error);
    }
    if (!status)
        status = put_search(work, t, *batch, *plane, error);
    return status ? status : check(cudaEventRecord(b.searched[batch->set].get(), b.side.get()), "ending a search", error);
}

cm_status put_batches(cm_work *work, const Templates &t, cm_error *error)
{
    FindBank &b = work->find.bank;
    TensorPlane plane = {};
    cm_status status = CM_OK;
    Batch batch = {};
    while (batch.first < t.bank->count && !status) {
        size_t left = t.bank->count - batch.first;
        batch.count = left < static_cast<size_t>(b.slots) ? static_cast<int>(left) : b.slots;
        status = put_batch(work, t, &batch, &plane, error);
        if (!status && batch.first + static_cast<size_t>(batch.count) == t.bank->count) // the last search has all others before it
            status = check(cudaStreamWaitEvent(t.stream, b.searched[batch.set].get(), 0), "waiting for the searches", error);
        batch.first += static_cast<size_t>(batch.count);
        batch.set = (batch.set + 1) % FindBank::SETS;
    }
    if (status)
        (void)cudaStreamSynchronize(b.side.get());
    return status;
}

cm_status fetch_all(cm_work *work, const Templates &t, cm_error *error)
{
    const FindBank &b = work->find.bank;
    size_t states = t.bank->count * sizeof(PeakState), matches = t.bank->count * t.rule->top * sizeof(cm_match);
    unsigned char *host = b.fetched.as<unsigned char>();
    cudaError_t code = cudaMemcpyAsync(host, b.search[0].states(), states, cudaMemcpyDeviceToHost, t.stream);
    if (code == cudaSuccess)
        code = cudaMemcpyAsync(host + states, b.search[0].matches(), matches, cudaMemcpyDeviceToHost, t.stream);
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
    if (!work->find.served || rule->top > PEAK_ROOM) {
        for (size_t i = 0; i < bank->count && !status; i++)
            status = find_one(work, t, i, error);
        return status;
    }
    status = make_bank(work, bank, rule->top, error);
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
