/* A search prepared for one image and one template, and checks that several commands share. */
#include "search.h"

#include "output.h"
#include "rgb_out.h"
#include "templ_name.h"

#include <string.h>

static xncc_status area_of(const app_options *o, const app_source *scene, app_area *area,
                           app_error *error)
{
    const app_picture *s = &scene->picture;
    *area = o->roi.width ? o->roi : (app_area){ 0, 0, s->width, s->height };
    if (!app_area_inside(area, s->width, s->height))
        return app_fail(error, XNCC_ERROR_ARGUMENT,
                        "--roi %d,%d,%d,%d: is not completely inside the %d x %d pixels of %s; "
                        "give one that is",
                        area->x, area->y, area->width, area->height, s->width, s->height,
                        scene->path);
    return XNCC_OK;
}

/* Fails if the template does not fit into the area, or has another number of channels. */
static xncc_status check_fit(const app_options *o, const app_area *a, const app_source *scene,
                             const app_source *templ, app_error *error)
{
    const app_picture *s = &scene->picture, *p = &templ->picture;
    if (o->rule.mode == XNCC_VALID && (p->width > a->width || p->height > a->height))
        return app_fail(
            error, XNCC_ERROR_ARGUMENT,
            "%s: the template (%d x %d pixels) exceeds %s (%d x %d); give a smaller template, or "
            "--mode same",
            templ->path, p->width, p->height, o->roi.width ? "--roi" : scene->path, a->width,
            a->height);
    if (s->channels != p->channels)
        return app_fail(
            error, XNCC_ERROR_ARGUMENT,
            "%s: has %d samples per pixel, but %s has %d; give pictures with the same number, or "
            "--channels luma",
            templ->path, p->channels, scene->path, s->channels);
    return XNCC_OK;
}

/* Cuts the area out of the scene, and makes the template, the problem and, if planned, the plan. */
static xncc_status prepare(const app_session *session, const xncc_image *pixels, int planned,
                           app_search *search, xncc_error *why)
{
    const app_area *a = &search->area;
    xncc_image *const scene = &search->scene;
    xncc_problem *const p = &search->problem;
    xncc_preference preference = XNCC_PREFERENCE_INIT;
    preference.kernel = session->options->kernel;
    *p = (xncc_problem)XNCC_PROBLEM_INIT;
    p->rule = session->options->rule;
    xncc_status status = xncc_image_crop(scene, a->x, a->y, a->width, a->height, scene, why);
    if (!status)
        status = xncc_template_create(session->context, pixels, &search->templ, why);
    if (!status)
        status = xncc_problem_set(p, scene, search->templ, why);
    if (!status)
        status = xncc_map_measure(p->rule.mode, p->image_width, p->image_height, p->templ_width,
                                  p->templ_height, &search->map, why);
    if (!status && planned)
        status = xncc_plan_create(session->context, p, &preference, &search->plan, why);
    search->map.x0 += a->x;
    search->map.y0 += a->y;
    return status;
}

xncc_status app_search_open(const app_session *session, app_source *scene, app_source *templ,
                            int planned, app_search *search, app_error *error)
{
    const app_options *o = session->options;
    xncc_image pixels;
    xncc_error why;
    memset(search, 0, sizeof *search);
    xncc_status status = area_of(o, scene, &search->area, error);
    if (!status)
        status = check_fit(o, &search->area, scene, templ, error);
    if (status)
        return status;
    const xncc_pixel pixel = app_pixel_join(scene->picture.pixel, templ->picture.pixel);
    status = app_source_view(scene, pixel, &search->scene, error);
    if (!status)
        status = app_source_view(templ, pixel, &pixels, error);
    if (status)
        return status;
    status = prepare(session, &pixels, planned, search, &why);
    if (status == XNCC_ERROR_ARGUMENT && o->kernel)
        app_blame_usage(error, status);
    return app_pass_on(error, status, templ->path, &why);
}

int app_search_has_nan(const app_search *search)
{
    const xncc_problem *p = &search->problem;
    const xncc_match_rule *r = &p->rule;
    if (r->method == XNCC_COVERAGE)
        return 0;
    return r->flat == XNCC_FLAT_NAN || p->image_masked || p->templ_masked || p->pixel == XNCC_F32 ||
           p->pixel == XNCC_F64 || (r->border == XNCC_BORDER_OVERLAP && r->mode != XNCC_VALID);
}

app_place app_search_place(const app_search *search, const app_source *scene)
{
    return (app_place){ &scene->picture.geo, search->map.x0 + search->problem.templ_width / 2,
                        search->map.y0 + search->problem.templ_height / 2 };
}

void app_search_close(app_search *search)
{
    xncc_plan_destroy(search->plan);
    xncc_template_destroy(search->templ);
    memset(search, 0, sizeof *search);
}

/* The file of a template. */
static const char *templ_file(const char *text, app_templ_name *name)
{
    app_error unused; /* reported when the template is loaded */
    return app_templ_name_parse(text, name, &unused) ? text : name->file;
}

int app_is_input(const app_options *o, const char *path)
{
    app_templ_name name;
    int found = o->image_mask && app_same_file(path, o->image_mask);
    for (int i = 0; i < o->file_count; i++)
        found |= app_same_file(path, i == 0 ? o->files[i] : templ_file(o->files[i], &name));
    for (int i = 0; i < o->mask_count; i++)
        found |= app_same_file(path, o->masks[i]);
    return found;
}

xncc_status app_check_masks(const app_options *o, app_error *error)
{
    if (o->mask_count == 0 || o->mask_count == o->file_count - 1)
        return XNCC_OK;
    return app_fail(
        error, app_blame_usage(error, XNCC_ERROR_ARGUMENT),
        "--mask: %d given for %d template%s; give one per template, in the same order (-: no mask)",
        o->mask_count, o->file_count - 1, o->file_count == 2 ? "" : "s");
}

xncc_status app_load_template(const app_options *o, int i, app_source *templ, app_error *error)
{
    const char *mask = o->mask_count ? o->masks[i] : "-";
    xncc_status status = app_source_load_templ(o->files[i + 1], &o->reading, templ, error);
    if (!status && strcmp(mask, "-") != 0)
        status = app_source_mask(templ, mask, &o->reading, error);
    return status;
}

static xncc_status check_input(const app_options *o, const char *option, const char *path,
                               app_error *error)
{
    if (app_is_input(o, path))
        return app_fail(error, app_blame_usage(error, XNCC_ERROR_ARGUMENT),
                        "%s %s: would overwrite an input; give another name", option, path);
    return XNCC_OK;
}

xncc_status app_check_output(const app_options *o, const char *option, const char *path,
                             app_error *error)
{
    xncc_status status = check_input(o, option, path, error);
    return status ? status : app_output_check(path, error);
}

xncc_status app_check_picture(const app_options *o, const char *option, const char *path,
                              app_error *error)
{
    xncc_status status = check_input(o, option, path, error);
    return status ? status : app_rgb_check(path, error);
}
