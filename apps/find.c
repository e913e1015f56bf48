/* SPDX-License-Identifier: BSD-2-Clause */
/* exactncc find: prints the best matches of templates on pages of images. The pages are read,
 * searched and written at the same time: a thread reads (common/feed.h), this one searches
 * (find_match.h), with others if the pages are small (find_crew.h), and one writes
 * (find_writer.h). */
#include "commands.h"
#include "common/band_rules.h"
#include "common/input_digest.h"
#include "common/output.h"
#include "common/page_loop.h"
#include "common/rgb_out.h"
#include "common/spread.h"
#include "common/warn.h"
#include "find_crew.h"
#include "find_match.h"
#include "find_pose.h"
#include "find_stack.h"
#include "find_writer.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --format geojson needs to know where the pixels are, and one coordinate system. */
static xncc_status check_ground(find_job *j, const app_feed_page *page, app_error *error)
{
    const app_geo *geo = &page->scene.picture.geo;
    char crs[sizeof j->crs];
    double x, y;
    if (!app_geo_ground(geo, 0.0, 0.0, &x, &y))
        return app_fail(error, XNCC_ERROR_ARGUMENT,
                        "%s: page %u: has no geo tags that say where its pixels are; give another "
                        "--format than geojson",
                        page->scene.path, page->scene.page);
    app_geo_crs(geo, crs, sizeof crs);
    if (j->pages == 0)
        strcpy(j->crs, crs);
    if (strcmp(j->crs, crs) != 0)
        return app_fail(error, XNCC_ERROR_ARGUMENT,
                        "%s: page %u: its coordinate system is %s, but that of the first image is "
                        "%s; a GeoJSON file has one",
                        page->scene.path, page->scene.page, crs[0] ? crs : "not known",
                        j->crs[0] ? j->crs : "not known");
    return XNCC_OK;
}

/* Makes the result of a page, and searches it unless that is done. */
static void search_page(find_job *j, const find_writer *writer, find_work *w, find_result *r)
{
    if (!r->status && writer->report.format == APP_GEOJSON)
        r->status = check_ground(j, w->page, &r->error);
    if (!r->status && w->status) {
        r->status = w->status;
        r->error = w->error;
    }
    if (!r->status)
        r->status = j->options->turns || j->options->scales
                        ? find_poses_on_page(j, w->page, r, &r->error)
                        : find_on_page(j, w->page, w->searched, w->hunts, r, &r->error);
}

/* Takes the next page. Returns a failure only if the work must stop. */
static xncc_status take_page(find_job *j, find_writer *writer, app_feed *feed, find_work *w,
                             app_tally *tally, app_error *error)
{
    find_result *r = find_result_new(w->page, j->kit.templates.count);
    if (!r) {
        const char *name = j->inputs.images.name[w->page->item];
        app_feed_release(feed, w->page);
        return app_fail(error, XNCC_ERROR_MEMORY, "%s: out of memory", name);
    }
    search_page(j, writer, w, r);
    const xncc_status status = r->status;
    tally->pages++;
    tally->failed += status != XNCC_OK;
    if (status && app_is_fatal(j->options, &j->inputs, &r->error)) {
        *error = r->error;
        find_result_free(r);
        app_feed_release(feed, w->page);
        return status;
    }
    if (status)
        r->hits = 0;
    if (j->options->spread && j->options->spread->silent) { /* others have the rest of the page */
        if (status)
            app_say_failure("find", r->error.text);
        find_result_free(r);
        app_feed_release(feed, w->page);
        return XNCC_OK;
    }
    writer->stopped = !find_writer_give(writer, r);
    return XNCC_OK;
}

/* 1 if rows are printed to the terminal during the work, where they would mix with a line of
 * progress. */
static int rows_are_seen(const find_report *r)
{
    return r->format != APP_TABLE && r->out == stdout && isatty(STDOUT_FILENO);
}

