/* SPDX-License-Identifier: BSD-2-Clause */
/* Large poses in bands of rows (parts.h). All sums are integers, so that no bit depends on the
 * bands. */
#include "pose/parts.h"

#include "base/memory.h"
#include "image/image.h"

#include <math.h>

/* The least pixels of a pose that is worth bands, and of a band. */
enum { LEAST_POSE = 1 << 15, LEAST_BAND = 1 << 12 };

/* Poses that are made at a time: so many, and no more than have so many bytes, unless one alone
 * has more. */
enum { MOST_POSES = 16, MOST_BYTES = 64 << 20 };

/* Tasks per thread, so that threads which finish early take what is left. */
enum { TASKS_PER_THREAD = 4 };

/* What a task adds. */
typedef struct band {
    uint64_t count, sum, sum2; /* of the pose */
    xncc_probe_sums window[XNCC_PROBE_FAR];
} band;

/* A pose at work. */
typedef struct piece {
    const xncc_pose_parts *of;
    const xncc_stored_pose *pose; /* the store's; NULL: `made` is to be filled */
    xncc_stored_pose *made;
    xncc_probe_list list; /* the windows in the image */
} piece;

typedef struct parts_run {
    const xncc_probe_loops *loops;
    const xncc_image *image;
    piece piece[MOST_POSES];
    size_t count;
    int32_t bands; /* per pose */
    band *band;
} parts_run;

int xncc_pose_wants_parts(const xncc_pose_job *job, const xncc_pose_source *source, size_t count)
{
    const size_t threads = (size_t)xncc_pool_threads(job->pool);
    return threads > 1 && 2 * count <= threads &&
           (int64_t)source->width * source->height >= LEAST_POSE;
}

static void score_band(void *argument, uint64_t index, int32_t slot)
{
    (void)slot;
    const parts_run *run = argument;
    const piece *p = &run->piece[index / (uint64_t)run->bands];
    band *to = &run->band[index];
    xncc_pose_probe *probe = p->made ? &p->made->probe : NULL;
    const xncc_pose_probe *whole = probe ? probe : &p->pose->probe;
    const int32_t height = whole->of.height, number = (int32_t)(index % (uint64_t)run->bands),
                  first = (int32_t)((int64_t)height * number / run->bands),
                  end = (int32_t)((int64_t)height * (number + 1) / run->bands);
    if (probe)
        to->count = xncc_pose_resample_rows(p->of->source, &p->of->place, first, end, &probe->of);
    xncc_pose_probe rows = xncc_pose_probe_rows(whole, first, end);
    if (probe && end > first)
        run->loops->prepare(&rows);
    to->sum = rows.sum;
    to->sum2 = rows.sum2;
    const int64_t pitch = xncc_image_pitch(run->image);
    if (p->list.count > 0 && end > first)
        run->loops->add(&rows, (const uint8_t *)run->image->data + first * pitch, pitch, p->list.at,
                        p->list.count, to->window);
}

/* Prepares a piece: finds the pose, or allocates it. */
static xncc_status begin(const xncc_image *image, const xncc_pose_parts *of, piece *p,
                         xncc_error *error)
{
    const xncc_pose_place *at = &of->place;
    xncc_status status = XNCC_OK;
    *p = (piece){ .of = of };
    xncc_probe_list_make(&of->block, at->width, at->height, image, &p->list);
    if (of->store)
        p->pose = xncc_pose_store_peek(of->store, of->angle, of->scale, of->wider, of->higher);
    if (p->pose)
        return XNCC_OK;
    p->made = xncc_alloc(1, sizeof *p->made);
    if (!p->made)
        return xncc_fail(error, XNCC_ERROR_MEMORY, "poses: no memory for a pose");
    xncc_pose_pixels pixels = { 0 };
    status = xncc_pose_pixels_make(of->source, at, &pixels, error);
    if (!status)
        status = xncc_pose_probe_open(&pixels, &p->made->probe, error);
    xncc_pose_pixels_clear(&pixels);
    if (of->store)
        xncc_pose_store_offset(of->store, of->angle, of->scale, &p->made->offset_x,
                               &p->made->offset_y);
    return status;
}

/* Adds what the tasks have found, and writes the scores. */
static void finish(const parts_run *run, const piece *p, const band *b)
{
    xncc_probe_sums sum[XNCC_PROBE_FAR] = { { 0, 0, 0 } };
    const xncc_pose_parts *of = p->of;
    for (int32_t k = 0; k < run->bands; k++, b++) {
        if (p->made) {
            p->made->probe.of.count += b->count;
            p->made->probe.sum += b->sum;
            p->made->probe.sum2 += b->sum2;
        }
        for (int32_t i = 0; i < p->list.count; i++) {
            sum[i].S += b->window[i].S;
            sum[i].Q += b->window[i].Q;
            sum[i].X += b->window[i].X;
        }
    }
    if (p->made)
        xncc_pose_probe_finish(&p->made->probe);
    const xncc_pose_probe *probe = p->made ? &p->made->probe : &p->pose->probe;
    xncc_probe_list_scores(probe, &p->list, sum, of->block.side, of->score);
}

/* Hands a pose that was made to its store, or frees it. done: 1 if it is complete. */
static void end(const piece *p, int done)
{
    const xncc_pose_parts *of = p->of;
    if (p->made && of->store && done)
        xncc_pose_store_give(
            xncc_pose_store_put(of->store, of->angle, of->scale, of->wider, of->higher, p->made));
    else
        xncc_stored_pose_free(p->made);
}

static xncc_status score_some(const xncc_pose_job *job, parts_run *run, const xncc_pose_parts *part,
                              xncc_error *error)
{
    size_t begun = 0;
    xncc_status status = xncc_check_cancelled(&job->watch, error);
    for (; begun < run->count && !status; begun++)
        status = begin(run->image, &part[begun], &run->piece[begun], error);
    const size_t tasks = (size_t)run->bands * run->count;
    if (!status)
        run->band = xncc_alloc(tasks, sizeof *run->band);
    if (!status && !run->band)
        status = xncc_fail(error, XNCC_ERROR_MEMORY, "poses: no memory for %zu bands", tasks);
    if (!status)
        xncc_pose_run(job, tasks, score_band, run);
    for (size_t i = 0; i < begun; i++) {
        if (!status)
            finish(run, &run->piece[i], run->band + i * (size_t)run->bands);
        end(&run->piece[i], !status);
    }
    xncc_free(run->band);
    run->band = NULL;
    return status;
}

xncc_status xncc_pose_score_parts(const xncc_pose_job *job, const xncc_probe_loops *loops,
                                  const xncc_image *image, const xncc_pose_parts *part,
                                  size_t count, xncc_error *error)
{
    const int64_t threads = xncc_pool_threads(job->pool);
    parts_run run = { .loops = loops, .image = image };
    xncc_status status = XNCC_OK;
    for (size_t first = 0; first < count && !status; first += run.count) {
        const int64_t pixels = (int64_t)part[first].place.width * part[first].place.height,
                      room = MOST_BYTES / (2 * pixels + 1), most = pixels / LEAST_BAND + 1;
        const size_t some = room < 1 ? 1 : room < MOST_POSES ? (size_t)room : MOST_POSES;
        run.count = count - first < some ? count - first : some;
        const int64_t bands = TASKS_PER_THREAD * threads / (int64_t)run.count + 1;
        run.bands = (int32_t)(bands < most ? bands : most);
        status = score_some(job, &run, part + first, error);
    }
    return status;
}
