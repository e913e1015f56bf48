/* SPDX-License-Identifier: BSD-2-Clause */
/* The two passes of a search with bounds (cpu_bound_search.h). */
#include "cpu/cpu_bound_search.h"

#include <math.h>

static void step_progress(const xncc_bound_run *run, const xncc_bound_part *p)
{
    const int32_t rows = xncc_bound_row_end(run, p->end - 1) - p->first * XNCC_BOUND_ROWS;
    xncc_progress_step(run->job.watch->progress, (uint64_t)rows * (uint64_t)run->plan->map.width);
}

/* The first pass. */
static void bound_part(const xncc_bound_run *run, const xncc_bound_part *p)
{
    const xncc_engine_plan *plan = run->plan;
    const xncc_product_kernel *kernel = plan->kernel->variant;
    const xncc_halves *halves = &plan->bounds->halves;
    const xncc_cpu_bound_templ *templ = xncc_bound_templ_of(run, p->templ);
    const int32_t first = p->first * XNCC_BOUND_ROWS, end = xncc_bound_row_end(run, p->end - 1);
    for (int row = 0; row < 2; row++)
        for (int column = 0; column < 2; column++) {
            const int parity = xncc_parity(row, column);
            const xncc_image half = xncc_halves_view(halves, parity, XNCC_U8);
            const xncc_bounds bounds = { .halves = halves,
                                         .templ = &templ->bound,
                                         .parity = parity,
                                         .first = first + row,
                                         .best = xncc_bound_best(run, p->templ),
                                         .across = run->across };
            const xncc_plane_product product = { .blocks = &plan->half,
                                                 .image = &half,
                                                 .top = first / 2,
                                                 .width = xncc_of_parity(plan->map.width, column),
                                                 .height = xncc_of_parity(end - first, row),
                                                 .templ = &templ->bound.half,
                                                 .shared = templ->half_shared,
                                                 .watch = run->job.watch,
                                                 .sink = { .bounds = &bounds } };
            if (product.width > 0 && product.height > 0)
                kernel->compute(kernel, &product, (void *const[]){ p->rows }, 1);
        }
}

void xncc_bound_first_pass(void *argument, uint64_t index, int32_t slot)
{
    xncc_bound_run *run = argument;
    const xncc_bound_part p = xncc_bound_part_of(run, index, slot);
    if (!xncc_bound_stopped(run))
        bound_part(run, &p);
    step_progress(run, &p);
}

void xncc_bound_score(const xncc_bound_run *run, const xncc_bound_part *p, int32_t tile_row,
                      int32_t x, int32_t end)
{
    const xncc_engine_plan *plan = run->plan;
    const int32_t most = plan->blocks.columns,
                  last = xncc_min_i32(end * XNCC_BOUND_COLUMNS, plan->map.width);
    for (int32_t at = x * XNCC_BOUND_COLUMNS; at < last && !xncc_is_cancelled(p->job.watch);
         at += most) {
        const xncc_area area = { .x = at,
                                 .y = tile_row * XNCC_BOUND_ROWS,
                                 .width = xncc_min_i32(most, last - at),
                                 .height = xncc_bound_row_end(run, tile_row) -
                                           tile_row * XNCC_BOUND_ROWS,
                                 .out = p->rows + 2 * (ptrdiff_t)plan->map.width + at,
                                 .pitch = plan->map.width };
        plan->kernel->area(plan->kernel, &p->job, xncc_plan_scratch(plan, p->slot), &area);
    }
}

/* Computes the scores of the tiles of a row that can have a match. Returns 1 if there are any. */
static int score_row(const xncc_bound_run *run, const xncc_bound_part *p, int32_t tile_row)
{
    const float *best = xncc_bound_best(run, p->templ) + (ptrdiff_t)tile_row * run->across;
    const double limit = (double)xncc_bound_limit(run, p->templ) -
                         xncc_bound_templ_of(run, p->templ)->bound.always;
    int any = 0;
    for (int32_t x = 0; x < run->across; x++) {
        const int32_t begin = x;
        while (x < run->across && (double)best[x] >= limit)
            x++;
        if (x > begin) {
            xncc_bound_score(run, p, tile_row, begin, x);
            any = 1;
        }
    }
    return any;
}

static void clear_rows(const xncc_bound_run *run, const xncc_bound_part *p, int32_t first)
{
    const ptrdiff_t width = run->plan->map.width;
    for (ptrdiff_t i = first * width; i < (XNCC_BOUND_ROWS + 2) * width; i++)
        p->rows[i] = -INFINITY;
}

/* Gives the rows to the peak search whose neighbours are known once a tile row is. */
static xncc_status feed(const xncc_bound_run *run, const xncc_bound_part *p, int32_t tile_row,
                        xncc_error *error)
{
    const int32_t width = run->plan->map.width, height = run->plan->map.height,
                  first = tile_row * XNCC_BOUND_ROWS, end = xncc_bound_row_end(run, tile_row);
    const int32_t least = p->first * XNCC_BOUND_ROWS, most = xncc_bound_row_end(run, p->end - 1);
    const int32_t y = first - 1 > least ? first - 1 : least,
                  stop = xncc_min_i32(end == height ? end : end - 1, most);
    if (stop <= y)
        return XNCC_OK;
    xncc_peaks_tighten(p->peaks, xncc_bound_limit(run, p->templ));
    xncc_status status = xncc_peaks_feed(p->peaks, p->rows + (ptrdiff_t)(y - first + 2) * width,
                                         width, width, y, stop - y, y > 0, stop < height, error);
    xncc_bound_raise(run, p->templ, xncc_peaks_limit(p->peaks));
    return status;
}

/* The second pass. Rows next to the part have neighbours in it, so their tiles count too. */
static xncc_status search_part(xncc_bound_run *run, const xncc_bound_part *p, xncc_error *error)
{
    const ptrdiff_t width = run->plan->map.width;
    const int32_t last = xncc_min_i32(p->end, run->down - 1);
    int scored = 0, stale = 0; /* the tile row before has scores; the rows have some */
    xncc_status status = XNCC_OK;
    clear_rows(run, p, 0);
    for (int32_t t = p->first > 0 ? p->first - 1 : 0;
         t <= last && !status && !xncc_bound_stopped(run); t++) {
        if (stale) {
            memcpy(p->rows, p->rows + XNCC_BOUND_ROWS * width, 2 * (size_t)width * sizeof(float));
            clear_rows(run, p, 2);
            stale = scored;
        }
        scored = score_row(run, p, t);
        stale |= scored;
        if (stale)
            status = feed(run, p, t, error);
    }
    return status;
}

void xncc_bound_second_pass(void *argument, uint64_t index, int32_t slot)
{
    xncc_bound_run *run = argument;
    xncc_bound_part p = xncc_bound_part_of(run, index, slot);
    xncc_error error = { "" };
    if (!xncc_bound_stopped(run) && !run->goal[p.templ].vain) {
        xncc_status status = xncc_peaks_create(run->all->rule, xncc_plan_elements(run->plan),
                                               &run->peaks[index], &error);
        p.peaks = run->peaks[index];
        if (!status)
            status = search_part(run, &p, &error);
        xncc_first_failure_note(&run->failure, status, &error);
    }
    step_progress(run, &p);
}
