/* SPDX-License-Identifier: BSD-2-Clause */
/* exactncc correlate: writes the maps of scores of templates on pages of images. */
#include "commands.h"
#include "common/output.h"
#include "common/rgb_out.h"
#include "common/page_loop.h"
#include "common/progress.h"
#include "common/spread.h"
#include "correlate_bands.h"

#include <stdlib.h>
#include <string.h>

/* Computes a map with a plan of the search. The caller frees out->map.data. */
static xncc_status compute(const correlate_job *j, const correlate_task *t, xncc_plan *plan,
                           app_map_out *out, app_error *error)
{
    const char *name = correlate_templ(j, t)->path;
    app_progress progress;
    xncc_error why;
    xncc_plan_info info = XNCC_PLAN_INFO_INIT;
    xncc_plan_describe(plan, &info, NULL);
    out->device = app_session_engine(&j->kit.session, &info);
    out->kernel = info.kernel;
    xncc_status status = app_map_open(out->path, &t->search.map, &out->map, error);
    if (status)
        return status;
    app_progress_start(&progress, j->kit.session.context, name, j->options->quiet);
    status = xncc_plan_correlate(plan, &t->search.scene, t->search.templ, &out->map, NULL, &why);
    app_progress_stop(&progress);
    return app_pass_on(error, status, name, &why);
}

/* Computes the map of the valid fraction, by the kernel of --kernel if that can serve it. */
static xncc_status compute_coverage(correlate_job *j, correlate_task *t, app_error *error)
{
    xncc_problem problem = t->search.problem;
    xncc_plan *plan = NULL;
    xncc_error why;
    problem.rule.method = XNCC_COVERAGE;
    const xncc_status status = app_plans_prefer(&j->kit.plans, &problem, j->options->kernel, &plan,
                                                &why);
    if (status)
        return app_pass_on(error, status, correlate_templ(j, t)->path, &why);
    return compute(j, t, plan, &t->out[1], error);
}

/* Writes the computed maps with their descriptions. */
static xncc_status write_maps(correlate_job *j, correlate_task *t, app_error *error)
{
    const app_options *o = j->options;
    char *description[2] = { correlate_describe(j, t, 0), correlate_describe(j, t, 1) };
    xncc_status status = XNCC_OK;
    if (!description[0] || !description[1])
        status = app_fail(error, XNCC_ERROR_MEMORY, "%s: out of memory", t->out[0].path);
    if (!status && o->heatmap)
        status = app_map_heatmap(o, t->heatmap, &t->search, t->scene, correlate_templ(j, t),
                                 &t->out[0].map, error);
    for (int i = 0; i < correlate_maps(j) && !status; i++)
        status = app_map_write(&j->maps, &t->out[i], description[i], i == 0, error);
    free(description[0]);
    free(description[1]);
    return status;
}

static xncc_status correlate_one(correlate_job *j, app_feed_page *page, int templ, app_error *error)
{
    correlate_task *t = correlate_task_new(j, page, templ, error);
    xncc_plan *plan;
    if (!t)
        return XNCC_ERROR_ARGUMENT;
    xncc_status status = app_search_open(&j->kit, t->scene, templ, &t->search, error);
    if (!status)
        status = app_search_plan(&j->kit, &t->search, correlate_templ(j, t)->path, &plan, error);
    if (!status) {
        t->out[0].place = t->out[1].place = app_search_place(&t->search, t->scene);
        t->out[0].has_nan = app_search_has_nan(&t->search);
        status = compute(j, t, plan, &t->out[0], error);
    }
    if (!status && j->options->coverage)
        status = compute_coverage(j, t, error);
    if (!status)
        status = write_maps(j, t, error);
    free(t->out[0].map.data);
    free(t->out[1].map.data);
    free(t);
    return status;
}

static xncc_status correlate_page(void *data, app_feed_page *page, app_error *error)
{
    correlate_job *j = data;
    xncc_status status = app_kit_decide(&j->kit, &page->scene.picture, page->item, error);
    if (!status && page->banded)
        return correlate_in_bands(j, page, error);
    if (!status)
        status = app_reader_stop(&page->reader, error);
    for (int i = 0; i < j->kit.templates.count && !status; i++)
        status = correlate_one(j, page, i, error);
    return status;
}

/* Fails if a file that an option names cannot be written, or is another output. */
static xncc_status check_extra(const correlate_job *j, const char *option, const char *name,
                               int picture, app_error *error)
{
    const app_options *o = j->options;
    xncc_status status = picture ? app_out_name_check(o, &j->inputs, option, name, 1, error)
                                 : app_map_name_check(o, &j->inputs, option, name, error);
    if (!status && strcmp(name, o->output) == 0)
        return app_fail(error, app_blame_usage(error, XNCC_ERROR_ARGUMENT),
                        "%s %s: is also the name of the map; give another name", option, name);
    if (!status && !strchr(name, '{'))
        status = app_check_output(&j->inputs, option, name, error);
    if (!status && app_output_is_standard(name))
        return app_fail(error, app_blame_usage(error, XNCC_ERROR_ARGUMENT),
                        "%s %s: standard output is for the map and what is said about it; name a "
                        "file",
                        option, name);
    return status || !picture ? status : app_rgb_check(name, error);
}

static xncc_status check_usage(const correlate_job *j, app_error *error)
{
    const app_options *o = j->options;
    xncc_status status = app_map_check(o, &j->inputs, error);
    if (!status && o->heatmap)
        status = check_extra(j, "--heatmap", o->heatmap, 1, error);
    if (!status && o->coverage)
        status = check_extra(j, "--coverage", o->coverage, 0, error);
    if (!status && o->coverage && o->heatmap && strcmp(o->coverage, o->heatmap) == 0)
        status = app_fail(error, app_blame_usage(error, XNCC_ERROR_ARGUMENT),
                          "--coverage %s: is also the name of another output; give another name",
                          o->coverage);
    return status;
}

xncc_status app_correlate(const app_options *options, app_error *error)
{
    app_options spread = *options;
    const app_options *const o = &spread;
    correlate_job j = { .options = o };
    xncc_status status = app_named_open(o, 1, &j.inputs, error);
    app_maps_open(o, &j.inputs, &j.kit.session, &j.maps);
    if (!status)
        status = check_usage(&j, error);
    if (!status)
        status = app_map_spread(&spread, &j.inputs, error);
    if (!status)
        status = app_kit_open(o, &j.inputs, NULL, &j.kit, error);
    if (!status) {
        const app_page_work work = {
            .feed = { .options = o,
                      .reading = o->reading,
                      .images = &j.inputs.images,
                      .templ_pixel = j.kit.templates.source[0].picture.pixel,
                      .beside_pixel = 4 * (uint64_t)correlate_maps(&j),
                      .always_banded = o->resume || o->spread,
                      .beside = o->device.threads != 1 },
            .inputs = &j.inputs,
            .command = "correlate",
            .take = correlate_page,
            .data = &j,
            .complete = &j.maps.complete
        };
        status = app_for_pages(&work, error);
    }
    status = app_maps_close(&j.maps, status, error);
    app_spread_close(o->spread, status == XNCC_OK);
    app_kit_close(&j.kit);
    app_named_close(&j.inputs);
    return status;
}
