/* SPDX-License-Identifier: BSD-2-Clause */
/* Kernel float-split on CUDA: its error bound, and the search for blocks. */
#include "plan/cost_split_cuda.h"

#include "plan/cost_fft_cuda.h"
#include "plan/float_sums.h"

#include <assert.h>
#include <math.h>

/* Measured on one H200, November 2026: nanoseconds of a multiprocessor per point of a block, for
 * all passes. Doubts are too few to count. */
static const double point_ns = 6.6;

/* What the transform of a line of 2^m points adds, in units of 2^-53: 1 for each doubling; 4.83 for
 * each of two levels of products with roots that sincospi makes; 2.95 for a level of products with
 * constants in each step of radix 16, and 2.62 for one in a step of radix 8. */
static double line_error(int32_t side)
{
    const double last = side == 4096 ? 2.95 : side == 2048 ? 2.62 : 0.0;
    return log2(side) + 2.0 * 4.83 + 2.0 * 2.95 + last;
}

/* docs/numerics.md has the derivation. */
xncc_split xncc_split_make(const xncc_fft_blocks *blocks)
{
    const double line = line_error(blocks->width) + line_error(blocks->height),
                 channels = blocks->channels > 1 ? blocks->channels : 1.0,
                 points = (double)blocks->width * blocks->height * channels,
                 pixels = (double)blocks->columns * blocks->rows * channels;
    xncc_split s;
    s.relative = 1.01 * 0x1p-53 * 1.62 * (2.0 * (line + 1.0) + line + 1.0 + 4.24 + channels - 1.0);
    s.unit = sqrt(s.relative / 0.45 * 1.6 * sqrt(points * pixels));
    s.bits = (int32_t)floor(0.14 - log2(s.unit));
    return s;
}

/* A transform of the image: the columns of half the spectrum, two complex numbers each. */
static uint64_t transform_bytes(int32_t width, int32_t height)
{
    const uint64_t columns = (uint64_t)width / 2 + XNCC_SPLIT_GROUP;
    return columns * (uint64_t)height * 4 * sizeof(double);
}

/* The same for the template: as many columns as whole thread blocks have. */
static uint64_t spectrum_bytes(int32_t width, int32_t height)
{
    const uint64_t lines = XNCC_SPLIT_POINTS / (uint64_t)height;
    return ((uint64_t)width / 2 + lines) * (uint64_t)height * 4 * sizeof(double);
}

/* The factors for lines of all sides. */
static uint64_t turns_bytes(void)
{
    uint64_t bytes = 0;
    for (uint64_t side = XNCC_SPLIT_LEAST; side <= XNCC_SPLIT_MOST; side *= 2)
        bytes += (side + side / 16) * 2 * sizeof(double);
    return bytes;
}

xncc_split_buffers xncc_split_workspace(const xncc_fft_blocks *b)
{
    xncc_split_buffers w = { 0 };
    w.data = transform_bytes(b->width, b->height) * (uint64_t)b->batch;
    w.spectrum = spectrum_bytes(b->width, b->height);
    w.turns = turns_bytes();
    const uint64_t together = (uint64_t)b->together;
    w.bounds = XNCC_FFT_CONSTANTS + XNCC_SPLIT_LEVELS_BYTES +
               sizeof(double) * (2 * together +
                                 (3 + 3 * together + 4 * XNCC_SPLIT_LEVELS + (uint64_t)b->sums) *
                                     (uint64_t)b->count +
                                 (uint64_t)b->columns * (uint64_t)b->rows);
    if (together > 1)
        w.other = w.spectrum * (uint64_t)b->batch > w.data ? w.spectrum * (uint64_t)b->batch
                                                           : w.data;
    w.total = w.data + w.other + together * w.spectrum + w.turns + w.bounds;
    return w;
}

/* Milliseconds of blocks with these sides for the decision's bands, of which it counts them and the
 * batch; below 0: they do not fit. */
static double time_of(const xncc_decision *of, xncc_fft_blocks *b, double per_point,
                      uint64_t budget)
{
    const double points = (double)b->width * b->height;
    const int64_t count = xncc_fft_count(b, of->band_width, of->band_height);
    const int64_t batch = (int64_t)XNCC_SPLIT_MOST * XNCC_SPLIT_MOST /
                          ((int64_t)b->width * b->height);
    if (count > INT32_MAX / 2)
        return -1.0;
    b->count = (int32_t)count;
    b->batch = (int32_t)(batch < count ? batch : count);
    const int64_t runs = (count + b->batch - 1) / b->batch;
    return xncc_split_workspace(b).total <= budget
               ? (double)count * points * per_point + XNCC_LAUNCH_MS * 3.0 * (double)runs
               : -1.0;
}

