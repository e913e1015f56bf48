/* SPDX-License-Identifier: BSD-2-Clause */
/* The CUDA kernels that read whole pixels, as the decision sees them: block shapes, limits and time
 * of plain problems. The kernels in cuda/ use the same numbers. Pure functions of plain data,
 * without a CUDA header. */
#ifndef XNCC_PLAN_COST_CUDA_H
#define XNCC_PLAN_COST_CUDA_H

#include "base/error.h"
#include "plan/decision.h"
#include "plan/machine.h"

/* What a thread block and a thread compute, in map elements unless stated otherwise. */
enum {
    XNCC_TILE_WIDTH = 128,           /* columns of a thread block of the tiled kernels */
    XNCC_THREAD_COLUMNS = 4,         /* adjacent columns per thread; rows of an integer template are
                                        padded to groups of this many pixels */
    XNCC_TILE_WARPS = 8,             /* warps of a thread block of `shared`, one above the other */
    XNCC_THREAD_ROWS_U8 = 8,         /* rows per thread of `shared` */
    XNCC_THREAD_ROWS_U16 = 4,        /* the same for u16 */
    XNCC_THREAD_ROWS_F32 = 2,        /* the same for f32 */
    XNCC_CONV_TILE_HEIGHT = 32,      /* rows per block of conv-tiled: 256 threads, 8 x 2 each */
    XNCC_CONV_UNROLLED_HEIGHT = 64,  /* the same, unrolled: 256 threads, 32 x 1 each */
    XNCC_CONV_CHUNK = 8,             /* taps of a filter row that are processed at a time */
    XNCC_CONV_PARAMETER_BYTES = 3584 /* the largest size of taps passed as a kernel parameter, with
                                        rows padded to 16 bytes */
};

/* The columns of an unrolled tile to the left of its first window. With the anchor in the middle
 * the tile then begins at a whole vector of 4 pixels. */
#define XNCC_CONV_SHIFT(width) ((4 - (width) / 2 % 4) % 4)

/* Rows of a shared-memory tile begin at multiples of this many bytes. */
enum { XNCC_TILE_PITCH = 64 };

/* Staged image rows begin at multiples of this many bytes. The texture pitch alignment of every
 * device divides it. */
enum { XNCC_STAGE_PITCH = 512 };

/* The widest template. Sums over a row of 65536 pixels of 8 bits, and over their squares, fit 32
 * bits (65536 * 255^2 < 2^32). */
enum { XNCC_CUDA_TEMPLATE_SIDE = 65536 };

/* Returns 1 if X, S and Q of every window fit 32 bits: 8-bit pixels and n * 255^2 < 2^32. */
int xncc_cuda_sums_fit_u32(const xncc_problem *problem);

/* The widest template of the pass that computes window sums and score together. */
enum { XNCC_WINDOW_WIDTH = 128 };

/* Returns 1 if window sums and score are one pass, which reads the image itself. */
int xncc_cuda_is_one_pass(const xncc_problem *problem);

/* Returns 1 if conv-tiled has unrolled code for a convolution: f32 images, filters 9, 17 or 27
 * columns wide (Gaussians of sigma 1, 2 and 3.2), and taps that fit the parameters of a kernel. */
int xncc_conv_is_unrolled(const xncc_problem *problem);

/* Checks that the device memory that something needs fits what a plan may use. Returns XNCC_OK, or
 * XNCC_ERROR_UNSUPPORTED with a text that names both numbers. */
xncc_status xncc_fits_memory(const char *what, uint64_t needed, uint64_t limit, xncc_error *error);

/* Choose the tile of kernel shared, and the template rows that constant memory holds at a time for
 * shared and tex-constant. problem: plain. Return XNCC_OK, or XNCC_ERROR_UNSUPPORTED with a text
 * that names the limit. */
xncc_status xncc_fit_shared(const xncc_problem *problem, const xncc_machine *machine,
                            xncc_decision *fit, xncc_error *error);
xncc_status xncc_fit_constant(const xncc_problem *problem, const xncc_machine *machine,
                              xncc_decision *fit, xncc_error *error);

/* The time of a plain problem, in milliseconds: of shared, tex-constant and tex-tex, and of fft,
 * for which fit->estimate_ms holds the time of one band. xncc_fft_bands_ms: of the transforms of
 * all bands. */
double xncc_pixels_ms(const xncc_problem *problem, const xncc_machine *machine,
                      const xncc_decision *fit);
double xncc_fft_bands_ms(const xncc_problem *problem, const xncc_decision *fit);
double xncc_fft_ms(const xncc_problem *problem, const xncc_machine *machine,
                   const xncc_decision *fit);

/* Fits a kernel to a legal convolution, as xncc_fit_cuda (fit_cuda.h) does for matches. */
xncc_status xncc_fit_convolve_cuda(const xncc_problem *problem, const xncc_machine *machine,
                                   xncc_decision *fit, xncc_error *error);

#endif
