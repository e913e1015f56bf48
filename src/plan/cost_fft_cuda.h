/* SPDX-License-Identifier: BSD-2-Clause */
/* Kernel fft on CUDA as the decision sees it: blocks, memory, error bound and cost.
 * cuda/products/correlate_fft.cu uses the same numbers. Pure functions of plain data. */
#ifndef XNCC_PLAN_COST_FFT_CUDA_H
#define XNCC_PLAN_COST_FFT_CUDA_H

#include "base/error.h"
#include "image/samples.h"
#include "plan/decision.h"
#include "plan/machine.h"

/* Blocks of the image per transform: two real blocks share one. The two bytes of 16-bit pixels are
 * the real and the imaginary part of one block. */
static inline int32_t xncc_fft_blocks_per_transform(xncc_pixel pixel)
{
    return pixel == XNCC_U16 ? 1 : 2;
}

/* Transforms of the template: one per byte of 8 or 16 bits, else one. */
static inline int32_t xncc_fft_planes(xncc_pixel pixel)
{
    return pixel == XNCC_U16 ? 2 : 1;
}

/* The error of an element of an inverse transform of doubles, relative to the root of the sum of
 * squares of the samples that are transformed together, times that of the template's. */
double xncc_fft_double_error(const xncc_fft_blocks *blocks);

/* The kernel's buffers, in bytes. */
typedef struct xncc_fft_buffers {
    uint64_t data;     /* a batch of transforms */
    uint64_t product;  /* 16-bit pixels: as large as data; u8: 0 */
    uint64_t spectrum; /* the transforms of a piece of the template, all planes */
    uint64_t area;     /* the work area of cuFFT */
    uint64_t bounds;   /* floats: constants of the template, two doubles per transform, and the
                          template in double */
    uint64_t total;    /* the sum */
} xncc_fft_buffers;
enum { XNCC_FFT_CONSTANTS = 1024 }; /* bytes of the template's constants there */
xncc_fft_buffers xncc_fft_workspace(const xncc_problem *problem, const xncc_fft_blocks *blocks);

/* How many blocks cover a band. */
int64_t xncc_fft_count(const xncc_fft_blocks *blocks, int32_t width, int32_t height);

/* Chooses the blocks for bands of fit->band_width x fit->band_height. Fills fit->fft and
 * fit->estimate_ms, which is for one band. budget: the bytes of device memory for the buffers
 * above. Returns XNCC_OK, or XNCC_ERROR_UNSUPPORTED with a text that names the limit. */
xncc_status xncc_fit_fft_cuda(const xncc_problem *problem, const xncc_machine *machine,
                              uint64_t budget, xncc_decision *fit, xncc_error *error);

/* Limits of kernels for floats: the largest side of a template, and the shared memory of a thread
 * block. Returns XNCC_OK, or XNCC_ERROR_UNSUPPORTED with a text that names the kernel and both
 * numbers. */
xncc_status xncc_fits_limits(xncc_kernel kernel, const xncc_problem *problem, int32_t most_side,
                             const xncc_machine *machine, int32_t shared, xncc_error *error);

/* Kernel float-fused, whose sums need no transform: the sides of a tile of the map, the rows of the
 * template that are multiplied at a time, the largest side of a template, and at least the static
 * shared memory of a thread block. */
enum {
    XNCC_FLOAT_FUSED_WIDTH = 32,
    XNCC_FLOAT_FUSED_HEIGHT = 64,
    XNCC_FLOAT_FUSED_ROWS = 8,
    XNCC_FLOAT_FUSED_TEMPLATE = 16,
    XNCC_FLOAT_FUSED_STATIC = 1024
};

/* Returns 1 for templates with at most XNCC_FLOAT_FUSED_TEMPLATE columns and rows. */
static inline int xncc_is_small_template(const xncc_problem *problem)
{
    return problem->templ_width <= XNCC_FLOAT_FUSED_TEMPLATE &&
           problem->templ_height <= XNCC_FLOAT_FUSED_TEMPLATE;
}

/* The dynamic shared memory of its thread blocks: the template, the samples under a tile, and their
 * sums along the rows. */
int32_t xncc_float_fused_shared(int32_t templ_width, int32_t templ_height);

/* The same if kernel `general` serves the problem by cuda/direct/small_floats.cu or, with the sums
 * of squares, the template's squares and what counts, by small_masked.cu; else 0. */
int32_t xncc_small_floats_shared(const xncc_problem *problem, const xncc_machine *machine);

/* As xncc_fit_fft_cuda, for kernel float-fused. The buffers hold the constants of the template. */
xncc_status xncc_fit_float_fused(const xncc_problem *problem, const xncc_machine *machine,
                                 uint64_t budget, xncc_decision *fit, xncc_error *error);

/* Kernel float-tiles: the points of a side of its transforms, the largest side of a template, and
 * the shared memory of a thread block. */
enum { XNCC_FLOAT_TILE = 64, XNCC_FLOAT_TILES_TEMPLATE = 48, XNCC_FLOAT_TILES_SHARED = 76 << 10 };

/* As xncc_fft_double_error, for its transforms. */
double xncc_float_tiles_error(void);

/* As xncc_fit_fft_cuda, for kernel float-tiles. */
xncc_status xncc_fit_float_tiles(const xncc_problem *problem, const xncc_machine *machine,
                                 uint64_t budget, xncc_decision *fit, xncc_error *error);

#endif
