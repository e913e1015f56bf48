/* SPDX-License-Identifier: BSD-2-Clause */
/* Scores of windows by probes or, where they do not serve the image, by the library (scorer.h). */
#include "pose/scorer.h"

#include "image/image.h"

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
