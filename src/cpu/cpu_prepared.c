/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes and keeps what several searches in one image share (cpu_prepared.h). */
#include "cpu/cpu_prepared.h"

#include "base/memory.h"
#include "cpu/kernels/shared_windows.h"

#include <string.h>

/* Without the shared parts of a larger image, each search computes its own. */
enum { MOST_BYTES = 128 << 20, TASK_ROWS = 64, SLACK = 64 };

static int shares_sums(const xncc_engine_plan *plan)
{
    const xncc_problem *p = &plan->problem;
    return xncc_shares_windows(plan->kernel, &plan->blocks) &&
           plan->map_width == p->image_width - p->templ_width + 1 &&
           plan->map_height == p->image_height - p->templ_height + 1;
}

/* Divides `memory` into the parts and returns the bytes needed. If memory is NULL, only returns the
 * bytes. */
static uint64_t lay_out(const xncc_engine_plan *plan, xncc_cpu_prepared *p, char *memory)
{
    const uint64_t windows = (uint64_t)plan->map_width * (uint64_t)plan->map_height,
                   pair = xncc_shared_spectrum_bytes(plan->kernel, &plan->blocks);
    uint64_t total = 0;
    if (shares_sums(plan)) {
        p->sums = xncc_carve(memory, &total, (windows + SLACK) * sizeof *p->sums);
        p->windows = (xncc_window_plane){ .packed = p->sums, .stride = plan->map_width };
        p->scratch_step = xncc_shared_windows_bytes(plan->problem.templ_width, plan->map_width);
        p->scratch_step = (p->scratch_step + 127) / 64 * 64;
        p->scratch = xncc_carve(memory, &total,
                                (uint64_t)xncc_pool_threads(plan->engine->pool) * p->scratch_step);
    }
    if (pair) {
        const uint64_t across = (uint64_t)xncc_ceil_div(plan->map_width, plan->blocks.columns),
                       down = (uint64_t)xncc_ceil_div(plan->map_height, plan->blocks.rows);
        p->pairs = across * down;
        p->spectra = (xncc_image_spectra){ .data = xncc_carve(memory, &total, p->pairs * pair),
                                           .known = xncc_carve(memory, &total, p->pairs),
                                           .across = (int64_t)across,
                                           .left = plan->x0,
                                           .top = plan->y0 };
    }
    return total;
}

/* Makes the parts that the plan can share; none if they are too large. */
static xncc_status make(xncc_engine_plan *plan, xncc_error *error)
{
    xncc_cpu_prepared sizes = { 0 };
    const uint64_t windows = (uint64_t)plan->map_width * (uint64_t)plan->map_height,
                   bytes = windows > MOST_BYTES / sizeof(uint64_t) ? UINT64_MAX
                                                                   : lay_out(plan, &sizes, NULL);
    if (bytes == 0 || bytes > MOST_BYTES)
        return XNCC_OK;
    xncc_cpu_prepared *p = xncc_alloc(1, sizeof *p);
    if (p)
        p->memory = xncc_alloc(bytes, 1);
    if (!p || !p->memory) {
        xncc_free(p);
        return xncc_fail(error, XNCC_ERROR_MEMORY,
                         "no memory for what templates share (%llu bytes)",
                         (unsigned long long)bytes);
    }
    (void)lay_out(plan, p, p->memory);
    plan->prepared = p;
    return XNCC_OK;
}

typedef struct sum_run {
    const xncc_engine_plan *plan;
    const xncc_image *image;
} sum_run;

static void sum_task(void *argument, uint64_t index, int32_t slot)
{
    const sum_run *run = argument;
    const xncc_engine_plan *plan = run->plan;
    const xncc_cpu_prepared *p = plan->prepared;
    const xncc_job job = xncc_job_make(plan, run->image);
    const int32_t first = (int32_t)index * TASK_ROWS;
    const xncc_area area = { .y = first,
                             .width = plan->map_width,
                             .height = xncc_min_i32(TASK_ROWS, plan->map_height - first),
                             .pitch = plan->map_width };
    xncc_shared_windows_fill(plan->kernel, &job, &area,
                             p->scratch + (uint64_t)slot * p->scratch_step,
                             p->sums + first * (ptrdiff_t)plan->map_width);
}

xncc_status xncc_cpu_prepared_begin(xncc_engine_plan *plan, const xncc_image *image,
                                    xncc_error *error)
{
    const xncc_status status = plan->prepared ? XNCC_OK : make(plan, error);
    xncc_cpu_prepared *p = plan->prepared;
    if (status || !p)
        return status;
    if (p->spectra.data)
        memset(p->spectra.known, 0, (size_t)p->pairs);
    sum_run run = { plan, image };
    if (p->sums)
        xncc_pool_run(plan->engine->pool, (uint64_t)xncc_ceil_div(plan->map_height, TASK_ROWS),
                      sum_task, &run);
    p->in_use = 1;
    return xncc_check_cancelled(plan->watch, error);
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
    xncc_free(prepared);
}
