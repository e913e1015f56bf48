/* SPDX-License-Identifier: BSD-2-Clause */
/* Tries all sides of transforms and keeps the cheapest that are accurate enough. */
#include "plan/fft_blocking.h"

#include "image/samples.h"
#include "plan/problem.h"

#include <math.h>

double xncc_fft_error(const xncc_fft_blocking *blocking, xncc_pixel pixel, double n)
{
    double points = (double)blocking->nx * (double)blocking->ny,
           largest = pixel == XNCC_U8 ? 128.0 : 32768.0;
    return 13.0 * 0x1p-53 * (log2(points) + 1.0) * sqrt(2.0 * points) * largest * sqrt(n) * 128.0;
}

double xncc_fft_real_error(const xncc_fft_blocking *blocking)
{
    const double levels = log2((double)blocking->nx * (double)blocking->ny),
                 multiplications = levels / 2.0 + 3.0;
    return 1.01 * 0x1p-53 * (3.0 * levels + 3.0 * 2.95 * multiplications + 2.24 + 6.0);
}

/* The cost of a blocking, in complex points times levels. Reading pixels and writing scores count
 * as 6 levels, and transforms that exceed the second-level cache as 4 more. Both are fitted to the
 * measurements of docs/notes/2026-11-cpu-kernels.md. */
static double blocking_cost(const xncc_fft_blocking *c, int32_t map_width, int32_t map_height)
{
    double pairs = ceil((double)map_width / (2.0 * c->across)) * ceil((double)map_height / c->down);
    double points = (double)c->nx * (double)c->ny;
    double per_point = log2(points) + 6.0 +
                       (points * 16.0 > 1 << 20 ? 4.0
                                                : 0.0); /* levels, input and output, cache misses */
    if (pairs < 16.0)
        pairs = 2.0 * ceil(pairs / 2.0); /* an odd pair at the end leaves a thread idle */
    return pairs * points * per_point;
}

/* Returns 1 for transforms of more than 8 MB that are also more than four times larger than the
 * template needs. They gain little, and take memory from the rest of the system. */
static int is_large(const xncc_fft_blocking *c, const xncc_problem *problem)
{
    int64_t least = 4, points = (int64_t)c->nx * c->ny;
    for (int32_t side = 1; side < problem->templ_width; side *= 2)
        least *= 2;
    for (int32_t side = 1; side < problem->templ_height; side *= 2)
        least *= 2;
    return points > (1 << 19) && points > least;
}

/* The largest number of rows of a band of blocks. A search keeps a band of whole map rows: at most
 * 16 MB of them, but at least 64 rows. */
static double max_rows(int32_t map_width)
{
    return fmax(64.0, floor((double)(16 << 20) / (4.0 * map_width)));
}

int xncc_fft_blocking_make(const xncc_problem *problem, xncc_fft_blocking *blocking)
{
    const xncc_extent map = xncc_problem_extent(problem);
    const int32_t width = map.width, height = map.height;
    double best = 0.0, n = (double)problem->templ_width * (double)problem->templ_height;
    for (int32_t nx = XNCC_FFT_MIN_SIDE; nx <= XNCC_FFT_MAX_SIDE; nx *= 2) {
        for (int32_t ny = XNCC_FFT_MIN_SIDE; ny <= XNCC_FFT_MAX_SIDE; ny *= 2) {
            xncc_fft_blocking c = { .nx = nx,
                                    .ny = ny,
                                    .planes = problem->pixel == XNCC_U16 ? 2 : 1 };
            if (nx < problem->templ_width || ny < problem->templ_height || is_large(&c, problem) ||
                (!xncc_pixel_is_float(problem->pixel) &&
                 xncc_fft_error(&c, problem->pixel, n) > XNCC_FFT_MAX_ERROR))
                continue;
            int32_t pairs = (int32_t)ceil((double)width / (2.0 * (nx - problem->templ_width + 1)));
            int32_t bands = (int32_t)ceil((double)height /
                                          fmin(ny - problem->templ_height + 1, max_rows(width)));
            c.across = (int32_t)ceil((double)width / (2.0 * pairs));
            c.down = (int32_t)ceil((double)height / bands);
            c.points = blocking_cost(&c, width, height);
            if (best == 0.0 || c.points < best) {
                best = c.points;
                *blocking = c;
            }
        }
    }
    return best > 0.0;
}
