// Many templates on one image: the image is staged and summed once, and several templates' maps are searched at a time.
#include "match.cuh"

#include <string.h>

namespace cm {

namespace {

constexpr uint64_t PLANE_BYTES = 32u << 20; // of the maps that are worked on at a time: they stay in the L2 cache of a large device

cm_status make_bank(cm_work *work, const cm_bank *bank, uint64_t top, cm_error *error)
{
    FindBank &b = work->find.bank;
    cudaError_t code = cudaSuccess;
    if (b.slots == 0) {
        uint64_t bytes = static_cast<uint64_t>(work->x.map) * static_cast<uint64_t>(work->y.map) * sizeof(float);
        uint64_t slots = PLANE_BYTES / bytes;
        slots = slots < 1 ? 1 : slots > MOST_SLOTS ? MOST_SLOTS : slots;
        b.plane = static_cast<int64_t>(bytes / sizeof(float));
        b.planes.release();
        code = b.planes.take(bytes * slots);
        if (code == cudaSuccess)
            code = b.search.make(work->x.map, work->y.map, static_cast<int>(slots));
        b.slots = code == cudaSuccess ? static_cast<int>(slots) : 0;
    }
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

// The scores of templates first .. first + count - 1, each in its plane.
cm_status put_planes(cm_work *work, const Templates &t, size_t first, int count, cm_error *error)
{
    const FindBank &b = work->find.bank;
    cm_status status = CM_OK;
    for (int i = 0; i < count && !status; i++) {
        Call call = make_call(work, t.image, t.bank->part[first + static_cast<size_t>(i)], t.stream, error);
        Target plane = { b.planes.as<float>() + i * b.plane, work->x.map };
        bool begins = first == 0 && i == 0;
        status = begins ? put_image(call, 0, 0, plane) : put_products(call, 0, 0, plane, BandRows{ 0, work->y.map });
        if (!status && (begins || work->problem.pixel == CM_F32)) // sums of floats are relative to the template's pivot
            status = put_sums(call, 0, 0);
        if (!status)
            status = put_scores(call, make_score_job(call, 0, 0, plane));
    }
    return status;
}

cm_status search_planes(cm_work *work, const Templates &t, size_t first, int count, cm_error *error)
{
    const FindBank &b = work->find.bank;
    PeakJob job = b.search.job(*t.rule, first);
    job.map = b.planes.as<float>();
    job.pitch = work->x.map;
    job.plane = b.plane;
    cudaError_t code = launch_peak_tiles(job, count, t.stream);
    if (code == cudaSuccess)
        code = launch_peak_select(job, count, t.stream);
    if (code == cudaSuccess)
        code = launch_peak_collect(job, count, t.stream);
    if (code == cudaSuccess)
        code = launch_peak_choose(job, count, t.stream);
    return check(code, "launching the search for matches", error);
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
    if (!work->find.served || rule->top > PEAK_ROOM) {
        for (size_t i = 0; i < bank->count && !status; i++)
            status = find_one(work, t, i, error);
        return status;
    }
    status = make_bank(work, bank, rule->top, error);
    for (size_t first = 0; first < bank->count && !status;) {
        size_t left = bank->count - first, slots = static_cast<size_t>(work->find.bank.slots);
        int count = static_cast<int>(left < slots ? left : slots);
        status = put_planes(work, t, first, count, error);
        if (!status)
            status = search_planes(work, t, first, count, error);
        first += static_cast<size_t>(count);
    }
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
