/* The CPU engine: cuts maps into rectangles, shares them out, and gathers matches. The arithmetic is in the kernels. */
#include "cpu/cpu.h"

#include "base/memory.h"
#include "cpu/work.h"
#include "image/image.h"

/* A call that writes a map: rectangles in columns x rows. */
typedef struct map_run {
    cm_job job;
    cm_work *work;
    const cm_map *map;
    int32_t columns, rows;
    int32_t across; /* rectangles side by side */
} map_run;

static void map_task(void *argument, uint64_t index, int32_t slot)
{
    const map_run *run = argument;
    const cm_work *work = run->work;
    uint64_t across = (uint64_t)run->across;
    cm_area area = { .x = (int32_t)(index % across) * run->columns, .y = (int32_t)(index / across) * run->rows };
    area.width = cm_smaller(run->columns, work->map_width - area.x);
    area.height = cm_smaller(run->rows, work->map_height - area.y);
    area.out = cm_map_row(run->map, area.y) + area.x;
    area.pitch = (ptrdiff_t)(cm_map_pitch(run->map) / (int64_t)sizeof(float));
    work->kernel->area(work->kernel, &run->job, cm_work_scratch(work, slot), &area);
    cm_progress_step(work->progress, (uint64_t)area.width * (uint64_t)area.height);
}

static void map_write(map_run *run)
{
    cm_work *work = run->work;
    cm_work_prepare(work, &run->job);
    run->columns = cm_smaller(work->shape.columns, work->map_width);
    run->rows = cm_smaller(work->shape.rows, work->map_height);
    run->across = (work->map_width - 1) / run->columns + 1;
    uint64_t down = (uint64_t)((work->map_height - 1) / run->rows + 1);
    cm_progress_begin(work->progress, (uint64_t)work->map_width * (uint64_t)work->map_height);
    cm_pool_run(work->engine->pool, (uint64_t)run->across * down, map_task, run);
}

static cm_status correlate(cm_work *work, const cm_image *image, const cm_template *part, const cm_map *map,
                           cm_stream stream, cm_error *error)
{
    (void)stream;
    (void)error;
    map_run run = { .job = cm_job_make(work, image), .work = work, .map = map };
    cm_job_seek(&run.job, part);
    map_write(&run);
    return CM_OK;
}

static cm_status convolve(cm_work *work, const cm_image *image, const cm_filter *filter, const cm_map *out,
                          cm_stream stream, cm_error *error)
{
    (void)stream;
    (void)error;
    map_run run = { .job = cm_job_make(work, image), .work = work, .map = out };
    run.job.filter = filter;
    run.job.x0 = -filter->anchor_x;
    run.job.y0 = -filter->anchor_y;
    map_write(&run);
    return CM_OK;
}

static cm_status prepare_template(cm_engine *engine, const cm_template *part, void **prepared, cm_error *error)
{
    (void)engine;
    (void)part;
    (void)error;
    *prepared = NULL;
    return CM_OK;
}

static cm_status prepare_filter(cm_engine *engine, const cm_filter *filter, void **prepared, cm_error *error)
{
    (void)engine;
    (void)filter;
    (void)error;
    *prepared = NULL;
    return CM_OK;
}

static void release(cm_engine *engine, void *prepared)
{
    (void)engine;
    cm_free(prepared);
}

static void unbind(cm_work *work)
{
    if (!work)
        return;
    cm_free(work->band);
    cm_free(work->shared);
    cm_free(work->scratch);
    cm_free(work);
}

/* Takes the kernel's memory; the pieces of two threads share no cache line. */
static cm_status take_memory(cm_work *work, cm_error *error)
{
    uint64_t threads = (uint64_t)cm_pool_threads(work->engine->pool), all;
    cm_status status = CM_OK;
    work->kernel->shape(work->kernel, &work->problem, &work->shape);
    if (work->shape.scratch_bytes > 0) {
        work->scratch_step = (work->shape.scratch_bytes + 127) / 64 * 64;
        if (cm_mul_u64(work->scratch_step, threads, &all))
            work->scratch = cm_alloc(all, 1);
        status = work->scratch ? CM_OK : CM_ERROR_MEMORY;
    }
    if (!status && work->shape.shared_bytes > 0) {
        work->shared = cm_alloc(work->shape.shared_bytes, 1);
        status = work->shared ? CM_OK : CM_ERROR_MEMORY;
    }
    if (status)
        return cm_fail(error, status, "no memory for the kernel's workspace (%llu bytes for each of %llu threads)",
                       (unsigned long long)work->shape.scratch_bytes, (unsigned long long)threads);
    return CM_OK;
}

static cm_status bind(cm_engine *engine, const cm_problem *problem, const cm_decision *decision, cm_progress *progress,
                      cm_work **result, cm_error *error)
{
    *result = NULL;
    cm_work *work = cm_alloc(1, sizeof *work);
    if (!work)
        return cm_fail(error, CM_ERROR_MEMORY, "no memory for a plan");
    work->engine = (cpu_engine *)engine;
    work->problem = *problem;
    work->progress = progress;
    work->kernel = cm_cpu_kernel_of(decision->kernel, problem);
    const cm_extent map = cm_problem_extent(problem);
    work->map_width = map.width;
    work->map_height = map.height;
    work->x0 = map.x0;
    work->y0 = map.y0;
    cm_status status = CM_OK;
    if (!work->kernel)
        status = cm_fail(error, CM_ERROR_UNSUPPORTED, "kernel %s is not in this build's CPU engine",
                         cm_kernel_table[decision->kernel].name);
    if (!status)
        status = take_memory(work, error);
    if (status)
        unbind(work);
    else
        *result = work;
    return status;
}

static void describe(const cm_engine *engine, cm_machine *machine)
{
    const cpu_engine *cpu = (const cpu_engine *)engine;
    machine->cpu.absent = 0;
    machine->cpu.threads = cm_pool_threads(cpu->pool);
    machine->cpu.features = cpu->features;
}

static void destroy(cm_engine *engine)
{
    if (!engine)
        return;
    cpu_engine *cpu = (cpu_engine *)engine;
    cm_pool_destroy(cpu->pool);
    cm_free(cpu);
}

static const cm_engine_ops ops = {
    .destroy = destroy,
    .describe = describe,
    .prepare_template = prepare_template,
    .prepare_filter = prepare_filter,
    .release = release,
    .bind = bind,
    .unbind = unbind,
    .correlate = correlate,
    .find = cm_cpu_find,
    .convolve = convolve,
    .sweep_begin = cm_cpu_sweep_begin,
    .sweep_rows = cm_cpu_sweep_rows,
    .sweep_finish = cm_cpu_sweep_finish,
    .sweep_end = cm_cpu_sweep_end,
    .share = &cm_cpu_share_ops,
};

cm_status cm_cpu_engine_create(int32_t threads, cm_engine **engine, cm_error *error)
{
    enum { MOST_THREADS = 1024 };
    *engine = NULL;
    if (threads < 0 || threads > MOST_THREADS)
        return cm_fail(error, CM_ERROR_ARGUMENT, "threads: %d is not within 0 .. %d", (int)threads, MOST_THREADS);
    cpu_engine *cpu = cm_alloc(1, sizeof *cpu);
    if (!cpu)
        return cm_fail(error, CM_ERROR_MEMORY, "no memory for the CPU engine");
    cpu->base.ops = &ops;
    cpu->features = cm_cpu_features();
    cm_status status = cm_pool_create(threads ? threads : cm_cpu_processors(), &cpu->pool, error);
    if (status)
        cm_free(cpu);
    else
        *engine = &cpu->base;
    return status;
}
