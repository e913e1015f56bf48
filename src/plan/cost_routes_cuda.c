/* Limits and cost of padded and general problems on CUDA. */
#include "plan/cost_cuda.h"
#include "plan/cost_general_cuda.h"
#include "plan/cost_routes.h"
#include "plan/problem.h"

#include "image/image.h"

/* Laying out the padded image: bytes per millisecond and multiprocessor. One H200, November
 * 2026. */
static const double layout_rate = 1.0e7;
static const double launch_ms = 0.004;

double xncc_cuda_padded_pitch(const xncc_problem *inner)
{
    const uint64_t row = (uint64_t)inner->image_width * xncc_pixel_size(inner->pixel);
    return (double)((row + XNCC_STAGE_PITCH - 1) / XNCC_STAGE_PITCH * XNCC_STAGE_PITCH);
}

/* A padded problem. The whole image is laid out, and the plain problem on it gets the rest of the
 * workspace. */
static xncc_status fit_padded(const xncc_problem *p, const xncc_machine *m, xncc_kernel kernel,
                              xncc_decision *fit, xncc_error *error)
{
    const xncc_problem inner = xncc_problem_inner(p);
    const double padded = xncc_cuda_padded_pitch(&inner) * (double)inner.image_height,
                 limit = (double)m->cuda.workspace;
    const double need = padded + xncc_cuda_source_bytes(p), processors = xncc_machine_processors(m);
    if (inner.image_width > XNCC_MAX_SIDE || inner.image_height > XNCC_MAX_SIDE || need > limit)
        return xncc_fail(error, XNCC_ERROR_UNSUPPORTED,
                         "the image, laid out with its border in %d x %d pixels, needs %.0f bytes "
                         "of device memory, and a plan may use %.0f; raise device_memory of the "
                         "context",
                         inner.image_width, inner.image_height, need, limit);
    xncc_machine rest = *m;
    rest.cuda.workspace = m->cuda.workspace - (int64_t)need;
    xncc_status status = xncc_fit_cuda(&inner, &rest, kernel, fit, error);
    fit->estimate_ms += launch_ms + padded / (layout_rate * processors);
    return status;
}

xncc_status xncc_fit_cuda_routed(const xncc_problem *problem, const xncc_machine *machine,
                                 xncc_kernel kernel, xncc_decision *fit, xncc_error *error)
{
    const xncc_route route = xncc_problem_route(problem);
    if (route == XNCC_ROUTE_PLAIN && kernel != XNCC_KERNEL_GENERAL)
        return xncc_fit_cuda(problem, machine, kernel, fit, error);
    if (!machine->cuda.present)
        return xncc_fail(error, XNCC_ERROR_UNSUPPORTED, "kernel %s needs a CUDA device",
                         xncc_kernel_table[kernel].name);
    if (route == XNCC_ROUTE_GENERAL)
        return xncc_fit_general_cuda(problem, machine, kernel, fit, error);
    if (kernel == XNCC_KERNEL_GENERAL)
        return xncc_fail(error, XNCC_ERROR_UNSUPPORTED,
                         "kernel general serves masks, no-data values, the overlap border, "
                         "coverage, several channels, the pixel types u32 and f64, and s8 and s16 "
                         "if the method depends on their sign; other kernels serve this problem");
    return fit_padded(problem, machine, kernel, fit, error);
}
