/* SPDX-License-Identifier: BSD-2-Clause */
/* The maps of one template on one page. */
#include "correlate_task.h"

#include "common/text_file.h"

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

const app_source *correlate_templ(const correlate_job *j, const correlate_task *t)
{
    return &j->kit.templates.source[t->templ];
}

int correlate_maps(const correlate_job *j)
{
    return j->options->coverage ? 2 : 1;
}

xncc_method correlate_method(const correlate_job *j, int i)
{
    return i == 0 ? j->options->rule.method : XNCC_COVERAGE;
}

char *correlate_describe(const correlate_job *j, const correlate_task *t, int i)
{
    const xncc_method method = correlate_method(j, i);
    const app_options *o = j->options;
    const app_source *scene = t->scene, *templ = correlate_templ(j, t);
    const app_search *search = &t->search;
    app_text text;
    FILE *out = app_text_open(&text);
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
    return app_text_close(&text);
}

/* Sets the names of the files, before anything is computed. */
static xncc_status name_files(correlate_job *j, correlate_task *t, const app_feed_page *page,
                              app_error *error)
{
    const app_options *o = j->options;
    const app_out_of of = { page->scene.path, page->item + 1, page->scene.page,
                            correlate_templ(j, t)->path };
    xncc_status status = app_map_place(&j->maps, "-o", o->output, &of, &t->out[0], error);
    if (!status && o->coverage)
        status = app_map_place(&j->maps, "--coverage", o->coverage, &of, &t->out[1], error);
    if (!status && o->heatmap)
        status = app_map_name(&j->maps, "--heatmap", o->heatmap, &of, t->heatmap, error);
    return status;
}

correlate_task *correlate_task_new(correlate_job *j, app_feed_page *page, int templ,
                                   app_error *error)
{
    correlate_task *t = calloc(1, sizeof *t);
    if (!t) {
        app_fail(error, XNCC_ERROR_MEMORY, "%s: out of memory", page->scene.path);
        return NULL;
    }
    t->scene = &page->scene;
    t->templ = templ;
    if (!name_files(j, t, page, error))
        return t;
    free(t);
    return NULL;
}
