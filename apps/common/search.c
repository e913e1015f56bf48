/* SPDX-License-Identifier: BSD-2-Clause */
/* One template and one image area, ready to be matched. */
#include "search.h"

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
    if (o->rule.mode == XNCC_VALID && (p->width > a->width || p->height > a->height)) {
        const int swapped = !o->roi.width && s->width <= p->width && s->height <= p->height;
        return app_fail(error, XNCC_ERROR_ARGUMENT,
                        "%s: the template (%d x %d pixels) exceeds %s (%d x %d); %s, or "
                        "--mode same",
                        templ->path, p->width, p->height, o->roi.width ? "--roi" : scene->path,
                        a->width, a->height,
                        swapped ? "are they swapped? Give the larger picture as the image"
                                : "give a smaller template");
    }
    if (s->channels != p->channels)
        return app_fail(
            error, XNCC_ERROR_ARGUMENT,
            "%s: has %d samples per pixel, but %s has %d; give pictures with the same number, or "
            "--channels luma",
            templ->path, p->channels, scene->path, s->channels);
    return XNCC_OK;
}

/* Cuts the area out of the scene, and sets the problem. */
static xncc_status prepare(const app_options *o, app_search *search, xncc_error *why)
{
    const app_area *a = &search->area;
    xncc_image *const scene = &search->scene;
    xncc_problem *const p = &search->problem;
    *p = (xncc_problem)XNCC_PROBLEM_INIT;
    p->rule = o->rule;
    xncc_status status = xncc_image_crop(scene, a->x, a->y, a->width, a->height, scene, why);
    if (!status)
        status = xncc_problem_set(p, scene, search->templ, why);
    if (!status)
        status = xncc_map_measure(p->rule.mode, p->image_width, p->image_height, p->templ_width,
                                  p->templ_height, &search->map, why);
    search->map.x0 += a->x;
    search->map.y0 += a->y;
    return status;
}

/* Prepares the search of search->area. */
static xncc_status open_area(app_kit *kit, app_source *scene, int i, app_search *search,
                             app_error *error)
{
    const app_options *o = kit->session.options;
    app_source *const templ = &kit->templates.source[i];
    xncc_error why;
    xncc_status status = check_fit(o, &search->area, scene, templ, error);
    if (status)
        return status;
    const xncc_pixel pixel = app_pixel_join(scene->picture.pixel, templ->picture.pixel);
    status = app_source_view(scene, pixel, &search->scene, error);
    if (!status)
        status = app_templates_get(&kit->templates, i, pixel, kit->session.context, &search->templ,
                                   error);
    if (status)
        return status;
    status = prepare(o, search, &why);
    return app_pass_on(error, status, templ->path, &why);
}

xncc_status app_search_open(app_kit *kit, app_source *scene, int i, app_search *search,
                            app_error *error)
{
    memset(search, 0, sizeof *search);
    const xncc_status status = area_of(kit->session.options, scene, &search->area, error);
    return status ? status : open_area(kit, scene, i, search, error);
}

xncc_status app_search_measure(app_kit *kit, const app_source *scene, int i, app_search *search,
                               app_error *error)
{
    const app_options *o = kit->session.options;
    const app_source *templ = &kit->templates.source[i];
    const app_picture *s = &scene->picture, *p = &templ->picture;
    xncc_error why;
    memset(search, 0, sizeof *search);
    xncc_status status = area_of(o, scene, &search->area, error);
    if (!status)
        status = check_fit(o, &search->area, scene, templ, error);
    if (status)
        return status;
    const app_area *a = &search->area;
    search->scene.pixel = app_pixel_join(s->pixel, p->pixel);
    search->problem = (xncc_problem)XNCC_PROBLEM_INIT;
    search->problem.rule = o->rule;
    search->problem.pixel = search->scene.pixel;
    search->problem.channels = s->channels;
    search->problem.image_width = a->width;
    search->problem.image_height = a->height;
    search->problem.templ_width = p->width;
    search->problem.templ_height = p->height;
    search->problem.templ_masked = p->mask != NULL;
    status = xncc_map_measure(o->rule.mode, a->width, a->height, p->width, p->height, &search->map,
                              &why);
    search->map.x0 += a->x;
    search->map.y0 += a->y;
    return app_pass_on(error, status, templ->path, &why);
}

xncc_status app_search_open_band(app_kit *kit, app_band *band, const app_area *whole, int i,
                                 app_search *search, app_error *error)
{
    memset(search, 0, sizeof *search);
    search->area = (app_area){ whole->x, 0, whole->width, band->rows.end - band->rows.first };
    const xncc_status status = open_area(kit, &band->scene, i, search, error);
    search->area.y += band->rows.first;
    search->map.y0 += band->rows.first;
    return status;
}

xncc_status app_search_plan(app_kit *kit, const app_search *search, const char *name,
                            xncc_plan **plan, app_error *error)
{
    const char *kernel = kit->session.options->kernel;
    xncc_error why;
    const xncc_status status = app_plans_get(&kit->plans, &search->problem, kernel, plan, &why);
    if (app_plans_refused(&kit->plans, &search->problem, kernel, status))
        return app_fail_kernel(error, kernel, &why);
    return app_pass_on(error, status, name, &why);
}

int app_search_has_nan(const app_search *search)
{
    const xncc_problem *p = &search->problem;
    const xncc_match_rule *r = &p->rule;
    if (r->method == XNCC_COVERAGE)
        return 0;
    return r->flat == XNCC_FLAT_NAN || p->image_masked || p->templ_masked ||
           app_pixel_kind(p->pixel) == APP_FLOAT ||
           (r->border == XNCC_BORDER_OVERLAP && r->mode != XNCC_VALID);
}

app_place app_search_place(const app_search *search, const app_source *scene)
{
    return (app_place){ &scene->picture.geo, search->map.x0 + search->problem.templ_width / 2,
                        search->map.y0 + search->problem.templ_height / 2 };
}
