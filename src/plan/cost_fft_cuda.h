/* SPDX-License-Identifier: BSD-2-Clause */
/* Kernel fft on CUDA as the decision sees it: blocks, memory, error bound and cost.
 * cuda/products/correlate_fft.cu uses the same numbers. Pure functions of plain data. */
#ifndef XNCC_PLAN_COST_FFT_CUDA_H
#define XNCC_PLAN_COST_FFT_CUDA_H

#include "base/error.h"
#include "plan/decision.h"
#include "plan/machine.h"

/* Blocks of the image per transform: two real u8 blocks share one. The two bytes of 16-bit pixels
 * are the real and the imaginary part of one block. */
static inline int32_t xncc_fft_blocks_per_transform(xncc_pixel pixel)
{
    return pixel == XNCC_U8 ? 2 : 1;
}

/* Transforms of the template: one per byte of a pixel. */
static inline int32_t xncc_fft_planes(xncc_pixel pixel)
{
    return pixel == XNCC_U8 ? 1 : 2;
}

/* A bound on the difference between an element of an inverse transform and the exact integer X, for
 * a transform of `points` points and a piece of the template of `pixels` pixels. Rounding gives the
 * exact integer if it is below 1/2; plans keep it below 1/4. */
double xncc_fft_error_bound(double points, double pixels);

/* The kernel's buffers, in bytes. */
typedef struct xncc_fft_buffers {
    uint64_t data;     /* a batch of transforms */
    uint64_t product;  /* 16-bit pixels: as large as data; u8: 0 */
    uint64_t spectrum; /* the transforms of a piece of the template, all planes */
    uint64_t area;     /* the work area of cuFFT */
    uint64_t total;    /* the sum */
} xncc_fft_buffers;
xncc_fft_buffers xncc_fft_workspace(const xncc_problem *problem, const xncc_fft_blocks *blocks);

/* Chooses the blocks for bands of fit->band_width x fit->band_height. Fills fit->fft and
 * fit->estimate_ms, which is for one band. budget: the bytes of device memory for the buffers
 * above. Returns XNCC_OK, or XNCC_ERROR_UNSUPPORTED with a text that names the limit. */
xncc_status xncc_fit_fft_cuda(const xncc_problem *problem, const xncc_machine *machine,
                              uint64_t budget, xncc_decision *fit, xncc_error *error);

#endif
