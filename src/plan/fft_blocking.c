#include "plan/fft_blocking.h"

#include <math.h>

double xncc_fft_error(const xncc_fft_blocking *cut, xncc_pixel pixel, double n)
{
    double points = (double)cut->nx * (double)cut->ny, largest = pixel == XNCC_U8 ? 128.0 : 32768.0;
    return 13.0 * 0x1p-53 * (log2(points) + 1.0) * sqrt(2.0 * points) * largest * sqrt(n) * 128.0;
}

/* What a cut costs, in units of a complex point and level. The ends (pixels in, scores out) count
 * as 6 levels, and what goes through the second-level cache as 4 more; both fitted to the
 * measurements of docs/notes/2026-11-cpu-kernels.md. */
static double cut_cost(const xncc_fft_blocking *c, int32_t map_width, int32_t map_height)
{
    double pairs = ceil((double)map_width / (2.0 * c->across)) * ceil((double)map_height / c->down);
    double points = (double)c->nx * (double)c->ny;
    double per_point = log2(points) + 6.0 +
                       (points * 16.0 > 1 << 20 ? 4.0 : 0.0); /* levels, ends, and cache misses */
    if (pairs < 16.0)
        pairs = 2.0 * ceil(pairs / 2.0); /* an odd pair at the end leaves a thread idle */
    return pairs * points * per_point;
}

/* More memory than 8 MB, or than four times what the template needs, gains little and takes it from
 * the rest of the system. */
static int is_large(const xncc_fft_blocking *c, const xncc_problem *problem)
{
    int64_t least = 4, points = (int64_t)c->nx * c->ny;
    for (int32_t side = 1; side < problem->width; side *= 2)
        least *= 2;
    for (int32_t side = 1; side < problem->height; side *= 2)
        least *= 2;
    return points > (1 << 19) && points > least;
}

/* Results of a band of blocks: `find` keeps that many whole rows, at most 16 MB of them where the
 * map is not extremely wide. */
static double most_rows(int32_t map_width)
{
    return fmax(64.0, floor((double)(16 << 20) / (4.0 * map_width)));
}

int xncc_fft_blocking_make(const xncc_problem *problem, xncc_fft_blocking *cut)
{
    int32_t width, height, x0, y0;
    double best = 0.0, n = (double)problem->width * (double)problem->height;
    if (problem->pixel == XNCC_F32 ||
        xncc_map_extent(problem->mode, problem->image_width, problem->image_height, problem->width,
                        problem->height, &width, &height, &x0, &y0) != XNCC_OK)
        return 0;
    for (int32_t nx = XNCC_FFT_LEAST; nx <= XNCC_FFT_MOST; nx *= 2) {
        for (int32_t ny = XNCC_FFT_LEAST; ny <= XNCC_FFT_MOST; ny *= 2) {
            xncc_fft_blocking c = { .nx = nx,
                                    .ny = ny,
                                    .planes = problem->pixel == XNCC_U16 ? 2 : 1 };
            if (nx < problem->width || ny < problem->height || is_large(&c, problem) ||
                xncc_fft_error(&c, problem->pixel, n) > XNCC_FFT_MOST_ERROR)
                continue;
            int32_t pairs = (int32_t)ceil((double)width / (2.0 * (nx - problem->width + 1)));
            int32_t bands = (int32_t)ceil((double)height /
                                          fmin(ny - problem->height + 1, most_rows(width)));
            c.across = (int32_t)ceil((double)width / (2.0 * pairs));
            c.down = (int32_t)ceil((double)height / bands);
            c.points = cut_cost(&c, width, height);
            if (best == 0.0 || c.points < best) {
                best = c.points;
                *cut = c;
            }
        }
    }
    return best > 0.0;
}
