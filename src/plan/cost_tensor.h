/* SPDX-License-Identifier: BSD-2-Clause */
/* The tensor kernels as the decision sees them: blocks of the template, shared memory, workspace
 * and cost. The kernels in cuda/ use the same numbers. Pure functions of plain data. */
#ifndef XNCC_PLAN_COST_TENSOR_H
#define XNCC_PLAN_COST_TENSOR_H

#include "base/error.h"
#include "base/host_device.h"
#include "plan/decision.h"
#include "plan/machine.h"

enum {
    /* All tensor kernels. */
    XNCC_TENSOR_COLUMNS = 512, /* map elements per row of a tile: 8 per row of an m64 product */
    XNCC_TENSOR_ROWS = 16,     /* map rows of a tile */
    XNCC_TENSOR_PERIOD = 8,    /* image rows that a tile reads at a time */
    XNCC_TENSOR_WIDTH = 128,   /* the widest block of a template in pixels, and the widest window of
                                  the score pass for 16 bits */
    XNCC_TENSOR_SCORE_WIDTH = 384, /* the widest window of the score pass for 8 bits, in pixels */
    XNCC_TENSOR_CORE = 128,        /* bytes of 8 x 16 template pixels as the products read them */
    XNCC_TENSOR_SPARE_ROWS = 24,   /* rows of X below a band that are accessed but meaningless */
    XNCC_TENSOR_SLOTS = 3, /* the most templates, or planes of one, whose products a launch makes:
                              3 of them divide the 132 multiprocessors of an H200 evenly */
    /* The score pass for several channels (cuda/score/channel_score.h). */
    XNCC_CHANNEL_SCORE_CHANNELS = 4,
    XNCC_CHANNEL_SCORE_TERMS = 16,    /* planes of which X is the sum: 4 per two-byte channel */
    XNCC_CHANNEL_SCORE_ARRAY = 10304, /* bytes of shared memory per array of prefix sums */
    XNCC_CHANNEL_SCORE_PIXELS = 5120, /* the same per image plane */
    /* tensor-wgmma. */
    XNCC_TENSOR_WARPGROUPS = 3,   /* tiles of a thread block at a time */
    XNCC_TENSOR_ADDED_ARRAYS = 5, /* chunks of a template row, half ones included, up to which
                                     products of several planes are added in registers */
    /* tensor-mma. */
    XNCC_TENSOR_MMA_DOWN = 2, /* tiles of a thread block, one above the other */
    /* tensor-fused. */
    XNCC_TENSOR_FUSED_PITCH = 592,        /* bytes per image row in shared memory */
    XNCC_TENSOR_FUSED_NARROW_PITCH = 560, /* the same if a template row has less than 2 chunks */
    XNCC_TENSOR_FUSED_BATCH = 8,          /* map rows at a time; template rows are padded to it */
    XNCC_TENSOR_FUSED_SPARE = 8, /* image rows in shared memory besides those of the template */
    XNCC_TENSOR_FUSED_WINDOWS = 20608,    /* bytes of window sums at the start of shared memory */
    XNCC_TENSOR_FUSED_BLOCKS = 4,         /* the most thread blocks per multiprocessor */
    XNCC_TENSOR_FUSED_CHANNEL_BLOCKS = 3, /* the same for several channels */
    XNCC_TENSOR_FUSED_ARRAY = 9280, /* bytes per array of prefix sums, all methods and channels */
    XNCC_TENSOR_FUSED_CHANNELS_WIDTH = 41, /* the widest template of all methods and channels */
    XNCC_TENSOR_PLANES_BLOCKS = 3          /* the most blocks where not all pixels count */
};

/* tensor-fused: the rows of a template, padded with zeros to a multiple of a batch. */
static XNCC_HD int32_t xncc_tensor_fused_rows(int32_t height)
{
    return (height + XNCC_TENSOR_FUSED_BATCH - 1) / XNCC_TENSOR_FUSED_BATCH *
           XNCC_TENSOR_FUSED_BATCH;
}

/* Shared memory of the score pass for several channels, in bytes. read: channels that are read;
 * summed: those whose sums are needed; digits: bytes per sample. */
static XNCC_HD int32_t xncc_channel_score_bytes(int32_t read, int32_t summed, int32_t digits)
{
    return (digits + summed) * XNCC_CHANNEL_SCORE_ARRAY + read * digits * XNCC_CHANNEL_SCORE_PIXELS;
}

/* tensor-fused, all methods and channels: bytes of shared memory of the window sums, in an array
 * for Q and one per pair of channels (cuda/fused/fused_channels.cu). */
static XNCC_HD int32_t xncc_fused_channels_windows(int32_t channels)
{
    return (1 + (channels + 1) / 2) * XNCC_TENSOR_FUSED_ARRAY;
}

/* Returns 1 for the tensor kernels. In general problems they can add a product to a term. */
int xncc_kernel_is_tensor(xncc_kernel kernel);

/* Bytes from one image row of a period to the next in shared memory, for a template of `arrays`
 * chunks of 16 pixels. */
int32_t xncc_tensor_row_bytes(int32_t arrays);

/* Chooses the blocks of tensor-wgmma or tensor-mma for a plain problem: fills fit->tensor. Returns
 * XNCC_OK, or XNCC_ERROR_UNSUPPORTED with a text that names the limit. */
xncc_status xncc_fit_tensor(const xncc_problem *problem, const xncc_machine *machine,
                            xncc_decision *fit, xncc_error *error);

/* The same for tensor-fused. fit has the step, one of the three fused ones, and the recipe. */
xncc_status xncc_fit_fused(const xncc_problem *problem, const xncc_machine *machine,
                           xncc_decision *fit, xncc_error *error);

/* The time of a plain problem that the strip score serves, in milliseconds, and that of
 * tensor-fused by any of its steps; both without laying out the planes. */
double xncc_tensor_ms(const xncc_problem *problem, const xncc_machine *machine,
                      const xncc_decision *fit);
double xncc_fused_ms(const xncc_problem *problem, const xncc_machine *machine,
                     const xncc_decision *fit);

/* The time of the products of a fitted problem, in milliseconds, without window sums and scores. */
double xncc_tensor_products_ms(const xncc_problem *problem, const xncc_machine *machine,
                               const xncc_decision *fit);

/* Returns 1 if the tensor kernels have a score pass of their own, window sums included, for a
 * problem: one channel of which all pixels count; one-byte integers by every method but coverage,
 * two-byte integers by ccoeff_normed; windows and sums in its range. */
int xncc_tensor_scores(const xncc_problem *problem);

/* Returns 1 if the score pass for several channels serves a problem, window sums included: all
 * pixels count, one to four channels of one-byte or two-byte integers, windows up to
 * XNCC_TENSOR_WIDTH wide, every method but coverage, and sums in its range. */
int xncc_channel_scores(const xncc_problem *problem, const xncc_machine *machine);

/* Returns 1 if tensor-fused serves a problem by all methods and channels, if the template is narrow
 * and fits its shared memory: all pixels count, one to four channels of one-byte integers, every
 * method but coverage, and sums over all channels that fit 32 bits. */
int xncc_fused_serves_channels(const xncc_problem *problem);

#endif
