/* Matches without a map: bands of whole map rows are computed by all threads together, then searched by all of them. A
 * band begins with the last two rows of the one before, so that every row is computed once and has its neighbours. It
 * is as high as memory allows, or as the image rows that are there so far. */
#include "base/memory.h"
#include "cpu/work.h"

#include <string.h>

enum { BAND_BYTES = 4 << 20, LEAST_ROWS = 16, FEED_ROWS = 16 };

struct cm_sweep {
    cm_job job;
    cm_work *work;
    const cm_peak_rule *rule;
    cm_peaks **peaks; /* by slot; made when first needed */
    int32_t rows,
        least; /* of a band, at most and (but for the last) at least; whole rectangles where the kernel wants */
    int32_t first, count;   /* the band's map rows; they lie from row 2 of work->band on */
    int32_t feed, feed_end; /* the map rows to search now */
    int32_t area_rows, across;
    atomic_int failed;
    cm_error *error; /* of the first failure */
};

/* Map row y in the band's memory. */
static float *band_row(const cm_sweep *run, int32_t y)
{
    return run->work->band + (ptrdiff_t)(y - run->first + 2) * run->work->map_width;
}

static void area_task(void *argument, uint64_t index, int32_t slot)
{
    const cm_sweep *run = argument;
    const cm_work *work = run->work;
    int32_t column = (int32_t)(index % (uint64_t)run->across), row = (int32_t)(index / (uint64_t)run->across);
    cm_area area = { .x = column * work->shape.columns,
                     .y = run->first + row * run->area_rows,
                     .pitch = work->map_width };
    area.width = cm_smaller(work->shape.columns, work->map_width - area.x);
    area.height = cm_smaller(run->area_rows, run->first + run->count - area.y);
    area.out = band_row(run, area.y) + area.x;
    work->kernel->area(work->kernel, &run->job, cm_work_scratch(work, slot), &area);
    cm_progress_step(work->progress, (uint64_t)area.width * (uint64_t)area.height);
}

static cm_status make_peaks(const cm_sweep *run, int32_t slot, cm_error *error)
{
    uint64_t positions = (uint64_t)run->work->map_width * (uint64_t)run->work->map_height;
    return run->peaks[slot] ? CM_OK : cm_peaks_create(run->rule, positions, &run->peaks[slot], error);
}

static void feed_task(void *argument, uint64_t index, int32_t slot)
{
    cm_sweep *run = argument;
    cm_error error = { "" };
    if (atomic_load(&run->failed) != CM_OK)
        return;
    int32_t y = run->feed + (int32_t)index * FEED_ROWS, width = run->work->map_width;
    int32_t count = cm_smaller(FEED_ROWS, run->feed_end - y);
    cm_status status = make_peaks(run, slot, &error);
    if (!status)
        status = cm_peaks_feed(run->peaks[slot], band_row(run, y), width, width, y, count, y > 0,
                               y + count < run->work->map_height, &error);
    int none = CM_OK;
    if (status && atomic_compare_exchange_strong(&run->failed, &none, (int)status) && run->error)
        *run->error = error;
}

/* Rows a band: what fits the budget, in whole rectangles of the kernel where it wants them. */
static int32_t band_rows(const cm_work *work)
{
    uint64_t fit = BAND_BYTES / ((uint64_t)work->map_width * sizeof(float));
    int32_t rows = fit > CM_MAX_SIDE ? CM_MAX_SIDE : (int32_t)fit, whole = work->shape.least_rows;
    if (rows < LEAST_ROWS)
        rows = LEAST_ROWS;
    if (whole > 1)
        rows = rows > whole ? rows / whole * whole : whole;
    return cm_smaller(rows, work->map_height);
}

static uint64_t parts(int32_t extent, int32_t size)
{
    return (uint64_t)((extent - 1) / size + 1);
}

/* The rectangles of a band: the kernel's own, lower ones where that gives every thread its share. */
static void band_split(cm_sweep *run)
{
    const cm_work *work = run->work;
    int32_t threads = cm_pool_threads(work->engine->pool);
    run->across = (int32_t)parts(work->map_width, work->shape.columns);
    run->area_rows = cm_smaller(work->shape.rows, run->count);
    if (work->shape.least_rows > 1)
        return;
    int32_t down = (3 * threads - 1) / run->across + 1, share = (run->count - 1) / down + 1;
    run->area_rows = cm_smaller(run->area_rows, share > LEAST_ROWS ? share : LEAST_ROWS);
}

/* Computes and searches the band at hand, and goes on to the next. */
static void search(cm_sweep *run)
{
    const cm_work *work = run->work;
    cm_pool *pool = work->engine->pool;
    band_split(run);
    cm_pool_run(pool, (uint64_t)run->across * parts(run->count, run->area_rows), area_task, run);
    /* the last row waits for the one below it */
    run->feed_end = run->first + run->count - (run->first + run->count < work->map_height);
    if (run->feed_end > run->feed)
        cm_pool_run(pool, parts(run->feed_end - run->feed, FEED_ROWS), feed_task, run);
    run->feed = run->feed_end;
    memmove(work->band, work->band + (ptrdiff_t)run->count * work->map_width,
            2 * (size_t)work->map_width * sizeof(float));
    run->first += run->count;
}

