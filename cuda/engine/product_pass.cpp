// SPDX-License-Identifier: BSD-2-Clause
// The product step: whole pixels, or the byte planes of a recipe one product after the other.
#include "cuda/engine/product_pass.h"

#include "cuda/engine/float_pass.h"
#include "cuda/engine/tensor_products.h"
#include "cuda/planes/template_planes.h"

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

// Puts a product on the stream. of: the plain problem that the kernel computes.
xncc_status run_products(const Call &call, const xncc_problem &of, const DeviceTemplate &templ,
                         CorrelateJob job)
{
    const xncc_engine_plan *plan = call.plan;
    const xncc_decision &d = plan->decision;
    bool narrow = xncc_cuda_sums_fit_u32(&of) != 0;
    if (d.kernel == XNCC_KERNEL_FFT_CUDA)
        return call.plan->fft.correlate(job, narrow, templ, call.stream, call.error);
    CorrelateFamily family = family_of(d.kernel);
    int32_t step = d.constant_rows ? d.constant_rows : of.templ_height;
    cudaError_t code = cudaSuccess;
    job.texture = templ.texture.get();
    for (int32_t first = 0; first < of.templ_height && code == cudaSuccess; first += step) {
        job.first = first;
        job.rows = of.templ_height - first < step ? of.templ_height - first : step;
        job.add = first > 0;
        if (d.tile_rows) {
            job.tile_rows = d.tile_height + job.rows - 1;
            job.shared_bytes = job.tile_rows * d.tile_pitch;
        }
        if (family.constant_cache == FAMILY_NONE) {
            code = family.launch(of.pixel, narrow, job, call.stream);
            continue;
        }
        ConstantTurn turn(plan->engine->constant_caches[family.constant_cache], call.stream);
        code = family.load(turn, templ, first, job.rows);
        if (code == cudaSuccess)
            code = family.launch(of.pixel, narrow, job, call.stream);
        code = turn.end(code);
    }
    return check(code, "launching the correlation", call.error);
}

// The fields of a job that all products of a band share.
CorrelateJob make_job(const xncc_engine_plan *plan, const Band &band)
{
    CorrelateJob job = {};
    job.stage = plan->stage.view(band.x, band.y);
    job.width = band.width;
    job.height = band.height;
    job.size = plan->problem.templ_width;
    job.tile_pitch = plan->decision.tile_pitch;
    return job;
}

// Tells whether a product is there already: with the mask of the last template, which is this
// one's.
bool is_done(const Call &call, const xncc_general_step &step)
{
    return call.mask_done && call.plan->decision.planes.templ[step.templ].kind == XNCC_PLANE_COUNT;
}

// All products of a band by a kernel that reads textures: one plane of the image at a time.
xncc_status multiply_textures(const Call &call, const Band &band)
{
    const xncc_engine_plan *plan = call.plan;
    const xncc_general_planes &planes = plan->decision.planes;
    const xncc_workspace &w = plan->memory.sizes();
    const xncc_problem of = xncc_problem_read(&plan->problem);
    xncc_status status = XNCC_OK;
    int staged = -1; // the image plane that the textures show
    for (int i = 0; i < planes.products && !status; i++) {
        const xncc_general_step &s = planes.step[i];
        if (is_done(call, s))
            continue;
        if (s.image != staged)
            status = check(plan->stage.fill_plane(band.image.data + s.image * w.plane,
                                                  static_cast<size_t>(band.image.pitch), band.x,
                                                  band.y, call.stream),
                           "copying a plane of the image", call.error);
        staged = s.image;
        CorrelateJob job = make_job(plan, band);
        job.pitch = static_cast<int64_t>(w.sums_pitch);
        job.sums = plan->memory.as<unsigned char>(XNCC_BUFFER_SUMS) + s.term * w.sums;
        if (!status)
            status = run_products(call, of, plan->templ_planes[s.templ], job);
    }
    return status;
}

// The distances between two products.
struct Stride {
    int image, templ, term;
};

Stride stride_of(const xncc_general_step &a, const xncc_general_step &b)
{
    return { b.image - a.image, b.templ - a.templ, b.term - a.term };
}