/* The blocks with sides of at most `most` that take the least time, which goes into *ms; below 0:
 * none fit. */
static xncc_fft_blocks find_blocks(const xncc_problem *problem, const xncc_machine *machine,
                                   int32_t most, uint64_t budget, const xncc_decision *of,
                                   double *ms)
{
    const int32_t columns = problem->templ_width, rows = problem->templ_height;
    const double per_point = point_ns * 1e-6 * xncc_machine_slowness(machine) /
                             xncc_machine_processors(machine);
    const int several = xncc_decision_has(of, XNCC_STEP_FLOAT_SUMS);
    const xncc_float_sums sums = xncc_float_sums_of(problem);
    xncc_fft_blocks best = { 0 };
    *ms = -1.0;
    for (int32_t width = XNCC_SPLIT_LEAST; width <= most; width *= 2)
        for (int32_t height = XNCC_SPLIT_LEAST; height <= most; height *= 2) {
            xncc_fft_blocks b = { .width = width,
                                  .height = height,
                                  .columns = columns,
                                  .rows = rows,
                                  .sums = several ? sums.count : 0,
                                  .together = several ? sums.together : 1,
                                  .channels = several && sums.windows ? sums.channels : 1 };
            if (width < columns || height < rows)
                continue;
            const double time = time_of(of, &b, per_point, budget);
            if (time >= 0.0 && (*ms < 0.0 || time < *ms)) {
                *ms = time;
                best = b;
            }
        }
    return best;
}

/* How many products as long as one by itself all of them take: each plane is transformed along the
 * rows once, which is a third, and those of channels that are added up are transformed back once.
 */
static double products_of(const xncc_float_sums *s)
{
    const double back = s->windows ? s->products - s->channels + 1.0 : s->products;
    return (s->passes + s->products + back) / 3.0;
}

xncc_status xncc_fit_float_split(const xncc_problem *problem, const xncc_machine *machine,
                                 uint64_t budget, xncc_decision *fit, xncc_error *error)
{
    xncc_status status = xncc_fits_limits(XNCC_KERNEL_FLOAT_SPLIT, problem, XNCC_SPLIT_TEMPLATE,
                                          machine, XNCC_SPLIT_SHARED, error);
    if (status)
        return status;
    const int several = xncc_decision_has(fit, XNCC_STEP_FLOAT_SUMS);
    const xncc_float_sums sums = xncc_float_sums_of(problem);
    double ms = -1.0;
    fit->fft = find_blocks(problem, machine, XNCC_SPLIT_MOST, budget, fit, &ms);
    if (ms < 0.0)
        return xncc_fail(error, XNCC_ERROR_UNSUPPORTED,
                         "kernel float-split finds no blocks in %llu bytes of device memory; raise "
                         "device_memory of the context",
                         (unsigned long long)budget);
    fit->estimate_ms = several ? ms * products_of(&sums) : ms;
    return XNCC_OK;
}

void xncc_fit_levels(const xncc_problem *problem, const xncc_machine *machine, uint64_t budget,
                     xncc_decision *fit)
{
    const int32_t larger = problem->templ_width > problem->templ_height ? problem->templ_width
                                                                        : problem->templ_height;
    double ms = -1.0;
    fit->levels = (xncc_fft_blocks){ 0 };
    if ((fit->kernel != XNCC_KERNEL_FLOAT_FFT && fit->kernel != XNCC_KERNEL_FLOAT_TILES) ||
        !fit->exact.width || larger > XNCC_SPLIT_TEMPLATE ||
        machine->cuda.shared_optin < XNCC_SPLIT_SHARED)
        return;
    /* A block has only the levels of its own windows: so small blocks have few. */
    int32_t most = XNCC_SPLIT_LEAST;
    while (most < XNCC_SPLIT_MOST && most < 8 * larger)
        most *= 2;
    fit->levels = find_blocks(problem, machine, most, budget, fit, &ms);
}
