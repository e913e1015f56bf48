/* SPDX-License-Identifier: BSD-2-Clause */
/* The exact sums of all windows of a band on CUDA: blocks, widths of slices and memory. */
#include "plan/cost_exact_cuda.h"

#include "plan/cost_split_cuda.h"
#include "plan/float_sums.h"

#include <math.h>

/* Points of a batch of blocks, which keep a device busy; with channels or masks, whose windows have
 * many sums, fewer. */
static const double batch_points = 4.5 * 1024 * 1024, batch_points_of_sums = 4.0 * 1024 * 1024;

/* Bands whose windows take less than this many milliseconds one by one need no more. */
static const double least_ms = 1.0;

/* Nanoseconds per point of all windows together, if samples of image and template have two slices
 * (exact_range.cuh, pays). */
static const double point_ns = 0.33;

/* The side that covers `map` elements with the fewest points, of at most `most`. */
static int32_t side_for(int32_t map, int32_t templ, int32_t most)
{
    int64_t best = INT64_MAX;
    int32_t side = 0;
    for (int32_t of = XNCC_EXACT_LEAST; of <= most; of *= 2) {
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
    w.steps = w.turns + xncc_split_turns_bytes();
    w.of_block = w.steps + XNCC_EXACT_STEPS * XNCC_EXACT_STEP;
    w.arena = (w.of_block + (uint64_t)b->count * XNCC_EXACT_FLAGS + 255) / 256 * 256;
    w.transform = xncc_split_transform_bytes(b->width, b->height);
    w.spectrum = xncc_split_spectrum_bytes(b->width, b->height);
    return w;
}

/* What samples of most images take: words of a window's sums, and spectra of the template. */
typedef struct usual_size {
    uint64_t words, spectra;
} usual_size;

/* One channel, all pixels count: X has 6 words at most, and the template 3 pairs of slices. Else
 * samples have 53 bits, whose squares have 106. */
static usual_size usual_of(const xncc_problem *p, int32_t bits)
{
    const uint64_t C = (uint64_t)p->channels, values = (53 / (uint64_t)bits + 2) / 2,
                   squares = (106 / (uint64_t)bits + 2) / 2;
    const xncc_float_sums sums = xncc_float_sums_of(p);
    const int varies = sums.varies || sums.clips;
    if (C == 1 && !varies && !p->templ_masked)
        return (usual_size){ 6, 3 };
    const uint64_t slide = C > 1 ? 18 : 6;
    return (usual_size){ (p->templ_masked ? 10 + 3 * C : slide) + (varies ? 6 + 3 * C : 0),
                         C * values + 1 + (varies ? C * squares : 0) };
}

void xncc_fit_exact(const xncc_problem *problem, const xncc_machine *machine, uint64_t budget,
                    uint64_t room, xncc_decision *decision)
{
    const int32_t columns = problem->templ_width, rows = problem->templ_height;
    const double windows = (double)decision->band_width * decision->band_height,
                 pixels = (double)columns * rows, alone_ns = xncc_exact_alone_ns(pixels);
    const int several = !xncc_problem_is_single(problem);
    xncc_exact_blocks b = { 0 };
    decision->exact = b;
    if (windows * alone_ns < least_ms * 1e6 || columns > XNCC_EXACT_TEMPLATE ||
        rows > XNCC_EXACT_TEMPLATE || machine->cuda.shared_optin < XNCC_SPLIT_SHARED)
        return;
    /* the spectra of many slices take less memory */
    const int32_t most = several && columns <= XNCC_EXACT_SMALLER && rows <= XNCC_EXACT_SMALLER
                             ? XNCC_EXACT_MOST / 2
                             : XNCC_EXACT_MOST;
    b.kept = several ? XNCC_EXACT_KEPT_OF_SUMS : XNCC_EXACT_KEPT;
    b.width = side_for(decision->band_width, columns, most);
    b.height = side_for(decision->band_height, rows, most);
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
                 points = (double)b.width * b.height, kept = b.kept,
                 of_spectra = several ? 6.71 * kept : 12.4, of_sums = several ? 2.0 * kept : 4.0,
                 roundings = 5.3 + 2.0 * kept,
                 relative = 1.01 * 0x1p-53 *
                            (of_spectra * (line + 1.0) + of_sums * roundings +
                             of_sums * (line + 1.0));
    b.bits = (int32_t)floor(0.5 * log2(0.45 / (relative * sqrt(points * pixels))));
    b.most_alone = (uint32_t)fmin(point_ns * points * b.count / alone_ns, 0x1p31);
    const xncc_exact_buffers w = xncc_exact_workspace(&b);
    const int64_t busy = several ? (int64_t)(batch_points_of_sums / points)
                                 : (int64_t)(batch_points / points) + 1,
                  batch = busy < 1       ? 1
                          : busy < count ? busy
                                         : count;
    /* With the least memory there is room for one block of usual samples, and of other sizes where
     * all pixels of one channel count: with more, for more blocks at a time. */
    const usual_size of = usual_of(problem, b.bits > 0 ? b.bits : 1);
    const uint64_t words = (uint64_t)b.step_x * (uint64_t)b.step_y * 4,
                   each = w.transform + w.spectrum,
                   least = w.arena + each + (several ? of.spectra : 1) * w.spectrum +
                           (several ? of.words : 4) * words,
                   usual = w.arena +
                           (uint64_t)batch *
                               (each + (several ? 3 : 1) * w.spectrum + of.words * words) +
                           of.spectra * w.spectrum,
                   widest = w.arena + each + 16 * words + 10 * w.spectrum,
                   wanted = usual > widest ? usual : widest;
    if (least > room || b.bits < 4)
        return;
    const uint64_t allowed = least > budget ? least : budget;
    b.bytes = wanted < allowed ? wanted : allowed;
    decision->exact = b;
}
