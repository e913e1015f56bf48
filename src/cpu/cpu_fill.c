/* SPDX-License-Identifier: BSD-2-Clause */
/* Fills rows of the map rectangle by rectangle, on the threads of the pool (cpu_plan.h). */
#include "cpu/cpu_plan.h"

#include <assert.h>

void xncc_plan_prepare(xncc_engine_plan *plan, const xncc_job *job)
{
    if (!plan->kernel->begin || (job->templ && job->templ->serial == plan->shared_serial))
        return;
    plan->shared_serial = 0;
    const xncc_team team = { plan->engine->pool, plan->threads, plan->scratch };
    xncc_job together = *job;
    together.team = plan->scratch ? &team : NULL;
    plan->kernel->begin(plan->kernel, &together, plan->shared, xncc_plan_scratch(plan, 0));
    if (job->templ && !xncc_is_cancelled(job->watch)) /* otherwise it may be incomplete */
        plan->shared_serial = job->templ->serial;
}

typedef struct fill_run {
    const xncc_engine_plan *plan;
    const xncc_job *job;
    const xncc_band *band;
    uint64_t across; /* number of rectangles in one row of rectangles */
} fill_run;

static void fill_task(void *argument, uint64_t index, int32_t slot)
{
    const fill_run *run = argument;
    const xncc_engine_plan *plan = run->plan;
    const xncc_band *band = run->band;
    const int32_t x = (int32_t)(index % run->across) * plan->blocks.columns,
                  y = (int32_t)(index / run->across) * band->area_rows;
    const xncc_area area = { .x = x,
                             .y = band->first + y,
                             .width = xncc_min_i32(plan->blocks.columns, plan->map.width - x),
                             .height = xncc_min_i32(band->area_rows, band->count - y),
                             .out = band->out + y * band->pitch + x,
                             .pitch = band->pitch };
    if (!xncc_is_cancelled(run->job->watch))
        plan->kernel->area(plan->kernel, run->job, xncc_plan_scratch(plan, slot), &area);
    xncc_progress_step(plan->watch->progress, (uint64_t)area.width * (uint64_t)area.height);
}

/* Computes the map as one rectangle, which all threads work on. */
static void fill_together(const xncc_engine_plan *plan, const xncc_job *job, const xncc_band *band)
{
    const xncc_team team = { plan->engine->pool, plan->threads, plan->scratch };
    const xncc_area area = { .y = band->first,
                             .width = plan->map.width,
                             .height = band->count,
                             .out = band->out,
                             .pitch = band->pitch };
    xncc_job together = *job;
    together.team = plan->threads > 1 ? &team : NULL;
    plan->kernel->area(plan->kernel, &together, xncc_plan_scratch(plan, 0), &area);
    xncc_progress_step(plan->watch->progress, (uint64_t)area.width * (uint64_t)area.height);
}

void xncc_plan_fill(const xncc_engine_plan *plan, const xncc_job *job, const xncc_band *band)
{
    assert(plan->blocks.columns > 0 && band->area_rows > 0);
    if (plan->blocks.fft.common && !xncc_is_cancelled(job->watch)) {
        fill_together(plan, job, band);
        return;
    }
    fill_run run = { plan, job, band,
                     (uint64_t)xncc_ceil_div(plan->map.width, plan->blocks.columns) };
    xncc_pool_run_on(plan->engine->pool, plan->threads,
                     run.across * (uint64_t)xncc_ceil_div(band->count, band->area_rows), fill_task,
                     &run);
}
