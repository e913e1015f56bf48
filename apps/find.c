/* exactncc find: prints the best matches of one or more templates on one or all pages of an image.
 */
#include "commands.h"
#include "common/map_out.h"
#include "common/progress.h"
#include "common/reader.h"
#include "exactncc/batch.h"
#include "exactncc/scan.h"
#include "find_report.h"

#include <stdlib.h>
#include <string.h>

/* Searches the rows of the image while the reader decodes them. If the reader fails, its error is
 * reported. */
static xncc_status run_hunt(app_find_job *j, app_hunt *h, app_reader *reader, const char *name,
                            app_error *error)
{
    enum { STEP = 64 }; /* rows: fewer are not worth a wake-up */
    const int32_t skip = h->search.area.y, height = h->search.area.height;
    app_progress progress;
    xncc_scan *scan = NULL;
    xncc_error why;
    app_progress_start(&progress, j->session.context, name, j->options->quiet);
    xncc_status status = xncc_scan_create(h->search.plan, &h->search.scene, h->search.templ,
                                          &j->options->peaks, h->room, &scan, &why);
    int32_t rows = 0; /* rows of the picture that are decoded */
    while (!status && rows >= 0 && rows < skip + height)
        if ((rows = app_reader_wait(reader, rows + STEP)) > skip)
            status = xncc_scan_rows(scan, rows - skip < height ? rows - skip : height, &why);
    if (!status && rows >= skip + height)
        status = xncc_scan_finish(scan, h->match, &h->found, NULL, &why);
    app_progress_stop(&progress);
    xncc_scan_destroy(scan);
    if (status)
        return app_pass_on(error, status, name, &why);
    return app_reader_stop(reader, error);
}

static xncc_status refine_matches(const app_find_job *j, app_hunt *h, const char *name,
                                  app_error *error)
{
    xncc_error why;
    h->refined = calloc(h->found + 1, sizeof *h->refined);
    if (!h->refined)
        return app_fail(error, XNCC_ERROR_MEMORY,
                        "%s: out of memory for %zu matches; give a smaller --top", name, h->found);
    const xncc_status status = xncc_refine(j->session.context, &h->search.scene, h->search.templ,
                                           &j->options->rule, h->match, h->found, h->refined, &why);
    return app_pass_on(error, status, name, &why);
}

/* Computes the whole map again, because the search keeps none. */
static xncc_status write_heatmap(const app_find_job *j, const app_hunt *h, const app_source *scene,
                                 const app_source *templ, app_error *error)
{
    xncc_map map;
    xncc_error why;
    xncc_status status = app_map_open(j->options->heatmap, &h->search.map, &map, error);
    if (status)
        return status;
    status = xncc_plan_correlate(h->search.plan, &h->search.scene, h->search.templ, &map, NULL,
                                 &why);
    app_pass_on(error, status, templ->path, &why);
    if (!status)
        status = app_map_heatmap(j->options, &h->search, scene, templ, &map, error);
    free(map.data);
    return status;
}

/* Prepares the search for a template, with room for its matches. */
static xncc_status open_hunt(app_find_job *j, app_source *scene, app_source *templ, int planned,
                             app_hunt *h, app_error *error)
{
    *h = (app_hunt){ .plan = XNCC_PLAN_INFO_INIT };
    xncc_status status = app_search_open(&j->session, scene, templ, planned, &h->search, error);
    if (status)
        return status;
    const uint64_t positions = (uint64_t)h->search.map.width * (uint64_t)h->search.map.height;
    const size_t top = j->options->peaks.top;
    h->room = positions < top ? (size_t)positions : top;
    h->match = calloc(h->room, sizeof *h->match);
    return h->match ? XNCC_OK
                    : app_fail(error, XNCC_ERROR_MEMORY,
                               "--top %zu: out of memory; give a smaller number", top);
}

static void close_hunt(app_hunt *h)
{
    free(h->refined);
    free(h->match);
    app_search_close(&h->search);
}

