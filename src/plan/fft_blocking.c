/* SPDX-License-Identifier: BSD-2-Clause */
/* Tries all sides of transforms and keeps the cheapest that are accurate enough. */
#include "plan/fft_blocking.h"

#include "image/samples.h"
#include "plan/problem.h"

#include <math.h>

static double points_of(const xncc_fft_blocking *blocking)
{
    return (double)blocking->nx * (double)blocking->ny;
}

/* The doublings of a transform. */
static double doublings_of(const xncc_fft_blocking *blocking)
{
    return log2(points_of(blocking) / xncc_fft_odd(blocking->nx) / xncc_fft_odd(blocking->ny));
}

/* What steps of radix 3 and 5 add to the bound below, in three transforms, in units of 2^-53. */
static double odd_steps(const xncc_fft_blocking *blocking)
{
    const int32_t sides[] = { blocking->nx, blocking->ny };
    double sum = 0.0;
    for (int i = 0; i < 2; i++) {
        const double r = xncc_fft_odd(sides[i]);
        sum += r > 1.0 ? 3.0 * ((r + 2.0) * sqrt(r) + 2.0 * sqrt(5.0)) : 0.0;
    }
    return sum;
}

/* The bound in fft_blocking.h, for a template of n pixels. */
static double integer_error(const xncc_fft_blocking *blocking, xncc_pixel pixel, double n)
{
    const double largest = pixel == XNCC_U8 ? 128.0 : 32768.0;
    return 0x1p-53 * (13.0 * (doublings_of(blocking) + 1.0) + 1.01 * odd_steps(blocking)) *
           sqrt(2.0 * points_of(blocking)) * largest * sqrt(n) * 128.0;
}

/* In units of 2^-53: the steps of radix 4 and 8 of n points, n a power of two and at least 4: a
 * level of additions for each doubling, and the multiplications between the steps. */
static double even_steps(int32_t n)
{
    int levels = 0;
    while (n >> levels > 1)
        levels++;
    const int multiplications = (levels - 2) / 2;
    return levels + XNCC_FFT_OF_ROOT * multiplications + (levels % 2 ? XNCC_FFT_OF_EIGHTH : 0.0);
}

/* The step of radix 3 or 5 of a side and its multiplications, in a transform forward or back. */
static double odd_step(int32_t side, int back)
{
    const int32_t r = xncc_fft_odd(side);
    const double step = r == 3 ? (back ? XNCC_FFT_OF_3_BACK : XNCC_FFT_OF_3_FORWARD)
                        : back ? XNCC_FFT_OF_5_BACK
                               : XNCC_FFT_OF_5_FORWARD;
    return r > 1 ? step + XNCC_FFT_OF_ROOT : 0.0;
}

/* The unit of the bounds, with what terms of higher order add. */
static const double unit = 1.01 * 0x1p-53;

/* A transform of rows, which are twisted. Rows in two lanes have the largest bound: half of their
 * points are transformed in vectors, multiplied, and then transformed across the lanes. */
static double row_error(const xncc_fft_blocking *c, int back)
{
    const int32_t even = c->nx / xncc_fft_odd(c->nx);
    return XNCC_FFT_OF_ROOT + even_steps(even / 2) + XNCC_FFT_OF_ROOT + 1.0 + odd_step(c->nx, back);
}

static double column_error(const xncc_fft_blocking *c, int back)
{
    return even_steps(c->ny / xncc_fft_odd(c->ny)) + odd_step(c->ny, back);
}

double xncc_fft_rows_error(const xncc_fft_blocking *blocking)
{
    return unit * (2.0 * row_error(blocking, 0) + row_error(blocking, 1));
}

double xncc_fft_real_error(const xncc_fft_blocking *blocking)
{
    return xncc_fft_rows_error(blocking) + unit * (2.0 * column_error(blocking, 0) +
                                                   column_error(blocking, 1) + XNCC_FFT_OF_SAMPLES);
}

const int32_t xncc_fft_sides[XNCC_FFT_SIDES] = { 64,  128, 192,  256,  320,  384, 512,
                                                 640, 768, 1024, 1280, 1536, 2048 };

/* The doublings that the step of radix 3 or 5 of a side takes as long as. */
static double odd_levels(int32_t side)
{
    const int32_t r = xncc_fft_odd(side);
    return r == 3 ? 3.2 : r == 5 ? 7.5 : 0.0;
}

/* The same for both sides. Columns are longer than rows, which are cut among the lanes. */
static double odd_levels_of(const xncc_fft_blocking *c)
{
    return odd_levels(c->nx) + odd_levels(c->ny) + (xncc_fft_odd(c->ny) > 1 ? 1.0 : 0.0);
}

/* What the caches add to the levels. Columns of more than 192 points and the template's exceed the
 * first-level cache, and transforms of more than 1 MB the second-level cache. Of floats, arrays of
 * more than 2 MB also come back from farther away for each row that is scored, and their windows
 * have larger bounds. Several channels have an array each, and rows of sums: beyond 2^17 numbers in
 * all, every doubling costs. */
static double cache_levels(const xncc_fft_blocking *c, const xncc_problem *problem)
{
    const double bytes = points_of(c) * 16.0;
    const int32_t channels = problem->channels;
    if (channels > 1)
        return fmax(10.0 * log2(points_of(c) * (channels + 1.0) * 0x1p-17), 0.0);
    return (c->ny > 192 ? 3.0 : 0.0) + (bytes > 1 << 20 ? 4.0 : 0.0) +
           (bytes > 2 << 20 && xncc_pixel_is_of_doubles(problem->pixel) ? 12.5 : 0.0);
}

