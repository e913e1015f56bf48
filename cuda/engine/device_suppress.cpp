// SPDX-License-Identifier: BSD-2-Clause
// The suppressor of candidates in device memory: non-maximum suppression across templates
// (xncc_suppressor in exactncc/batch.h).
#include "cuda/engine/batch_context.h"
#include "cuda/engine/engine_plan.h"
#include "cuda/peaks/nms_device.h"

struct xncc_suppress_work {
    int device = 0;    // the CUDA device that has the memory
    uint32_t room = 0; // the most candidates
    // As in SuppressJob; state holds one SuppressState.
    xncc::DeviceMemory candidate, sorted, rank, suppressed, state;
};

namespace xncc {

namespace {

CandidateList list_of(const xncc_suppress_work *work)
{
    return CandidateList{ work->candidate.as<xncc_candidate>(), work->state.as<SuppressState>(),
                          work->room };
}

void suppress_close(xncc_suppress_work *work)
{
    DeviceScope scope(work->device);
    forgive(cudaDeviceSynchronize()); // kernels may still run on any stream
    destroy(work);
}

xncc_status suppress_clear(xncc_suppress_work *work, xncc_stream stream, xncc_error *error)
{
    DeviceScope scope(work->device);
    const xncc_status status = scope.status(error);
    return status ? status
                  : check(cudaMemsetAsync(work->state.as<void>(), 0, sizeof(SuppressState), stream),
                          "emptying the suppressor", error);
}

xncc_status suppress_open(xncc_engine *engine, uint32_t room, xncc_suppress_work **result,
                          xncc_error *error)
{
    DeviceScope scope(engine_of(engine)->device);
    xncc_status status = scope.status(error);
    if (status)
        return status;
    xncc_suppress_work *work = create<xncc_suppress_work>();
    if (!work)
        return xncc_fail(error, XNCC_ERROR_MEMORY, "no memory for the suppressor");
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
        code = work->state.take(sizeof(SuppressState));
    if (code == cudaSuccess)
        code = cudaMemset(work->state.as<void>(), 0, sizeof(SuppressState));
    return hand_over(check(code, "allocating the suppressor's memory", error), work, result);
}

xncc_status suppress_add(xncc_suppress_work *work, const xncc_match *match, const uint32_t *found,
                         const xncc_candidate *form, xncc_stream stream, xncc_error *error)
{
    DeviceScope scope(work->device);
    const xncc_status status = scope.status(error);
    return status ? status
                  : check(launch_add_matches(list_of(work), match, found, *form, stream),
                          "adding matches to the suppressor", error);
}

xncc_status suppress_add_candidates(xncc_suppress_work *work, const xncc_candidate *candidate,
                                    uint32_t count, xncc_stream stream, xncc_error *error)
{
    DeviceScope scope(work->device);
    const xncc_status status = scope.status(error);
    return status ? status
                  : check(launch_add_candidates(list_of(work), candidate, count, stream),
                          "adding candidates to the suppressor", error);
}

xncc_status suppress_run(xncc_suppress_work *work, const xncc_suppress_target *target,
                         xncc_stream stream, xncc_error *error)
{
    DeviceScope scope(work->device);
    SuppressJob job = {};
    job.rule = *target->rule;
    job.smallest = target->smallest;
    job.room = work->room;
    job.top = target->capacity;
    job.candidate = work->candidate.as<xncc_candidate>();
    job.sorted = work->sorted.as<xncc_candidate>();
    job.rank = work->rank.as<uint32_t>();
    job.suppressed = work->suppressed.as<uint8_t>();
    job.state = work->state.as<SuppressState>();
    job.result = target->result;
    job.kept = target->kept;
    const xncc_status status = scope.status(error);
    return status ? status
                  : check(launch_suppress(job, stream), "launching the suppression", error);
}

constexpr xncc_suppress_ops name_suppress()
{
    xncc_suppress_ops ops = {};
    ops.open = suppress_open;
    ops.close = suppress_close;
    ops.clear = suppress_clear;
    ops.add = suppress_add;
    ops.add_candidates = suppress_add_candidates;
    ops.run = suppress_run;
    return ops;
}

} // namespace

extern const xncc_suppress_ops suppress_operations = name_suppress();

} // namespace xncc
