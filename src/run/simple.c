/* The one-call conveniences: a plan made, used and freed. */
#include "run/run.h"

#include "image/image.h"

/* What cm_correlate, cm_find and cm_convolve have in common: the plan for these arguments. */
static cm_status plan_for(cm_context *context, cm_problem problem, const cm_image *image, cm_preference preference,
                          cm_plan **plan)
{
    cm_error error = { "" };
    cm_status status = cm_image_check(image, "image", &error);
    if (status)
        return cm_context_note(context, status, &error);
    problem.pixel = image->pixel;
    problem.channels = image->channels;
    problem.image_masked = cm_image_is_masked(image);
    problem.image_width = image->width;
    problem.image_height = image->height;
    preference.image_memory = image->memory;
    return cm_plan_create(context, &problem, &preference, plan);
}

static cm_status refuse(cm_context *context, const char *what)
{
    cm_error error = { "" };
    return cm_context_note(context, cm_fail(&error, CM_ERROR_ARGUMENT, "%s: a null pointer", what), &error);
}

cm_status cm_correlate(cm_context *context, const cm_image *image, const cm_template *part, const cm_options *options,
                       const cm_map *map)
{
    static const cm_options none = { .method = CM_CCOEFF_NORMED };
    const cm_options *o = options ? options : &none;
    if (!context || !part || !map)
        return refuse(context, !part ? "template" : "map");
    cm_problem problem = { .task = CM_TASK_MATCH, .width = part->width, .height = part->height, .method = o->method,
                           .mode = o->mode, .border = o->border, .flat = o->flat, .part_masked = cm_template_masked(part),
                           .min_valid = o->min_valid };
    cm_plan *plan = NULL;
    cm_status status = plan_for(context, problem, image, (cm_preference){ .kernel = o->kernel, .map_memory = map->memory },
                                &plan);
    if (!status)
        status = cm_plan_correlate(plan, image, part, map, NULL);
    cm_plan_destroy(plan);
    return status;
}

cm_status cm_find(cm_context *context, const cm_image *image, const cm_template *part, const cm_find_options *options,
                  cm_match *match, size_t capacity, size_t *found)
{
    static const cm_find_options none = { .method = CM_CCOEFF_NORMED };
    const cm_find_options *o = options ? options : &none;
    if (!context || !part || !found)
        return refuse(context, !part ? "template" : "found");
    *found = 0;
    cm_problem problem = { .task = CM_TASK_MATCH, .width = part->width, .height = part->height, .method = o->method,
                           .mode = o->mode, .border = o->border, .part_masked = cm_template_masked(part), .min_valid = o->min_valid };
    cm_plan *plan = NULL;
    cm_status status = plan_for(context, problem, image,
                                (cm_preference){ .kernel = o->kernel, .map_memory = image ? image->memory : CM_HOST }, &plan);
    if (!status)
        status = cm_plan_find(plan, image, part, o, match, capacity, found, NULL);
    cm_plan_destroy(plan);
    return status;
}

cm_status cm_convolve(cm_context *context, const cm_image *image, const cm_filter *filter,
                      const cm_convolve_options *options, const cm_map *out)
{
    static const cm_convolve_options none = { .border = CM_BORDER_CLAMP };
    const cm_convolve_options *o = options ? options : &none;
    if (!context || !filter || !out)
        return refuse(context, !filter ? "filter" : "map");
    cm_problem problem = { .task = CM_TASK_CONVOLVE, .width = filter->width, .height = filter->height,
                           .border = o->border };
    cm_plan *plan = NULL;
    cm_status status = plan_for(context, problem, image, (cm_preference){ .kernel = o->kernel, .map_memory = out->memory },
                                &plan);
    if (!status)
        status = cm_plan_convolve(plan, image, filter, out, NULL);
    cm_plan_destroy(plan);
    return status;
}