/* A block that threads work on together: columns go through memory, and each step waits for the
 * slowest thread. Measured on 2 processors with maps of 100 to 1665 columns. */
#define OF_COMMON 1.05
#define OF_STEPS 5e5

/* The cost of a block, in complex points times levels. Reading pixels and writing scores count as 6
 * levels, and what is done once per row as 32 points. All is fitted to the measurements of
 * docs/notes/2026-11-folded-rows.md. */
static double block_cost(const xncc_fft_blocking *c, const xncc_problem *problem)
{
    return (c->nx + 32.0) * c->ny *
           (doublings_of(c) + odd_levels_of(c) + 6.0 + cache_levels(c, problem));
}

/* The cost of a blocking. */
static double blocking_cost(const xncc_fft_blocking *c, const xncc_problem *problem)
{
    const xncc_extent map = xncc_problem_extent(problem);
    double blocks = ceil((double)map.width / c->across) * ceil((double)map.height / c->down);
    if (c->common)
        return OF_COMMON * block_cost(c, problem) + OF_STEPS;
    if (blocks < 16.0)
        blocks = 2.0 * ceil(blocks / 2.0); /* an odd block at the end leaves a thread idle */
    return blocks * block_cost(c, problem);
}

/* A bound below blocking_cost: there are at least two blocks, and 6 levels per point. A small map
 * is served by the first transforms, so that the bound spares it the cost of all the others. */
static double least_cost(const xncc_fft_blocking *c)
{
    return 2.0 * points_of(c) * 6.0;
}

/* Returns 1 for transforms of more than 8 MB that are also more than five times larger than the
 * template needs. They gain little, and take memory from the rest of the system. For floats, whose
 * window sums begin anew in each block, they gain more: up to 16 MB are allowed. */
static int is_large(const xncc_fft_blocking *c, const xncc_problem *problem)
{
    int64_t least = 5, points = (int64_t)c->nx * c->ny;
    for (int32_t side = 1; side < problem->templ_width; side *= 2)
        least *= 2;
    for (int32_t side = 1; side < problem->templ_height; side *= 2)
        least *= 2;
    const int64_t small = xncc_pixel_is_of_doubles(problem->pixel) ? 1 << 20 : 1 << 19;
    return points > small && points > least;
}

/* The largest number of rows of a band of blocks. A search keeps a band of whole map rows: at most
 * 16 MB of them, but at least 64 rows. */
static double max_rows(int32_t map_width)
{
    return fmax(64.0, floor((double)(16 << 20) / (4.0 * map_width)));
}

/* Whether transforms of nx x ny points can serve a problem. */
static int can_serve(const xncc_problem *problem, const xncc_fft_blocking *c)
{
    const double n = (double)problem->templ_width * (double)problem->templ_height;
    return 2 * c->nx >= problem->templ_width && c->ny >= problem->templ_height &&
           !is_large(c, problem) &&
           (xncc_pixel_is_of_doubles(problem->pixel) ||
            integer_error(c, problem->pixel, n) <= XNCC_FFT_MAX_ERROR);
}

int xncc_fft_blocking_of(const xncc_problem *problem, int32_t nx, int32_t ny, double limit,
                         xncc_fft_blocking *blocking)
{
    xncc_fft_blocking c = { .nx = nx, .ny = ny, .planes = problem->pixel == XNCC_U16 ? 2 : 1 };
    if (least_cost(&c) >= limit || !can_serve(problem, &c))
        return 0;
    const xncc_extent map = xncc_problem_extent(problem);
    const double strips = ceil((double)map.width / (2.0 * nx - problem->templ_width + 1.0));
    const double bands = ceil((double)map.height /
                              fmin(ny - problem->templ_height + 1, max_rows(map.width)));
    c.across = (int32_t)ceil((double)map.width / strips);
    c.down = (int32_t)ceil((double)map.height / bands);
    /* threads share the work of one block of floats of one channel that all count */
    c.common = strips * bands == 1.0 && xncc_pixel_is_of_doubles(problem->pixel) &&
               xncc_problem_is_single(problem);
    c.points = blocking_cost(&c, problem);
    if (c.points >= limit)
        return 0;
    *blocking = c;
    return 1;
}

int xncc_fft_blocking_of_rectangle(const xncc_problem *problem, int32_t columns, int32_t rows,
                                   xncc_fft_blocking *blocking)
{
    double best = INFINITY;
    for (size_t i = 0; i < XNCC_FFT_SIDES; i++)
        for (size_t j = 0; j < XNCC_FFT_SIDES; j++) {
            xncc_fft_blocking c = { .nx = xncc_fft_sides[i],
                                    .ny = xncc_fft_sides[j],
                                    .across = columns,
                                    .down = rows,
                                    .planes = 1 };
            c.points = block_cost(&c, problem);
            if (c.points >= best || columns > 2 * c.nx - problem->templ_width + 1 ||
                rows > c.ny - problem->templ_height + 1 || !can_serve(problem, &c))
                continue;
            best = c.points;
            *blocking = c;
        }
    return best < INFINITY;
}

int xncc_fft_blocking_make(const xncc_problem *problem, xncc_fft_blocking *blocking)
{
    double best = INFINITY;
    for (size_t i = 0; i < XNCC_FFT_SIDES; i++)
        for (size_t j = 0; j < XNCC_FFT_SIDES; j++)
            if (xncc_fft_blocking_of(problem, xncc_fft_sides[i], xncc_fft_sides[j], best, blocking))
                best = blocking->points;
    return best < INFINITY;
}
