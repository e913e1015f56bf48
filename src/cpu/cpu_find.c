/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds matches without storing a whole map. All threads compute a band of whole map rows together
 * and then search it together. A band begins with the last two rows of the previous one, so that
 * every row is computed once and is searched with both its neighbours. A band is as high as the
 * memory budget and the image rows available so far allow. */
#include "base/first_failure.h"
#include "base/memory.h"
#include "cpu/cpu_prepared.h"

#include <assert.h>
#include <stdatomic.h>
#include <string.h>

enum { BAND_BYTES = 4 << 20, WHOLE_BYTES = 32 << 20, LEAST_ROWS = 16, FEED_ROWS = 16 };

struct xncc_sweep {
    xncc_job job;
    xncc_engine_plan *plan;
    const xncc_search_rule *rule;
    xncc_peaks **peaks; /* one per thread, created on first use */
    /* The worst score that a match can still have, as far as one of the threads knows. */
    _Atomic float limit;
    /* Most and least rows of a band. The last band may have fewer than `least`. If the kernel
     * prefers whole rectangles, `rows` is a multiple of blocks.least_rows. */
    int32_t rows, least;
    /* The band's map rows. They are stored from row 2 of `band` on, which is the plan's memory. */
    float *band;
    int32_t first, count;
    int32_t feed, feed_end; /* the map rows to search now, first and end */
    /* They are searched in so many tasks. The next one begins `stride` further, so that those so
     * far are spread over the rows: what they find tells most of how good a match must be. */
    uint64_t tasks, stride;
    xncc_first_failure failure;
};

/* Returns map row y in the band's memory. */
static float *band_row(const xncc_sweep *run, int32_t y)
{
    assert(y >= run->first - 2 && y < run->first + run->count);
    return run->band + (ptrdiff_t)(y - run->first + 2) * run->plan->map.width;
}

static xncc_status make_peaks(const xncc_sweep *run, int32_t slot, xncc_error *error)
{
    return run->peaks[slot] ? XNCC_OK
                            : xncc_peaks_create(run->rule, xncc_plan_elements(run->plan),
                                                &run->peaks[slot], error);
}

/* Tells a thread's set the limit of the others, and them its own. A limit that gets lost meanwhile
 * costs time alone. */
static void share_limit(xncc_sweep *run, xncc_peaks *peaks)
{
    const float others = atomic_load(&run->limit);
    xncc_peaks_tighten(peaks, others);
    if (xncc_peaks_limit(peaks) != others)
        atomic_store(&run->limit, xncc_peaks_limit(peaks));
}

static void feed_task(void *argument, uint64_t index, int32_t slot)
{
    xncc_sweep *run = argument;
    xncc_error error = { "" };
    if (xncc_first_failure_status(&run->failure) || xncc_is_cancelled(run->job.watch))
        return;
    const uint64_t task = index * run->stride % run->tasks;
    int32_t y = run->feed + (int32_t)task * FEED_ROWS, width = run->plan->map.width;
    int32_t count = xncc_min_i32(FEED_ROWS, run->feed_end - y);
    xncc_status status = make_peaks(run, slot, &error);
    if (!status) {
        share_limit(run, run->peaks[slot]);
        status = xncc_peaks_feed(run->peaks[slot], band_row(run, y), width, width, y, count, y > 0,
                                 y + count < run->plan->map.height, &error);
        share_limit(run, run->peaks[slot]);
    }
    xncc_first_failure_note(&run->failure, status, &error);
}

/* Returns the rows of a band of whole rectangles of the kernel: as many as WHOLE_BYTES have room
 * for, since threads wait for each other at the end of a band; but one rectangle for each thread at
 * least. A thread's own memory is more than twice that of a rectangle. */
static uint64_t whole_rows(const xncc_engine_plan *plan)
{
    const int32_t across = xncc_ceil_div(plan->map.width, plan->blocks.columns);
    const uint64_t whole = (uint64_t)plan->blocks.least_rows,
                   row = (uint64_t)plan->map.width * sizeof(float),
                   many = WHOLE_BYTES / row / whole * whole,
                   one = (uint64_t)xncc_ceil_div(plan->team.threads, across) * whole;
    return many > one ? many : one;
}

/* Returns the most rows per band: as many as fit the memory budget, or as whole rectangles of the
 * kernel need. Rectangles are whole if several fit. */
