// The product pass of kernels that read a staged image.
#include "cuda/engine/product_pass.h"

namespace xncc {

namespace {

CorrelateFamily family_of(xncc_kernel kernel)
{
    switch (kernel) {
    case XNCC_KERNEL_SHARED: return shared_family();
    case XNCC_KERNEL_TEX_CONSTANT: return constant_family();
    default: return texture_family();
    }
}

} // namespace

xncc_status run_products(const Call &call, CorrelateJob job)
{
    const xncc_engine_plan *plan = call.plan;
    const xncc_decision &d = plan->decision;
    bool narrow = xncc_cuda_sums_fit_u32(&plan->problem) != 0;
    if (d.kernel == XNCC_KERNEL_FFT_CUDA)
        return call.plan->fft.correlate(job, narrow, *call.templ, call.stream, call.error);
    if (xncc_kernel_is_tensor(d.kernel))
        return call.plan->tensor.correlate_staged(job, *call.templ, call.stream, call.error);
    CorrelateFamily family = family_of(d.kernel);
    int32_t step = d.constant_rows ? d.constant_rows : plan->problem.height;
    cudaError_t code = cudaSuccess;
    for (int32_t first = 0; first < plan->problem.height && code == cudaSuccess; first += step) {
        job.first = first;
        job.rows = plan->problem.height - first < step ? plan->problem.height - first : step;
        job.add = first > 0;
        if (d.tile_rows) {
            job.tile_rows = d.tile_height + job.rows - 1;
            job.shared_bytes = job.tile_rows * d.tile_pitch;
        }
        if (family.constant_cache == FAMILY_NONE) {
            code = family.launch(plan->problem.pixel, narrow, job, call.stream);
            continue;
        }
        ConstantTurn turn(plan->engine->constant_caches[family.constant_cache], call.stream);
        code = family.load(turn, *call.templ, first, job.rows);
        if (code == cudaSuccess)
            code = family.launch(plan->problem.pixel, narrow, job, call.stream);
    }
    return check(code, "launching the correlation", call.error);
}

xncc_status multiply_rows(const Call &call, int32_t bx, int32_t by, const Target &target,
                          const BandRows &rows)
{
    xncc_engine_plan *plan = call.plan;
    const xncc_problem &p = plan->problem;
    CorrelateJob job = {};
    job.stage = plan->stage.view(bx, by);
    job.stage.top += rows.first;
    job.width = plan->x.length(bx);
    job.height = rows.count;
    job.size = p.width;
    job.tile_pitch = plan->decision.tile_pitch;
    if (xncc_cuda_sums_fit_u32(&p)) {
        job.pitch = target.pitch;
        job.sums = target.map + rows.first * job.pitch;
    } else {
        job.pitch = job.width;
        job.sums = plan->products.as<uint64_t>() + rows.first * job.pitch;
    }
    job.pivot = call.rule.pivot;
    job.texture = call.templ->texture.get();
    return run_products(call, job);
}

} // namespace xncc