/* Searches for the only template while the reader decodes the page. */
static xncc_status find_one(app_find_job *j, app_source *scene, app_reader *reader,
                            app_error *error)
{
    app_hunt h;
    app_source *const templ = &j->templs[0];
    xncc_status status = open_hunt(j, scene, templ, 1, &h, error);
    if (!status)
        xncc_plan_describe(h.search.plan, &h.plan, NULL);
    if (!status)
        status = run_hunt(j, &h, reader, templ->path, error);
    if (!status && j->options->subpixel)
        status = refine_matches(j, &h, templ->path, error);
    if (!status && j->options->heatmap)
        status = write_heatmap(j, &h, scene, templ, error);
    if (!status)
        status = app_find_report(j, scene, templ, &h, error);
    close_hunt(&h);
    return status;
}

/* Templates that are searched together. */
typedef struct together {
    const xncc_template **templ;
    app_hunt **hunt; /* in the order of templ */
    size_t count, room;
    xncc_candidate *found;
} together;

static void free_together(together *t)
{
    free(t->templ);
    free(t->hunt);
    free(t->found);
}

/* Prepares the hunts whose template has this pixel type together with the scene. */
static xncc_status collect(app_find_job *j, app_source *scene, xncc_pixel pixel, app_hunt *hunts,
                           together *t, app_error *error)
{
    const size_t most = (size_t)j->templ_count;
    xncc_status status = XNCC_OK;
    *t = (together){ .templ = calloc(most, sizeof *t->templ),
                     .hunt = calloc(most, sizeof *t->hunt) };
    const int room = t->templ && t->hunt;
    for (size_t i = 0; i < most && room && !status; i++) {
        if (app_pixel_join(scene->picture.pixel, j->templs[i].picture.pixel) != pixel)
            continue;
        status = open_hunt(j, scene, &j->templs[i], 0, &hunts[i], error);
        t->templ[t->count] = hunts[i].search.templ;
        t->hunt[t->count++] = &hunts[i];
        t->room += hunts[i].room;
    }
    t->found = calloc(t->room + 1, sizeof *t->found);
    if (!status && (!room || !t->found))
        status = app_fail(error, XNCC_ERROR_MEMORY,
                          "%s: out of memory for the matches of %d templates; give a smaller --top",
                          j->image, j->templ_count);
    return status;
}

/* Searches for the templates, and gives each hunt its matches, best first. */
static xncc_status search_together(app_find_job *j, together *t, xncc_error *why)
{
    const app_search *first = &t->hunt[0]->search;
    xncc_preference preference = XNCC_PREFERENCE_INIT;
    xncc_batch_options options = XNCC_BATCH_OPTIONS_INIT;
    xncc_problem problem = first->problem;
    xncc_batch *batch = NULL;
    size_t found = 0;
    preference.kernel = j->options->kernel;
    problem.templ_width = problem.templ_height = problem.templ_masked = 0;
    options.peaks = j->options->peaks;
    options.peaks.top = 0; /* no template has more matches than the largest room */
    for (size_t i = 0; i < t->count; i++)
        if (t->hunt[i]->room > options.peaks.top)
            options.peaks.top = t->hunt[i]->room;
    options.capacity = t->room;
    xncc_status status = xncc_batch_create(j->session.context, &problem, &preference, t->templ,
                                           t->count, &options, &batch, why);
    if (!status)
        status = xncc_batch_find(batch, &first->scene, t->found, &found, NULL, why);
    for (size_t i = 0; i < t->count && !status; i++)
        status = xncc_batch_describe(batch, i, &t->hunt[i]->plan, why);
    for (size_t i = 0; i < found; i++) {
        app_hunt *h = t->hunt[t->found[i].templ];
        h->match[h->found++] = t->found[i].match;
    }
    xncc_batch_destroy(batch);
    return status;
}

