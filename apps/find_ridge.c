/* SPDX-License-Identifier: BSD-2-Clause */
/* Matches on a ridge of the scores. */
#include "find_ridge.h"

#include "common/warn.h"

#include <math.h>

enum { RATIO = 20 }; /* of the curvatures of a ridge, at least */

int find_is_ridge(const float score[9], int small_is_good)
{
    double s[9];
    for (int i = 0; i < 9; i++) {
        s[i] = small_is_good ? -(double)score[i] : (double)score[i];
        if (!isfinite(s[i]))
            return 0;
    }
    const double xx = s[3] - 2.0 * s[4] + s[5], yy = s[1] - 2.0 * s[4] + s[7],
                 xy = (s[8] - s[6] - s[2] + s[0]) / 4.0;
    const double mean = (xx + yy) / 2.0, half = sqrt((xx - yy) * (xx - yy) / 4.0 + xy * xy);
    const double strong = -(mean - half), weak = -(mean + half); /* downwards is positive */
    return strong > 0.0 && weak * RATIO <= strong;
}

/* Computes the scores at the match and around it. *inside: 0 if the neighbours' windows are not all
 * inside the area; there is then nothing to compute. */
static xncc_status scores_around(const app_search *s, xncc_plan *plan, const xncc_match *m,
                                 float score[9], int *inside, xncc_error *why)
{
    const xncc_problem *p = &s->problem;
    const xncc_map map = { .data = score, .width = 3, .height = 3 };
    xncc_image around;
    *inside = m->x >= 1 && m->y >= 1 && m->x + p->templ_width < p->image_width &&
              m->y + p->templ_height < p->image_height;
    if (!*inside)
        return XNCC_OK;
    xncc_status status = xncc_image_crop(&s->scene, m->x - 1, m->y - 1, p->templ_width + 2,
                                         p->templ_height + 2, &around, why);
    if (!status)
        status = xncc_plan_correlate(plan, &around, s->templ, &map, NULL, why);
    return status;
}

xncc_status find_warn_ridges(app_kit *kit, const app_search *search, const find_ridge_ask *ask,
                             app_error *error)
{
    const int small_is_good = xncc_method_is_distance(search->problem.rule.method);
    xncc_problem around = search->problem;
    xncc_preference preference = XNCC_PREFERENCE_INIT;
    xncc_plan *plan = NULL;
    xncc_error why;
    size_t ridges = 0;
    if (search->problem.image_width < search->problem.templ_width + 2 ||
        search->problem.image_height < search->problem.templ_height + 2 || !ask->count)
        return XNCC_OK;
    around.rule.mode = XNCC_VALID;
    around.image_width = around.templ_width + 2;
    around.image_height = around.templ_height + 2;
    preference.device = XNCC_DEVICE_CPU; /* for nine scores; every engine has the same */
    if (kit->session.options->device.device == XNCC_DEVICE_CUDA)
        preference.device = XNCC_DEVICE_AUTO;
    xncc_status status = xncc_plan_create(kit->session.context, &around, &preference, &plan, &why);
    for (size_t i = 0; i < ask->count && !status; i++) {
        float score[9];
        int inside;
        status = scores_around(search, plan, &ask->match[i], score, &inside, &why);
        ridges += !status && inside && find_is_ridge(score, small_is_good);
    }
    xncc_plan_destroy(plan);
    if (ridges)
        app_warn("%s: page %u: %zu of %zu matches of %s lie on a ridge of the scores, as along an "
                 "edge; their sub-pixel position along it is not reliable",
                 ask->result->image, ask->result->page, ridges, ask->count, ask->templ);
    return app_pass_on(error, status, ask->templ, &why);
}
