/* SPDX-License-Identifier: BSD-2-Clause */
/* Limits, memory and time of convolution on CUDA. */
#include "plan/cost_cuda.h"

#include "base/int_math.h"
#include "image/image.h"

/* Rates per millisecond and multiprocessor, measured on one H200 (132 multiprocessors) in November
 * 2026: multiply-adds, and elements read and written. */
static const double conv_registers_rate = 2.3e8, conv_unrolled_rate = 2.2e8,
                    conv_tiled_rate = 1.28e8;
static const double conv_global_rate = 1.3e7, conv_constant_rate = 1.2e7, conv_halo_rate = 9.0e6;
static const double conv_elements_per_ms = 6.3e6;

/* The workspace is kept below this, in bytes, even if more is free. */
static const uint64_t max_workspace = UINT64_C(1) << 28;

/* The buffers: image rows from the host, and rows of the result for the host. */
static void size_bands(const xncc_problem *p, xncc_decision *fit)
{
    xncc_workspace *w = &fit->workspace;
    const uint64_t rows = (uint64_t)fit->band_height + (uint64_t)p->templ_height - 1;
    w->band_pitch = xncc_round_up((uint64_t)p->image_width * xncc_pixel_size(p->pixel),
                                  XNCC_STAGE_PITCH);
    w->bytes[XNCC_BUFFER_BAND] = w->band_pitch * (rows < (uint64_t)p->image_height
                                                      ? rows
                                                      : (uint64_t)p->image_height);
    w->bytes[XNCC_BUFFER_MAP] = xncc_round_up(
        (uint64_t)p->image_width * (uint64_t)fit->band_height * 4, XNCC_STAGE_PITCH);
    w->total = w->bytes[XNCC_BUFFER_BAND] + w->bytes[XNCC_BUFFER_MAP];
}

/* Chooses the bands of a convolution. */
static xncc_status fit_bands(const xncc_problem *p, const xncc_machine *m, xncc_decision *fit,
                             xncc_error *error)
{
    const uint64_t limit = (uint64_t)(m->cuda.workspace > 0 ? m->cuda.workspace : 0),
                   aim = limit < max_workspace ? limit : max_workspace;
    fit->band_width = p->image_width;
    fit->band_height = p->image_height;
    for (size_bands(p, fit); fit->band_height > 1 && fit->workspace.total > aim; size_bands(p, fit))
        fit->band_height = (fit->band_height + 1) / 2;
    fit->map_rows = fit->band_height;
    return xncc_fits_memory("a row of the convolution", fit->workspace.total, limit, error);
}

int xncc_conv_is_unrolled(const xncc_problem *p)
{
    return p->pixel == XNCC_F32 &&
           (p->templ_width == 9 || p->templ_width == 17 || p->templ_width == 27) &&
           xncc_round_up((uint64_t)p->templ_width, 4) * (uint64_t)p->templ_height * 4 <=
               XNCC_CONV_PARAMETER_BYTES;
}

/* The pitch of an unrolled tile. Against bank conflicts one of 9 vectors of 4 pixels stays empty,
 * and rows begin 4 vectors apart, modulo 8. */
static uint64_t unrolled_pitch(const xncc_problem *p)
{
    uint64_t columns = XNCC_TILE_WIDTH + (uint64_t)p->templ_width - 1 +
                       XNCC_CONV_SHIFT((uint64_t)p->templ_width);
    uint64_t vectors = xncc_round_up(columns, 4) / 4;
    return xncc_round_up((vectors + xncc_round_up(vectors, 8) / 8) * 16 + XNCC_TILE_PITCH,
                         2 * XNCC_TILE_PITCH) -
           XNCC_TILE_PITCH;
}

