/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes and keeps what several searches in one image share (cpu_prepared.h). */
#include "cpu/cpu_prepared.h"

#include "base/memory.h"
#include "cpu/kernels/shared_windows.h"

#include <string.h>

/* Beyond these limits each search prepares its own. */
enum { IMAGE_BYTES = 128 << 20, TEMPL_BYTES = 64 << 20, TASK_ROWS = 64, SLACK = 64 };

static int shares_sums(const xncc_engine_plan *plan)
{
    const xncc_problem *p = &plan->problem;
    return xncc_shares_windows(plan->kernel, &plan->blocks) &&
           plan->map.width == p->image_width - p->templ_width + 1 &&
           plan->map.height == p->image_height - p->templ_height + 1;
}

/* Divides `memory` into the parts and returns the bytes needed. If memory is NULL, only returns the
 * bytes. */
static uint64_t lay_out(const xncc_engine_plan *plan, xncc_cpu_prepared *p, char *memory)
{
    const uint64_t windows = xncc_plan_elements(plan),
                   block = xncc_shared_spectrum_bytes(plan->kernel, &plan->blocks);
    uint64_t total = 0;
    if (shares_sums(plan)) {
        p->sums = xncc_carve(memory, &total, (windows + SLACK) * sizeof *p->sums);
        p->windows = (xncc_window_plane){ .packed = p->sums, .stride = plan->map.width };
        p->scratch_step = xncc_shared_windows_bytes(plan->problem.templ_width, plan->map.width);
        p->scratch_step = (p->scratch_step + 127) / 64 * 64;
        p->scratch = xncc_carve(memory, &total, (uint64_t)plan->seats * p->scratch_step);
    }
    if (block) {
        const uint64_t across = (uint64_t)xncc_ceil_div(plan->map.width, plan->blocks.columns),
                       down = (uint64_t)xncc_ceil_div(plan->map.height, plan->blocks.rows);
        p->blocks = across * down;
        p->spectra = (xncc_image_spectra){ .data = xncc_carve(memory, &total, p->blocks * block),
                                           .known = xncc_carve(memory, &total, p->blocks),
                                           .across = (int64_t)across,
                                           .left = plan->map.x0,
                                           .top = plan->map.y0 };
    }
    return total;
}

static xncc_status no_memory(uint64_t bytes, xncc_error *error)
{
    return xncc_fail(error, XNCC_ERROR_MEMORY, "no memory for what templates share (%llu bytes)",
                     (unsigned long long)bytes);
}

/* Makes room for the parts of the image that the plan can share. */
static xncc_status make_image(const xncc_engine_plan *plan, xncc_cpu_prepared *p, xncc_error *error)
{
    const uint64_t windows = xncc_plan_elements(plan);
    if (p->memory || windows > IMAGE_BYTES / sizeof(uint64_t))
        return XNCC_OK;
    const uint64_t bytes = lay_out(plan, p, NULL);
    if (bytes == 0 || bytes > IMAGE_BYTES)
        return XNCC_OK;
    char *memory = xncc_alloc(bytes, 1);
    if (!memory)
        return no_memory(bytes, error);
    (void)lay_out(plan, p, memory);
    p->memory = memory;
    return XNCC_OK;
}

/* Makes room for `count` templates. */
static xncc_status make_templs(const xncc_engine_plan *plan, xncc_cpu_prepared *p, size_t count,
                               xncc_error *error)
{
    const xncc_cpu_kernel *kernel = plan->kernel;
    uint64_t each = 0, total = 0;
    const uint64_t bytes = kernel->begin && kernel->memory
                               ? kernel->memory(kernel, &plan->problem, &plan->blocks).shared
                               : 0;
    (void)xncc_carve(NULL, &each, bytes);
    (void)xncc_carve(NULL, &total, count * sizeof *p->templ);
    if (count == p->count || bytes == 0 || count > TEMPL_BYTES / each)
        return XNCC_OK;
    xncc_free(p->templ);
    p->count = 0;
    p->templ = xncc_alloc(total + count * each, 1);
    if (!p->templ)
        return no_memory(count * each, error);
    for (size_t i = 0; i < count; i++)
        p->templ[i].shared = xncc_carve((char *)p->templ, &total, bytes);
    p->count = count;
    return XNCC_OK;
}

static void sum_task(void *argument, uint64_t index, int32_t slot)
{
    const xncc_templ_run *run = argument;
    const xncc_engine_plan *plan = run->plan;
    const xncc_cpu_prepared *p = plan->prepared;
    const xncc_job job = xncc_job_make(plan, run->image);
    const int32_t first = (int32_t)index * TASK_ROWS;
    const xncc_area area = { .y = first,
                             .width = plan->map.width,
                             .height = xncc_min_i32(TASK_ROWS, plan->map.height - first),
                             .pitch = plan->map.width };
    xncc_shared_windows_fill(plan->kernel, &job, &area,
                             p->scratch + (uint64_t)slot * p->scratch_step,
                             p->sums + first * (ptrdiff_t)plan->map.width);
}

static void templ_task(void *argument, uint64_t index, int32_t slot)
{
    const xncc_templ_run *run = argument;
    if (run->done[index])
        return;
    xncc_job job = xncc_job_make(run->plan, run->image);
    xncc_job_set_template(&job, run->group->templ[index]);
    xncc_plan_prepare_in(run->plan, &job, slot, &run->plan->prepared->templ[index]);
}

xncc_status xncc_cpu_prepared_begin(xncc_templ_run *run, xncc_error *error)
{
    xncc_engine_plan *plan = run->plan;
    const size_t count = run->group->count;
    if (!plan->prepared)
        plan->prepared = xncc_alloc(1, sizeof *plan->prepared);
    xncc_cpu_prepared *p = plan->prepared;
    if (!p)
        return no_memory(sizeof *p, error);
    xncc_status status = make_image(plan, p, error);
    if (!status)
        status = make_templs(plan, p, count, error);
    if (status)
        return status;
    if (p->spectra.data)
        memset(p->spectra.known, 0, (size_t)p->blocks);
    if (p->sums)
        xncc_pool_run_on(plan->team.pool, plan->seats,
                         (uint64_t)xncc_ceil_div(plan->map.height, TASK_ROWS), sum_task, run);
    if (p->count == count)
        xncc_pool_run_on(plan->team.pool, plan->seats, count, templ_task, run);
    p->in_use = 1;
    return xncc_check_cancelled(plan->watch, error);
}

void xncc_cpu_prepared_use(xncc_engine_plan *plan, xncc_job *job)
{
    const xncc_cpu_prepared *p = plan->prepared;
    const void *shared = NULL;
    if (p && p->in_use) {
        job->windows = p->sums ? &p->windows : NULL;
        job->spectra = p->spectra.data ? &p->spectra : NULL;
        for (size_t i = 0; i < p->count && !shared; i++)
            if (p->templ[i].serial == job->templ->serial)
                shared = p->templ[i].shared;
    }
    if (shared)
        job->shared = shared;
    else
        xncc_plan_prepare(plan, job);
}

void xncc_cpu_prepared_end(xncc_engine_plan *plan)
{
    if (plan->prepared)
        plan->prepared->in_use = 0;
}

void xncc_cpu_prepared_destroy(xncc_cpu_prepared *prepared)
{
    if (!prepared)
        return;
    xncc_free(prepared->memory);
    xncc_free(prepared->templ);
    xncc_free(prepared);
}