/* The map rows whose windows lie in the first `rows` rows of the image. Windows that reach below the image need its
 * last row; those that reach above it need its first one, or any. */
static int32_t rows_ready(const cm_work *work, int32_t rows)
{
    if (rows >= work->problem.image_height)
        return work->map_height;
    if (work->y0 < 0 && (work->problem.border == CM_BORDER_MIRROR || work->problem.border == CM_BORDER_WRAP))
        return 0;
    int64_t ready = (int64_t)rows - work->problem.height + 1 - work->y0;
    return ready < 0 ? 0 : cm_smaller((int32_t)ready, work->map_height);
}

cm_status cm_cpu_sweep_rows(cm_sweep *run, int32_t rows, cm_error *error)
{
    const cm_work *work = run->work;
    const int32_t ready = rows_ready(work, rows), whole = work->shape.least_rows;
    const int32_t least = ready == work->map_height ? 1 : run->least;
    run->error = error;
    while (ready - run->first >= least && atomic_load(&run->failed) == CM_OK) {
        run->count = cm_smaller(run->rows, ready - run->first);
        if (whole > 1 && run->first + run->count < work->map_height)
            run->count = run->count / whole * whole;
        search(run);
    }
    return (cm_status)atomic_load(&run->failed);
}

cm_status cm_cpu_sweep_finish(cm_sweep *run, cm_match *match, size_t *found, cm_error *error)
{
    cm_peaks *all = run->peaks[0];
    const int32_t threads = cm_pool_threads(run->work->engine->pool);
    for (int32_t i = 1; i < threads; i++) {
        if (!run->peaks[i])
            continue;
        cm_status status = cm_peaks_merge(all, run->peaks[i], error);
        if (status)
            return status;
    }
    return cm_peaks_finish(all, match, found, error);
}

static cm_status take_memory(cm_sweep *run, cm_error *error)
{
    cm_work *work = run->work;
    const int32_t threads = cm_pool_threads(work->engine->pool);
    run->peaks = cm_alloc((uint64_t)threads, sizeof(cm_peaks *));
    if (!run->peaks)
        return cm_fail(error, CM_ERROR_MEMORY, "no memory for %d threads", (int)threads);
    if (!work->band)
        work->band = cm_alloc((uint64_t)run->rows + 2, (uint64_t)work->map_width * sizeof(float));
    if (!work->band)
        return cm_fail(error, CM_ERROR_MEMORY, "no memory for %d rows of the map", (int)run->rows + 2);
    return make_peaks(run, 0, error);
}

/* Fewest rows a band: a rectangle of the kernel for every thread. */
static int32_t band_least(const cm_work *work, int32_t most)
{
    const uint64_t across = parts(work->map_width, work->shape.columns),
                   threads = (uint64_t)cm_pool_threads(work->engine->pool);
    const uint64_t least = (threads + across - 1) / across * (uint64_t)work->shape.rows;
    return least < (uint64_t)most ? (int32_t)least : most;
}

cm_status cm_cpu_sweep_begin(cm_work *work, const cm_image *image, const cm_template *part, const cm_peak_rule *rule,
                             cm_sweep **sweep, cm_error *error)
{
    cm_sweep *run = cm_alloc(1, sizeof *run);
    *sweep = NULL;
    if (!run)
        return cm_fail(error, CM_ERROR_MEMORY, "no memory for a search");
    run->job = cm_job_make(work, image);
    cm_job_seek(&run->job, part);
    run->work = work;
    run->rule = rule;
    run->rows = band_rows(work);
    run->least = band_least(work, run->rows);
    cm_progress_begin(work->progress, (uint64_t)work->map_width * (uint64_t)work->map_height);
    cm_status status = take_memory(run, error);
    if (status) {
        cm_cpu_sweep_end(run);
        return status;
    }
    cm_work_prepare(work, &run->job);
    *sweep = run;
    return CM_OK;
}

void cm_cpu_sweep_end(cm_sweep *run)
{
    const cm_work *work = run->work;
    /* what was not done will not be waited for */
    cm_progress_step(work->progress, (uint64_t)(work->map_height - run->first) * (uint64_t)work->map_width);
    for (int32_t i = 0; run->peaks && i < cm_pool_threads(work->engine->pool); i++)
        cm_peaks_destroy(run->peaks[i]);
    cm_free(run->peaks);
    cm_free(run);
}

cm_status cm_cpu_find(cm_work *work, const cm_image *image, const cm_template *part, const cm_peak_rule *rule,
                      cm_match *match, size_t *found, cm_stream stream, cm_error *error)
{
    (void)stream;
    cm_sweep *run;
    cm_status status = cm_cpu_sweep_begin(work, image, part, rule, &run, error);
    if (status)
        return status;
    status = cm_cpu_sweep_rows(run, image->height, error);
    if (!status)
        status = cm_cpu_sweep_finish(run, match, found, error);
    cm_cpu_sweep_end(run);
    return status;
}
