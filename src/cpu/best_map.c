/* SPDX-License-Identifier: BSD-2-Clause */
/* The CPU engine's part of a batch (engine/batch_ops.h): computes the best score at each map
 * position, row by row on all threads. */
#include "cpu/cpu_plan.h"
#include "engine/batch_ops.h"

#include "base/memory.h"
#include "base/room.h"
#include "image/image.h"

#include <assert.h>
#include <math.h>

enum { FOLD_ELEMENTS = 1 << 15 }; /* least number of map elements per task */

struct xncc_batch_context {
    const xncc_watch *watch;
    xncc_pool *pool;
    xncc_best best;
    xncc_room map;
};

/* One pass over the rows of the best map, either to clear it or to fold a template's map into
 * it. */
typedef struct fold_run {
    const xncc_batch_context *context;
    const xncc_fold *fold; /* the map to fold in; NULL: set every position to "no template" */
    int32_t width, height, rows;
} fold_run;

static void clear_row(float *best, int32_t *index, int32_t width)
{
    for (int32_t x = 0; x < width; x++) {
        best[x] = NAN;
        index[x] = -1;
    }
}

static void fold_row(const xncc_fold *fold, const float *score, float *best, int32_t *index,
                     int32_t width)
{
    const xncc_fold f = *fold;
    for (int32_t x = 0; x < width; x++) {
        const int takes = xncc_best_takes(&f, score[x], best[x], index[x]);
        best[x] = takes ? score[x] : best[x];
        index[x] = takes ? f.index : index[x];
    }
}

static void fold_task(void *argument, uint64_t task, int32_t slot)
{
    const fold_run *run = argument;
    const xncc_best *best = &run->context->best;
    const xncc_map index = { .data = (float *)(void *)best->index,
                             .width = best->score.width,
                             .pitch = best->index_pitch };
    (void)slot;
    const int32_t first = (int32_t)task * run->rows,
                  end = first + xncc_min_i32(run->rows, run->height - first);
    for (int32_t y = first; y < end && !xncc_is_cancelled(run->context->watch); y++) {
        int32_t *at = (int32_t *)(void *)xncc_map_row(&index, y);
        if (run->fold)
            fold_row(run->fold, xncc_map_row(run->fold->map, y), xncc_map_row(&best->score, y), at,
                     run->width);
        else
            clear_row(xncc_map_row(&best->score, y), at, run->width);
    }
}

static void run_rows(const xncc_batch_context *context, const xncc_fold *fold, int32_t width,
                     int32_t height)
{
    const int32_t rows = FOLD_ELEMENTS / width + 1;
    fold_run run = { context, fold, width, height, xncc_min_i32(rows, height) };
    xncc_pool_run(context->pool, (uint64_t)xncc_ceil_div(height, run.rows), fold_task, &run);
}

static xncc_status batch_open(xncc_engine *engine, const xncc_watch *watch,
                              xncc_batch_context **result, xncc_error *error)
{
    xncc_batch_context *context = xncc_alloc(1, sizeof *context);
    *result = context;
    if (!context)
        return xncc_fail(error, XNCC_ERROR_MEMORY, "no memory for a batch of templates");
    context->watch = watch;
    context->pool = ((cpu_engine *)engine)->pool;
    return XNCC_OK;
}

static void batch_close(xncc_batch_context *context)
{
    xncc_free(context->map.memory);
    xncc_free(context);
}

static xncc_status best_begin(xncc_batch_context *context, const xncc_best *best, xncc_map *map,
                              xncc_stream stream, xncc_error *error)
{
    const int32_t width = best->score.width, height = best->score.height;
    float *map_data = xncc_room_take(&context->map, (uint64_t)height,
                                     (uint64_t)width * sizeof(float));
    (void)stream;
    if (!map_data)
        return xncc_fail(error, XNCC_ERROR_MEMORY, "no memory for a map of %d x %d", width, height);
    context->best = *best;
    *map = (xncc_map){ .data = map_data,
                       .width = width,
                       .height = height,
                       .pitch = (int64_t)width * (int64_t)sizeof(float) };
    run_rows(context, NULL, width, height);
    return xncc_check_cancelled(context->watch, error);
}

static xncc_status best_fold(xncc_batch_context *context, const xncc_fold *fold, xncc_stream stream,
                             xncc_error *error)
{
    (void)stream;
    assert(fold->map->width <= context->best.score.width &&
           fold->map->height <= context->best.score.height);
    run_rows(context, fold, fold->map->width, fold->map->height);
    return xncc_check_cancelled(context->watch, error);
}

const xncc_batch_ops xncc_cpu_batch_ops = {
    .open = batch_open, .close = batch_close, .best_begin = best_begin, .best_fold = best_fold
};
