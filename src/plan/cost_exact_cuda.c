/* SPDX-License-Identifier: BSD-2-Clause */
/* The exact sums of all windows of a band on CUDA: blocks and memory. */
#include "plan/cost_exact_cuda.h"

#include "math/method.h"
#include "plan/cost_fft_cuda.h"
#include "plan/cost_split_cuda.h"
#include "plan/problem.h"

#include <math.h>

/* Primes of most samples with many windows in doubt, and of those of the widest range that may take
 * no longer than 20 times the usual time (f64 within 2^100). */
enum { usual_primes = 4, wide_primes = 13 };

/* Points of a batch of blocks, which keep a device busy. */
static const double batch_points = 4.0 * 1024 * 1024;

/* Bands whose windows take less than this many milliseconds one by one need no more. */
static const double least_ms = 1.0;

/* Nanoseconds per point of all windows together, of usual samples (exact_range.cuh, pays). */
static const double point_ns = 0.2;

/* Kernel float-primes: nanoseconds of a window, and of a point of all windows together by a prime;
 * in tiles, under small templates, of a window, of a window by a prime, and of a pixel of the
 * template by a prime. Fitted to pictures of f32 and f64 from n = 3 to 512, which take 4 and 6
 * primes; one H200, November 2026. */
static const double score_ns = 0.2, point_prime_ns = 0.052, tile_score_ns = 0.133,
                    tile_prime_ns = 0.028, tile_pixel_ns = 8.0e-5;
static const double launches_ms = 0.02; /* all of them */

/* Nanoseconds of a point of all windows together, of samples of the widest range; with levels
 * before, they may take this many times as long as a usual picture. */
static const double wide_point_ns = 0.5, most_times = 20.0;

/* The side that covers `map` elements with the fewest points, of at most `most`. Twice the side
 * takes twice the memory, and has to save a twentieth. */
static int32_t side_for(int32_t map, int32_t templ, int32_t most)
{
    int64_t best = INT64_MAX;
    int32_t side = 0;
    for (int32_t of = XNCC_EXACT_LEAST; of <= most; of *= 2) {
        const int64_t step = of - templ + 1,
                      points = step < 1 ? best : (map + step - 1) / step * of;
        if (side == 0 ? points < best : points <= best / 20 * 19) {
            best = points;
            side = of;
        }
    }
    return side;
}

/* Levels of products that may be made before the exact sums (cuda/products/split_levels.cu): each
 * takes about as long as a usual picture, and before them come other sums. Kernels without levels
 * have no estimate yet. */
static int32_t levels_before(const xncc_decision *decision, const xncc_exact_blocks *b,
                             const xncc_machine *machine)
{
    const double slower = XNCC_MEASURED_PROCESSORS / xncc_machine_processors(machine),
                 points = (double)b->width * b->height * (b->count + b->count % 2),
                 windows = (double)decision->band_width * decision->band_height,
                 ms = 1e-6 * slower * (wide_point_ns * points + score_ns * windows),
                 usual_ms = decision->estimate_ms,
                 levels = usual_ms > 0.0 ? most_times - 1.5 - ms / usual_ms : 0.0;
    return levels > 0.0 ? (int32_t)fmin(levels, XNCC_SPLIT_LEVELS) : 0;
}

xncc_exact_buffers xncc_exact_workspace(const xncc_exact_blocks *b)
{
    const uint64_t sides = (uint64_t)b->width + (uint64_t)b->height;
    xncc_exact_buffers w = { 0 };
    w.turns = XNCC_EXACT_STATE;
    w.powers = w.turns + XNCC_EXACT_PRIMES * (sides + sides / 16) * 8;
    w.of_block = w.powers + XNCC_EXACT_PRIMES * XNCC_EXACT_POWERS * 4;
    w.arena = (w.of_block + (uint64_t)b->count * XNCC_EXACT_BLOCK + 255) / 256 * 256;
    return w;
}

/* Bytes of a point: of the template and of a pair of blocks by each prime, and of the samples of
 * such a pair. */
typedef struct point_size {
    uint64_t templ, pair, samples;
} point_size;

static point_size size_of(const xncc_problem *p)
{
    const xncc_method method = p->rule.method;
    const xncc_exact_planes of = { .channels = p->channels,
                                   .centred = xncc_method_is_centred(method) != 0,
                                   .squares = xncc_method_has_squares(method) != 0,
                                   .varies = xncc_problem_image_varies(p) != 0,
                                   .masked = p->templ_masked != 0 };
    return (point_size){ 4 * (uint64_t)xncc_exact_templ_planes(&of),
                         8 * (uint64_t)(xncc_exact_spectra(&of) +
                                        xncc_exact_window_sums(&of, of.varies)),
                         16 * (uint64_t)of.channels };
}

/* Bytes of a batch of pairs of blocks, and of the template. */
static uint64_t bytes_of(const point_size *size, uint64_t points, uint64_t primes, uint64_t pairs)
{
    return points * (primes * size->templ + pairs * (primes * size->pair + size->samples));
}

