/* SPDX-License-Identifier: BSD-2-Clause */
/* Large poses in bands of rows (parts.h). All sums are integers, so that no bit depends on the
 * bands. The rows of a pose are made where they are scored, a few at a time, and are not kept:
 * fresh pages for a whole pose take longer than its pixels. */
#include "pose/parts.h"

#include "base/memory.h"
#include "image/image.h"

/* The least pixels of a pose that is worth bands, and of a band. */
enum { LEAST_POSE = 1 << 13, LEAST_BAND = 1 << 12 };

/* Tasks per thread, so that threads which finish early take what is left. */
enum { TASKS_PER_THREAD = 4 };

/* The rows that a task has made: at most so many pixels, or one row, and at most so many rows. */
enum { STRIP_PIXELS = 1 << 13, STRIP_ROWS = 64 };

/* What a task adds. */
typedef struct band {
    uint64_t count, sum, sum2; /* of the pose */
    xncc_probe_sums window[XNCC_PROBE_FAR];
} band;

/* A pose at work. */
typedef struct piece {
    const xncc_pose_spot *of;
    xncc_probe_list list; /* the windows in the image */
} piece;

typedef struct parts_run {
    const xncc_pose_source *source;
    const xncc_image *image;
    piece piece[XNCC_MOST_SPOTS];
    size_t count;
    int32_t bands; /* per pose */
    band *band;
} parts_run;

int xncc_pose_wants_parts(const xncc_pose_job *job, const xncc_pose_source *source, size_t count)
{
    const size_t threads = (size_t)xncc_pool_threads(job->pool);
    return 2 * count <= threads + 1 && (int64_t)source->width * source->height >= LEAST_POSE;
}

/* Adds the rows first .. end - 1 of a pose. */
static void score_rows(const parts_run *run, const piece *p, int32_t first, int32_t end, band *to)
{
    uint8_t pixels[XNCC_MAX_POSE_SIDE], mask[XNCC_MAX_POSE_SIDE];
    int32_t span[2 * STRIP_ROWS];
    const xncc_pose_place *at = &p->of->place;
    const int64_t pitch = xncc_image_pitch(run->image);
    xncc_pose_probe rows = {
        .of = { .width = at->width, .height = end - first, .pixels = pixels, .mask = mask },
        .span = span
    };
    to->count += xncc_pose_resample_rows(run->source, at, first, end, &rows.of);
    run->source->loops->prepare(&rows);
    to->sum += rows.sum;
    to->sum2 += rows.sum2;
    run->source->loops->add(&rows, (const uint8_t *)run->image->data + first * pitch, pitch,
                            p->list.at, p->list.count, to->window);
}

static void score_band(void *argument, uint64_t index, int32_t slot)
{
    (void)slot;
    const parts_run *run = argument;
    const piece *p = &run->piece[index / (uint64_t)run->bands];
    const xncc_pose_place *at = &p->of->place;
    const int32_t number = (int32_t)(index % (uint64_t)run->bands),
                  end = (int32_t)((int64_t)at->height * (number + 1) / run->bands),
                  fit = at->width < STRIP_PIXELS ? STRIP_PIXELS / at->width : 1,
                  most = fit < STRIP_ROWS ? fit : STRIP_ROWS;
    int32_t first = (int32_t)((int64_t)at->height * number / run->bands);
    for (int32_t rows; first < end; first += rows) {
        rows = end - first < most ? end - first : most;
        score_rows(run, p, first, first + rows, &run->band[index]);
    }
}

/* Adds what the tasks have found, and writes the scores. */
static void finish(const parts_run *run, const piece *p, const band *b)
{
    xncc_probe_sums sum[XNCC_PROBE_FAR] = { { 0, 0, 0 } };
    const xncc_pose_spot *of = p->of;
    xncc_pose_probe probe = { .of = { .width = of->place.width, .height = of->place.height } };
    for (int32_t k = 0; k < run->bands; k++, b++) {
        probe.of.count += b->count;
        probe.sum += b->sum;
        probe.sum2 += b->sum2;
        for (int32_t i = 0; i < p->list.count; i++) {
            sum[i].S += b->window[i].S;
            sum[i].Q += b->window[i].Q;
            sum[i].X += b->window[i].X;
        }
    }
    xncc_pose_probe_finish(&probe);
    xncc_probe_list_scores(&probe, &p->list, sum, of->block.side, of->score);
}

/* Scores the pieces of a run, which have so many pixels. */
static xncc_status score_pieces(const xncc_pose_job *job, parts_run *run, int64_t pixels,
                                xncc_error *error)
{
    const int64_t count = (int64_t)run->count,
                  bands = TASKS_PER_THREAD * xncc_pool_threads(job->pool) / count + 1,
                  most = pixels / count / LEAST_BAND + 1;
    run->bands = (int32_t)(bands < most ? bands : most);
    const size_t tasks = (size_t)run->bands * run->count;
    xncc_status status = xncc_check_cancelled(&job->watch, error);
    if (status)
        return status;
    run->band = xncc_alloc(tasks, sizeof *run->band);
    if (!run->band)
        return xncc_fail(error, XNCC_ERROR_MEMORY, "poses: no memory for %zu bands", tasks);
    xncc_pool_run(job->pool, tasks, score_band, run);
    for (size_t i = 0; i < run->count; i++)
        finish(run, &run->piece[i], run->band + i * (size_t)run->bands);
    xncc_free(run->band);
    return XNCC_OK;
}

xncc_status xncc_pose_score_parts(const xncc_pose_job *job, const xncc_pose_source *source,
                                  const xncc_image *image, const xncc_pose_spot *spot, size_t count,
                                  xncc_error *error)
{
    parts_run run = { .source = source, .image = image };
    int64_t pixels = 0;
    xncc_status status = XNCC_OK;
    for (size_t i = 0; i < count && !status; i++) {
        const xncc_pose_place *at = &spot[i].place;
        piece *p = &run.piece[run.count];
        p->of = &spot[i];
        xncc_probe_list_make(&spot[i].block, at->width, at->height, image, &p->list);
        status = xncc_pose_place_check(source, at, error);
        if (p->list.count == 0) { /* no window is in the image, or wanted */
            xncc_probe_list_scores(&(xncc_pose_probe){ 0 }, &p->list, NULL, spot[i].block.side,
                                   spot[i].score);
            continue;
        }
        pixels += (int64_t)at->width * at->height;
        run.count++;
    }
    return !status && run.count > 0 ? score_pieces(job, &run, pixels, error) : status;
}
