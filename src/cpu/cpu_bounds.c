/* SPDX-License-Identifier: BSD-2-Clause */
/* Prepares half images and templates for the bounds of a batch (cpu_bounds.h). */
#include "cpu/cpu_bounds.h"

#include "base/memory.h"

#include <assert.h>

/* Image rows, and map rows, of a task. A window's sums begin anew in each task of the latter. */
enum { SUM_ROWS = 32, WEIGH_ROWS = 128 };

static xncc_kernel_memory half_memory(const xncc_engine_plan *plan)
{
    const xncc_product_kernel *product = plan->kernel->variant;
    return product->memory(product, &plan->half, plan->problem.templ_width / 2);
}

/* Divides `memory` into the templates and their parts, and returns the bytes needed. If memory is
 * NULL, only returns the bytes. */
static uint64_t lay_out(const xncc_engine_plan *plan, size_t count, char *memory)
{
    const uint64_t pixels = (uint64_t)(plan->problem.templ_width / 2) *
                            (uint64_t)(plan->problem.templ_height / 2);
    const uint64_t shared =
        plan->kernel->memory(plan->kernel, &plan->problem, &plan->blocks).shared;
    uint64_t total = 0;
    xncc_cpu_bound_templ *templ = xncc_carve(memory, &total, count * sizeof *templ);
    for (size_t i = 0; i < count; i++) {
        xncc_cpu_bound_templ unused, *t = memory ? &templ[i] : &unused;
        t->pixels = xncc_carve(memory, &total, pixels);
        t->prepared.shared = xncc_carve(memory, &total, shared);
        t->half_shared = xncc_carve(memory, &total, half_memory(plan).shared);
    }
    return total;
}

/* Makes room for the templates. */
static int make_templs(const xncc_engine_plan *plan, xncc_cpu_bounds *b, size_t count)
{
    if (count == b->count)
        return 1;
    xncc_free(b->templ);
    b->count = 0;
    b->templ = xncc_alloc(lay_out(plan, count, NULL), 1);
    if (!b->templ)
        return 0;
    (void)lay_out(plan, count, (char *)b->templ);
    b->count = count;
    return 1;
}

/* The scratch of a thread serves each pass in turn: rows of scores with the two before, products,
 * and window sums. */
static int make_scratch(const xncc_engine_plan *plan, xncc_cpu_bounds *b)
{
    const uint64_t rows = (uint64_t)(XNCC_BOUND_ROWS + 2) * (uint64_t)plan->map.width *
                          sizeof(float);
    uint64_t step = xncc_halves_scratch(&b->halves);
    step = step > rows ? step : rows;
    step = step > half_memory(plan).scratch ? step : half_memory(plan).scratch;
    b->scratch_step = (step + 127) / 64 * 64;
    b->scratch = xncc_alloc((uint64_t)plan->seats, b->scratch_step);
    return b->scratch != NULL;
}

/* Makes what is missing. */
static int make(xncc_engine_plan *plan, size_t count)
{
    const xncc_product_kernel *product = plan->kernel->variant;
    if (!plan->bounds)
        plan->bounds = xncc_alloc(1, sizeof *plan->bounds);
    xncc_cpu_bounds *b = plan->bounds;
    return b && (b->halves.memory || xncc_halves_make(&plan->problem, product->rows, &b->halves)) &&
           (b->scratch || make_scratch(plan, b)) && make_templs(plan, b, count);
}

static char *scratch_of(const xncc_templ_run *run, int32_t slot)
{
    const xncc_cpu_bounds *b = run->plan->bounds;
    return b->scratch + (uint64_t)slot * b->scratch_step;
}

