/* Limits, memory and cost of general problems on CUDA. */
#include "plan/cost_general_cuda.h"

#include "image/image.h"
#include "image/samples.h"
#include "plan/cost_cuda.h"
#include "plan/cost_tensor.h"
#include "plan/problem.h"

/* Rates per millisecond and multiprocessor. Measured on one H200 (132 multiprocessors), November
 * 2026. */
static const double general_rate = 6.6e6;   /* kernel general: pixels of a window and channel */
static const double layout_rate = 1.2e7;    /* bytes of planes laid out */
static const double window_rate = 3.0e6;    /* map elements of a window sum */
static const double score_rate = 4.5e6;     /* sums that the score reads */
static const double masked_u8_rate = 1.2e7; /* sums that the special score pass reads */
static const double masked_u8_window_rate = 1.14e6; /* map elements, if it also makes N, S and Q */
static const double launch_ms = 0.004;              /* per kernel launch */
/* A guess, to be measured: map elements of the score pass for several channels are this rate over
 * a part of their own and a part per byte of the pixel. */
static const double channel_rate = 1.6e6, channel_element = 0.4, channel_byte = 0.6;

/* The workspace of a band is kept below this, in bytes, even if more is free. */
static const double max_workspace = 2684354560.0;

static double round_up(double value, double unit)
{
    double units = value / unit;
    double whole = (double)(uint64_t)units;
    return (whole < units ? whole + 1.0 : whole) * unit;
}

int xncc_general_planes_for(const xncc_problem *p, const xncc_machine *m, xncc_kernel kernel,
                            xncc_general_planes *planes)
{
    xncc_problem of = *p;
    of.templ_masked |= kernel == XNCC_KERNEL_TENSOR_FUSED;
    return xncc_general_planes_make(&of, xncc_kernel_is_tensor(kernel), xncc_channel_scores(&of, m),
                                    planes);
}

int xncc_general_is_u8_masked(const xncc_problem *p, const xncc_general_planes *planes)
{
    return p->method == XNCC_CCOEFF_NORMED && xncc_problem_channels(p) == 1 &&
           xncc_pixel_digits(p->pixel) == 1 && !planes->terms_u64 &&
           (p->templ_masked || p->width <= XNCC_WINDOW_WIDTH);
}

double xncc_cuda_source_bytes(const xncc_problem *p)
{
    double pixels = (double)p->image_width * (double)p->image_height;
    return pixels * ((double)xncc_problem_channels(p) * (double)xncc_pixel_size(p->pixel) +
                     (p->image_masked ? 1.0 : 0.0));
}

xncc_general_buffers xncc_general_workspace(const xncc_problem *p,
                                            const xncc_general_planes *planes,
                                            const xncc_decision *d)
{
    const double w = p->width, h = p->height;
    const double columns = (double)d->band_width + w - 1.0, rows = (double)d->band_height + h - 1.0;
    xncc_general_buffers buffers = { .source = xncc_cuda_source_bytes(p) };
    buffers.map = 4.0 * (double)xncc_problem_extent(p).width * (double)d->general.map_rows;
    if (d->kernel != XNCC_KERNEL_GENERAL) {
        buffers.image_pitch = round_up(columns, XNCC_STAGE_PITCH);
        buffers.image = buffers.image_pitch * rows;
        buffers.term_pitch = round_up(d->band_width, XNCC_TENSOR_COLUMNS);
        if (d->kernel != XNCC_KERNEL_TENSOR_FUSED) /* it keeps the sums in registers */
            buffers.term = buffers.term_pitch *
                           (round_up(d->band_height, 2 * XNCC_TENSOR_ROWS) +
                            XNCC_TENSOR_SPARE_ROWS) *
                           (planes->terms_u64 ? 8.0 : 4.0);
        buffers.rows = planes->windows ? 4.0 * buffers.term_pitch * rows : 0.0;
        buffers.templ = planes->templ_count * round_up(w, XNCC_STAGE_PITCH) * h;
        if (xncc_kernel_is_tensor(d->kernel)) {
            buffers.templ += planes->templ_count * (double)d->tensor.toeplitz * d->tensor.across *
                             d->tensor.down;
        } else {
            buffers.templ += planes->templ_count * (w + 4.0) *
                             (h + 4.0); /* padded to groups of 4 pixels */
            buffers.stage = buffers.image;
        }
    }
    buffers.total = planes->image_count * buffers.image + planes->term_count * buffers.term +
                    buffers.rows + buffers.templ + buffers.stage + buffers.source + buffers.map;
    return buffers;
}

