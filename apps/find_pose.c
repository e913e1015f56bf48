/* SPDX-License-Identifier: BSD-2-Clause */
/* Searching one page for templates at any rotation and scale. Each template has a list of its
 * own. */
#include "find_pose.h"

#include "common/band_rules.h"
#include "common/progress.h"

#include <stdlib.h>

xncc_status find_pose_check(const app_options *o, app_error *error)
{
    const int wanted = o->turns || o->scales;
    const char *const other = o->rule.method != XNCC_CCOEFF_NORMED ? "--method"
                              : o->rule.mode != XNCC_VALID         ? "--mode"
                              : o->rule.flat != XNCC_FLAT_ZERO     ? "--flat"
                              : o->peaks.min_distance != XNCC_AUTO ? "--min-distance"
                              : o->subpixel                        ? "--subpixel"
                              : o->has_merge                       ? "--merge"
                              : o->heatmap                         ? "--heatmap"
                              : o->shards                          ? "--shard"
                                                                   : NULL;
    if (!wanted && o->pose_option)
        return app_fail(error, app_blame_usage(error, XNCC_ERROR_ARGUMENT),
                        "%s: is about turned and scaled templates; give --angles or --scales, too",
                        o->pose_option);
    if (wanted && other)
        return app_fail(error, app_blame_usage(error, XNCC_ERROR_ARGUMENT),
                        "%s: does not go with --angles and --scales, which find by NCC inside the "
                        "image and refine what they find; leave it out",
                        other);
    if (wanted && o->has_min_score && !(o->peaks.min_score >= 0.0f && o->peaks.min_score <= 1.0f))
        return app_fail(error, app_blame_usage(error, XNCC_ERROR_ARGUMENT),
                        "--min-score %g: with --angles or --scales it must be within 0 .. 1",
                        (double)o->peaks.min_score);
    return XNCC_OK;
}

/* The options of the library's call. */
static xncc_pose_options options_of(const app_options *o)
{
    xncc_pose_options p = o->poses;
    if (o->has_min_score)
        p.min_score = o->peaks.min_score;
    p.top = o->peaks.top;
    p.min_valid = o->rule.min_valid;
    p.kernel = o->kernel;
    return p;
}

/* Finds template i, and describes the search. The caller frees *match. */
static xncc_status find_template(find_job *j, app_feed_page *page, int i, find_result *r,
                                 xncc_pose_match **match, app_error *error)
{
    enum { MOST = 1 << 17 }; /* as many as the library keeps */
    const char *name = j->kit.templates.source[i].path;
    const xncc_pose_options options = options_of(j->options);
    const size_t room = options.top < MOST ? options.top : MOST;
    app_search search;
    app_progress progress;
    xncc_error why;
    size_t found = 0;
    *match = calloc(room, sizeof **match);
    if (!*match)
        return app_fail(error, XNCC_ERROR_MEMORY, "--top %zu: out of memory; give a smaller number",
                        options.top);
    xncc_status status = app_search_open(&j->kit, &page->scene, i, &search, error);
    if (status)
        return status;
    const xncc_template *templ = search.templ;
    app_progress_start(&progress, j->kit.session.context, page->scene.path, j->options->quiet);
    status = xncc_find_poses(j->kit.session.context, &search.scene, &templ, 1, &options, *match,
                             room, &found, &why);
    app_progress_stop(&progress);
    if (app_plans_refused(&j->kit.plans, &search.problem, options.kernel, status))
        return app_fail_kernel(error, options.kernel, &why);
    xncc_plan_info plan = XNCC_PLAN_INFO_INIT;
    plan.engine = XNCC_DEVICE_CPU;
    plan.kernel = "poses";
    r->search[i] = (find_search){ .area = search.area,
                                  .pixel = search.scene.pixel,
                                  .channels = search.problem.channels,
                                  .plan = plan,
                                  .device = app_session_engine(&j->kit.session, &plan),
                                  .found = found };
    return app_pass_on(error, status, name, &why);
}

xncc_status find_poses_on_page(find_job *j, app_feed_page *page, find_result *r, app_error *error)
{
    xncc_status status = app_kit_decide(&j->kit, &page->scene.picture, page->item, error);
    if (!status)
        status = page->banded ? app_bands_refuse(j->options, &page->scene, error)
                              : app_reader_stop(&page->reader, error);
    for (int i = 0; i < j->kit.templates.count && !status; i++) {
        const app_picture *t = &j->kit.templates.source[i].picture;
        xncc_pose_match *match = NULL;
        status = find_template(j, page, i, r, &match, error);
        if (!status)
            status = find_result_add_poses(r, i, match, t->width, t->height, error);
        free(match);
    }
    j->pages++;
    j->hits += status ? 0 : r->hits;
    return status;
}
