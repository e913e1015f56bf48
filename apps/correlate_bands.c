/* SPDX-License-Identifier: BSD-2-Clause */
/* The maps of a page that is larger than memory. */
#include "correlate_bands.h"

#include "common/band_maps.h"
#include "common/progress.h"
#include "common/spread.h"

#include <stdlib.h>

/* What a later process must know of the rows that an earlier one has computed. */
enum { MASKED = 1 };

/* The maps of all templates on the page: those of template i from 2 * i on. */
typedef struct sweep {
    correlate_job *job;
    app_feed_page *page;
    correlate_task **task;
    app_band_map *map; /* as many as there are files */
    int maps, templs;
    uint64_t row; /* bytes per row of the widest map */
    app_bands_rule rule;
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
    correlate_task *t = s->task[templ] = correlate_task_new(j, s->page, templ, error);
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
        t->out[i].place = place;
        t->out[i].device = t->out[i].kernel = ""; /* if an earlier process has done it all */
        status = app_band_map_open(j->options, &j->inputs, &t->out[i], &t->search.map,
                                   about ? about : "", &s->map[s->maps++], error);
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
    xncc_status status = app_plans_get(&kit->plans, &search->problem, s->job->options->kernel, plan,
                                       &why);
    if (status)
        status = app_plans_get(&kit->plans, &search->problem, NULL, plan, &why);
    return app_pass_on(error, status, name, &why);
}

static xncc_status compute(const sweep *s, app_band *band, int map, app_error *error)
{
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
    s->map[map].engine = info.engine;
    out->device = app_session_engine(&s->job->kit.session, &info);
    out->kernel = info.kernel;
    xncc_map part = { .width = search.map.width, .height = search.map.height };
    part.data = malloc((size_t)part.width * (size_t)part.height * sizeof *part.data);
    if (!part.data)
        return app_fail(error, XNCC_ERROR_MEMORY,
                        "%s: out of memory for %d rows of the map; give a smaller --max-memory",
                        out->path, part.height);
    status = app_pass_on(error,
                         xncc_plan_correlate(plan, &search.scene, search.templ, &part, NULL, &why),
                         correlate_templ(s->job, t)->path, &why);
    if (!status)
        status = app_band_map_put(&s->map[map], &band->rows, &part, search.map.y0,
                                  search.problem.image_masked ? MASKED : 0, error);
    t->search.problem.templ_masked = search.problem.templ_masked;
    free(part.data);
    return status;
}

static xncc_status compute_bands(sweep *s, const app_bands_rule *rule, app_error *error)
{
    app_bands *bands = NULL;
    app_band *band = NULL;
    app_progress progress;
    xncc_status status = app_bands_open(rule, &bands, error);
    app_progress_start(&progress, s->job->kit.session.context, rule->path, s->job->options->quiet);
    while (!status && !(status = app_bands_next(bands, &band, error)) && band)
        for (int i = 0; i < s->maps && !status; i++) {
            app_progress_part(&progress, band->number * s->maps + i,
                              app_bands_plan(bands)->count * s->maps);
            status = compute(s, band, i, error);
        }
    app_progress_stop(&progress);
    app_bands_close(bands);
    return status;
}

static xncc_status compute_slice(void *data, uint64_t item, FILE *out, app_error *error)
{
    sweep *s = data;
    const app_bands_rule rule = app_bands_slice(&s->rule, s->page, item);
    xncc_status status = compute_bands(s, &rule, error);
    for (int i = 0; i < s->maps && !status; i++)
        status = app_band_map_print(&s->map[i], out, error);
    return status;
}

static int stands(void *data, const app_record *record)
{
    const sweep *s = data;
    const char *text = record->text;
    int all = 1;
    for (int i = 0; i < s->maps && all; i++)
        all = app_band_map_knows(&s->map[i], &text);
    return all;
}

static xncc_status take_slice(void *data, const app_record *record, app_error *error)
{
    sweep *s = data;
    const char *text = record->text;
    xncc_status status = XNCC_OK;
    for (int i = 0; i < s->maps && !status; i++)
        status = app_band_map_take(&s->map[i], &s->job->kit.session, &text, error);
    return status;
}

/* Computes the maps, or lets the processes of the spread do it. */
static xncc_status compute_page(sweep *s, app_error *error)
{
    app_spread *const spread = s->job->options->spread;
    const app_work work = { .number = (uint64_t)s->page->item << 32 | s->page->scene.page,
                            .items = app_bands_slices(&s->rule, s->page),
                            .data = s,
                            .run = compute_slice,
                            .stands = stands,
                            .take = take_slice };
    if (spread)
        return spread->run(spread, &work, error);
    return app_band_maps_skip(s->map, s->maps, &s->rule) ? compute_bands(s, &s->rule, error)
                                                         : XNCC_OK;
}

static xncc_status close_map(sweep *s, int map, xncc_status status, app_error *error)
{
    correlate_task *t = task_of(s, map);
    const int part = part_of(s, map);
    app_map_out *const out = &t->out[part];
    char *description = NULL;
    if (!status) {
        t->search.problem.image_masked = app_map_file_flags(s->map[map].file) & MASKED;
        out->has_nan = part == 0 && app_search_has_nan(&t->search);
        description = correlate_describe(s->job, t, part);
        if (!description)
            status = app_fail(error, XNCC_ERROR_MEMORY, "%s: out of memory", out->path);
    }
    status = app_band_map_close(&s->map[map], &s->job->maps, description, part == 0, status, error);
    free(description);
    return status;
}

xncc_status correlate_in_bands(correlate_job *j, app_feed_page *page, app_error *error)
{
    sweep s = { .job = j, .page = page, .templs = j->kit.templates.count };
    s.rule = app_bands_rule_of(&j->kit, &page->scene);
    s.task = calloc((size_t)s.templs, sizeof *s.task);
    s.map = calloc(2 * (size_t)s.templs, sizeof *s.map);
    xncc_status status = s.task && s.map ? app_bands_refuse(j->options, &page->scene, error)
                                         : app_fail(error, XNCC_ERROR_MEMORY, "%s: out of memory",
                                                    page->scene.path);
    for (int i = 0; i < s.templs && !status; i++)
        status = open_task(&s, i, &s.rule, error);
    s.rule.beside += s.row;
    if (!status)
        status = compute_page(&s, error);
    for (int i = 0; i < s.maps; i++)
        status = close_map(&s, i, status, error);
    for (int i = 0; i < s.templs && s.task; i++)
        free(s.task[i]);
    free(s.task);
    free(s.map);
    return status;
}
