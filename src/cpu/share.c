/* What many templates share on the CPU: the best score at each position, folded by all threads. */
#include "cpu/work.h"
#include "engine/many.h"

#include "base/memory.h"
#include "image/image.h"

#include <math.h>

enum { FOLD_ELEMENTS = 1 << 15 }; /* of a task, at least */

struct cm_share {
    cm_pool *pool;
    cm_best best;
    float *map;
    uint64_t room; /* elements of map */
};

/* Rows of the best, and what is done with them. */
typedef struct fold_run {
    const cm_share *share;
    const cm_fold *fold; /* NULL: every position to none */
    int32_t width, height, rows;
} fold_run;

static void clear_row(float *best, int32_t *index, int32_t width)
{
    for (int32_t x = 0; x < width; x++) {
        best[x] = NAN;
        index[x] = -1;
    }
}

static void fold_row(const cm_fold *fold, const float *score, float *best, int32_t *index, int32_t width)
{
    const cm_fold f = *fold;
    for (int32_t x = 0; x < width; x++) {
        const int takes = cm_best_takes(&f, score[x], best[x], index[x]);
        best[x] = takes ? score[x] : best[x];
        index[x] = takes ? f.index : index[x];
    }
}

static void fold_task(void *argument, uint64_t task, int32_t slot)
{
    const fold_run *run = argument;
    const cm_best *best = &run->share->best;
    const cm_map index = { .data = (float *)(void *)best->index, .width = best->score.width, .pitch = best->index_pitch };
    (void)slot;
    const int32_t first = (int32_t)task * run->rows, end = first + cm_smaller(run->rows, run->height - first);
    for (int32_t y = first; y < end; y++) {
        int32_t *at = (int32_t *)(void *)cm_map_row(&index, y);
        if (run->fold)
            fold_row(run->fold, cm_map_row(run->fold->map, y), cm_map_row(&best->score, y), at, run->width);
        else
            clear_row(cm_map_row(&best->score, y), at, run->width);
    }
}

static void run_rows(const cm_share *share, const cm_fold *fold, int32_t width, int32_t height)
{
    const int32_t rows = FOLD_ELEMENTS / width + 1;
    fold_run run = { share, fold, width, height, cm_smaller(rows, height) };
    cm_pool_run(share->pool, (uint64_t)((height - 1) / run.rows + 1), fold_task, &run);
}

static cm_status share_open(cm_engine *engine, cm_share **result, cm_error *error)
{
    cm_share *share = cm_alloc(1, sizeof *share);
    *result = share;
    if (!share)
        return cm_fail(error, CM_ERROR_MEMORY, "no memory for many templates");
    share->pool = ((cpu_engine *)engine)->pool;
    return CM_OK;
}

static void share_close(cm_share *share)
{
    cm_free(share->map);
    cm_free(share);
}

static cm_status best_begin(cm_share *share, const cm_best *best, cm_map *map, cm_stream stream, cm_error *error)
{
    const int32_t width = best->score.width, height = best->score.height;
    const uint64_t wanted = (uint64_t)width * (uint64_t)height;
    (void)stream;
    if (wanted > share->room) {
        cm_free(share->map);
        share->map = cm_alloc(wanted, sizeof *share->map);
        share->room = share->map ? wanted : 0;
    }
    if (!share->map)
        return cm_fail(error, CM_ERROR_MEMORY, "no memory for a map of %d x %d", width, height);
    share->best = *best;
    *map = (cm_map){ .data = share->map, .width = width, .height = height, .pitch = (int64_t)width * (int64_t)sizeof(float) };
    run_rows(share, NULL, width, height);
    return CM_OK;
}

static cm_status best_fold(cm_share *share, const cm_fold *fold, cm_stream stream, cm_error *error)
{
    (void)stream;
    (void)error;
    run_rows(share, fold, fold->map->width, fold->map->height);
    return CM_OK;
}

static cm_status best_end(cm_share *share, cm_stream stream, cm_error *error)
{
    (void)share;
    (void)stream;
    (void)error;
    return CM_OK;
}

const cm_share_ops cm_cpu_share_ops = { .open = share_open,
                                        .close = share_close,
                                        .best_begin = best_begin,
                                        .best_fold = best_fold,
                                        .best_end = best_end };
