/* exactncc convolve: writes one page convolved with a filter. */
#include "commands.h"
#include "common/filters.h"
#include "common/map_out.h"
#include "common/progress.h"

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
    return app_map_check(o, error);
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
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
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
    return fclose(out) == 0 ? text : NULL;
}

/* Makes the plan and runs it. The map has the extents of the image. */
static xncc_status run_plan(const app_session *session, app_source *scene,
                            const app_filter *coefficients, xncc_plan **plan, xncc_map *map,
                            app_error *error)
{
    const app_options *o = session->options;
    const app_picture *s = &scene->picture;
    /* 32-bit integers and float64 are rounded to float. */
    const xncc_pixel pixel = s->pixel == XNCC_U8 || s->pixel == XNCC_U16 ? s->pixel : XNCC_F32;
    xncc_problem problem = XNCC_PROBLEM_INIT;
    xncc_preference preference = XNCC_PREFERENCE_INIT;
    xncc_filter_options placement = XNCC_FILTER_OPTIONS_INIT;
    xncc_image image;
    xncc_error why;
    app_progress progress;
    xncc_filter *filter = NULL;
    xncc_status status = app_source_view(scene, pixel, &image, error);
    if (status)
        return status;
    image.mask = NULL; /* a convolution uses every pixel */
    placement.correlate = o->correlate;
    status = xncc_filter_create(session->context, coefficients->value, coefficients->width,
                                coefficients->height, &placement, &filter, &why);
    if (status)
        return app_pass_on(error, status, o->filter ? o->filter : scene->path, &why);
    problem.task = XNCC_TASK_CONVOLVE;
    problem.rule.border = o->rule.border;
    problem.templ_width = coefficients->width;
    problem.templ_height = coefficients->height;
    preference.kernel = o->kernel;
    status = xncc_problem_set(&problem, &image, NULL, &why);
    if (!status)
        status = xncc_plan_create(session->context, &problem, &preference, plan, &why);
    if (status == XNCC_ERROR_ARGUMENT && o->kernel)
        app_blame_usage(error, status);
    if (!status) {
        app_progress_start(&progress, session->context, scene->path, o->quiet);
        status = xncc_plan_convolve(*plan, &image, filter, map, NULL, &why);
        app_progress_stop(&progress);
    }
    app_pass_on(error, status, scene->path, &why);
    xncc_filter_destroy(filter);
    return status;
}

xncc_status app_convolve(const app_options *o, app_error *error)
{
    static app_filter filter; /* 63 KB */
    app_source scene = { .path = NULL };
    app_session session = { .context = NULL };
    xncc_plan *plan = NULL;
    xncc_plan_info info = XNCC_PLAN_INFO_INIT;
    app_map_out out = { .path = o->output };
    app_reading reading = o->reading;
    char *description = NULL;
    reading.no_data = APP_NO_DATA_NONE;
    xncc_status status = check_usage(o, error);
    if (!status)
        status = make_filter(o, &filter, error);
    if (!status)
        status = app_source_load(o->files[0], (uint32_t)o->page, &reading, &scene, error);
    if (!status)
        status = app_session_open(o, &session, error);
    if (!status)
        status = app_map_open(o->output,
                              &(xncc_extent){ scene.picture.width, scene.picture.height, 0, 0 },
                              &out.map, error);
    if (!status)
        status = run_plan(&session, &scene, &filter, &plan, &out.map, error);
    if (!status && !(description = describe(o, &scene, &filter)))
        status = app_fail(error, XNCC_ERROR_MEMORY, "%s: out of memory", o->output);
    if (!status) {
        xncc_plan_describe(plan, &info, NULL);
        out.device = app_session_engine(&session, &info);
        out.kernel = info.kernel;
        out.place = (app_place){ &scene.picture.geo, 0, 0 };
        out.has_nan = scene.picture.pixel == XNCC_F32 || scene.picture.pixel == XNCC_F64;
        status = app_map_write(&out, description, error);
    }
    if (!status)
        status = app_map_report(o, &out, 1, description, error);
    xncc_plan_destroy(plan);
    app_session_close(&session);
    app_source_free(&scene);
    free(out.map.data);
    free(description);
    return status;
}