static int32_t band_rows(const xncc_engine_plan *plan)
{
    const uint64_t fit = BAND_BYTES / ((uint64_t)plan->map.width * sizeof(float)),
                   whole = (uint64_t)plan->blocks.rows,
                   rows = plan->blocks.least_rows > 1 ? whole_rows(plan)
                          : fit < LEAST_ROWS          ? LEAST_ROWS
                          : fit < 2 * whole           ? fit
                                                      : fit / whole * whole;
    return rows < (uint64_t)plan->map.height ? (int32_t)rows : plan->map.height;
}

/* Returns the rows of the band's rectangles: those that the kernel prefers, or fewer if that keeps
 * all threads busy. */
static int32_t area_rows(const xncc_sweep *run)
{
    const xncc_engine_plan *plan = run->plan;
    const int32_t rows = xncc_min_i32(plan->blocks.rows, run->count);
    if (plan->blocks.least_rows > 1 || plan->team.threads == 1)
        return rows;
    const int32_t across = xncc_ceil_div(plan->map.width, plan->blocks.columns),
                  share = xncc_ceil_div(run->count, xncc_ceil_div(3 * plan->team.threads, across));
    return xncc_min_i32(rows, share > LEAST_ROWS ? share : LEAST_ROWS);
}

/* The number nearest below 0.62 of a count, or 1, that has no factor in common with it. */
static uint64_t stride_of(uint64_t count)
{
    for (uint64_t stride = count * 62 / 100; stride > 1; stride--) {
        uint64_t a = count, b = stride;
        while (b) {
            const uint64_t rest = a % b;
            a = b;
            b = rest;
        }
        if (a == 1)
            return stride;
    }
    return 1;
}

/* Computes and searches the current band, then moves on to the next one. */
static void search(xncc_sweep *run)
{
    const xncc_engine_plan *plan = run->plan;
    xncc_pool *pool = plan->team.pool;
    const xncc_band band = { band_row(run, run->first), plan->map.width, run->first, run->count,
                             area_rows(run) };
    xncc_plan_fill(plan, &run->job, &band);
    /* The last row is searched with the next band, which has the row below it. */
    run->feed_end = run->first + run->count - (run->first + run->count < plan->map.height);
    if (run->feed_end > run->feed) {
        run->tasks = (uint64_t)xncc_ceil_div(run->feed_end - run->feed, FEED_ROWS);
        run->stride = stride_of(run->tasks);
        xncc_pool_run_on(pool, plan->team.threads, run->tasks, feed_task, run);
    }
    run->feed = run->feed_end;
    memmove(run->band, run->band + (ptrdiff_t)run->count * plan->map.width,
            2 * (size_t)plan->map.width * sizeof(float));
    run->first += run->count;
}

/* Returns how many map rows can be computed from the first `rows` rows of the image. A window that
 * reaches below the image needs the image's last row. One that reaches above it needs the first row
 * or, with the mirror and wrap borders, any row. */
static int32_t rows_ready(const xncc_engine_plan *plan, int32_t rows)
{
    if (rows >= plan->problem.image_height)
        return plan->map.height;
    if (plan->map.y0 < 0 && (plan->problem.rule.border == XNCC_BORDER_MIRROR ||
                             plan->problem.rule.border == XNCC_BORDER_WRAP))
        return 0;
    int64_t ready = (int64_t)rows - plan->problem.templ_height + 1 - plan->map.y0;
    return ready < 0 ? 0 : xncc_min_i32((int32_t)ready, plan->map.height);
}

xncc_status xncc_cpu_sweep_rows(xncc_sweep *run, int32_t rows, xncc_error *error)
{
    const xncc_engine_plan *plan = run->plan;
    const int32_t ready = rows_ready(plan, rows), whole = plan->blocks.least_rows;
    const int32_t least = ready == plan->map.height ? 1 : run->least;
    run->failure.error = error;
    while (ready - run->first >= least && !xncc_first_failure_status(&run->failure) &&
           !xncc_is_cancelled(run->job.watch)) {
        run->count = xncc_min_i32(run->rows, ready - run->first);
        if (whole > 1 && run->first + run->count < plan->map.height)
            run->count = run->count / whole * whole;
        search(run);
    }
    const xncc_status status = xncc_first_failure_status(&run->failure);
    return status ? status : xncc_check_cancelled(run->job.watch, error);
}

