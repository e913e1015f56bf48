/* SPDX-License-Identifier: BSD-2-Clause */
/* The CPU engine: implements xncc_engine_ops. The arithmetic is in kernels/. */
#include "cpu/cpu.h"

#include "base/memory.h"
#include "cpu/cpu_bounds.h"
#include "cpu/cpu_prepared.h"
#include "image/image.h"

static xncc_status map_write(xncc_engine_plan *plan, const xncc_job *job, const xncc_map *map,
                             xncc_error *error)
{
    const xncc_band all = { .out = xncc_map_row(map, 0),
                            .pitch = (ptrdiff_t)(xncc_map_pitch(map) / (int64_t)sizeof(float)),
                            .count = plan->map.height,
                            .area_rows = plan->blocks.rows };
    xncc_plan_prepare(plan, job);
    xncc_progress_begin(plan->watch->progress, xncc_plan_elements(plan));
    xncc_plan_fill(plan, job, &all);
    return xncc_check_cancelled(plan->watch, error);
}

static xncc_status correlate(xncc_engine_plan *plan, const xncc_image *image,
                             const xncc_template *templ, const xncc_map *map, xncc_stream stream,
                             xncc_error *error)
{
    (void)stream;
    xncc_job job = xncc_job_make(plan, image);
    xncc_job_set_template(&job, templ);
    return map_write(plan, &job, map, error);
}

static xncc_status convolve(xncc_engine_plan *plan, const xncc_image *image,
                            const xncc_filter *filter, const xncc_map *out, xncc_stream stream,
                            xncc_error *error)
{
    (void)stream;
    xncc_job job = xncc_job_make(plan, image);
    job.filter = filter;
    job.x0 = -filter->anchor_x;
    job.y0 = -filter->anchor_y;
    return map_write(plan, &job, out, error);
}

/* Kernels of integers compute columns beyond a row, too, of whatever is there, in integers that
 * must not overflow: their memory begins as zeros, and is not kept. */
static void *take(const xncc_engine_plan *plan, uint64_t bytes)
{
    return xncc_pixel_is_of_doubles(plan->problem.pixel)
               ? xncc_kept_take(&plan->engine->kept, bytes)
               : xncc_alloc(bytes, 1);
}

static void give(const xncc_engine_plan *plan, void *memory)
{
    if (xncc_pixel_is_of_doubles(plan->problem.pixel))
        xncc_kept_give(&plan->engine->kept, memory);
    else
        xncc_free(memory);
}

/* Rare memory: the first word is 0. Most of a large piece may never be touched. Systems that count
 * memory when it is touched grant many such pieces, but not one larger than all memory; they are
 * not kept. */
enum { MOST_KEPT_RARE = XNCC_KEPT_BYTES / 2 };

static uint64_t *take_rare(const xncc_engine_plan *plan)
{
    uint64_t *memory = plan->rare_bytes <= MOST_KEPT_RARE ? take(plan, plan->rare_bytes)
                                                          : xncc_alloc_unset(plan->rare_bytes, 1);
    if (memory)
        *memory = 0;
    return memory;
}

static void give_rare(const xncc_engine_plan *plan, void *memory)
{
    if (plan->rare_bytes <= MOST_KEPT_RARE)
        give(plan, memory);
    else
        xncc_free(memory);
}

/* Leaves memory to later plans: last, and so in preference, what all calls touch, and of rare
 * memory that of the first thread, whose planes all threads may share. */
static void free_workspace(xncc_engine_plan *plan)
{
    void **scratch = plan->team.scratch;
    for (int32_t i = plan->seats - 1; i >= 0 && scratch && plan->rare_bytes; i--) {
        void **extra = scratch[i];
        if (!extra)
            continue;
        give_rare(plan, extra[XNCC_EXTRA_RARE]);
        give(plan, extra[XNCC_EXTRA_OFTEN]);
    }
    for (int32_t i = 0; i < plan->seats && scratch; i++)
        give(plan, scratch[i]);
    give(plan, plan->templ.shared);
    xncc_free(scratch);
}

static void unbind(xncc_engine_plan *plan)
{
    if (!plan)
        return;
    xncc_cpu_bounds_destroy(plan->bounds);
    xncc_cpu_prepared_destroy(plan->prepared);
    for (int32_t i = 0; plan->bands && i < plan->seats; i++)
        xncc_free(plan->bands[i].memory);
    xncc_free(plan->bands);
    free_workspace(plan);
    xncc_free(plan);
}

/* A piece of scratch memory for each thread, and extra memory. */
static xncc_status alloc_scratch(xncc_engine_plan *plan, const xncc_kernel_memory *needs)
{
    void **scratch = xncc_alloc((uint64_t)plan->seats, sizeof *scratch);
    plan->team.scratch = scratch;
    if (!scratch)
        return XNCC_ERROR_MEMORY;
    plan->rare_bytes = needs->extra[XNCC_EXTRA_RARE];
    for (int32_t i = 0; i < plan->seats; i++) {
        void **extra = scratch[i] = take(plan, needs->scratch);
        if (!extra)
            return XNCC_ERROR_MEMORY;
        if (!plan->rare_bytes)
            continue;
        extra[XNCC_EXTRA_OFTEN] = take(plan, needs->extra[XNCC_EXTRA_OFTEN]);
        extra[XNCC_EXTRA_RARE] = take_rare(plan);
        if (!extra[XNCC_EXTRA_OFTEN] || !extra[XNCC_EXTRA_RARE])
            return XNCC_ERROR_MEMORY;
    }
    return XNCC_OK;
}

