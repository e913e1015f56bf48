/* SPDX-License-Identifier: BSD-2-Clause */
/* Scores of windows by probes or, where they do not serve the image, by the library (scorer.h). */
#include "pose/scorer.h"

#include "image/image.h"
#include "pose/parts.h"

#include <math.h>

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

/* The scores of the windows of a block under any template, by the library. It finds those that are
 * not wanted, too. */
static xncc_status correlate_windows(const xncc_pose_scorer *r, xncc_pose_pixels *pixels,
                                     const xncc_probe_block *block, double *score,
                                     xncc_error *error)
{
    const int32_t x = block->x, y = block->y, side = block->side;
    const xncc_pose_job *job = r->job;
    float value[XNCC_PROBE_FAR];
    xncc_image crop;
    xncc_template *templ = NULL;
    int32_t left, top;
    const int32_t across = xncc_probe_inside(x, side, pixels->width, job->image->width, &left),
                  down = xncc_probe_inside(y, side, pixels->height, job->image->height, &top);
    const xncc_map map = { .data = value, .width = across, .height = down };
    if (across <= 0 || down <= 0)
        return XNCC_OK;
    xncc_status status = xncc_image_crop(job->image, left, top, pixels->width + across - 1,
                                         pixels->height + down - 1, &crop, error);
    if (!status)
        status = xncc_pose_template_make(job->context, r->source, pixels, &templ, error);
    if (!status)
        status = correlate(job, &crop, templ, &map, error);
    xncc_template_destroy(templ);
    for (int32_t i = 0; i < across * down && !status; i++)
        score[(top - y + i / across) * side + left - x + i % across] = (double)value[i];
    return status;
}

/* The scores of the library are floats. */
static void round_scores(double *score, int32_t side)
{
    for (int i = 0; i < side * side; i++)
        score[i] = (double)(float)score[i];
}

/* The same by a probe, with the same bits. */
static void probe_windows(const xncc_pose_scorer *r, const xncc_pose_probe *probe,
                          const xncc_probe_block *block, double *score)
{
    xncc_pose_probe_scores(probe, r->job->loops, r->job->image, r->running, block, score);
    round_scores(score, block->side);
}

/* The same with a probe, or without one. */
static xncc_status score_by_probe(const xncc_pose_scorer *r, const xncc_pose_place *place,
                                  const xncc_probe_block *block, double *score, xncc_error *error)
{
    xncc_pose_probe probe;
    const xncc_status status = xncc_pose_probe_of(r->job->loops, r->source, place, &probe, error);
    if (!status)
        probe_windows(r, &probe, block, score);
    xncc_pose_probe_clear(&probe);
    return status;
}

static xncc_status score_by_library(const xncc_pose_scorer *r, const xncc_pose_place *place,
                                    const xncc_probe_block *block, double *score, xncc_error *error)
{
    xncc_pose_pixels pixels;
    for (int i = 0; i < block->side * block->side; i++)
        score[i] = NAN;
    xncc_status status = xncc_pose_resample(r->source, place, &pixels, error);
    if (!status && pixels.count > 0)
        status = correlate_windows(r, &pixels, block, score, error);
    xncc_pose_pixels_clear(&pixels);
    return status;
}

xncc_status xncc_pose_score_windows(const xncc_pose_scorer *r, const xncc_pose_place *place,
                                    const xncc_probe_block *block, double *score, xncc_error *error)
{
    return r->job->loops ? score_by_probe(r, place, block, score, error)
                         : score_by_library(r, place, block, score, error);
}

static xncc_status score_spot(const xncc_pose_scorer *r, const xncc_pose_spot *s, xncc_error *error)
{
    const xncc_stored_pose *pose;
    if (!r->poses || s->angle < 0)
        return xncc_pose_score_windows(r, &s->place, &s->block, s->score, error);
    const xncc_status status = xncc_pose_store_take(r->poses, s->angle, s->scale, s->wider,
                                                    s->higher, &pose, error);
    if (status)
        return status;
    probe_windows(r, &pose->probe, &s->block, s->score);
    xncc_pose_store_give(pose);
    return XNCC_OK;
}

enum { SPOTS_AT_ONCE = 32 };

static xncc_status score_parts(const xncc_pose_scorer *r, const xncc_pose_spot *spot, size_t count,
                               xncc_error *error)
{
    xncc_pose_parts part[SPOTS_AT_ONCE];
    for (size_t i = 0; i < count; i++) {
        const xncc_pose_spot *s = &spot[i];
        part[i] = (xncc_pose_parts){
            .source = r->source, .place = s->place, .block = s->block, .score = s->score
        };
    }
    const xncc_status status = xncc_pose_score_parts(r->job, r->job->loops, r->job->image, part,
                                                     count, error);
    for (size_t i = 0; i < count && !status; i++)
        round_scores(spot[i].score, spot[i].block.side);
    return status;
}

xncc_status xncc_pose_score_spots(const xncc_pose_scorer *r, const xncc_pose_spot *spot,
                                  size_t count, xncc_error *error)
{
    xncc_status status = XNCC_OK;
    for (size_t i = 0, some; i < count && !status; i += some) {
        some = !r->parts ? 1 : count - i < SPOTS_AT_ONCE ? count - i : SPOTS_AT_ONCE;
        status = r->parts ? score_parts(r, spot + i, some, error) : score_spot(r, spot + i, error);
    }
    return status;
}
