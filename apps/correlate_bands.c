/* SPDX-License-Identifier: BSD-2-Clause */
/* The maps of a page that is larger than memory. */
#include "correlate_bands.h"

#include "common/band_maps.h"

#include <stdlib.h>

/* What a later process must know of the rows that an earlier one has computed. */
enum { MASKED = 1 };

/* The maps of all templates on the page: those of template i from 2 * i on. */
typedef struct sweep {
    correlate_job *job;
    correlate_task **task;
    app_band_maps maps; /* as many as there are files */
    int templs;
    uint64_t row; /* bytes per row of the widest map */
} sweep;

static correlate_task *task_of(const sweep *s, int map)
{
    return s->task[map / correlate_maps(s->job)];
}

/* Which map of its template it is: 0 the scores, 1 --coverage. */
static int part_of(const sweep *s, int map)
{
    return map % correlate_maps(s->job);
}

/* Prepares one template, and creates its files. */
static xncc_status open_task(sweep *s, int templ, app_bands_rule *rule, app_error *error)
{
    correlate_job *const j = s->job;
    correlate_task *t = s->task[templ] = correlate_task_new(j, s->maps.page, templ, error);
    if (!t)
        return XNCC_ERROR_ARGUMENT;
    xncc_status status = app_search_measure(&j->kit, t->scene, templ, &t->search, error);
    const app_place place = app_search_place(&t->search, t->scene);
    rule->first = t->search.area.y;
    rule->rows = t->search.area.height;
    app_bands_fit(rule, &j->kit, t->scene, templ);
    if (s->row < 4 * (uint64_t)t->search.map.width)
        s->row = 4 * (uint64_t)t->search.map.width;
    for (int i = 0; i < correlate_maps(j) && !status; i++) {
        char *about = correlate_describe(j, t, i);
        if (!about)
            return app_fail(error, XNCC_ERROR_MEMORY, "%s: out of memory", t->out[i].path);
        t->out[i].place = place;
        t->out[i].device = t->out[i].kernel = ""; /* if an earlier process has done it all */
        status = app_band_map_open(j->options, &j->inputs, &t->out[i], &t->search.map, about,
                                   &s->maps.map[s->maps.count++], error);
        free(about);
    }
    return status;
}

/* Makes the plan of map i for a band. A kernel of --kernel need not serve --coverage. */
static xncc_status plan_map(const sweep *s, int map, app_search *search, xncc_plan **plan,
                            app_error *error)
{
    app_kit *const kit = &s->job->kit;
    const char *name = correlate_templ(s->job, task_of(s, map))->path;
    xncc_error why;
    if (part_of(s, map) == 0)
        return app_search_plan(kit, search, name, plan, error);
    search->problem.rule.method = XNCC_COVERAGE;
    const xncc_status status = app_plans_prefer(&kit->plans, &search->problem,
                                                s->job->options->kernel, plan, &why);
    return app_pass_on(error, status, name, &why);
}

static xncc_status compute(void *data, app_band *band, int map, app_error *error)
{
    const sweep *s = data;
    correlate_task *t = task_of(s, map);
    app_map_out *const out = &t->out[part_of(s, map)];
    app_search search;
    xncc_plan *plan;
    xncc_plan_info info = XNCC_PLAN_INFO_INIT;
    xncc_error why;
    xncc_status status = app_search_open_band(&s->job->kit, band, &t->search.area, t->templ,
                                              &search, error);
    if (!status)
        status = plan_map(s, map, &search, &plan, error);
    if (status)
        return status;
    xncc_plan_describe(plan, &info, NULL);
    s->maps.map[map].engine = info.engine;
    out->device = app_session_engine(&s->job->kit.session, &info);
    out->kernel = info.kernel;
    xncc_map part = { .width = search.map.width, .height = search.map.height };
    status = app_band_map_part(out, &part, error);
    if (status)
        return status;
    status = app_pass_on(error,
                         xncc_plan_correlate(plan, &search.scene, search.templ, &part, NULL, &why),
                         correlate_templ(s->job, t)->path, &why);
    if (!status)
        status = app_band_map_put(&s->maps.map[map], &band->rows, &part, search.map.y0,
                                  search.problem.image_masked ? MASKED : 0, error);
    t->search.problem.templ_masked = search.problem.templ_masked;
    free(part.data);
    return status;
}

static xncc_status close_map(sweep *s, int map, xncc_status status, app_error *error)
{
    correlate_task *t = task_of(s, map);
    const int part = part_of(s, map);
    app_map_out *const out = &t->out[part];
    char *description = NULL;
    if (!status) {
        t->search.problem.image_masked = app_map_file_flags(s->maps.map[map].file) & MASKED;
        out->has_nan = part == 0 && app_search_has_nan(&t->search);
        description = correlate_describe(s->job, t, part);
        if (!description)
            status = app_fail(error, XNCC_ERROR_MEMORY, "%s: out of memory", out->path);
    }
    status = app_band_map_close(&s->maps.map[map], &s->job->maps, description, part == 0, status,
                                error);
    free(description);
    return status;
}

xncc_status correlate_in_bands(correlate_job *j, app_feed_page *page, app_error *error)
{
    sweep s = { .job = j, .templs = j->kit.templates.count };
    app_band_maps *const maps = &s.maps;
    *maps = (app_band_maps){ .kit = &j->kit,
                             .page = page,
                             .rule = app_bands_rule_of(&j->kit, &page->scene),
                             .map = calloc(2 * (size_t)s.templs, sizeof *maps->map),
                             .compute = compute,
                             .data = &s };
    s.task = calloc((size_t)s.templs, sizeof *s.task);
    xncc_status status = s.task && maps->map ? app_bands_refuse(j->options, &page->scene, error)
                                             : app_fail(error, XNCC_ERROR_MEMORY,
                                                        "%s: out of memory", page->scene.path);
    for (int i = 0; i < s.templs && !status; i++)
        status = open_task(&s, i, &maps->rule, error);
    maps->rule.beside += s.row;
    if (!status)
        status = app_band_maps_compute(maps, error);
    for (int i = 0; i < maps->count; i++)
        status = close_map(&s, i, status, error);
    for (int i = 0; i < s.templs && s.task; i++)
        free(s.task[i]);
    free(s.task);
    free(maps->map);
    return status;
}
