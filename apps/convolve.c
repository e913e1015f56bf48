/* SPDX-License-Identifier: BSD-2-Clause */
/* exactncc convolve: writes pages convolved with a filter. */
#include "commands.h"
#include "common/band_maps.h"
#include "common/filters.h"
#include "common/map_out.h"
#include "common/page_loop.h"
#include "common/progress.h"
#include "common/spread.h"
#include "common/text_file.h"

#include <stdlib.h>
#include <string.h>

static xncc_status check_usage(const app_options *o, app_error *error)
{
    const int given = (o->gaussian > 0.0) + (o->gradient != 0) + (o->filter != NULL);
    if (given != 1)
        return app_fail(error, app_blame_usage(error, XNCC_ERROR_ARGUMENT),
                        "%s of --gaussian, --gradient and --filter given; give exactly one",
                        given ? "several" : "none");
    if (o->gradient_size && !o->gradient)
        return app_fail(error, app_blame_usage(error, XNCC_ERROR_ARGUMENT),
                        "--size: is only for --gradient");
    if (o->correlate && !o->filter)
        return app_fail(error, app_blame_usage(error, XNCC_ERROR_ARGUMENT),
                        "--correlate: is only for --filter");
    return XNCC_OK;
}

static xncc_status make_filter(const app_options *o, app_filter *filter, app_error *error)
{
    if (o->filter)
        return app_filter_load(o->filter, filter, error);
    if (o->gaussian > 0.0)
        return app_filter_gaussian(o->gaussian, filter, error);
    app_filter_gradient(o->gradient, o->gradient_size ? o->gradient_size : 3, filter);
    return XNCC_OK;
}

/* The text of the ImageDescription tag; NULL if there is no memory. */
static char *describe(const app_options *o, const app_source *scene, const app_filter *filter)
{
    app_text text;
    FILE *out = app_text_open(&text);
    if (!out)
        return NULL;
    fputs("{\"image\": ", out);
    app_json_string(out, scene->path);
    fprintf(out, ", \"page\": %u, \"filter\": ", scene->page);
    if (o->filter)
        app_json_string(out, o->filter);
    else if (o->gradient)
        fprintf(out, "\"gradient %c\"", o->gradient);
    else
        fprintf(out, "\"gaussian %.9g\"", o->gaussian);
    fprintf(out,
            ", \"filter_width\": %d, \"filter_height\": %d, \"correlate\": %s, \"border\": \"%s\"}",
            filter->width, filter->height, o->correlate ? "true" : "false",
            app_border_name(o->rule.border));
    return app_text_close(&text);
}

/* What the pages share. */
typedef struct job {
    const app_options *options;
    app_named inputs;
    app_kit kit;
    app_maps maps;
    const app_filter *coefficients;
} job;

static xncc_status make_filter_of(job *j, app_error *error)
{
    const app_filter *f = j->coefficients;
    xncc_filter_options placement = XNCC_FILTER_OPTIONS_INIT;
    xncc_error why;
    if (j->kit.filter)
        return XNCC_OK;
    placement.correlate = j->options->correlate;
    const xncc_status status = xncc_filter_create(j->kit.session.context, f->value, f->width,
                                                  f->height, &placement, &j->kit.filter, &why);
    return app_pass_on(error, status, j->options->filter ? j->options->filter : "the filter", &why);
}

static xncc_pixel form_of(const app_picture *p)
{
    /* 32-bit integers and float64 are rounded to float. */
    return p->pixel == XNCC_U8 || p->pixel == XNCC_U16 ? p->pixel : XNCC_F32;
}

/* Sets what is known of a map before it is computed. */
static void describe_out(const app_source *scene, app_map_out *out)
{
    const app_picture *s = &scene->picture;
    out->place = (app_place){ &s->geo, 0, 0 };
    out->has_nan = app_pixel_kind(s->pixel) == APP_FLOAT;
    out->device = out->kernel = "";
}

/* Finds the plan for an image and runs it. The map has the extents of the image. */
static xncc_status run_plan(job *j, const char *name, const xncc_image *image, const xncc_map *map,
                            app_map_out *out, app_error *error)
{
    const app_options *o = j->options;
    xncc_problem problem = XNCC_PROBLEM_INIT;
    xncc_plan_info info = XNCC_PLAN_INFO_INIT;
    xncc_plan *plan = NULL;
    xncc_error why;
    problem.task = XNCC_TASK_CONVOLVE;
    problem.rule.border = o->rule.border;
    problem.templ_width = j->coefficients->width;
    problem.templ_height = j->coefficients->height;
    xncc_status status = xncc_problem_set(&problem, image, NULL, &why);
    if (!status)
        status = app_plans_get(&j->kit.plans, &problem, o->kernel, &plan, &why);
    if (app_plans_refused(&j->kit.plans, &problem, o->kernel, status))
        return app_fail_kernel(error, o->kernel, &why);
    if (status)
        return app_pass_on(error, status, name, &why);
    xncc_plan_describe(plan, &info, NULL);
    out->device = app_session_engine(&j->kit.session, &info);
    out->kernel = info.kernel;
    status = xncc_plan_convolve(plan, image, j->kit.filter, map, NULL, &why);
    return app_pass_on(error, status, name, &why);
}