/* Searches for all templates that have this pixel type together with the scene. */
static xncc_status find_of_type(app_find_job *j, app_source *scene, xncc_pixel pixel,
                                app_hunt *hunts, app_error *error)
{
    together t;
    app_progress progress;
    xncc_error why;
    xncc_status status = collect(j, scene, pixel, hunts, &t, error);
    if (!status && t.count) {
        app_progress_start(&progress, j->session.context, j->image, j->options->quiet);
        status = search_together(j, &t, &why);
        app_progress_stop(&progress);
        if (status == XNCC_ERROR_ARGUMENT && j->options->kernel)
            app_blame_usage(error, status);
        app_pass_on(error, status, j->image, &why);
    }
    for (size_t i = 0; i < t.count && !status && j->options->subpixel; i++)
        status = refine_matches(j, t.hunt[i], j->templs[t.hunt[i] - hunts].path, error);
    free_together(&t);
    return status;
}

/* Searches for several templates in a page that has been read. */
static xncc_status find_all(app_find_job *j, app_source *scene, app_error *error)
{
    app_hunt *hunts = calloc((size_t)j->templ_count, sizeof *hunts);
    xncc_status status = XNCC_OK;
    if (!hunts)
        return app_fail(error, XNCC_ERROR_MEMORY, "%s: out of memory", j->image);
    for (int pixel = XNCC_U8; pixel <= XNCC_F64 && !status; pixel++)
        status = find_of_type(j, scene, (xncc_pixel)pixel, hunts, error);
    for (int i = 0; i < j->templ_count && !status; i++)
        status = app_find_report(j, scene, &j->templs[i], &hunts[i], error);
    for (int i = 0; i < j->templ_count; i++)
        close_hunt(&hunts[i]);
    free(hunts);
    return status;
}

/* Decodes the page on a second thread while the only template is searched, unless only one thread
 * may be used. A page that may have invalid pixels is decoded first: if all of its pixels turn out
 * to count, the search without a mask is faster. For several templates it is decoded first, too:
 * they are searched together. */
static xncc_status find_in_scene(app_find_job *j, app_file *file, app_source *scene,
                                 app_error *error)
{
    const app_options *o = j->options;
    app_reader reader;
    app_error unread;
    const int masked = scene->picture.mask || o->image_mask;
    const xncc_pixel pixel = app_pixel_join(scene->picture.pixel, j->templs[0].picture.pixel);
    xncc_status status = app_source_expect(scene, pixel, error);
    if (status)
        return status;
    app_reader_start(&reader, file, &scene->picture, pixel, scene->converted,
                     o->device.threads != 1 && !masked);
    if (masked)
        status = app_reader_stop(&reader, error);
    if (!status && masked)
        app_picture_settle(&scene->picture);
    if (!status && o->image_mask)
        status = app_source_mask(scene, o->image_mask, &o->reading, error);
    if (!status && j->templ_count == 1) {
        status = find_one(j, scene, &reader, error);
    } else if (!status) {
        status = app_reader_stop(&reader, error);
        if (!status)
            status = find_all(j, scene, error);
    }
    const xncc_status read = app_reader_stop(&reader, &unread);
    if (read)
        *error = unread;
    return read ? read : status;
}

static xncc_status find_on_page(app_find_job *j, app_file *file, uint32_t page, app_error *error)
{
    app_page info;
    app_source scene;
    const size_t first = j->matches.count;
    memset(&scene, 0, sizeof scene);
    xncc_status status = app_file_select(file, page, &info, error);
    if (status || (info.secondary && j->options->page == APP_ALL_PAGES))
        return status;
    scene.path = j->image;
    scene.page = page;
    j->width = info.width;
    j->height = info.height;
    status = app_picture_make(file, &info, &scene.picture, error);
    if (!status)
        status = find_in_scene(j, file, &scene, error);
    if (!status && j->options->has_merge)
        status = app_find_merge(j, first, error);
    if (!status && j->options->overlay)
        status = app_find_overlay(j, &scene, error);
    if (!status && j->html)
        status = app_find_html(j, &scene, first, error);
    app_source_free(&scene);
    return status;
}

