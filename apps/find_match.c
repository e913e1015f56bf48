/* SPDX-License-Identifier: BSD-2-Clause */
/* Searching one page for all templates. */
#include "find_match.h"

#include "common/map_out.h"
#include "common/progress.h"
#include "common/spread.h"
#include "exactncc/scan.h"
#include "find_bands.h"
#include "find_ridge.h"

#include <stdlib.h>
#include <string.h>

static const char *templ_name(const app_kit *kit, int i)
{
    return kit->templates.source[i].path;
}

/* The type of the samples in which template i is compared with a scene. */
static xncc_pixel type_of(const app_kit *kit, const app_source *scene, int i)
{
    return app_pixel_join(scene->picture.pixel, kit->templates.source[i].picture.pixel);
}

/* Prepares the search for template i, with room for its matches. */
static xncc_status open_hunt(app_kit *kit, app_source *scene, int i, find_hunt *h, app_error *error)
{
    *h = (find_hunt){ .plan = XNCC_PLAN_INFO_INIT };
    const xncc_status status = app_search_open(kit, scene, i, &h->search, error);
    return status ? status : find_hunt_open(h, kit->session.options, error);
}

/* Searches the rows of the image while the reader decodes them. If the reader fails, its error is
 * reported. */
static xncc_status run_hunt(app_kit *kit, xncc_plan *plan, find_hunt *h, app_feed_page *page,
                            app_error *error)
{
    enum { STEP = 64 }; /* rows: fewer are not worth a wake-up */
    const app_options *o = kit->session.options;
    const int32_t skip = h->search.area.y, height = h->search.area.height;
    app_progress progress;
    xncc_scan *scan = NULL;
    xncc_error why;
    app_progress_start(&progress, kit->session.context, page->scene.path, o->quiet);
    xncc_peak_rule peaks = o->peaks;
    peaks.top = h->room;
    xncc_status status = xncc_scan_create(plan, &h->search.scene, h->search.templ, &peaks, h->room,
                                          &scan, &why);
    int32_t rows = 0; /* rows of the picture that are decoded */
    while (!status && rows >= 0 && rows < skip + height)
        if ((rows = app_reader_wait(&page->reader, rows + STEP)) > skip)
            status = xncc_scan_rows(scan, rows - skip < height ? rows - skip : height, &why);
    if (!status && rows >= skip + height)
        status = xncc_scan_finish(scan, h->match, &h->found, NULL, &why);
    app_progress_stop(&progress);
    xncc_scan_destroy(scan);
    if (status)
        return app_pass_on(error, status, page->scene.path, &why);
    return app_reader_stop(&page->reader, error);
}

static xncc_status refine_matches(find_job *j, find_hunt *h, const char *name, app_error *error)
{
    xncc_error why;
    h->refined = calloc(h->found + 1, sizeof *h->refined);
    if (!h->refined)
        return app_fail(error, XNCC_ERROR_MEMORY,
                        "%s: out of memory for %zu matches; give a smaller --top", name, h->found);
    const xncc_status status = xncc_refine(j->kit.session.context, &h->search.scene,
                                           h->search.templ, &j->options->rule, h->match, h->found,
                                           h->refined, &why);
    return app_pass_on(error, status, name, &why);
}

/* Computes the whole map again, because the search keeps none. */
static xncc_status write_heatmap(find_job *j, const find_hunt *h, int i, const find_result *r,
                                 app_error *error)
{
    const char *option = "--heatmap", *templ = templ_name(&j->kit, i);
    const app_out_of of = { r->image, r->item + 1, r->page, templ };
    char name[APP_OUT_NAME_SIZE];
    xncc_map map = { .data = NULL };
    xncc_error why;
    xncc_plan *plan;
    xncc_status status = app_out_name(option, j->options->heatmap, &of, &j->inputs, name, error);
    if (!status)
        status = app_written_add(&j->written, option, name, error);
    if (!status)
        status = app_search_plan(&j->kit, &h->search, templ, &plan, error);
    if (!status)
        status = app_map_open(name, &h->search.map, &map, error);
    if (!status)
        status = app_pass_on(
            error, xncc_plan_correlate(plan, &h->search.scene, h->search.templ, &map, NULL, &why),
            templ, &why);
    if (!status)
        status = app_map_heatmap(j->options, name, &h->search, r->scene,
                                 &j->kit.templates.source[i], &map, error);
    free(map.data);
    return status;
}

