/* Matches without a map: bands of whole map rows are computed by all threads together, then searched by all of them. A
 * band begins with the last two rows of the one before, so that every row is computed once and has its neighbours. */
#include "base/memory.h"
#include "cpu/work.h"

#include <string.h>

enum { BAND_BYTES = 4 << 20, LEAST_ROWS = 16, FEED_ROWS = 16 };

typedef struct find_run {
    cm_job job;
    cm_work *work;
    const cm_peak_rule *rule;
    cm_peaks **peaks;       /* by slot; made when first needed */
    int32_t rows;           /* of a band */
    int32_t first, count;   /* the band's map rows; they lie from row 2 of work->band on */
    int32_t feed, feed_end; /* the map rows to search now */
    int32_t area_rows, across;
    atomic_int failed;
    cm_error *error; /* of the first failure */
} find_run;

/* Map row y in the band's memory. */
static float *band_row(const find_run *run, int32_t y)
{
    return run->work->band + (ptrdiff_t)(y - run->first + 2) * run->work->map_width;
}

static void area_task(void *argument, uint64_t index, int32_t slot)
{
    const find_run *run = argument;
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

static cm_status make_peaks(const find_run *run, int32_t slot, cm_error *error)
{
    uint64_t positions = (uint64_t)run->work->map_width * (uint64_t)run->work->map_height;
    return run->peaks[slot] ? CM_OK : cm_peaks_create(run->rule, positions, &run->peaks[slot], error);
}

static void feed_task(void *argument, uint64_t index, int32_t slot)
{
    find_run *run = argument;
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
static void band_split(find_run *run)
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

static cm_status search(find_run *run)
{
    const cm_work *work = run->work;
    cm_pool *pool = work->engine->pool;
    const size_t row_bytes = (size_t)work->map_width * sizeof(float);
    for (run->first = 0; run->first < work->map_height; run->first += run->rows) {
        run->count = cm_smaller(run->rows, work->map_height - run->first);
        band_split(run);
        cm_pool_run(pool, (uint64_t)run->across * parts(run->count, run->area_rows), area_task, run);
        /* the last row waits for the one below it */
        run->feed_end = run->first + run->count - (run->first + run->count < work->map_height);
        if (run->feed_end > run->feed)
            cm_pool_run(pool, parts(run->feed_end - run->feed, FEED_ROWS), feed_task, run);
        run->feed = run->feed_end;
        memmove(work->band, work->band + (ptrdiff_t)run->count * work->map_width, 2 * row_bytes);
        if (atomic_load(&run->failed) != CM_OK)
            break;
    }
    return (cm_status)atomic_load(&run->failed);
}

static cm_status gather(find_run *run, int32_t threads, cm_match *match, size_t *found)
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

static cm_status take_band(cm_work *work, int32_t rows, cm_error *error)
{
    if (!work->band)
        work->band = cm_alloc((uint64_t)rows + 2, (uint64_t)work->map_width * sizeof(float));
    return work->band ? CM_OK : cm_fail(error, CM_ERROR_MEMORY, "no memory for %d rows of the map", (int)rows + 2);
}

cm_status cm_cpu_find(cm_work *work, const cm_image *image, const cm_template *part, const cm_peak_rule *rule,
                      cm_match *match, size_t *found, cm_stream stream, cm_error *error)
{
    (void)stream;
    int32_t threads = cm_pool_threads(work->engine->pool);
    find_run run = {
        .job = cm_job_make(work, image), .work = work, .rule = rule, .rows = band_rows(work), .error = error
    };
    run.job.part = part;
    run.job.rule = cm_score_rule_make(part, work->problem.method, work->problem.flat);
    run.peaks = cm_alloc((uint64_t)threads, sizeof(cm_peaks *));
    cm_status status = run.peaks ? take_band(work, run.rows, error)
                                 : cm_fail(error, CM_ERROR_MEMORY, "no memory for %d threads", (int)threads);
    if (!status)
        status = make_peaks(&run, 0, error);
    if (!status) {
        cm_progress_begin(work->progress, (uint64_t)work->map_width * (uint64_t)work->map_height);
        if (work->kernel->begin)
            work->kernel->begin(work->kernel, &run.job, work->shared, cm_work_scratch(work, 0));
        status = search(&run);
    }
    if (!status)
        status = gather(&run, threads, match, found);
    for (int32_t i = 0; run.peaks && i < threads; i++)
        cm_peaks_destroy(run.peaks[i]);
    cm_free(run.peaks);
    return status;
}
