// SPDX-License-Identifier: BSD-2-Clause
// The order of the launches that make X of floats (float_products.h).
#include "cuda/products/float_products.h"

#include "cuda/products/float_terms.h"
#include "cuda/products/float_tiles.h"

#include <cstddef>

namespace xncc {

xncc_status FloatProducts::make(const xncc_problem &problem, const xncc_decision &decision,
                                int processors, unsigned char *memory, unsigned char *of_doubts,
                                xncc_error *error)
{
    kernel = decision.kernel;
    if (kernel == XNCC_KERNEL_FLOAT_SPLIT) {
        const cudaError_t code = split.make(decision.fft, processors, memory);
        state = split.constants();
        samples = split.samples();
        return check(code, "preparing the transforms", error);
    }
    static_assert(sizeof(FloatConstants) <= XNCC_FFT_CONSTANTS, "the decision has less room");
    const xncc_fft_blocks &of = decision.fft;
    const xncc_fft_buffers buffers = xncc_fft_workspace(&problem, &of);
    blocks.width = of.width;
    blocks.height = of.height;
    blocks.each = 2;
    blocks.step_x = of.width - of.columns + 1;
    blocks.step_y = of.height - of.rows + 1;
    if (kernel != XNCC_KERNEL_FLOAT_FUSED)
        blocks.relative = kernel == XNCC_KERNEL_FLOAT_TILES ? xncc_float_tiles_error()
                                                            : xncc_fft_double_error(&of);
    double2 *data = reinterpret_cast<double2 *>(memory);
    spectrum = reinterpret_cast<double2 *>(memory + buffers.data);
    unsigned char *area = memory + buffers.data + buffers.spectrum, *bounds = area + buffers.area;
    state = reinterpret_cast<FloatConstants *>(bounds);
    blocks.squares = reinterpret_cast<double *>(bounds + XNCC_FFT_CONSTANTS);
    blocks.error = blocks.squares + of.count;
    samples = blocks.error + of.count;
    if (decision.levels.batch) {
        const xncc_status status = check(split.make(decision.levels, processors, of_doubts),
                                         "preparing the levels", error);
        if (status)
            return status;
        split.serve(state);
    }
    if (kernel == XNCC_KERNEL_FLOAT_FFT)
        return fft.make(of, data, area, buffers.area, error);
    return kernel == XNCC_KERNEL_FLOAT_TILES
               ? check(float_tiles_set_max_shared_memory(), "preparing the kernels", error)
               : XNCC_OK;
}

// Makes what depends on the template alone, unless it is there.
cudaError_t FloatProducts::describe(xncc_pixel pixel, xncc_method method,
                                    const DeviceTemplate &templ, cudaStream_t stream)
{
    const TemplateView t = view_of(templ);
    bool ready = false;
    cudaError_t code = cudaMemsetAsync(
        &state->doubts, 0, offsetof(FloatConstants, limit) - offsetof(FloatConstants, doubts),
        stream);
    if (code == cudaSuccess)
        code = held.look_for(templ, 0, stream, &ready);
    if (code != cudaSuccess || ready)
        return code;
    code = launch_template_terms(pixel, t, method, samples, state, stream);
    if (code == cudaSuccess && kernel == XNCC_KERNEL_FLOAT_TILES)
        code = launch_float_tiles_template(pixel, t, state, spectrum, stream);
    if (code == cudaSuccess && kernel == XNCC_KERNEL_FLOAT_FFT)
        code = fft.transform_template(t, blocks, pixel, state, spectrum, stream);
    if (code == cudaSuccess && kernel == XNCC_KERNEL_FLOAT_SPLIT)
        code = split.begin(stream);
    if (code == cudaSuccess && kernel == XNCC_KERNEL_FLOAT_SPLIT)
        code = split.transform_template(0, stream);
    return code;
}

xncc_status FloatProducts::prepare_template(xncc_pixel pixel, xncc_method method,
                                            const DeviceTemplate &templ, cudaStream_t stream,
                                            xncc_error *error)
{
    const cudaError_t code = describe(pixel, method, templ, stream);
    if (code != cudaSuccess)
        held.forget();
    return check(code, "making the template's constants", error);
}

xncc_status FloatProducts::correlate(const FloatProductsJob &job, const DeviceTemplate &templ,
                                     cudaStream_t stream, xncc_error *error)
{
    const bool splits = kernel == XNCC_KERNEL_FLOAT_SPLIT;
    const ImageTerms wanted = { xncc_method_is_centred(job.method) != 0, splits };
    cudaError_t code = cudaSuccess;
    if (has_levels())
        split.cover(job.width, job.height);
    if (!splits) {
        blocks.across = ceil_div(job.width, blocks.step_x);
        blocks.count = blocks.across * ceil_div(job.height, blocks.step_y);
        code = cudaMemsetAsync(blocks.squares, 0,
                               static_cast<size_t>(ceil_div(blocks.count, 2)) * sizeof(double),
                               stream);
    }
    if (code == cudaSuccess)
        code = describe(job.image.image.pixel, job.method, templ, stream);
    if (code == cudaSuccess && (wanted.pivot || wanted.limit))
        code = launch_image_terms(job.image, wanted, state, stream);
    if (code == cudaSuccess)
        code = splits ? split.transform_blocks(&job, 1, stream)
               : kernel == XNCC_KERNEL_FLOAT_TILES
                   ? launch_float_tiles(job, blocks, spectrum, state, stream)
                   : fft.transform_blocks(job, blocks, spectrum, state, stream);
    if (code != cudaSuccess)
        held.forget();
    return check(code, "correlating by Fourier transforms", error);
}

} // namespace xncc