/* 1 if several pages may be searched at a time: on the CPU, once that is certain. */
static int may_have_finders(const find_job *j)
{
    const app_options *o = j->options;
    return app_threads(o) > 1 && !app_is_single(o, &j->inputs) && !o->turns && !o->scales &&
           !o->spread && !j->kit.session.waiting && strcmp(j->kit.session.device, "cpu") == 0;
}

/* 1 if many pages may be searched in one call, so that many have to be read before. */
static int may_stack(const find_job *j)
{
    return find_stack_pays(j) && app_threads(j->options) > 1 &&
           !app_is_single(j->options, &j->inputs);
}

/* The pages in the order of the images, until the last, or until nothing can be written. */
static xncc_status take_pages(find_job *j, find_writer *writer, app_feed *feed, find_crew *crew,
                              app_tally *tally, app_error *error)
{
    app_progress progress;
    xncc_status status = XNCC_OK;
    find_work *w;
    int started = 0;
    app_images_start(&progress, &j->inputs, j->options->quiet || rows_are_seen(&writer->report));
    while (!status && !writer->stopped) {
        if (!started && (may_have_finders(j) || may_stack(j))) {
            started = 1;
            find_writer_join(writer); /* others search now, so this thread has time to write */
            if (may_have_finders(j))
                find_crew_start(crew, app_threads(j->options));
        }
        if (!(w = find_crew_next(crew)))
            break;
        app_images_at(&progress, &j->inputs, w->page);
        status = take_page(j, writer, feed, w, tally, error);
    }
    app_progress_stop(&progress);
    return status;
}

static xncc_status find_on_pages(find_job *j, find_writer *writer, app_error *error)
{
    const app_options *o = j->options;
    const int threads = app_threads(o),
              ahead = may_stack(j) ? FIND_STACK_PAGES : APP_FEED_AHEAD + 2 * threads;
    const app_feed_rule rule = { .options = o,
                                 .reading = o->reading,
                                 .images = &j->inputs.images,
                                 .templ_pixel = j->kit.templates.source[0].picture.pixel,
                                 .always_banded = o->spread != NULL,
                                 .beside = threads > 1,
                                 .ahead = ahead };
    app_feed *feed = NULL;
    find_crew *crew = NULL;
    app_tally tally = { 0, 0 };
    const int single = app_is_single(o, &j->inputs);
    xncc_status status = app_feed_open(&rule, &feed, error);
    if (!status)
        status = find_crew_open(j, feed, ahead + 2, &crew, error);
    if (!status) {
        find_writer_start(writer, feed, threads > 1 && !single, !single);
        status = take_pages(j, writer, feed, crew, &tally, error);
    }
    find_crew_close(crew);
    status = find_writer_close(writer, status, error);
    app_feed_close(feed);
    return status ? status : app_tally_end(&tally, error);
}

static xncc_status check_limits(const app_options *o, app_error *error)
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
    return XNCC_OK;
}

/* Fails if the pictures that an option names cannot be written, or have one name. */
static xncc_status check_pictures(const app_options *o, const app_named *in, const char *option,
                                  const char *name, int per_template, app_error *error)
{
    xncc_status status = app_out_name_check(o, in, option, name, per_template, error);
    if (!status && !strchr(name, '{'))
        status = app_check_output(in, option, name, error);
    return status ? status : app_rgb_check(name, error);
}

/* Fails if two outputs go to standard output. */
static xncc_status check_standard(const app_options *o, app_error *error)
{
    const struct {
        const char *option, *name;
    } outputs[] = { { "--report", o->report },
                    { "--overlay", o->overlay },
                    { "--heatmap", o->heatmap } };
    const int results = !o->output || app_output_is_standard(o->output);
    const char *taken = results ? "the results" : NULL;
    for (size_t i = 0; i < sizeof outputs / sizeof outputs[0]; i++) {
        if (!outputs[i].name || !app_output_is_standard(outputs[i].name))
            continue;
        if (taken)
            return app_fail(error, app_blame_usage(error, XNCC_ERROR_ARGUMENT),
                            "%s %s: standard output is for %s; name a file%s", outputs[i].option,
                            outputs[i].name, taken,
                            results ? ", or one for the results with -o" : "");
        taken = outputs[i].option;
    }
    return XNCC_OK;
}

