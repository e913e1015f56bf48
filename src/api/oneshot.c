/* The one-call functions: each creates a plan, runs it and frees it. */
#include "api/objects.h"

#include "image/image.h"

/* Begins xncc_correlate, xncc_find or xncc_convolve: creates the plan for the arguments. A
 * cancellation while the plan is created also cancels its run. */
static xncc_status plan_for(xncc_context *context, xncc_problem problem, const xncc_image *image,
                            xncc_preference preference, xncc_plan **plan)
{
    xncc_error error = { "" };
    const xncc_watch call = xncc_watch_make(&context->progress);
    xncc_status status = xncc_image_check(image, "image", &error);
    if (status)
        return xncc_context_note(context, status, &error);
    problem.pixel = image->pixel;
    problem.channels = image->channels;
    problem.image_masked = xncc_image_is_masked(image);
    problem.image_width = image->width;
    problem.image_height = image->height;
    preference.image_memory = image->memory;
    status = xncc_plan_create(context, &problem, &preference, plan);
    if (!status)
        xncc_watch_join(&(*plan)->watch, &call);
    return status;
}

static xncc_status refuse(xncc_context *context, const char *what)
{
    xncc_error error = { "" };
    return xncc_context_note(
        context, xncc_fail(&error, XNCC_ERROR_ARGUMENT, "%s is a null pointer", what), &error);
}

xncc_status xncc_correlate(xncc_context *context, const xncc_image *image,
                           const xncc_template *templ, const xncc_options *options,
                           const xncc_map *map)
{
    static const xncc_options none = { .method = XNCC_CCOEFF_NORMED };
    const xncc_options *o = options ? options : &none;
    if (!context || !templ || !map)
        return refuse(context, !templ ? "template" : "map");
    xncc_problem problem = { .task = XNCC_TASK_MATCH,
                             .width = templ->width,
                             .height = templ->height,
                             .method = o->method,
                             .mode = o->mode,
                             .border = o->border,
                             .flat = o->flat,
                             .templ_masked = xncc_template_masked(templ),
                             .min_valid = o->min_valid };
    xncc_plan *plan = NULL;
    xncc_status status = plan_for(
        context, problem, image,
        (xncc_preference){ .kernel = o->kernel, .map_memory = map->memory }, &plan);
    if (!status)
        status = xncc_plan_correlate(plan, image, templ, map, NULL);
    xncc_plan_destroy(plan);
    return status;
}

xncc_status xncc_find(xncc_context *context, const xncc_image *image, const xncc_template *templ,
                      const xncc_find_options *options, xncc_match *match, size_t capacity,
                      size_t *found)
{
    static const xncc_find_options none = { .method = XNCC_CCOEFF_NORMED };
    const xncc_find_options *o = options ? options : &none;
    if (!context || !templ || !found)
        return refuse(context, !templ ? "template" : "found");
    *found = 0;
    xncc_problem problem = { .task = XNCC_TASK_MATCH,
                             .width = templ->width,
                             .height = templ->height,
                             .method = o->method,
                             .mode = o->mode,
                             .border = o->border,
                             .templ_masked = xncc_template_masked(templ),
                             .min_valid = o->min_valid };
    xncc_plan *plan = NULL;
    xncc_status status = plan_for(
        context, problem, image,
        (xncc_preference){ .kernel = o->kernel, .map_memory = image ? image->memory : XNCC_HOST },
        &plan);
    if (!status)
        status = xncc_plan_find(plan, image, templ, o, match, capacity, found, NULL);
    xncc_plan_destroy(plan);
    return status;
}

xncc_status xncc_convolve(xncc_context *context, const xncc_image *image, const xncc_filter *filter,
                          const xncc_convolve_options *options, const xncc_map *out)
{
    static const xncc_convolve_options none = { .border = XNCC_BORDER_CLAMP };
    const xncc_convolve_options *o = options ? options : &none;
    if (!context || !filter || !out)
        return refuse(context, !filter ? "filter" : "map");
    xncc_problem problem = { .task = XNCC_TASK_CONVOLVE,
                             .width = filter->width,
                             .height = filter->height,
                             .border = o->border };
    xncc_plan *plan = NULL;
    xncc_status status = plan_for(
        context, problem, image,
        (xncc_preference){ .kernel = o->kernel, .map_memory = out->memory }, &plan);
    if (!status)
        status = xncc_plan_convolve(plan, image, filter, out, NULL);
    xncc_plan_destroy(plan);
    return status;
}
