/* SPDX-License-Identifier: BSD-2-Clause */
/* Scores of windows by probes or, where they do not serve the image, by the library (scorer.h).
 *
 * Large poses are scored in bands of rows. All sums are integers, so that no bit depends on the
 * bands. The rows of a pose are made where they are scored, a few at a time, and are not kept:
 * fresh pages for a whole pose take longer than its pixels. */
#include "pose/scorer.h"

#include "base/memory.h"
#include "image/image.h"

#include <math.h>

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

/* ---- one spot after the other ---- */

/* Computes a small map on the host, whatever engines the context has: a device would take longer to
 * begin. */
static xncc_status correlate(const xncc_pose_job *job, const xncc_image *image,
                             const xncc_template *templ, const xncc_map *map, xncc_error *error)
{
    const xncc_machine host = xncc_context_cpu(job->context);
    const xncc_preference preference = XNCC_PREFERENCE_INIT;
    xncc_problem problem = XNCC_PROBLEM_INIT;
    xncc_plan *plan = NULL;
    xncc_status status = xncc_problem_set(&problem, image, templ, error);
    problem.rule.min_valid = job->options->min_valid;
    problem.rule.flat = XNCC_FLAT_NAN;
    if (!status)
        status = xncc_plan_decide(job->context, &problem, &preference, &host, &plan, error);
    if (!status)
        status = xncc_plan_bind(plan, NULL, error);
    if (!status) {
        xncc_watch_join(&plan->watch, &job->watch);
        status = xncc_plan_correlate(plan, image, templ, map, NULL, error);
    }
    xncc_plan_destroy(plan);
    return status;
}

/* The scores of the windows of a spot under its pixels, by the library. It finds those that are not
 * wanted, too. */
static xncc_status correlate_windows(const xncc_pose_scorer *r, const xncc_pose_spot *s,
                                     xncc_pose_pixels *pixels, xncc_error *error)
{
    const xncc_image *image = r->job->image;
    const int32_t side = s->block.side;
    float value[XNCC_PROBE_FAR];
    xncc_image crop;
    xncc_template *templ = NULL;
    xncc_probe_list list;
    xncc_probe_list_make(&s->block, pixels->width, pixels->height, image, &list);
    const int32_t x = s->block.x, y = s->block.y, left = list.left, top = list.top,
                  across = list.across, down = list.down;
    const xncc_map map = { .data = value, .width = across, .height = down };
    if (across <= 0 || down <= 0)
        return XNCC_OK;
    xncc_status status = xncc_image_crop(image, left, top, pixels->width + across - 1,
                                         pixels->height + down - 1, &crop, error);
    if (!status)
        status = xncc_pose_template_make(r->job->context, r->source, pixels, &templ, error);
    if (!status)
        status = correlate(r->job, &crop, templ, &map, error);
    xncc_template_destroy(templ);
    for (int32_t i = 0; i < across * down && !status; i++)
        s->score[(top - y + i / across) * side + left - x + i % across] = (double)value[i];
    return status;
}

static xncc_status score_by_library(const xncc_pose_scorer *r, const xncc_pose_spot *s,
                                    xncc_error *error)
{
    xncc_pose_pixels pixels;
    for (int i = 0; i < s->block.side * s->block.side; i++)
        s->score[i] = NAN;
    xncc_status status = xncc_pose_resample(r->source, &s->place, &pixels, error);
    if (!status && pixels.count > 0)
        status = correlate_windows(r, s, &pixels, error);
    xncc_pose_pixels_clear(&pixels);
    return status;
}

/* The same by the probe that the store has or makes, or by one that is made for the spot. */
static xncc_status score_by_probe(const xncc_pose_scorer *r, const xncc_pose_spot *s,
                                  xncc_error *error)
{
    const xncc_stored_pose *pose = NULL;
    xncc_pose_probe own = { 0 };
    const xncc_status status = s->angle >= 0
                                   ? xncc_pose_store_take(r->poses, s->angle, s->scale, s->wider,
                                                          s->higher, &pose, error)
                                   : xncc_pose_probe_of(r->source, &s->place, &own, error);
    if (!status)
        xncc_pose_probe_scores(pose ? &pose->probe : &own, r->source->loops, r->job->image,
                               r->running, &s->block, s->score);
    xncc_pose_store_give(pose);
    xncc_pose_probe_clear(&own);
    return status;
}

xncc_status xncc_pose_score_spots(const xncc_pose_scorer *r, const xncc_pose_spot *spot,
                                  size_t count, xncc_error *error)
{
    xncc_status status = XNCC_OK;
    if (r->parts)
        status = xncc_pose_score_parts(r->job, r->source, r->job->image, spot, count, error);
    for (size_t i = 0; i < count && !status; i++) {
        const int32_t side = spot[i].block.side;
        if (!r->parts)
            status = r->job->probes ? score_by_probe(r, &spot[i], error)
                                    : score_by_library(r, &spot[i], error);
        for (int32_t k = 0; k < side * side && !status; k++) /* those of the library are floats */
            spot[i].score[k] = (double)(float)spot[i].score[k];
    }
    return status;
}