void xncc_fit_exact(const xncc_problem *problem, const xncc_machine *machine, uint64_t budget,
                    uint64_t room, xncc_decision *decision)
{
    const int32_t columns = problem->templ_width, rows = problem->templ_height;
    const double windows = (double)decision->band_width * decision->band_height,
                 pixels = (double)columns * rows, alone_ns = xncc_exact_alone_ns(pixels);
    xncc_exact_blocks b = { 0 };
    decision->exact = b;
    const int all = xncc_decision_has(decision, XNCC_STEP_PRIME_SUMS);
    const int small = xncc_is_small_template(problem);
    if (all ? small : windows * (small ? alone_ns : xncc_exact_hard_ns(pixels)) < least_ms * 1e6)
        return;
    if (columns > XNCC_EXACT_TEMPLATE || rows > XNCC_EXACT_TEMPLATE || !xncc_exact_serves(machine))
        return;
    /* low blocks take half of the memory */
    const int32_t highest = rows <= XNCC_EXACT_LOWER ? XNCC_EXACT_MOST / 2 : XNCC_EXACT_MOST;
    b.width = side_for(decision->band_width, columns, XNCC_EXACT_MOST);
    b.height = side_for(decision->band_height, rows, highest);
    b.step_x = b.width - columns + 1;
    b.step_y = b.height - rows + 1;
    const xncc_fft_blocks cover = {
        .width = b.width, .height = b.height, .columns = columns, .rows = rows
    };
    const int64_t count = xncc_fft_count(&cover, decision->band_width, decision->band_height);
    if (count > INT32_MAX / 2)
        return;
    b.count = (int32_t)count;
    const uint64_t points = (uint64_t)b.width * (uint64_t)b.height;
    const double block_ns = point_ns * (double)points;
    b.most_alone = (uint32_t)fmin(block_ns * b.count / alone_ns, 0x1p31);
    b.most_long = (uint32_t)fmin(block_ns * 2.0 / xncc_exact_long_ns(pixels), 0x1p31);
    b.most_levels = levels_before(decision, &b, machine);
    const xncc_exact_buffers w = xncc_exact_workspace(&b);
    const point_size size = size_of(problem);
    const uint64_t pairs = ((uint64_t)count + 1) / 2,
                   busy = (uint64_t)(batch_points / (2.0 * (double)points)) + 1,
                   batch = busy < pairs ? busy : pairs,
                   least = w.arena + bytes_of(&size, points, usual_primes, 1),
                   wide = w.arena + bytes_of(&size, points, wide_primes, 1),
                   usual = w.arena + bytes_of(&size, points, usual_primes, batch),
                   wanted = usual > wide ? usual : wide;
    if (least > room)
        return;
    const uint64_t allowed = wide < room      ? (wide > budget ? wide : budget)
                             : least > budget ? least
                                              : budget;
    b.bytes = wanted < allowed ? wanted : allowed;
    decision->exact = b;
}

/* The time of the sums and scores of a band, for samples of usual ranges. */
static double primes_ms(const xncc_problem *problem, const xncc_machine *machine,
                        const xncc_decision *decision)
{
    const xncc_exact_blocks *b = &decision->exact;
    const double primes = problem->pixel == XNCC_F64 ? 6.0 : usual_primes,
                 slower = XNCC_MEASURED_PROCESSORS / xncc_machine_processors(machine),
                 windows = (double)decision->band_width * (double)decision->band_height,
                 pixels = (double)problem->templ_width * (double)problem->templ_height,
                 points = (double)b->width * (double)b->height * b->count;
    const double ns = b->width ? score_ns * windows + point_prime_ns * primes * points
                               : windows * (tile_score_ns +
                                            primes * (tile_prime_ns + tile_pixel_ns * pixels));
    return launches_ms + 1e-6 * slower * ns;
}

xncc_status xncc_fit_primes(const xncc_problem *problem, const xncc_machine *machine,
                            xncc_decision *fit, xncc_error *error)
{
    fit->estimate_ms = primes_ms(problem, machine, fit);
    if (fit->exact.width || xncc_is_small_template(problem))
        return XNCC_OK;
    if (!xncc_exact_serves(machine))
        return xncc_fail(error, XNCC_ERROR_UNSUPPORTED,
                         "kernel float-primes needs compute capability 7.5 for templates of more "
                         "than 16 x 16 pixels, and this device has %d.%d",
                         machine->cuda.major, machine->cuda.minor);
    if (problem->templ_width > XNCC_EXACT_TEMPLATE || problem->templ_height > XNCC_EXACT_TEMPLATE)
        return xncc_fail(error, XNCC_ERROR_UNSUPPORTED,
                         "kernel float-primes serves templates up to %d x %d pixels, and this one "
                         "has %d x %d",
                         (int)XNCC_EXACT_TEMPLATE, (int)XNCC_EXACT_TEMPLATE, problem->templ_width,
                         problem->templ_height);
    return xncc_fail(error, XNCC_ERROR_UNSUPPORTED,
                     "kernel float-primes finds no room for a pair of blocks in the device memory "
                     "that a plan may use, %lld bytes; raise device_memory of the context",
                     (long long)machine->cuda.workspace);
}