static void templ_task(void *argument, uint64_t index, int32_t slot)
{
    const xncc_templ_run *run = argument;
    const xncc_engine_plan *plan = run->plan;
    const xncc_product_kernel *product = plan->kernel->variant;
    const xncc_template *templ = run->group->templ[index];
    xncc_cpu_bound_templ *t = &plan->bounds->templ[index];
    if (t->prepared.serial == templ->serial)
        return;
    t->prepared.serial = 0;
    t->flat = !xncc_bound_templ_make(templ, t->pixels, &t->bound);
    if (t->flat)
        return;
    product->begin(product, &plan->half, &t->bound.half, plan->watch, t->half_shared,
                   scratch_of(run, slot));
    xncc_job job = xncc_job_make(plan, run->image);
    xncc_job_set_template(&job, templ);
    xncc_plan_prepare_in(plan, &job, slot, &t->prepared);
}

static void sum_task(void *argument, uint64_t index, int32_t slot)
{
    const xncc_templ_run *run = argument;
    const int32_t first = (int32_t)index * SUM_ROWS, left = run->image->height - 1 - first;
    (void)slot;
    if (!xncc_is_cancelled(run->plan->watch))
        xncc_halves_sum(&run->plan->bounds->halves, run->image, first,
                        first + xncc_min_i32(SUM_ROWS, left));
}

static void weigh_task(void *argument, uint64_t index, int32_t slot)
{
    const xncc_templ_run *run = argument;
    const int32_t first = (int32_t)index * WEIGH_ROWS, left = run->plan->map.height - first;
    xncc_halves_weigh(&run->plan->bounds->halves, run->image, run->plan->watch, first,
                      first + xncc_min_i32(WEIGH_ROWS, left), scratch_of(run, slot));
}

/* Estimates the mean numbers of the windows from one in sixty-four. */
static void set_means(xncc_cpu_bounds *b)
{
    enum { STEP = 4 };
    const xncc_halves *h = &b->halves;
    double scale = 0.0, rest = 0.0, count = 0.0;
    for (int32_t y = 0; y < xncc_of_parity(h->map_height, 0); y += STEP)
        for (int32_t x = 0; x < xncc_of_parity(h->map_width, 0); x += STEP) {
            const uint64_t at = (uint64_t)y * (uint64_t)h->stride + (uint64_t)x;
            scale += (double)h->scale[at];
            rest += (double)h->rest[at];
            count += 1.0;
        }
    b->mean_scale = scale / count;
    b->mean_rest = rest / count;
}

xncc_status xncc_cpu_bounds_prepare(xncc_templ_run *run, xncc_error *error)
{
    xncc_engine_plan *plan = run->plan;
    const size_t count = run->group->count;
    const int32_t height = run->image->height;
    assert(plan->has_half && height > 1);
    if (!make(plan, count))
        return xncc_fail(error, XNCC_ERROR_MEMORY, "no memory to search for %zu templates at once",
                         count);
    xncc_pool *pool = plan->team.pool;
    xncc_pool_run_on(pool, plan->seats, count, templ_task, run);
    xncc_pool_run_on(pool, plan->seats, (uint64_t)xncc_ceil_div(height - 1, SUM_ROWS), sum_task,
                     run);
    xncc_pool_run_on(pool, plan->seats, (uint64_t)xncc_ceil_div(plan->map.height, WEIGH_ROWS),
                     weigh_task, run);
    set_means(plan->bounds);
    return xncc_check_cancelled(plan->watch, error);
}

int xncc_cpu_bounds_pay(const xncc_cpu_bounds *bounds, size_t templ, float limit)
{
    const xncc_bound_templ *t = &bounds->templ[templ].bound;
    return !bounds->templ[templ].flat && (double)t->constant * bounds->mean_scale +
                                                 (double)t->per_rest * bounds->mean_rest +
                                                 (double)t->always <
                                             (double)limit;
}

void xncc_cpu_bounds_destroy(xncc_cpu_bounds *bounds)
{
    if (!bounds)
        return;
    xncc_halves_clear(&bounds->halves);
    xncc_free(bounds->templ);
    xncc_free(bounds->scratch);
    xncc_free(bounds);
}
