/* SPDX-License-Identifier: BSD-2-Clause */
/* exactncc correlate: writes the maps of scores of templates on pages of images. */
#include "commands.h"
#include "common/map_out.h"
#include "common/rgb_out.h"
#include "common/page_loop.h"
#include "common/progress.h"

#include <stdlib.h>
#include <string.h>

/* Prints a name as JSON, or null. */
static void put_name(FILE *out, const char *key, const char *name)
{
    fprintf(out, ", \"%s\": ", key);
    if (name && strcmp(name, "-") != 0)
        app_json_string(out, name);
    else
        fputs("null", out);
}

/* What the pages share. */
typedef struct job {
    const app_options *options;
    app_named inputs;
    app_kit kit;
    app_maps maps;
} job;

/* The maps of one template on one page. */
typedef struct task {
    app_source *scene;
    int templ; /* from 0 */
    app_search search;
    app_map_out out[2]; /* the scores, and --coverage */
    char heatmap[APP_OUT_NAME_SIZE];
} task;

static const app_source *templ_of(const job *j, const task *t)
{
    return &j->kit.templates.source[t->templ];
}

/* The text of the ImageDescription tag: what the map is, so that the file explains itself. NULL if
 * there is no memory. */
static char *describe(const job *j, const task *t, xncc_method method)
{
    const app_options *o = j->options;
    const app_source *scene = t->scene, *templ = templ_of(j, t);
    const app_search *search = &t->search;
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    fputs("{\"image\": ", out);
    app_json_string(out, scene->path);
    fprintf(out, ", \"page\": %u, \"template\": ", scene->page);
    app_json_string(out, templ->path);
    fprintf(out,
            ", \"template_width\": %d, \"template_height\": %d, \"method\": \"%s\", \"mode\": "
            "\"%s\", \"border\": "
            "\"%s\", \"x0\": %d, \"y0\": %d, \"pixel\": \"%s\", \"channels\": %d",
            templ->picture.width, templ->picture.height, xncc_method_name(method),
            app_mode_name(o->rule.mode), app_border_name(o->rule.border), search->map.x0,
            search->map.y0, xncc_pixel_name(search->problem.pixel), search->problem.channels);
    put_name(out, "mask", o->mask_count ? o->masks[t->templ] : NULL);
    put_name(out, "image_mask", o->image_mask);
    fprintf(out, ", \"template_masked\": %s, \"image_masked\": %s, \"min_valid\": %.9g}",
            search->problem.templ_masked ? "true" : "false",
            search->problem.image_masked ? "true" : "false", o->rule.min_valid);
    return fclose(out) == 0 ? text : NULL;
}

