/* SPDX-License-Identifier: BSD-2-Clause */
/* The exact sums of all windows of a band on CUDA: blocks, widths of slices and memory. */
#include "plan/cost_exact_cuda.h"

#include "plan/cost_split_cuda.h"

#include <math.h>

/* Points of a batch of blocks, which keep a device busy. */
static const double batch_points = 4.5 * 1024 * 1024;

/* Bands whose windows take less than this many milliseconds one by one need no more. */
static const double least_ms = 1.0;

/* Nanoseconds per point of all windows together, if samples of image and template have two slices
 * (exact_range.cuh, pays). */
static const double point_ns = 0.33;

/* The side that covers `map` elements with the fewest points. */
static int32_t side_for(int32_t map, int32_t templ)
{
    int64_t best = INT64_MAX;
    int32_t side = 0;
    for (int32_t of = XNCC_EXACT_LEAST; of <= XNCC_EXACT_MOST; of *= 2) {
        const int64_t step = of - templ + 1,
                      points = step < 1 ? best : (map + step - 1) / step * of;
        if (points < best) {
            best = points;
            side = of;
        }
    }
    return side;
}

xncc_exact_buffers xncc_exact_workspace(const xncc_exact_blocks *b)
{
    xncc_exact_buffers w = { 0 };
    w.turns = XNCC_EXACT_STATE;
    w.of_block = w.turns + xncc_split_turns_bytes();
    w.arena = (w.of_block + (uint64_t)b->count * 4 + 255) / 256 * 256;
    w.transform = xncc_split_transform_bytes(b->width, b->height);
    w.spectrum = xncc_split_spectrum_bytes(b->width, b->height);
    return w;
}

void xncc_fit_exact(const xncc_problem *problem, const xncc_machine *machine, uint64_t budget,
                    xncc_decision *decision)
{
    const int32_t columns = problem->templ_width, rows = problem->templ_height;
    const double windows = (double)decision->band_width * decision->band_height,
                 pixels = (double)columns * rows,
                 alone_ns = XNCC_EXACT_WINDOW_NS + XNCC_EXACT_SAMPLE_NS * pixels;
    xncc_exact_blocks b = { 0 };
    decision->exact = b;
    if (windows * alone_ns < least_ms * 1e6 || columns > XNCC_EXACT_TEMPLATE ||
        rows > XNCC_EXACT_TEMPLATE || machine->cuda.shared_optin < XNCC_SPLIT_SHARED)
        return;
    b.width = side_for(decision->band_width, columns);
    b.height = side_for(decision->band_height, rows);
    b.step_x = b.width - columns + 1;
    b.step_y = b.height - rows + 1;
    const xncc_fft_blocks cover = {
        .width = b.width, .height = b.height, .columns = columns, .rows = rows
    };
    const int64_t count = xncc_split_count(&cover, decision->band_width, decision->band_height);
    if (count > INT32_MAX / 2)
        return;
    b.count = (int32_t)count;
    const double line = xncc_split_line_error(b.width) + xncc_split_line_error(b.height),
                 points = (double)b.width * b.height,
                 relative = 1.01 * 0x1p-53 *
                            (12.4 * (line + 1.0) + 4.0 * 11.3 + 4.0 * (line + 1.0));
    b.bits = (int32_t)floor(0.5 * log2(0.45 / (relative * sqrt(points * pixels))));
    b.most_alone = (uint32_t)fmin(point_ns * points * b.count / alone_ns, 0x1p31);
    const xncc_exact_buffers w = xncc_exact_workspace(&b);
    const int64_t busy = (int64_t)(batch_points / points) + 1, batch = busy < count ? busy : count;
    /* Usually X has 6 words at most, the image 2 pairs of slices, and the template 3. With these at
     * least for a block there is room for samples of all sizes, at the expense of the number of
     * blocks. */
    const uint64_t words = (uint64_t)b.step_x * (uint64_t)b.step_y * 4,
                   each = w.transform + w.spectrum, least = w.arena + each + w.spectrum + 4 * words,
                   usual = w.arena + (uint64_t)batch * (each + w.spectrum + 6 * words) +
                           3 * w.spectrum,
                   widest = w.arena + each + 16 * words + 10 * w.spectrum,
                   wanted = usual > widest ? usual : widest;
    if (least > budget || b.bits < 4)
        return;
    b.bytes = wanted < budget ? wanted : budget;
    decision->exact = b;
}