xncc_status xncc_cpu_sweep_finish(xncc_sweep *run, xncc_match *match, size_t *found,
                                  xncc_error *error)
{
    xncc_peaks *all = run->peaks[0];
    const int32_t threads = run->plan->seats;
    for (int32_t i = 1; i < threads; i++) {
        if (!run->peaks[i])
            continue;
        xncc_status status = xncc_peaks_merge(all, run->peaks[i], error);
        if (status)
            return status;
    }
    return xncc_peaks_finish(all, match, found, error);
}

static xncc_status alloc_sweep_memory(xncc_sweep *run, xncc_error *error)
{
    xncc_engine_plan *plan = run->plan;
    const int32_t threads = plan->seats;
    run->peaks = xncc_alloc((uint64_t)threads, sizeof(xncc_peaks *));
    if (!run->peaks)
        return xncc_fail(error, XNCC_ERROR_MEMORY, "no memory for %d threads", (int)threads);
    run->band = xncc_room_take(plan->bands, (uint64_t)run->rows + 2,
                               (uint64_t)plan->map.width * sizeof(float));
    if (!run->band)
        return xncc_fail(error, XNCC_ERROR_MEMORY, "no memory for %d rows of the map",
                         (int)run->rows + 2);
    return make_peaks(run, 0, error);
}

/* Returns the fewest rows worth computing at once: one rectangle of the kernel per thread. */
static int32_t band_least(const xncc_engine_plan *plan, int32_t most)
{
    const uint64_t across = (uint64_t)xncc_ceil_div(plan->map.width, plan->blocks.columns),
                   threads = (uint64_t)plan->team.threads;
    const uint64_t least = (threads + across - 1) / across * (uint64_t)plan->blocks.rows;
    return least < (uint64_t)most ? (int32_t)least : most;
}

xncc_status xncc_cpu_sweep_begin(xncc_engine_plan *plan, const xncc_image *image,
                                 const xncc_template *templ, const xncc_search_rule *rule,
                                 xncc_sweep **sweep, xncc_error *error)
{
    const uint64_t elements = xncc_plan_elements(plan);
    *sweep = NULL;
    if (!plan->is_part)
        xncc_progress_begin(plan->watch->progress, elements);
    xncc_sweep *run = xncc_alloc(1, sizeof *run);
    if (!run) {
        xncc_progress_step(plan->watch->progress, elements);
        return xncc_fail(error, XNCC_ERROR_MEMORY, "no memory for a search");
    }
    run->job = xncc_job_make(plan, image);
    xncc_job_set_template(&run->job, templ);
    run->plan = plan;
    run->rule = rule;
    atomic_init(&run->limit, rule->limit);
    run->rows = band_rows(plan);
    run->least = band_least(plan, run->rows);
    xncc_status status = alloc_sweep_memory(run, error);
    if (!status) {
        xncc_cpu_prepared_use(plan, &run->job);
        status = xncc_check_cancelled(plan->watch, error);
    }
    if (status)
        xncc_cpu_sweep_end(run);
    else
        *sweep = run;
    return status;
}

void xncc_cpu_sweep_end(xncc_sweep *run)
{
    const xncc_engine_plan *plan = run->plan;
    /* Rows that were not computed no longer count as outstanding. */
    xncc_progress_step(plan->watch->progress,
                       (uint64_t)(plan->map.height - run->first) * (uint64_t)plan->map.width);
    for (int32_t i = 0; run->peaks && i < plan->seats; i++)
        xncc_peaks_destroy(run->peaks[i]);
    xncc_free(run->peaks);
    xncc_free(run);
}

xncc_status xncc_cpu_find(xncc_engine_plan *plan, const xncc_image *image,
                          const xncc_template *templ, const xncc_search_rule *rule,
                          xncc_match *match, size_t *found, xncc_stream stream, xncc_error *error)
{
    (void)stream;
    xncc_sweep *run;
    xncc_status status = xncc_cpu_sweep_begin(plan, image, templ, rule, &run, error);
    if (status)
        return status;
    status = xncc_cpu_sweep_rows(run, image->height, error);
    if (!status)
        status = xncc_cpu_sweep_finish(run, match, found, error);
    xncc_cpu_sweep_end(run);
    return status;
}

xncc_status xncc_cpu_find_one(const xncc_templ_run *run, size_t i, xncc_error *error)
{
    const xncc_templ_group *group = run->group;
    run->done[i] = 1;
    return xncc_cpu_find(run->plan, run->image, group->templ[i], run->rule,
                         group->match + i * group->capacity, &group->found[i], NULL, error);
}
