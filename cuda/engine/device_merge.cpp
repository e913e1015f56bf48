// The merger of candidates in device memory: non-maximum suppression across templates (xncc_merger
// in exactncc/batch.h).
#include "cuda/engine/device_merge.h"

#include "cuda/engine/engine_plan.h"
#include "cuda/peaks/nms_device.h"

struct xncc_merge_work {
    int device = 0;    // the CUDA device that has the memory
    uint32_t room = 0; // the most candidates
    // As in MergeJob; state holds one MergeState.
    xncc::DeviceMemory candidate, sorted, rank, suppressed, state;
};

namespace xncc {

namespace {

MergeList list_of(const xncc_merge_work *work)
{
    return MergeList{ work->candidate.as<xncc_candidate>(), work->state.as<MergeState>(),
                      work->room };
}

void merge_close(xncc_merge_work *work)
{
    DeviceScope scope(work->device);
    (void)cudaDeviceSynchronize(); // merges may still run on any stream
    destroy(work);
}

xncc_status merge_clear(xncc_merge_work *work, xncc_stream stream, xncc_error *error)
{
    DeviceScope scope(work->device);
    return check(cudaMemsetAsync(work->state.as<void>(), 0, sizeof(MergeState), stream),
                 "emptying the merger", error);
}

xncc_status merge_open(xncc_engine *engine, uint32_t room, xncc_merge_work **result,
                       xncc_error *error)
{
    DeviceScope scope(engine_of(engine)->device);
    xncc_merge_work *work = create<xncc_merge_work>();
    if (!work)
        return xncc_fail(error, XNCC_ERROR_MEMORY, "no memory for the merger");
    work->device = engine_of(engine)->device;
    work->room = room;
    cudaError_t code = work->candidate.take(room * sizeof(xncc_candidate));
    if (code == cudaSuccess)
        code = work->sorted.take(room * sizeof(xncc_candidate));
    if (code == cudaSuccess)
        code = work->rank.take(room * sizeof(uint32_t));
    if (code == cudaSuccess)
        code = work->suppressed.take(room);
    if (code == cudaSuccess)
        code = work->state.take(sizeof(MergeState));
    if (code == cudaSuccess)
        code = cudaMemset(work->state.as<void>(), 0, sizeof(MergeState));
    xncc_status status = check(code, "allocating the merger's memory", error);
    if (status)
        destroy(work);
    else
        *result = work;
    return status;
}

xncc_status merge_add(xncc_merge_work *work, const xncc_match *match, const uint32_t *found,
                      const xncc_candidate *like, xncc_stream stream, xncc_error *error)
{
    DeviceScope scope(work->device);
    return check(launch_add_matches(list_of(work), match, found, *like, stream),
                 "adding matches to the merger", error);
}

xncc_status merge_add_candidates(xncc_merge_work *work, const xncc_candidate *candidate,
                                 uint32_t count, xncc_stream stream, xncc_error *error)
{
    DeviceScope scope(work->device);
    return check(launch_add_candidates(list_of(work), candidate, count, stream),
                 "adding candidates to the merger", error);
}

xncc_status merge_run(xncc_merge_work *work, const xncc_merge_target *target, xncc_stream stream,
                      xncc_error *error)
{
    DeviceScope scope(work->device);
    MergeJob job = {};
    job.options = *target->options;
    job.smallest = xncc_method_is_distance(target->options->method);
    job.room = work->room;
    job.top = target->capacity;
    job.candidate = work->candidate.as<xncc_candidate>();
    job.sorted = work->sorted.as<xncc_candidate>();
    job.rank = work->rank.as<uint32_t>();
    job.suppressed = work->suppressed.as<uint8_t>();
    job.state = work->state.as<MergeState>();
    job.result = target->result;
    job.kept = target->kept;
    return check(launch_merge(job, stream), "launching the merge", error);
}

constexpr xncc_merge_ops name_merge()
{
    xncc_merge_ops ops = {};
    ops.open = merge_open;
    ops.close = merge_close;
    ops.clear = merge_clear;
    ops.add = merge_add;
    ops.add_candidates = merge_add_candidates;
    ops.merge = merge_run;
    return ops;
}

} // namespace

extern const xncc_merge_ops merge_operations = name_merge();

} // namespace xncc
