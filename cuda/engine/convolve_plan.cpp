// SPDX-License-Identifier: BSD-2-Clause
// Convolution. If image or result is on the host, the result is computed in bands of rows;
// otherwise in one piece.
#include "cuda/engine/convolve_plan.h"

#include "cuda/convolve/conv_kernels.h"
#include "cuda/engine/call.h"

namespace xncc {

namespace {

// The most result rows of a launch. A grid has at most 65535 rows of blocks, and a block has at
// least 8 rows of results.
constexpr int32_t MAX_ROWS = 1 << 18;

// Finds the image rows first .. end - 1 under the result rows row .. row + rows - 1.
void rows_under(const xncc_engine_plan *plan, const xncc_filter *filter, int32_t row, int32_t rows,
                int32_t *first, int32_t *end)
{
    int64_t begin = static_cast<int64_t>(row) - filter->anchor_y,
            last = begin + rows + filter->height - 1;
    int64_t height = plan->problem.image_height;
    // at least one row, even if all windows are outside the image
    *first = static_cast<int32_t>(begin < 0 ? 0 : begin > height - 1 ? height - 1 : begin);
    *end = static_cast<int32_t>(last > height ? height : last < *first + 1 ? *first + 1 : last);
}

// Launches the plan's kernel.
xncc_status launch(xncc_engine_plan *plan, const ConvolveJob &job, const xncc_filter *source,
                   cudaStream_t stream, xncc_error *error)
{
    xncc_kernel kernel = plan->decision.kernel;
    cudaError_t code;
    if (kernel == XNCC_KERNEL_CONV_GLOBAL) {
        code = launch_convolve(kernel, plan->problem.pixel, job, stream);
    } else if (kernel == XNCC_KERNEL_CONV_REGISTERS) {
        code = launch_registers(plan->problem.pixel, job, source->taps, stream);
    } else if (job.unrolled) {
        code = launch_unrolled(job, source->taps, stream);
    } else {
        const DeviceTemplate &filter = *device_template_of(source->prepared);
        ConstantTurn turn(plan->engine->constant_caches[FAMILY_CONVOLVE], stream);
        code = turn.load(ConstantContent{ filter.serial, 0, 0 }, filter.pixels.as<void>(),
                         filter.pitch, filter.pitch, static_cast<size_t>(filter.height));
        if (code == cudaSuccess)
            code = launch_convolve(kernel, plan->problem.pixel, job, stream);
        code = turn.end(code);
    }
    return check(code, "launching the convolution", error);
}

// The fields of a job that all bands share.
ConvolveJob make_job(const xncc_engine_plan *plan, const xncc_filter *filter,
                     const DeviceTemplate &prepared)
{
    ConvolveJob job = {};
    job.image_width = plan->problem.image_width;
    job.width = filter->width;
    job.height = filter->height;
    job.anchor_x = filter->anchor_x;
    job.anchor_y = filter->anchor_y;
    job.zero = plan->problem.rule.border == XNCC_BORDER_ZERO;
    job.tile_pitch = plan->decision.tile_pitch;
    job.tile_rows = plan->decision.tile_rows;
    job.shared_bytes = plan->decision.shared_bytes;
    job.unrolled = plan->decision.kernel == XNCC_KERNEL_CONV_TILED &&
                   plan->decision.tile_height == XNCC_CONV_UNROLLED_HEIGHT;
    job.filter = prepared.pixels.as<float>();
    job.filter_pitch = static_cast<int32_t>(prepared.pitch / sizeof(float));
    return job;
}

// Points the job to its image rows, and copies them to the device first if they are on the host.
xncc_status bring_rows(xncc_engine_plan *plan, const xncc_image *image, ConvolveJob *job,
                       cudaStream_t stream, xncc_error *error)
{
    job->data = static_cast<const unsigned char *>(xncc_image_row(image, job->first));
    job->pitch = xncc_image_pitch(image);
    if (image->memory == XNCC_DEVICE)
        return XNCC_OK;
    size_t pitch = static_cast<size_t>(plan->memory.sizes().band_pitch);
    size_t bytes = static_cast<size_t>(image->width) * xncc_pixel_size(image->pixel);
    cudaError_t code = cudaMemcpy2DAsync(
        plan->memory.as<void>(XNCC_BUFFER_BAND), pitch, job->data, static_cast<size_t>(job->pitch),
        bytes, static_cast<size_t>(job->end - job->first), cudaMemcpyHostToDevice, stream);
    job->data = plan->memory.as<unsigned char>(XNCC_BUFFER_BAND);
    job->pitch = static_cast<int64_t>(pitch);
    return check(code, "copying the image to the device", error);
}

} // namespace

xncc_status filter_bind(xncc_engine_plan *plan, xncc_error *error)
{
    plan->x.map = plan->problem.image_width;
    plan->y.map = plan->problem.image_height;
    return plan->memory.make(plan->decision.workspace, error);
}

xncc_status filter_convolve(xncc_engine_plan *plan, const xncc_image *image,
                            const xncc_filter *filter, const xncc_map *out, xncc_stream stream,
                            xncc_error *error)
{
    const DeviceTemplate &prepared = *device_template_of(filter->prepared);
    bool direct = out->memory == XNCC_DEVICE, wait = image->memory == XNCC_HOST || !direct;
    int32_t step = wait ? plan->decision.band_height : MAX_ROWS,
            height = plan->problem.image_height;
    xncc_status status = XNCC_OK;
    progress_begin(plan);
    for (int32_t row = 0; row < height; row += step) {
        ConvolveJob job = make_job(plan, filter, prepared);
        job.y0 = row;
        job.rows = height - row < step ? height - row : step;
        job.out = direct ? xncc_map_row(out, row) : plan->memory.as<float>(XNCC_BUFFER_MAP);
        job.out_pitch = direct ? xncc_map_pitch(out) / static_cast<int64_t>(sizeof(float))
                               : out->width;
        rows_under(plan, filter, row, job.rows, &job.first, &job.end);
        if (!status)
            status = xncc_check_cancelled(plan->watch, error);
        if (!status)
            status = bring_rows(plan, image, &job, stream, error);
        if (!status)
            status = launch(plan, job, filter, stream, error);
        if (!status && !direct)
            status = check(download(*out, row, job.rows, Target{ job.out, job.out_pitch }, stream),
                           "copying the result to the host", error);
        progress_step(plan, job.rows);
    }
    return finish_as(status, plan, stream, wait, error);
}

} // namespace xncc