/* Fills the tile fields of conv-tiled. */
static void size_conv_tile(const xncc_problem *p, int unrolled, xncc_decision *fit)
{
    uint64_t columns = XNCC_TILE_WIDTH + xncc_round_up((uint64_t)p->templ_width, XNCC_CONV_CHUNK);
    fit->tile_width = XNCC_TILE_WIDTH;
    fit->tile_height = unrolled ? XNCC_CONV_UNROLLED_HEIGHT : XNCC_CONV_TILE_HEIGHT;
    fit->tile_pitch = (int32_t)(unrolled ? unrolled_pitch(p)
                                         : xncc_round_up(columns * 4, XNCC_TILE_PITCH));
    fit->tile_rows = fit->tile_height + p->templ_height - 1;
    fit->shared_bytes = fit->tile_pitch * fit->tile_rows;
}

/* Chooses the tile of conv-tiled, unrolled if possible. */
static xncc_status fit_conv_tile(const xncc_problem *p, const xncc_machine *m, xncc_decision *fit,
                                 xncc_error *error)
{
    const int64_t limit = xncc_machine_shared_limit(m);
    size_conv_tile(p, xncc_conv_is_unrolled(p), fit);
    if (fit->shared_bytes > limit)
        size_conv_tile(p, 0, fit);
    if (fit->shared_bytes > limit)
        return xncc_fail(error, XNCC_ERROR_UNSUPPORTED,
                         "conv-tiled needs a tile of %d bytes, and a thread block has %lld",
                         fit->shared_bytes, (long long)limit);
    return XNCC_OK;
}

/* Multiply-adds per millisecond and multiprocessor of a convolution kernel. */
static double conv_rate(xncc_kernel kernel, const xncc_decision *fit)
{
    switch (kernel) {
    case XNCC_KERNEL_CONV_TILED:
        return fit->tile_height == XNCC_CONV_UNROLLED_HEIGHT ? conv_unrolled_rate : conv_tiled_rate;
    case XNCC_KERNEL_CONV_REGISTERS: return conv_registers_rate;
    case XNCC_KERNEL_CONV_CONSTANT: return conv_constant_rate;
    case XNCC_KERNEL_CONV_CACHED_HALO: return conv_halo_rate;
    default: return conv_global_rate;
    }
}

xncc_status xncc_fit_convolve_cuda(const xncc_problem *p, const xncc_machine *m, xncc_decision *fit,
                                   xncc_error *error)
{
    const xncc_kernel kernel = fit->kernel;
    xncc_status status = kernel == XNCC_KERNEL_CONV_TILED ? fit_conv_tile(p, m, fit, error)
                                                          : XNCC_OK;
    if (status)
        return status;
    if (kernel == XNCC_KERNEL_CONV_REGISTERS &&
        (p->templ_width != p->templ_height || (p->templ_width != 3 && p->templ_width != 5)))
        return xncc_fail(
            error, XNCC_ERROR_UNSUPPORTED,
            "conv-registers serves filters of 3 x 3 and 5 x 5, and this one is %d x %d",
            p->templ_width, p->templ_height);
    if (kernel != XNCC_KERNEL_CONV_GLOBAL) {
        uint64_t bytes = xncc_round_up((uint64_t)p->templ_width, 4) * (uint64_t)p->templ_height * 4;
        if (bytes > (uint64_t)m->cuda.constant_bytes)
            return xncc_fail(
                error, XNCC_ERROR_UNSUPPORTED,
                "the filter needs %llu bytes of constant memory, and %lld are available",
                (unsigned long long)bytes, (long long)m->cuda.constant_bytes);
        fit->constant_rows = p->templ_height;
    }
    status = fit_bands(p, m, fit, error);
    double processors = xncc_machine_processors(m);
    double elements = (double)p->image_width * (double)p->image_height;
    fit->estimate_ms = XNCC_LAUNCH_MS +
                       elements * (double)p->templ_width * (double)p->templ_height /
                           (conv_rate(kernel, fit) * processors) +
                       elements / (conv_elements_per_ms * processors);
    return status;
}