static xncc_status refuse_memory(double need, double limit, xncc_error *error)
{
    return xncc_fail(
        error, XNCC_ERROR_UNSUPPORTED,
        "a copy of the image and the smallest band of the map need %.0f bytes of device memory, "
        "and a plan may use %.0f; raise device_memory of the context",
        need, limit);
}

/* Halves the height of the bands until they fit. The plan holds the whole map if there is room. */
static xncc_status fit_bands(const xncc_problem *p, const xncc_general_planes *planes, double limit,
                             xncc_decision *fit, xncc_error *error)
{
    const double aim = limit < max_workspace ? limit : max_workspace;
    const int32_t map_rows = xncc_problem_extent(p).height;
    fit->general.map_rows = 0;
    double fixed = xncc_cuda_source_bytes(p), need;
    while ((need = xncc_general_workspace(p, planes, fit).total) - fixed > aim &&
           fit->band_height > 1)
        fit->band_height = (fit->band_height + 1) / 2 > 64
                               ? ((fit->band_height + 1) / 2 + 31) / 32 * 32
                               : (fit->band_height + 1) / 2;
    while ((need = xncc_general_workspace(p, planes, fit).total) > limit && fit->band_height > 1)
        fit->band_height = (fit->band_height + 1) / 2;
    fit->general.map_rows = map_rows;
    if (xncc_general_workspace(p, planes, fit).total > limit)
        fit->general.map_rows = fit->band_height;
    need = xncc_general_workspace(p, planes, fit).total;
    return need > limit ? refuse_memory(need, limit, error) : XNCC_OK;
}

/* Kernel general reads the pixels themselves: there are no planes, and bands only limit the map. */
static xncc_status fit_pixels(const xncc_problem *p, const xncc_machine *m, double limit,
                              xncc_decision *fit, xncc_error *error)
{
    const xncc_general_planes none = { .image_count = 0 };
    const xncc_extent map = xncc_problem_extent(p);
    const double processors = xncc_machine_processors(m);
    fit->band_width = map.width;
    fit->band_height = map.height;
    fit->general.map_rows = fit->band_height;
    while (xncc_general_workspace(p, &none, fit).total > limit && fit->band_height > 1)
        fit->general.map_rows = fit->band_height = (fit->band_height + 1) / 2;
    const double need = xncc_general_workspace(p, &none, fit).total;
    fit->estimate_ms = launch_ms + (double)map.width * map.height * p->width * p->height *
                                       xncc_problem_channels(p) / (general_rate * processors);
    return need > limit ? refuse_memory(need, limit, error) : XNCC_OK;
}

/* Fits one product of planes (tensor-fused: all of them): the kernel's blocks and bands, and its
 * time in fit->estimate_ms. */
static xncc_status fit_product(const xncc_problem *inner, const xncc_machine *m,
                               const xncc_general_planes *planes, xncc_decision *fit,
                               xncc_error *error)
{
    const xncc_kernel kernel = fit->kernel;
    if (xncc_kernel_is_tensor(kernel)) {
        const int fused = kernel == XNCC_KERNEL_TENSOR_FUSED;
        xncc_status status = fused ? xncc_fit_tensor_planes(inner, m, planes, fit, error)
                                   : xncc_fit_tensor(inner, m, kernel, fit, error);
        fit->band_width = xncc_problem_extent(inner).width;
        fit->band_height = xncc_problem_extent(inner).height;
        if (!fused)
            fit->estimate_ms = xncc_tensor_product_ms(inner, m, kernel, &fit->tensor);
        return status;
    }
    /* half for the kernel's own bands and transforms, half for the planes */
    xncc_machine half = *m;
    half.cuda.workspace = m->cuda.workspace / 2;
    return xncc_fit_cuda(inner, &half, kernel, fit, error);
}