/* Allocates the memory that the kernel asks for, and notes room for bands. */
static xncc_status alloc_workspace(xncc_engine_plan *plan, xncc_error *error)
{
    const xncc_cpu_kernel *kernel = plan->kernel;
    const xncc_kernel_memory needs = kernel->memory
                                         ? kernel->memory(kernel, &plan->problem, &plan->blocks)
                                         : (xncc_kernel_memory){ .scratch = 0 };
    plan->bands = xncc_alloc((uint64_t)plan->seats, sizeof *plan->bands);
    xncc_status status = plan->bands ? XNCC_OK : XNCC_ERROR_MEMORY;
    if (!status && needs.scratch > 0)
        status = alloc_scratch(plan, &needs);
    if (!status && needs.shared > 0) {
        plan->templ.shared = take(plan, needs.shared);
        status = plan->templ.shared ? XNCC_OK : XNCC_ERROR_MEMORY;
    }
    if (status)
        return xncc_fail(error, status,
                         "no memory for the kernel's workspace (%llu bytes for each of %d threads)",
                         (unsigned long long)(needs.scratch + needs.extra[0] + needs.extra[1]),
                         (int)plan->seats);
    return XNCC_OK;
}

static xncc_status bind(xncc_engine *engine, const xncc_problem *problem,
                        const xncc_decision *decision, const xncc_stack_plan *stack,
                        const xncc_watch *watch, xncc_engine_plan **result, xncc_error *error)
{
    (void)stack; /* decisions for the CPU have none */
    *result = NULL;
    xncc_engine_plan *plan = xncc_alloc(1, sizeof *plan);
    if (!plan)
        return xncc_fail(error, XNCC_ERROR_MEMORY, "no memory for a plan");
    plan->engine = (cpu_engine *)engine;
    plan->problem = *problem;
    plan->watch = watch;
    plan->kernel = xncc_cpu_kernel_of(decision->kernel, problem);
    plan->team.pool = plan->engine->pool;
    const int32_t pool = xncc_pool_threads(plan->team.pool);
    plan->seats = decision->cpu_seats < pool ? decision->cpu_seats : pool;
    plan->team.threads = decision->cpu_threads < pool ? decision->cpu_threads : pool;
    plan->estimate_ms = decision->estimate_ms;
    plan->blocks = decision->cpu;
    plan->half = decision->cpu_half;
    plan->has_half = decision->has_cpu_half;
    plan->map = xncc_problem_extent(problem);
    xncc_status status = XNCC_OK;
    if (!plan->kernel)
        status = xncc_fail(error, XNCC_ERROR_UNSUPPORTED,
                           "kernel %s is not in this build's CPU engine",
                           xncc_kernel_table[decision->kernel].name);
    if (!status)
        status = alloc_workspace(plan, error);
    if (status)
        unbind(plan);
    else
        *result = plan;
    return status;
}

static xncc_status describe(const xncc_engine *engine, xncc_machine *machine, xncc_error *error)
{
    const cpu_engine *cpu = (const cpu_engine *)engine;
    (void)error;
    machine->cpu.absent = 0;
    machine->cpu.threads = xncc_pool_threads(cpu->pool);
    machine->cpu.features = cpu->features;
    return XNCC_OK;
}

static void destroy(xncc_engine *engine)
{
    if (!engine)
        return;
    cpu_engine *cpu = (cpu_engine *)engine;
    xncc_pool_destroy(cpu->pool);
    xncc_kept_destroy(&cpu->kept);
    xncc_free(cpu);
}

static const xncc_engine_ops ops = {
    .destroy = destroy,
    .describe = describe,
    .bind = bind,
    .unbind = unbind,
    .correlate = correlate,
    .find = xncc_cpu_find,
    .convolve = convolve,
    .find_batch = xncc_cpu_find_batch,
    .find_images = xncc_cpu_find_images,
    .sweep_begin = xncc_cpu_sweep_begin,
    .sweep_rows = xncc_cpu_sweep_rows,
    .sweep_finish = xncc_cpu_sweep_finish,
    .sweep_end = xncc_cpu_sweep_end,
    .chips = xncc_cpu_chips,
    .share = &xncc_cpu_batch_ops,
};

xncc_status xncc_cpu_engine_create(int32_t threads, xncc_engine **engine, xncc_error *error)
{
    *engine = NULL;
    cpu_engine *cpu = xncc_alloc(1, sizeof *cpu);
    if (!cpu)
        return xncc_fail(error, XNCC_ERROR_MEMORY, "no memory for the CPU engine");
    cpu->base.ops = &ops;
    cpu->features = xncc_cpu_features();
    xncc_status status = xncc_pool_create(threads ? threads : xncc_cpu_processors(), &cpu->pool,
                                          error);
    if (status) {
        xncc_free(cpu);
        return status;
    }
    xncc_kept_init(&cpu->kept);
    *engine = &cpu->base;
    return status;
}

xncc_pool *xncc_cpu_engine_pool(xncc_engine *engine)
{
    return ((cpu_engine *)engine)->pool;
}

xncc_kept *xncc_cpu_engine_kept(xncc_engine *engine)
{
    return &((cpu_engine *)engine)->kept;
}