static xncc_status convolve_into(job *j, app_source *scene, app_map_out *out, app_error *error)
{
    const app_picture *s = &scene->picture;
    xncc_image image;
    app_progress progress;
    xncc_status status = app_source_view(scene, form_of(s), &image, error);
    image.mask = NULL; /* a convolution uses every pixel */
    if (!status)
        status = make_filter_of(j, error);
    if (!status)
        status = app_map_open(out->path, &(xncc_extent){ s->width, s->height, 0, 0 }, &out->map,
                              error);
    describe_out(scene, out);
    app_progress_start(&progress, j->kit.session.context, scene->path, j->options->quiet);
    if (!status)
        status = run_plan(j, scene->path, &image, &out->map, out, error);
    app_progress_stop(&progress);
    return status;
}

/* A page that is convolved in bands. */
typedef struct sweep {
    job *j;
    app_map_out *out;
    app_band_map map;
} sweep;

static xncc_status convolve_band(void *data, app_band *band, int number, app_error *error)
{
    sweep *s = data;
    const app_picture *p = &band->scene.picture;
    xncc_image image;
    xncc_map part = { .width = p->width, .height = p->height };
    xncc_status status = app_source_view(&band->scene, form_of(p), &image, error);
    (void)number;
    if (!status)
        status = app_band_map_part(s->out, &part, error);
    if (status)
        return status;
    image.mask = NULL;
    status = run_plan(s->j, band->scene.path, &image, &part, s->out, error);
    s->map.engine = strcmp(s->out->device, "cpu") == 0 ? XNCC_DEVICE_CPU : XNCC_DEVICE_CUDA;
    if (!status)
        status = app_band_map_put(&s->map, &band->rows, &part, band->rows.first, 0, error);
    free(part.data);
    return status;
}

/* Writes the map of a page that is larger than memory. */
static xncc_status convolve_in_bands(job *j, app_feed_page *page, app_map_out *out,
                                     const char *description, app_error *error)
{
    const app_picture *p = &page->scene.picture;
    const xncc_extent extent = { p->width, p->height, 0, 0 };
    sweep s = { .j = j, .out = out };
    app_band_maps maps = { .kit = &j->kit,
                           .page = page,
                           .rule = app_bands_rule_of(&j->kit, &page->scene),
                           .map = &s.map,
                           .count = 1,
                           .compute = convolve_band,
                           .data = &s };
    maps.rule.reading.no_data = APP_NO_DATA_NONE;
    /* Whichever coefficient of the filter is its centre. */
    maps.rule.above = maps.rule.below = j->coefficients->height;
    maps.rule.beside = (form_of(p) == p->pixel ? 4 : 4 + sizeof(float)) * (uint64_t)p->width;
    describe_out(&page->scene, out);
    xncc_status status = make_filter_of(j, error);
    if (!status)
        status = app_band_map_open(j->options, &j->inputs, out, &extent, description, &s.map,
                                   error);
    if (status)
        return status;
    status = app_band_maps_compute(&maps, error);
    return app_band_map_close(&s.map, &j->maps, description, 1, status, error);
}

static xncc_status convolve_page(void *data, app_feed_page *page, app_error *error)
{
    job *j = data;
    const app_out_of of = { page->scene.path, page->item + 1, page->scene.page, NULL };
    app_map_out out = { .map = { .data = NULL } };
    char *description = NULL;
    xncc_status status = app_kit_decide(&j->kit, &page->scene.picture, page->item, error);
    if (!status && !page->banded)
        status = app_reader_stop(&page->reader, error);
    if (!status)
        status = app_map_place(&j->maps, "-o", j->options->output, &of, &out, error);
    if (!status && !(description = describe(j->options, &page->scene, j->coefficients)))
        status = app_fail(error, XNCC_ERROR_MEMORY, "%s: out of memory", out.path);
    if (!status && page->banded) {
        status = convolve_in_bands(j, page, &out, description, error);
    } else if (!status) {
        status = convolve_into(j, &page->scene, &out, error);
        if (!status)
            status = app_map_write(&j->maps, &out, description, 1, error);
    }
    free(out.map.data);
    free(description);
    return status;
}

xncc_status app_convolve(const app_options *options, app_error *error)
{
    static app_filter filter; /* 63 KB */
    app_options spread = *options;
    const app_options *const o = &spread;
    job j = { .options = o, .coefficients = &filter };
    xncc_status status = check_usage(o, error);
    if (!status)
        status = app_named_open(o, 0, &j.inputs, error);
    if (!status)
        status = app_map_check(o, &j.inputs, error);
    if (!status)
        status = make_filter(o, &filter, error);
    if (!status)
        status = app_map_spread(&spread, &j.inputs, error);
    if (!status)
        status = app_kit_open(o, &j.inputs, &(app_size){ filter.width, filter.height }, &j.kit,
                              error);
    app_maps_open(o, &j.inputs, &j.kit.session, &j.maps);
    if (!status) {
        app_page_work work = { .feed = { .options = o,
                                         .reading = o->reading,
                                         .images = &j.inputs.images,
                                         .as_stored = 1,
                                         .beside_pixel = 8, /* the map, and pixels as floats */
                                         .always_banded = o->resume || o->spread,
                                         .beside = o->device.threads != 1 },
                               .inputs = &j.inputs,
                               .command = "convolve",
                               .take = convolve_page,
                               .data = &j,
                               .complete = &j.maps.complete };
        work.feed.reading.no_data = APP_NO_DATA_NONE;
        status = app_for_pages(&work, error);
    }
    status = app_maps_close(&j.maps, status, error);
    app_spread_close(o->spread, status == XNCC_OK);
    app_kit_close(&j.kit);
    app_named_close(&j.inputs);
    return status;
}
