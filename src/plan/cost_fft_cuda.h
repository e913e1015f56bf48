/* Kernel fft on CUDA as the decision sees it: blocks, memory, error bound and cost. Pure C;
 * cuda/products/correlate_fft.cu is built on the same numbers. */
#ifndef XNCC_PLAN_COST_FFT_CUDA_H
#define XNCC_PLAN_COST_FFT_CUDA_H

#include "plan/decide.h"

/* Blocks of the image that one transform carries, and transforms of the template: the bytes of
 * 16-bit pixels are worked on apart. */
static inline int32_t xncc_fft_blocks_per_transform(xncc_pixel pixel)
{
    return pixel == XNCC_U8 ? 2 : 1;
}
static inline int32_t xncc_fft_planes(xncc_pixel pixel)
{
    return pixel == XNCC_U8 ? 1 : 2;
}

/* How far from the exact integer X an element of an inverse transform may lie, at worst, when a
 * transform has `points` points and a piece of the template `pixels` pixels. Rounding gives the
 * exact integer while this is below 1/2; plans keep it below 1/4. */
double xncc_fft_error_bound(double points, double pixels);

/* The parts of the kernel's memory, in bytes. */
typedef struct xncc_fft_buffers {
    uint64_t data;     /* a batch of transforms */
    uint64_t product;  /* 16-bit pixels: the same once more */
    uint64_t spectrum; /* of the template, all planes */
    uint64_t area;     /* what cuFFT may use while it works */
    uint64_t total;
} xncc_fft_buffers;
xncc_fft_buffers xncc_fft_workspace(const xncc_problem *problem, const xncc_fft_blocks *blocks);

/* Chooses the blocks for a band of the decision's extents: fills fit->fft and fit->estimate_ms.
 * budget: bytes of device memory that the blocks may take. XNCC_ERROR_UNSUPPORTED with a text that
 * names the limit. */
xncc_status xncc_fit_fft_cuda(const xncc_problem *problem, const xncc_machine *machine,
                              uint64_t budget, xncc_decision *fit, xncc_error *error);

#endif