static xncc_status find_on_pages(app_find_job *j, app_error *error)
{
    app_file *file;
    xncc_status status = app_file_open(j->image, &j->options->reading, &file, error);
    if (status)
        return status;
    const int all = j->options->page == APP_ALL_PAGES;
    int more = 1;
    for (uint32_t page = all ? 0 : (uint32_t)j->options->page; more && !status; page++) {
        status = find_on_page(j, file, page, error);
        more = all;
        if (!status && all)
            status = app_file_has(file, page + 1, &more, error);
    }
    app_file_close(file);
    return status;
}

static xncc_status check_usage(const app_options *o, app_error *error)
{
    const int distance = xncc_method_is_distance(o->rule.method);
    if (distance && o->has_min_score)
        return app_fail(error, app_blame_usage(error, XNCC_ERROR_ARGUMENT),
                        "--min-score: low scores are good with --method %s; give "
                        "--max-score",
                        xncc_method_name(o->rule.method));
    if (!distance && o->has_max_score)
        return app_fail(error, app_blame_usage(error, XNCC_ERROR_ARGUMENT),
                        "--max-score: high scores are good with --method %s; give "
                        "--min-score",
                        xncc_method_name(o->rule.method));
    if (o->overlay && o->page == APP_ALL_PAGES)
        return app_fail(error, app_blame_usage(error, XNCC_ERROR_ARGUMENT),
                        "--overlay: shows one page; give --page N");
    if (o->heatmap && (o->page == APP_ALL_PAGES || o->file_count != 2))
        return app_fail(
            error, app_blame_usage(error, XNCC_ERROR_ARGUMENT),
            "--heatmap: shows one template on one page; give one template and --page N");
    if (o->heatmap && o->overlay && strcmp(o->heatmap, o->overlay) == 0)
        return app_fail(error, app_blame_usage(error, XNCC_ERROR_ARGUMENT),
                        "--heatmap %s: is also the name of the overlay; give another name",
                        o->heatmap);
    if (o->report && ((o->overlay && strcmp(o->report, o->overlay) == 0) ||
                      (o->heatmap && strcmp(o->report, o->heatmap) == 0)))
        return app_fail(error, app_blame_usage(error, XNCC_ERROR_ARGUMENT),
                        "--report %s: is also the name of another output; give another name",
                        o->report);
    xncc_status status = app_check_masks(o, error);
    if (!status && o->overlay)
        status = app_check_picture(o, "--overlay", o->overlay, error);
    if (!status && o->heatmap)
        status = app_check_picture(o, "--heatmap", o->heatmap, error);
    if (!status && o->report)
        status = app_check_output(o, "--report", o->report, error);
    if (!status && o->report)
        status = app_html_check(o->report, error);
    return status;
}

xncc_status app_find(const app_options *o, app_error *error)
{
    app_find_job j = { .options = o, .image = o->files[0], .templ_count = o->file_count - 1 };
    xncc_status status = check_usage(o, error);
    if (status)
        return status;
    app_find_report_open(&j);
    j.templs = calloc((size_t)j.templ_count, sizeof *j.templs);
    if (!j.templs)
        return app_fail(error, XNCC_ERROR_MEMORY, "out of memory");
    for (int i = 0; i < j.templ_count && !status; i++)
        status = app_load_template(o, i, &j.templs[i], error);
    if (!status)
        status = app_session_open(o, &j.session, error);
    if (!status && o->report)
        status = app_find_html_open(&j, error);
    if (!status)
        status = find_on_pages(&j, error);
    status = app_html_close(j.html, status, error);
    if (!status) {
        app_find_print(&j);
        status = app_finish_stdout(error);
    }
    app_session_close(&j.session);
    for (int i = 0; i < j.templ_count; i++)
        app_source_free(&j.templs[i]);
    free(j.templs);
    app_find_report_close(&j);
    return status;
}
