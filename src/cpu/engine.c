/* The CPU engine: cuts maps into rectangles, shares them out, and gathers matches. The arithmetic is in the kernels. */
#include "cpu/cpu.h"

#include "base/memory.h"
#include "cpu/kernel.h"
#include "cpu/pool.h"
#include "image/image.h"

#include <stdatomic.h>
#include <string.h>

typedef struct cpu_engine {
    cm_engine base;
    cm_pool *pool;
    uint32_t features;
} cpu_engine;

struct cm_work {
    cpu_engine *engine;
    cm_problem problem;
    cm_progress *progress;
    const cm_cpu_kernel *kernel;
    cm_shape shape;
    int32_t map_width, map_height, x0, y0;
    char *shared;
    char *scratch; /* threads pieces of scratch_step bytes */
    uint64_t scratch_step;
};

/* A call that writes a map: rectangles in columns x rows. */
typedef struct map_run {
    cm_job job;
    cm_work *work;
    const cm_map *map;
    int32_t columns, rows;
    int32_t across; /* rectangles side by side */
} map_run;

static int32_t smaller(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

static void progress_begin(cm_progress *progress, uint64_t units)
{
    /* Between calls both stand at the same number; start from 0 so that the fraction means this call. */
    if (atomic_load(&progress->done) >= atomic_load(&progress->total)) {
        atomic_store(&progress->done, 0);
        atomic_store(&progress->total, 0);
    }
    atomic_fetch_add(&progress->total, units);
}

static void progress_step(cm_progress *progress, uint64_t units)
{
    atomic_fetch_add(&progress->done, units);
}

static void *scratch_of(const cm_work *work, int32_t slot)
{
    return work->scratch ? work->scratch + (uint64_t)slot * work->scratch_step : NULL;
}

static void map_task(void *argument, uint64_t index, int32_t slot)
{
    const map_run *run = argument;
    const cm_work *work = run->work;
    uint64_t across = (uint64_t)run->across;
    cm_area area = { .x = (int32_t)(index % across) * run->columns, .y = (int32_t)(index / across) * run->rows };
    area.width = smaller(run->columns, work->map_width - area.x);
    area.height = smaller(run->rows, work->map_height - area.y);
    area.out = cm_map_row(run->map, area.y) + area.x;
    area.pitch = (ptrdiff_t)(cm_map_pitch(run->map) / (int64_t)sizeof(float));
    work->kernel->area(work->kernel, &run->job, scratch_of(work, slot), &area);
    progress_step(work->progress, (uint64_t)area.width * (uint64_t)area.height);
}

static cm_job job_make(const cm_work *work, const cm_image *image)
{
    return (cm_job){ .problem = &work->problem,
                     .image = image,
                     .x0 = work->x0,
                     .y0 = work->y0,
                     .map_width = work->map_width,
                     .map_height = work->map_height,
                     .shared = work->shared };
}

static void map_write(map_run *run)
{
    cm_work *work = run->work;
    if (work->kernel->begin)
        work->kernel->begin(work->kernel, &run->job, work->shared);
    run->columns = smaller(work->shape.columns, work->map_width);
    run->rows = smaller(work->shape.rows, work->map_height);
    run->across = (work->map_width - 1) / run->columns + 1;
    uint64_t down = (uint64_t)((work->map_height - 1) / run->rows + 1);
    progress_begin(work->progress, (uint64_t)work->map_width * (uint64_t)work->map_height);
    cm_pool_run(work->engine->pool, (uint64_t)run->across * down, map_task, run);
}

static cm_status correlate(cm_work *work, const cm_image *image, const cm_template *part, const cm_map *map,
                           cm_stream stream, cm_error *error)
{
    (void)stream;
    (void)error;
    map_run run = { .job = job_make(work, image), .work = work, .map = map };
    run.job.part = part;
    run.job.rule = cm_score_rule_make(part, work->problem.method, work->problem.flat);
    map_write(&run);
    return CM_OK;
}

static cm_status convolve(cm_work *work, const cm_image *image, const cm_filter *filter, const cm_map *out,
                          cm_stream stream, cm_error *error)
{
    (void)stream;
    (void)error;
    map_run run = { .job = job_make(work, image), .work = work, .map = out };
    run.job.filter = filter;
    run.job.x0 = -filter->anchor_x;
    run.job.y0 = -filter->anchor_y;
    map_write(&run);
    return CM_OK;
}

/* A call that gathers matches: bands of whole map rows, each with a row more above and below for the neighbours. */
typedef struct find_run {
    cm_job job;
    cm_work *work;
    const cm_peak_rule *rule;
    int32_t rows;     /* of a band */
    cm_peaks **peaks; /* by slot; made when first needed */
    float **band;     /* by slot: rows + 2 rows of the map */
    atomic_int failed;
    cm_error *error; /* of the first failure */
} find_run;

static void find_fail(find_run *run, cm_status status, const cm_error *error)
{
    int none = CM_OK;
    if (atomic_compare_exchange_strong(&run->failed, &none, (int)status) && run->error)
        *run->error = *error;
}

static cm_status find_room(find_run *run, int32_t slot, cm_error *error)
{
    const cm_work *work = run->work;
    uint64_t positions = (uint64_t)work->map_width * (uint64_t)work->map_height;
    if (!run->band[slot])
        run->band[slot] = cm_alloc((uint64_t)run->rows + 2, (uint64_t)work->map_width * sizeof(float));
    if (!run->band[slot])
        return cm_fail(error, CM_ERROR_MEMORY, "no memory for %d rows of the map", (int)run->rows + 2);
    return run->peaks[slot] ? CM_OK : cm_peaks_create(run->rule, positions, &run->peaks[slot], error);
}

static void find_task(void *argument, uint64_t index, int32_t slot)
{
    find_run *run = argument;
    const cm_work *work = run->work;
    cm_error error = { "" };
    if (atomic_load(&run->failed) != CM_OK)
        return;
    cm_status status = find_room(run, slot, &error);
    int32_t first = (int32_t)index * run->rows, count = smaller(run->rows, work->map_height - first);
    if (!status) {
        int above = first > 0, below = first + count < work->map_height;
        cm_area area = { 0, first - above, work->map_width, count + above + below, run->band[slot], work->map_width };
        work->kernel->area(work->kernel, &run->job, scratch_of(work, slot), &area);
        status = cm_peaks_feed(run->peaks[slot], area.out + (above ? area.pitch : 0), area.pitch, work->map_width,
                               first, count, above, below, &error);
    }
    if (status)
        find_fail(run, status, &error);
    progress_step(work->progress, (uint64_t)work->map_width * (uint64_t)count);
}

/* Rows a band: what suits the kernel, within a budget for the band's floats. Two more rows are computed for each band,
 * so few rows a band cost time: not less than 16 while the map has them. */
static int32_t find_rows(const cm_work *work)
{
    enum { BAND_BYTES = 6 << 20, LEAST_ROWS = 16 };
    uint64_t fit = BAND_BYTES / ((uint64_t)work->map_width * sizeof(float));
    int32_t threads = cm_pool_threads(work->engine->pool), share = (work->map_height - 1) / (2 * threads) + 1;
    int32_t rows = work->shape.rows > 64 ? work->shape.rows : 64;
    rows = smaller(rows, share);
    if (fit < (uint64_t)rows)
        rows = (int32_t)fit;
    return smaller(rows > LEAST_ROWS ? rows : LEAST_ROWS, work->map_height);
}

static cm_status find_gather(find_run *run, int32_t threads, cm_match *match, size_t *found)
{
    cm_peaks *all = run->peaks[0];
    for (int32_t i = 1; i < threads; i++) {
        if (!run->peaks[i])
            continue;
        cm_status status = cm_peaks_merge(all, run->peaks[i], run->error);
        if (status)
            return status;
    }
    return cm_peaks_finish(all, match, found, run->error);
}

static cm_status find(cm_work *work, const cm_image *image, const cm_template *part, const cm_peak_rule *rule,
                      cm_match *match, size_t *found, cm_stream stream, cm_error *error)
{
    (void)stream;
    int32_t threads = cm_pool_threads(work->engine->pool);
    find_run run = {
        .job = job_make(work, image), .work = work, .rule = rule, .rows = find_rows(work), .error = error
    };
    run.job.part = part;
    run.job.rule = cm_score_rule_make(part, work->problem.method, work->problem.flat);
    run.peaks = cm_alloc((uint64_t)threads, sizeof(cm_peaks *));
    run.band = cm_alloc((uint64_t)threads, sizeof(float *));
    cm_status status = run.peaks && run.band
                           ? find_room(&run, 0, error)
                           : cm_fail(error, CM_ERROR_MEMORY, "no memory for %d threads", (int)threads);
    if (!status) {
        if (work->kernel->begin)
            work->kernel->begin(work->kernel, &run.job, work->shared);
        progress_begin(work->progress, (uint64_t)work->map_width * (uint64_t)work->map_height);
        cm_pool_run(work->engine->pool, (uint64_t)((work->map_height - 1) / run.rows + 1), find_task, &run);
        status = (cm_status)atomic_load(&run.failed);
    }
    if (!status)
        status = find_gather(&run, threads, match, found);
    for (int32_t i = 0; i < threads; i++) {
        if (run.peaks)
            cm_peaks_destroy(run.peaks[i]);
        if (run.band)
            cm_free(run.band[i]);
    }
    cm_free(run.peaks);
    cm_free(run.band);
    return status;
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
    work->map_width = problem->image_width;
    work->map_height = problem->image_height;
    cm_status status = CM_OK;
    if (!work->kernel)
        status = cm_fail(error, CM_ERROR_UNSUPPORTED, "kernel %s is not in this build's CPU engine",
                         cm_kernel_table[decision->kernel].name);
    else if (problem->task == CM_TASK_MATCH)
        status = cm_map_extent(problem->mode, problem->image_width, problem->image_height, problem->width,
                               problem->height, &work->map_width, &work->map_height, &work->x0, &work->y0);
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
    .find = find,
    .convolve = convolve,
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