/* Computes a map with a plan of the search. The caller frees out->map.data. */
static xncc_status compute(const job *j, const task *t, xncc_plan *plan, app_map_out *out,
                           app_error *error)
{
    const char *name = templ_of(j, t)->path;
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
static xncc_status compute_coverage(job *j, task *t, app_error *error)
{
    const char *kernel = j->options->kernel;
    xncc_problem problem = t->search.problem;
    xncc_plan *plan = NULL;
    xncc_error why;
    problem.rule.method = XNCC_COVERAGE;
    xncc_status status = app_plans_get(&j->kit.plans, &problem, kernel, &plan, &why);
    if (status && kernel)
        status = app_plans_get(&j->kit.plans, &problem, NULL, &plan, &why);
    if (status)
        return app_pass_on(error, status, templ_of(j, t)->path, &why);
    return compute(j, t, plan, &t->out[1], error);
}

/* Writes the computed maps with their descriptions. */
static xncc_status write_maps(job *j, const task *t, app_error *error)
{
    const app_options *o = j->options;
    char *description[2] = { describe(j, t, o->rule.method), describe(j, t, XNCC_COVERAGE) };
    xncc_status status = XNCC_OK;
    if (!description[0] || !description[1])
        status = app_fail(error, XNCC_ERROR_MEMORY, "%s: out of memory", t->out[0].path);
    if (!status && o->heatmap)
        status = app_map_heatmap(o, t->heatmap, &t->search, t->scene, templ_of(j, t),
                                 &t->out[0].map, error);
    for (int i = 0; i < (o->coverage ? 2 : 1) && !status; i++)
        status = app_map_write(&j->maps, &t->out[i], description[i], i == 0, error);
    free(description[0]);
    free(description[1]);
    return status;
}

/* Sets the names of the files, before anything is computed. */
static xncc_status name_files(job *j, task *t, const app_feed_page *page, app_error *error)
{
    const app_options *o = j->options;
    const app_out_of of = { page->scene.path, page->item + 1, page->scene.page,
                            templ_of(j, t)->path };
    xncc_status status = app_map_name(&j->maps, "-o", o->output, &of, t->out[0].path, error);
    if (!status && o->coverage)
        status = app_map_name(&j->maps, "--coverage", o->coverage, &of, t->out[1].path, error);
    if (!status && o->heatmap)
        status = app_map_name(&j->maps, "--heatmap", o->heatmap, &of, t->heatmap, error);
    return status;
}

static xncc_status correlate_one(job *j, app_feed_page *page, int templ, app_error *error)
{
    task *t = calloc(1, sizeof *t);
    xncc_plan *plan;
    if (!t)
        return app_fail(error, XNCC_ERROR_MEMORY, "%s: out of memory", page->scene.path);
    t->scene = &page->scene;
    t->templ = templ;
    xncc_status status = name_files(j, t, page, error);
    if (!status)
        status = app_search_open(&j->kit, t->scene, templ, &t->search, error);
    if (!status)
        status = app_search_plan(&j->kit, &t->search, templ_of(j, t)->path, &plan, error);
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
    job *j = data;
    xncc_status status = app_kit_decide(&j->kit, &page->scene.picture, page->item, error);
    if (!status)
        status = app_reader_stop(&page->reader, error);
    for (int i = 0; i < j->kit.templates.count && !status; i++)
        status = correlate_one(j, page, i, error);
    return status;
}

/* Fails if a file that an option names cannot be written, or is another output. */
static xncc_status check_extra(const job *j, const char *option, const char *name, int picture,
                               app_error *error)
{
    const app_options *o = j->options;
    xncc_status status = app_out_name_check(o, &j->inputs, option, name, 1, error);
    if (!status && strcmp(name, o->output) == 0)
        return app_fail(error, app_blame_usage(error, XNCC_ERROR_ARGUMENT),
                        "%s %s: is also the name of the map; give another name", option, name);
    if (!status && !strchr(name, '{'))
        status = app_check_output(&j->inputs, option, name, error);
    return status || !picture ? status : app_rgb_check(name, error);
}

static xncc_status check_usage(const job *j, app_error *error)
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

xncc_status app_correlate(const app_options *o, app_error *error)
{
    job j = { .options = o };
    xncc_status status = app_named_open(o, 1, &j.inputs, error);
    app_maps_open(o, &j.inputs, &j.kit.session, &j.maps);
    if (!status)
        status = check_usage(&j, error);
    if (!status)
        status = app_kit_open(o, &j.inputs, NULL, &j.kit, error);
    if (!status) {
        const app_page_work work = {
            .feed = { .options = o,
                      .reading = o->reading,
                      .images = &j.inputs.images,
                      .templ_pixel = j.kit.templates.source[0].picture.pixel,
                      .beside = o->device.threads != 1 },
            .inputs = &j.inputs,
            .command = "correlate",
            .take = correlate_page,
            .data = &j
        };
        status = app_for_pages(&work, error);
    }
    status = app_maps_close(&j.maps, status, error);
    app_kit_close(&j.kit);
    app_named_close(&j.inputs);
    return status;
}
