/* exactncc correlate: writes the map of scores of one template on one page. */
#include "commands.h"
#include "common/map_out.h"
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

/* The text of the ImageDescription tag: what the map is, so that the file explains itself. NULL if
 * there is no memory. */
static char *describe(const app_options *o, const app_source *scene, const app_source *templ,
                      const app_search *search, xncc_method method)
{
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
    put_name(out, "mask", o->mask_count ? o->masks[0] : NULL);
    put_name(out, "image_mask", o->image_mask);
    fprintf(out, ", \"template_masked\": %s, \"image_masked\": %s, \"min_valid\": %.9g}",
            search->problem.templ_masked ? "true" : "false",
            search->problem.image_masked ? "true" : "false", o->rule.min_valid);
    return fclose(out) == 0 ? text : NULL;
}

/* Computes a map with a plan of the search. The caller frees out->map.data. */
static xncc_status compute(const app_session *session, const app_search *search, xncc_plan *plan,
                           const char *name, app_map_out *out, app_error *error)
{
    app_progress progress;
    xncc_error why;
    xncc_plan_info info = XNCC_PLAN_INFO_INIT;
    xncc_plan_describe(plan, &info, NULL);
    out->device = app_session_engine(session, &info);
    out->kernel = info.kernel;
    xncc_status status = app_map_open(out->path, &search->map, &out->map, error);
    if (status)
        return status;
    app_progress_start(&progress, session->context, name, session->options->quiet);
    status = xncc_plan_correlate(plan, &search->scene, search->templ, &out->map, NULL, &why);
    app_progress_stop(&progress);
    return app_pass_on(error, status, name, &why);
}

/* Computes the map of the valid fraction, by the kernel of --kernel if that can serve it. */
static xncc_status compute_coverage(const app_session *session, const app_search *search,
                                    const char *name, app_map_out *out, app_error *error)
{
    xncc_problem problem = search->problem;
    xncc_preference preference = XNCC_PREFERENCE_INIT;
    xncc_plan *plan = NULL;
    xncc_error why;
    problem.rule.method = XNCC_COVERAGE;
    preference.kernel = session->options->kernel;
    xncc_status status = xncc_plan_create(session->context, &problem, &preference, &plan, &why);
    if (status && preference.kernel)
        status = xncc_plan_create(session->context, &problem, NULL, &plan, &why);
    app_pass_on(error, status, name, &why);
    if (!status)
        status = compute(session, search, plan, name, out, error);
    xncc_plan_destroy(plan);
    return status;
}

/* Writes the computed maps with their descriptions, and reports them. */
static xncc_status write_maps(const app_session *session, const app_source *scene,
                              const app_source *templ, const app_search *search, app_map_out out[2],
                              app_error *error)
{
    const app_options *o = session->options;
    const size_t count = o->coverage ? 2 : 1;
    char *description[2] = { describe(o, scene, templ, search, o->rule.method),
                             describe(o, scene, templ, search, XNCC_COVERAGE) };
    xncc_status status = XNCC_OK;
    if (!description[0] || !description[1])
        status = app_fail(error, XNCC_ERROR_MEMORY, "%s: out of memory", o->output);
    if (!status && o->heatmap)
        status = app_map_heatmap(o, search, scene, templ, &out[0].map, error);
    for (size_t i = 0; i < count && !status; i++)
        status = app_map_write(&out[i], description[i], error);
    if (!status)
        status = app_map_report(o, out, count, description[0], error);
    free(description[0]);
    free(description[1]);
    return status;
}

static xncc_status correlate_sources(const app_session *session, app_source *scene,
                                     app_source *templ, app_error *error)
{
    const app_options *o = session->options;
    app_search search;
    app_map_out out[2] = { { .path = o->output }, { .path = o->coverage } };
    xncc_status status = app_search_open(session, scene, templ, 1, &search, error);
    if (!status) {
        out[0].place = out[1].place = app_search_place(&search, scene);
        out[0].has_nan = app_search_has_nan(&search);
        status = compute(session, &search, search.plan, templ->path, &out[0], error);
    }
    if (!status && o->coverage)
        status = compute_coverage(session, &search, templ->path, &out[1], error);
    if (!status)
        status = write_maps(session, scene, templ, &search, out, error);
    free(out[0].map.data);
    free(out[1].map.data);
    app_search_close(&search);
    return status;
}

static xncc_status check_usage(const app_options *o, app_error *error)
{
    xncc_status status = app_map_check(o, error);
    if (!status)
        status = app_check_masks(o, error);
    if (!status && o->heatmap && strcmp(o->heatmap, o->output) == 0)
        status = app_fail(error, app_blame_usage(error, XNCC_ERROR_ARGUMENT),
                          "--heatmap %s: is also the name of the map; give another name",
                          o->heatmap);
    if (!status && o->heatmap)
        status = app_check_picture(o, "--heatmap", o->heatmap, error);
    if (!status && o->coverage &&
        (strcmp(o->coverage, o->output) == 0 ||
         (o->heatmap && strcmp(o->coverage, o->heatmap) == 0)))
        status = app_fail(error, app_blame_usage(error, XNCC_ERROR_ARGUMENT),
                          "--coverage %s: is also the name of another output; give another name",
                          o->coverage);
    if (!status && o->coverage)
        status = app_check_output(o, "--coverage", o->coverage, error);
    return status;
}

xncc_status app_correlate(const app_options *o, app_error *error)
{
    app_source scene = { .path = NULL }, templ = { .path = NULL };
    app_session session = { .context = NULL };
    xncc_status status = check_usage(o, error);
    if (!status)
        status = app_source_load(o->files[0], (uint32_t)o->page, &o->reading, &scene, error);
    if (!status && o->image_mask)
        status = app_source_mask(&scene, o->image_mask, &o->reading, error);
    if (!status)
        status = app_load_template(o, 0, &templ, error);
    if (!status)
        status = app_session_open(o, &session, error);
    if (!status)
        status = correlate_sources(&session, &scene, &templ, error);
    app_session_close(&session);
    app_source_free(&scene);
    app_source_free(&templ);
    return status;
}