// Returns how many steps from this one on one launch can compute side by side: products that are to
// be made, of one image plane or with one template plane, whose other planes, and terms, are the
// same distance apart. Two products of one launch must not add to one term. One that can be added
// to the next in registers is left to that launch.
int group_at(const Call &call, int step)
{
    const xncc_general_planes &planes = call.plan->decision.planes;
    const xncc_general_step *s = planes.step + step;
    int count = 1;
    while (count < TENSOR_SLOTS && step + count < planes.products) {
        const Stride first = stride_of(s[0], s[1]), last = stride_of(s[count - 1], s[count]);
        if (s[count].add != s->add || is_done(call, s[count]) || last.term == 0 || last.image < 0 ||
            (last.image > 0 && last.templ != 0) ||
            xncc_general_run(&planes, step + count, call.plan->decision.tensor.planes) > 1)
            break;
        if (last.image != first.image || last.templ != first.templ || last.term != first.term)
            break;
        count++;
    }
    return count;
}

// All products of a band by a tensor kernel.
xncc_status multiply_tensors(const Call &call, const Band &band, bool laid_out)
{
    const xncc_engine_plan *plan = call.plan;
    const xncc_general_planes &planes = plan->decision.planes;
    const xncc_workspace &w = plan->memory.sizes();
    const int64_t toeplitz = toeplitz_bytes(plan),
                  sums = static_cast<int64_t>(w.sums / sizeof(uint32_t));
    xncc_status status = XNCC_OK;
    Band of = band;
    bool first = true;
    for (int i = 0, count = 1; i < planes.products && !status; i += count) {
        const xncc_general_step *s = planes.step + i;
        count = 1;
        if (is_done(call, *s))
            continue;
        TensorGroup to = {};
        to.planes = xncc_general_run(&planes, i, plan->decision.tensor.planes);
        count = to.planes > 1 ? to.planes : group_at(call, i);
        to.toeplitz = plan->memory.as<unsigned char>(XNCC_BUFFER_TOEPLITZ) + s->templ * toeplitz;
        to.sums = plan->memory.as<uint32_t>(XNCC_BUFFER_SUMS) + s->term * sums;
        if (count > 1) {
            const Stride next = stride_of(s[0], s[1]);
            to.toeplitz_step = next.templ * toeplitz;
            to.image_rows = next.image * static_cast<int32_t>(w.plane / w.plane_pitch);
            to.slot_planes = to.planes == 1 && next.image ? count : 1;
            to.sums_step = next.term * sums;
        }
        to.count = to.planes > 1 ? 1 : count;
        to.add = s->add != 0;
        to.pdl = laid_out && first;
        first = false;
        of.image.data = band.image.data + s->image * w.plane;
        status = multiply_planes(call, of, to);
    }
    return status;
}

} // namespace

