/* SPDX-License-Identifier: BSD-2-Clause */
/* Fills rows of the map rectangle by rectangle, on the threads of the pool (cpu_plan.h). */
#include "cpu/cpu_plan.h"

#include <assert.h>

void xncc_plan_prepare_in(const xncc_engine_plan *plan, const xncc_job *job, int32_t slot,
                          xncc_cpu_prepared_templ *prepared)
{
    if (!plan->kernel->begin || (job->templ && job->templ->serial == prepared->serial))
        return;
    prepared->serial = 0;
    plan->kernel->begin(plan->kernel, job, prepared->shared, xncc_plan_scratch(plan, slot));
    if (job->templ && !xncc_is_cancelled(job->watch)) /* otherwise it may be incomplete */
        prepared->serial = job->templ->serial;
}

void xncc_plan_prepare(xncc_engine_plan *plan, const xncc_job *job)
{
    xncc_job together = *job;
    together.team = plan->team.scratch ? &plan->team : NULL;
    xncc_plan_prepare_in(plan, &together, 0, &plan->templ);
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
    const xncc_area area = { .y = band->first,
                             .width = plan->map.width,
                             .height = band->count,
                             .out = band->out,
                             .pitch = band->pitch };
    xncc_job together = *job;
    together.team = plan->team.threads > 1 ? &plan->team : NULL;
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
    xncc_pool_run_on(plan->team.pool, plan->team.threads,
                     run.across * (uint64_t)xncc_ceil_div(band->count, band->area_rows), fill_task,
                     &run);
}