/* Warns of what is doubtful about a search that is done, and leaves no more than --top matches. */
static void settle(find_job *j, find_hunt *h, int i, const char *image)
{
    const app_source *t = &j->kit.templates.source[i];
    const app_outcome outcome = { .image = image,
                                  .templ = t->path,
                                  .windows = (uint64_t)h->search.map.width *
                                             (uint64_t)h->search.map.height,
                                  .found = h->found,
                                  .best = h->found ? (double)h->match[0].score : 0.0,
                                  .worst = h->found ? (double)h->match[h->found - 1].score : 0.0 };
    app_doubts_template(j->options, &t->picture, t->path, &j->doubt[i]);
    app_doubts_outcome(j->options, &j->doubt[i], &outcome, &j->doubts);
    if (h->found > j->options->peaks.top)
        h->found = j->options->peaks.top;
}

/* Everything after the search itself, while the scene is in the form of this template's type. */
static xncc_status finish_hunt(find_job *j, find_hunt *h, int i, find_result *r, app_error *error)
{
    find_search *const s = &r->search[i];
    const char *name = templ_name(&j->kit, i);
    settle(j, h, i, r->image);
    *s = (find_search){ .area = h->search.area,
                        .pixel = h->search.scene.pixel,
                        .channels = h->search.problem.channels,
                        .plan = h->plan,
                        .device = app_session_engine(&j->kit.session, &h->plan),
                        .found = h->found };
    xncc_status status = XNCC_OK;
    if (j->options->subpixel)
        status = refine_matches(j, h, name, error);
    if (!status && j->options->subpixel && !j->options->quiet)
        status = find_warn_ridges(&j->kit, &h->search,
                                  &(find_ridge_ask){ h->match, h->found, r, name }, error);
    if (!status && j->options->heatmap)
        status = write_heatmap(j, h, i, r, error);
    return status;
}

/* Searches for the only template while the reader decodes the page. */
static xncc_status search_alone(app_kit *kit, app_feed_page *page, find_hunt *h, app_error *error)
{
    xncc_plan *plan;
    xncc_status status = open_hunt(kit, &page->scene, 0, h, error);
    if (!status)
        status = app_search_plan(kit, &h->search, templ_name(kit, 0), &plan, error);
    if (status)
        return status;
    xncc_plan_describe(plan, &h->plan, NULL);
    return run_hunt(kit, plan, h, page, error);
}

/* Templates that are searched together. */
typedef struct together {
    const xncc_template **templ;
    int *number; /* of each template, from 0 */
    size_t count, room;
    xncc_candidate *found;
} together;

static void free_together(together *t)
{
    free(t->templ);
    free(t->number);
    free(t->found);
}

/* Prepares the hunts whose template has this pixel type together with the scene. */
static xncc_status collect(app_kit *kit, app_source *scene, xncc_pixel pixel, find_hunt *hunts,
                           together *t, app_error *error)
{
    const int most = kit->templates.count;
    xncc_status status = XNCC_OK;
    *t = (together){ .templ = calloc((size_t)most, sizeof *t->templ),
                     .number = calloc((size_t)most, sizeof *t->number) };
    const int room = t->templ && t->number;
    for (int i = 0; i < most && room && !status; i++) {
        if (type_of(kit, scene, i) != pixel)
            continue;
        status = open_hunt(kit, scene, i, &hunts[i], error);
        t->templ[t->count] = hunts[i].search.templ;
        t->number[t->count++] = i;
        t->room += hunts[i].room;
    }
    t->found = calloc(t->room + 1, sizeof *t->found);
    if (!status && (!room || !t->found))
        status = app_fail(error, XNCC_ERROR_MEMORY,
                          "%s: out of memory for the matches of %d templates; give a smaller --top",
                          scene->path, most);
    return status;
}

/* Searches for the templates, and gives each hunt its matches, best first. */
static xncc_status search_together(app_kit *kit, together *t, find_hunt *hunts, xncc_error *why)
{
    const app_options *o = kit->session.options;
    const app_search *first = &hunts[t->number[0]].search;
    xncc_batch_options options = XNCC_BATCH_OPTIONS_INIT;
    xncc_problem problem = first->problem;
    xncc_batch *batch = NULL;
    size_t found = 0;
    problem.templ_width = problem.templ_height = problem.templ_masked = 0;
    options.peaks = o->peaks;
    options.peaks.top = 0; /* no template has more matches than the largest room */
    for (size_t i = 0; i < t->count; i++)
        if (hunts[t->number[i]].room > options.peaks.top)
            options.peaks.top = hunts[t->number[i]].room;
    options.capacity = t->room;
    const app_batch_ask ask = { &problem, o->kernel, t->templ, t->count, &options, 0 };
    xncc_status status = app_plans_batch(&kit->plans, &ask, &batch, why);
    if (!status)
        status = xncc_batch_find(batch, &first->scene, t->found, &found, NULL, why);
    for (size_t i = 0; i < t->count && !status; i++)
        status = xncc_batch_describe(batch, i, &hunts[t->number[i]].plan, why);
    for (size_t i = 0; i < found; i++) {
        find_hunt *h = &hunts[t->number[t->found[i].templ]];
        h->match[h->found++] = t->found[i].match;
    }
    return status;
}