/* The time of the whole problem. fit->estimate_ms has that of fit_product. */
static double estimate(const xncc_problem *p, const xncc_machine *m,
                       const xncc_general_planes *planes, const xncc_decision *fit)
{
    const double processors = xncc_machine_processors(m);
    const double elements = (double)xncc_problem_extent(p).width *
                            (double)xncc_problem_extent(p).height;
    const double layout_ms = elements * planes->image_count / layout_rate / processors;
    if (fit->kernel == XNCC_KERNEL_TENSOR_FUSED)
        return fit->estimate_ms + 2.0 * launch_ms + layout_ms;
    double each = planes->windows / window_rate + (1.0 + planes->term_count) / score_rate;
    if (planes->score_sums_windows)
        each = (channel_element +
                channel_byte * xncc_problem_channels(p) * xncc_pixel_digits(p->pixel)) /
               channel_rate;
    else if (xncc_general_is_u8_masked(p, planes))
        each = planes->windows ? 1.0 / masked_u8_window_rate
                               : (1.0 + planes->term_count) / masked_u8_rate;
    return fit->estimate_ms * planes->products + launch_ms * (4.0 + planes->step_count) +
           layout_ms + elements * each / processors;
}

/* Refuses what a kernel of products cannot serve at any size, and fills *planes. */
static xncc_status check_kind(const xncc_problem *p, const xncc_machine *m, xncc_kernel kernel,
                              xncc_general_planes *planes, xncc_error *error)
{
    const char *name = xncc_kernel_table[kernel].name;
    if (xncc_pixel_is_float(p->pixel))
        return xncc_fail(error, XNCC_ERROR_UNSUPPORTED,
                         "kernel %s serves floats only as f32 with one channel and all pixels "
                         "counting; kernel general serves the others",
                         name);
    if (!xncc_general_planes_for(p, m, kernel, planes))
        return xncc_fail(
            error, XNCC_ERROR_UNSUPPORTED,
            "kernel %s makes a score from up to %d sums of bytes, and %d channels of %s "
            "need more; kernel general serves them",
            name, (int)XNCC_GENERAL_TERMS, xncc_problem_channels(p), xncc_pixel_name(p->pixel));
    if (kernel == XNCC_KERNEL_TENSOR_FUSED && !xncc_general_is_u8_masked(p, planes))
        return xncc_fail(error, XNCC_ERROR_UNSUPPORTED,
                         "kernel %s serves ccoeff_normed of one channel of 8 bits with sums of 32 "
                         "bits; kernel general serves the others",
                         name);
    return XNCC_OK;
}

xncc_status xncc_fit_general_cuda(const xncc_problem *p, const xncc_machine *m, xncc_kernel kernel,
                                  xncc_decision *fit, xncc_error *error)
{
    const double workspace = m->cuda.workspace > 0 ? (double)m->cuda.workspace : 0.0;
    fit->kernel = kernel;
    if (kernel == XNCC_KERNEL_GENERAL)
        return fit_pixels(p, m, workspace, fit, error);
    const xncc_problem inner = xncc_problem_inner(p);
    xncc_general_planes planes;
    xncc_status status = check_kind(p, m, kernel, &planes, error);
    if (!status && (inner.image_width > XNCC_MAX_SIDE || inner.image_height > XNCC_MAX_SIDE))
        return xncc_fail(
            error, XNCC_ERROR_UNSUPPORTED,
            "kernel %s: the image with its border has %d x %d pixels, and a side exceeds %d",
            xncc_kernel_table[kernel].name, inner.image_width, inner.image_height, XNCC_MAX_SIDE);
    if (!status)
        status = fit_product(&inner, m, &planes, fit, error);
    fit->kernel = kernel;
    if (!status)
        status = fit_bands(p, &planes, xncc_kernel_is_tensor(kernel) ? workspace : workspace / 2.0,
                           fit, error);
    if (status)
        return status;
    fit->general.products = planes.products;
    fit->general.windows = planes.windows;
    fit->estimate_ms = estimate(p, m, &planes, fit);
    return XNCC_OK;
}
