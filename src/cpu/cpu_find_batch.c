/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the matches of several templates of one size: with bounds where they pay, otherwise one
 * template after the other. */
#include "cpu/cpu_bound_search.h"
#include "cpu/cpu_prepared.h"

#include "base/memory.h"

/* Joins what the parts of a template found. If a guess was made, the matches are right if there are
 * as many as were wanted and all are as good as that: all candidates as good have been seen, and no
 * other precedes one of them. */
static xncc_status finish(const xncc_bound_run *run, size_t templ, xncc_error *error)
{
    xncc_peaks **peaks = run->peaks + templ * run->ranges;
    xncc_status status = XNCC_OK;
    for (uint64_t k = 1; k < run->ranges && !status; k++)
        status = xncc_peaks_merge(peaks[0], peaks[k], error);
    const size_t number = run->goal[templ].number, top = run->all->rule->top;
    xncc_match *match = run->all->group->match + number * run->all->group->capacity;
    size_t *found = &run->all->group->found[number];
    if (!status)
        status = xncc_peaks_finish(peaks[0], match, found, error);
    if (!status && run->goal[templ].guess > 0.0f)
        run->goal[templ].vain = *found < top || match[top - 1].score < run->goal[templ].guess;
    return status;
}

/* Searches for the templates of run->goal. */
static xncc_status search(xncc_bound_run *run, xncc_error *error)
{
    const xncc_engine_plan *plan = run->plan;
    const uint64_t threads = (uint64_t)plan->seats,
                   tiles = (uint64_t)run->across * (uint64_t)run->down;
    /* At least two tasks per thread, so that all of them end at about the same time. */
    run->ranges = (2 * threads + run->count - 1) / run->count;
    if (run->ranges > (uint64_t)run->down)
        run->ranges = (uint64_t)run->down;
    const uint64_t all = run->count * run->ranges;
    uint64_t elements = 0;
    if (xncc_mul_u64(run->count, tiles, &elements))
        run->best = xncc_alloc(elements, sizeof *run->best);
    run->peaks = xncc_alloc(all, sizeof *run->peaks);
    if (!run->best || !run->peaks)
        return xncc_fail(error, XNCC_ERROR_MEMORY, "no memory for the bounds of %zu templates",
                         run->count);
    run->failure.error = error;
    for (size_t i = 0; i < run->count; i++)
        xncc_bound_raise(run, i, run->all->rule->limit);
    xncc_progress_begin(run->job.watch->progress, 2 * run->count * xncc_plan_elements(plan));
    xncc_pool_run_on(plan->team.pool, plan->seats, all, xncc_bound_first_pass, run);
    xncc_pool_run_on(plan->team.pool, plan->seats, run->count, xncc_bound_probe, run);
    xncc_pool_run_on(plan->team.pool, plan->seats, all, xncc_bound_second_pass, run);
    xncc_status status = xncc_first_failure_status(&run->failure);
    if (!status)
        status = xncc_check_cancelled(run->job.watch, error);
    for (size_t i = 0; i < run->count && !status; i++)
        if (!run->goal[i].vain)
            status = finish(run, i, error);
    for (uint64_t i = 0; i < all; i++)
        xncc_peaks_destroy(run->peaks[i]);
    return status;
}

/* Marks the templates that were searched for, and remembers whether that was worth it. */
static void mark(const xncc_bound_run *run)
{
    enum { PAUSE = 15 }; /* calls */
    size_t count = 0;
    for (size_t i = 0; i < run->count; i++)
        if (!run->goal[i].vain) {
            run->all->done[run->goal[i].number] = 1;
            count++;
        }
    run->plan->bounds->pause = 2 * count < run->all->group->count ? PAUSE : 0;
}

/* Searches for the templates for which bounds pay, and marks them as done. */
static xncc_status search_with_bounds(xncc_templ_run *all, xncc_error *error)
{
    xncc_engine_plan *plan = all->plan;
    const xncc_templ_group *group = all->group;
    const float limit = all->rule->limit;
    const float usual = 0.4f; /* what the best scores of a scene reach at least, as a rule */
    xncc_bound_run run = { .plan = plan,
                           .all = all,
                           .job = xncc_job_make(plan, all->image),
                           .across = xncc_ceil_div(plan->map.width, XNCC_BOUND_COLUMNS),
                           .down = xncc_ceil_div(plan->map.height, XNCC_BOUND_ROWS) };
    xncc_status status = xncc_cpu_bounds_prepare(all, error);
    if (status)
        return status;
    run.goal = xncc_alloc(group->count, sizeof *run.goal);
    if (!run.goal)
        return xncc_fail(error, XNCC_ERROR_MEMORY, "no memory for %zu templates", group->count);
    for (size_t i = 0; i < group->count; i++)
        if (xncc_cpu_bounds_pay(plan->bounds, i, limit > usual ? limit : usual))
            run.goal[run.count++].number = i;
    if (run.count > 0)
        status = search(&run, error);
    if (!status)
        mark(&run);
    xncc_free(run.goal);
    xncc_free(run.best);
    xncc_free(run.peaks);
    return status;
}

/* Returns 1 if bounds are worth a try: enough templates share the work of preparing the image. */
static int try_bounds(const xncc_engine_plan *plan, size_t count)
{
    enum { LEAST_TEMPLATES = 3 };
    if (!plan->has_half || count < LEAST_TEMPLATES)
        return 0;
    return !plan->bounds || plan->bounds->pause == 0 || plan->bounds->pause-- == 0;
}

xncc_status xncc_cpu_find_batch(xncc_engine_plan *plan, const xncc_image *image,
                                const xncc_templ_group *group, const xncc_search_rule *rule,
                                xncc_stream stream, xncc_error *error)
{
    (void)stream;
    const int masked = plan->problem.templ_masked;
    xncc_templ_run run = { plan, image, group, rule, xncc_alloc(group->count, 1) };
    if (!run.done)
        return xncc_fail(error, XNCC_ERROR_MEMORY, "no memory for %zu templates", group->count);
    xncc_status status = XNCC_OK;
    if (masked)
        status = xncc_cpu_find_alike(&run, error);
    else if (try_bounds(plan, group->count))
        status = search_with_bounds(&run, error);
    size_t left = 0;
    for (size_t i = 0; i < group->count; i++)
        left += !run.done[i];
    if (left > 1 && !status && !masked)
        status = xncc_cpu_prepared_begin(&run, error);
    for (size_t i = 0; i < group->count && !status; i++)
        if (!run.done[i])
            status = xncc_cpu_find_one(&run, i, error);
    xncc_cpu_prepared_end(plan);
    xncc_free(run.done);
    return status;
}
