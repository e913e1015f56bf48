#include "plan/cost_cuda.h"
#include "plan/cost_joint_cuda.h"
#include "plan/cost_routes.h"

#include "image/image.h"

/* Bytes a millisecond and processor, the padded image read and written. One H200, November 2026. */
static const double layout_rate = 1.0e7;
static const double launch_ms = 0.004;

double cm_cuda_padded_pitch(const cm_problem *inner)
{
    const uint64_t row = (uint64_t)inner->image_width * cm_pixel_size(inner->pixel);
    return (double)((row + CM_STAGE_PITCH - 1) / CM_STAGE_PITCH * CM_STAGE_PITCH);
}

/* The image is laid out whole, and the plain problem on it has what is left of the workspace. */
static cm_status fit_padded(const cm_problem *p, const cm_machine *m, cm_kernel kernel, cm_decision *fit, cm_error *error)
{
    const cm_problem inner = cm_problem_inner(p);
    const double padded = cm_cuda_padded_pitch(&inner) * (double)inner.image_height, limit = (double)m->cuda.workspace;
    const double need = padded + cm_cuda_source_bytes(p), processors = cm_machine_processors(m);
    if (inner.image_width > CM_MAX_SIDE || inner.image_height > CM_MAX_SIDE || need > limit)
        return cm_fail(error, CM_ERROR_UNSUPPORTED,
                       "the image and its %d x %d pixels with the border take %.0f bytes of device memory, and a plan may take %.0f; raise "
                       "device_memory of the context",
                       inner.image_width, inner.image_height, need, limit);
    cm_machine rest = *m;
    rest.cuda.workspace = m->cuda.workspace - (int64_t)need;
    cm_status status = cm_fit_cuda(&inner, &rest, kernel, fit, error);
    fit->estimate_ms += launch_ms + padded / (layout_rate * processors);
    return status;
}

cm_status cm_fit_cuda_routed(const cm_problem *problem, const cm_machine *machine, cm_kernel kernel, cm_decision *fit, cm_error *error)
{
    const cm_route route = cm_problem_route(problem);
    if (route == CM_ROUTE_PLAIN && kernel != CM_KERNEL_JOINT)
        return cm_fit_cuda(problem, machine, kernel, fit, error);
    if (!machine->cuda.present)
        return cm_fail(error, CM_ERROR_UNSUPPORTED, "kernel %s needs a CUDA device", cm_kernel_table[kernel].name);
    if (route == CM_ROUTE_JOINT)
        return cm_fit_joint_cuda(problem, machine, kernel, fit, error);
    if (kernel == CM_KERNEL_JOINT)
        return cm_fail(error, CM_ERROR_UNSUPPORTED,
                       "kernel joint serves masks, no-data values, the overlap border, coverage, several channels and the pixel types u32 and "
                       "f64 (s8 and s16 where the method needs their sign); the other kernels serve this problem");
    return fit_padded(problem, machine, kernel, fit, error);
}