/* Searches for all templates that are compared with the page in this type. */
static xncc_status search_type(app_kit *kit, app_feed_page *page, xncc_pixel pixel,
                               find_hunt *hunts, app_error *error)
{
    const app_options *o = kit->session.options;
    together t;
    app_progress progress;
    xncc_error why;
    if (kit->templates.count == 1)
        return search_alone(kit, page, hunts, error);
    xncc_status status = app_reader_stop(&page->reader, error);
    if (status)
        return status;
    status = collect(kit, &page->scene, pixel, hunts, &t, error);
    if (!status) {
        app_progress_start(&progress, kit->session.context, page->scene.path, o->quiet);
        status = search_together(kit, &t, hunts, &why);
        app_progress_stop(&progress);
        const xncc_problem *problem = &hunts[t.number[0]].search.problem;
        if (app_plans_refused(&kit->plans, problem, o->kernel, status))
            app_fail_kernel(error, o->kernel, &why);
        else
            app_pass_on(error, status, page->scene.path, &why);
    }
    free_together(&t);
    return status;
}

int find_is_one_search(const app_kit *kit, const app_feed_page *page)
{
    int one = !page->status && !page->banded;
    for (int i = 1; i < kit->templates.count && one; i++)
        one = type_of(kit, &page->scene, i) == type_of(kit, &page->scene, 0);
    return one;
}

xncc_status find_search_page(app_kit *kit, app_feed_page *page, find_hunt *hunts, app_error *error)
{
    return search_type(kit, page, type_of(kit, &page->scene, 0), hunts, error);
}

/* Searches a page that is read in bands. */
static xncc_status find_banded(find_job *j, app_feed_page *page, find_hunt *hunts, find_result *r,
                               app_error *error)
{
    xncc_status status = find_in_bands(&j->kit, page, hunts, error);
    if (j->options->spread && j->options->spread->silent)
        return status;
    for (int i = 0; i < j->kit.templates.count && !status; i++)
        status = finish_hunt(j, &hunts[i], i, r, error);
    return status;
}

/* Searches a page that is in memory, type by type, unless that is done. */
static xncc_status find_types(find_job *j, app_feed_page *page, int searched, find_hunt *hunts,
                              find_result *r, app_error *error)
{
    const int count = j->kit.templates.count;
    xncc_status status = XNCC_OK;
    for (int pixel = 0; pixel < APP_PIXELS && !status; pixel++) {
        int first = 0;
        while (first < count && (int)type_of(&j->kit, &page->scene, first) != pixel)
            first++;
        if (first == count)
            continue;
        if (!searched)
            status = search_type(&j->kit, page, (xncc_pixel)pixel, hunts, error);
        for (int i = first; i < count && !status; i++) {
            if ((int)type_of(&j->kit, &page->scene, i) != pixel)
                continue;
            if (searched) /* with a template of another context */
                status = app_templates_get(&j->kit.templates, i, (xncc_pixel)pixel,
                                           j->kit.session.context, &hunts[i].search.templ, error);
            if (!status)
                status = finish_hunt(j, &hunts[i], i, r, error);
        }
    }
    return status;
}

xncc_status find_on_page(find_job *j, app_feed_page *page, int searched, find_hunt *hunts,
                         find_result *r, app_error *error)
{
    const int count = j->kit.templates.count;
    if (!j->doubt)
        j->doubt = calloc((size_t)count, sizeof *j->doubt);
    xncc_status status = j->doubt
                             ? app_kit_decide(&j->kit, &page->scene.picture, page->item, error)
                             : app_fail(error, XNCC_ERROR_MEMORY, "%s: out of memory", r->image);
    if (!status)
        status = page->banded ? find_banded(j, page, hunts, r, error)
                              : find_types(j, page, searched, hunts, r, error);
    for (int i = 0; i < count && !status; i++) {
        const app_search *s = &hunts[i].search;
        status = find_result_add(r, i,
                                 &(find_found){ hunts[i].match, hunts[i].refined, hunts[i].found,
                                                s->problem.templ_width, s->problem.templ_height },
                                 error);
    }
    if (!status && j->options->has_merge)
        status = find_result_merge(r, j->options->rule.method, &j->options->merge, error);
    j->pages++;
    j->hits += status ? 0 : r->hits;
    return status;
}