xncc_status product_bind(xncc_engine_plan *plan, xncc_error *error)
{
    const xncc_problem &p = plan->problem;
    const xncc_decision &d = plan->decision;
    const xncc_problem of = xncc_problem_read(&p);
    const bool tensor = xncc_kernel_is_tensor(d.kernel) != 0;
    xncc_status status = XNCC_OK;
    if (tensor)
        status = check(tensor_bind(plan), "preparing the kernels", error);
    if (!status && d.kernel == XNCC_KERNEL_FFT_CUDA)
        status = plan->fft.make(of, d.fft, plan->memory.as<unsigned char>(XNCC_BUFFER_TRANSFORMS),
                                error);
    if (!status && xncc_decision_has(&d, XNCC_STEP_FLOAT_SUMS))
        status = plan->float_sums.make(p, d, plan->engine->machine.cuda.processors,
                                       plan->memory.as<unsigned char>(XNCC_BUFFER_TRANSFORMS),
                                       plan->memory.as<unsigned char>(XNCC_BUFFER_ROWS), error);
    else if (!status && d.fft.batch && xncc_kernel_is_of_doubles(d.kernel))
        status = plan->floats.make(p, d, plan->engine->machine.cuda.processors,
                                   plan->memory.as<unsigned char>(XNCC_BUFFER_TRANSFORMS),
                                   plan->memory.as<unsigned char>(XNCC_BUFFER_DOUBTS), error);
    const uint64_t bytes = d.workspace.bytes[XNCC_BUFFER_TEMPLATE];
    if (status || !bytes)
        return status;
    const int count = d.planes.templ_count;
    void *memory = xncc_alloc(static_cast<uint64_t>(count), sizeof(DeviceTemplate));
    if (!memory)
        return xncc_fail(error, XNCC_ERROR_MEMORY, "no memory for the template's planes");
    plan->templ_planes = static_cast<DeviceTemplate *>(memory);
    plan->templ_count = count;
    for (int i = 0; i < count; i++)
        new (plan->templ_planes + i) DeviceTemplate();
    const uint64_t each = bytes / static_cast<uint64_t>(count);
    cudaError_t code = cudaSuccess;
    for (int i = 0; i < count && code == cudaSuccess; i++)
        code = plan->templ_planes[i].make_plane(
            p.templ_width, p.templ_height, !tensor,
            plan->memory.as<unsigned char>(XNCC_BUFFER_TEMPLATE) + static_cast<uint64_t>(i) * each);
    return check(code, "making the template's planes", error);
}

xncc_status lay_out_template(const Call &call, unsigned char *toeplitz)
{
    const xncc_engine_plan *plan = call.plan;
    const xncc_general_planes &planes = plan->decision.planes;
    cudaError_t code = cudaSuccess;
    if (plan->templ_planes)
        code = launch_template_planes(*call.templ, planes, plan->templ_planes, call.stream);
    for (int i = 0; i < plan->templ_count && code == cudaSuccess; i++)
        code = plan->templ_planes[i].refresh(call.stream);
    if (code == cudaSuccess && xncc_kernel_is_tensor(plan->decision.kernel)) {
        TensorLayout layout = {};
        layout.to = toeplitz;
        layout.count = planes.templ_count;
        for (int i = 0; i < planes.templ_count; i++)
            layout.plane[i] = plan->templ_planes
                                  ? byte_plane_of(plan->templ_planes[i], 0, 0)
                                  : byte_plane_of(*call.templ, planes.templ[i].channel,
                                                  planes.templ[i].digit);
        code = lay_out_planes(call, layout);
    }
    return check(code, "laying out the template", call.error);
}

xncc_status multiply_rows(const Call &call, const Band &band, const Target &target, int32_t first,
                          int32_t count)
{
    const xncc_engine_plan *plan = call.plan;
    const xncc_problem of = xncc_problem_read(&plan->problem);
    CorrelateJob job = make_job(plan, band);
    job.stage.top += first;
    job.height = count;
    if (xncc_cuda_sums_fit_u32(&of)) {
        job.pitch = target.pitch;
        job.sums = target.map + first * job.pitch;
    } else {
        job.pitch = band.width;
        job.sums = plan->memory.as<uint64_t>(XNCC_BUFFER_SUMS) + first * job.pitch;
    }
    job.pivot = call.rule.pivot;
    return run_products(call, of, *call.templ, job);
}

xncc_status multiply_band(const Call &call, const Band &band, const Target &target, bool laid_out)
{
    const xncc_decision &d = call.plan->decision;
    if (xncc_decision_has(&d, XNCC_STEP_PIXEL_PRODUCTS))
        return multiply_rows(call, band, target, 0, band.height);
    if (xncc_decision_has(&d, XNCC_STEP_FLOAT_PRODUCTS))
        return multiply_floats(call, band);
    if (xncc_decision_has(&d, XNCC_STEP_FLOAT_SUMS))
        return make_float_sums(call, band);
    if (!xncc_decision_has(&d, XNCC_STEP_PLANE_PRODUCTS))
        return XNCC_OK;
    return xncc_kernel_is_tensor(d.kernel) ? multiply_tensors(call, band, laid_out)
                                           : multiply_textures(call, band);
}

} // namespace xncc