static xncc_status check_outputs(const app_options *o, const app_named *in, app_error *error)
{
    app_format format;
    xncc_status status = check_standard(o, error);
    if (status)
        return status;
    if (o->heatmap && o->overlay && strcmp(o->heatmap, o->overlay) == 0)
        return app_fail(error, app_blame_usage(error, XNCC_ERROR_ARGUMENT),
                        "--heatmap %s: is also the name of the overlay; give another name",
                        o->heatmap);
    if (o->report && ((o->overlay && strcmp(o->report, o->overlay) == 0) ||
                      (o->heatmap && strcmp(o->report, o->heatmap) == 0)))
        return app_fail(error, app_blame_usage(error, XNCC_ERROR_ARGUMENT),
                        "--report %s: is also the name of another output; give another name",
                        o->report);
    if (o->report)
        status = app_check_output(in, "--report", o->report, error);
    if (!status && o->report)
        status = app_html_check(o->report, error);
    if (!status && o->overlay)
        status = check_pictures(o, in, "--overlay", o->overlay, 0, error);
    if (!status && o->heatmap)
        status = check_pictures(o, in, "--heatmap", o->heatmap, 1, error);
    if (!status)
        status = find_report_check(o, in, &format, error);
    if (!status && o->count_only && format == APP_GEOJSON)
        status = app_fail(
            error, app_blame_usage(error, XNCC_ERROR_ARGUMENT),
            "--count: numbers have no place on the ground; give another --format than "
            "geojson");
    return status;
}

/* --shard and its like, when the files are known. */
static xncc_status open_spread(app_options *o, const app_named *in, app_error *error)
{
    app_spread_maker *maker = o->maker ? o->maker : o->shards ? app_spread_shard : NULL;
    if (!maker)
        return XNCC_OK;
    if (!o->output || (!o->parts && app_output_is_standard(o->output)))
        return app_fail(error, app_blame_usage(error, XNCC_ERROR_ARGUMENT),
                        "-o: is missing; work that is shared needs the name of a file");
    xncc_status status = app_bands_refuse_shared(o, error);
    if (!status)
        status = maker(o, app_input_digest(o, in), &o->spread, error);
    if (!status && o->spread->silent)
        o->output = NULL;
    return status;
}

xncc_status app_find(const app_options *options, app_error *error)
{
    app_options o = *options;
    find_job j = { .options = &o };
    find_writer writer;
    if (o.count_only && !o.has_top)
        o.peaks.top = XNCC_ALL;
    xncc_status status = check_limits(&o, error);
    if (!status)
        status = find_pose_check(&o, error);
    if (!status)
        status = app_named_open(&o, 1, &j.inputs, error);
    if (!status)
        status = check_outputs(&o, &j.inputs, error);
    if (!status)
        status = open_spread(&o, &j.inputs, error);
    if (!status)
        status = app_kit_open(&o, &j.inputs, NULL, &j.kit, error);
    if (!status) {
        status = find_writer_open(&o, &j.inputs, &j.kit, &writer, error);
        status = status ? find_writer_close(&writer, status, error)
                        : find_on_pages(&j, &writer, error);
    }
    app_doubts_finish(&j.doubts);
    error->none = o.fail_if_none && j.hits == 0 && !(o.spread && o.spread->silent);
    app_spread_close(o.spread, status == XNCC_OK);
    free(j.doubt);
    app_kit_close(&j.kit);
    app_written_free(&j.written);
    app_named_close(&j.inputs);
    return status;
}
