/* The best of many templates at each position. */
#include "run/many.h"

#include "image/image.h"

static cm_status check_best(const cm_many *many, const cm_best *best, cm_error *error)
{
    if (many->count == 0)
        return cm_fail(error, CM_ERROR_ARGUMENT, "best: there is no template");
    if (many->problem.mode == CM_FULL)
        return cm_fail(error, CM_ERROR_UNSUPPORTED,
                       "best: the maps of mode full have no positions in common; take mode same, or valid");
    cm_status status = cm_map_check(&best->score, error);
    if (status)
        return status;
    const cm_map index = { .data = (float *)(void *)best->index, .width = best->score.width, .height = best->score.height,
                           .pitch = best->index_pitch, .memory = best->score.memory };
    if (cm_map_check(&index, NULL) != CM_OK)
        return cm_fail(error, CM_ERROR_ARGUMENT,
                       "best: index is a null pointer or not aligned to 4 bytes, or its pitch of %lld bytes does not suit %d of them",
                       (long long)best->index_pitch, index.width);
    if (best->score.width != many->best_width || best->score.height != many->best_height)
        return cm_fail(error, CM_ERROR_ARGUMENT, "best: %d x %d does not fit the templates' %d x %d", best->score.width,
                       best->score.height, many->best_width, many->best_height);
    if (best->score.memory == CM_DEVICE && many->group[0].plan->decision.engine != CM_DEVICE_CUDA)
        return cm_fail(error, CM_ERROR_ARGUMENT,
                       "best: it lies in device memory and the plans run on the CPU; say so in the preference");
    return CM_OK;
}

/* The map of one template, and the fold of it. */
static cm_status fold_part(cm_many *many, const cm_many_group *group, size_t i, const cm_image *image, const cm_map *room,
                           cm_stream stream, cm_error *error)
{
    cm_map map = *room;
    map.width = group->plan->map_width;
    map.height = group->plan->map_height;
    const cm_fold fold = { .map = &map, .index = (int32_t)many->number[i],
                           .smallest = cm_method_is_distance(many->problem.method) };
    cm_status status = cm_plan_correlate(group->plan, image, many->part[i], &map, stream);
    return status ? status : many->engine->ops->share->best_fold(many->share, &fold, stream, error);
}

static cm_status fold_all(cm_many *many, const cm_image *image, const cm_best *best, cm_stream stream, cm_error *error)
{
    const cm_share_ops *ops = many->engine->ops->share;
    cm_image shared;
    cm_map room;
    cm_status status = cm_many_share_image(many, image, many->count, &shared, stream, error);
    if (!status)
        status = ops->best_begin(many->share, best, &room, stream, error);
    for (size_t g = 0; g < many->groups && !status; g++)
        for (size_t i = many->group[g].first; i < many->group[g].first + many->group[g].count && !status; i++)
            status = fold_part(many, &many->group[g], i, &shared, &room, stream, error);
    return status ? status : ops->best_end(many->share, stream, error);
}

cm_status cm_many_best(cm_many *many, const cm_image *image, const cm_best *best, cm_stream stream)
{
    cm_error error = { "" };
    if (!many)
        return CM_ERROR_ARGUMENT;
    cm_status status =
        !image || !best ? cm_fail(&error, CM_ERROR_ARGUMENT, "best: image or best is a null pointer") : check_best(many, best, &error);
    if (!status)
        status = cm_plan_check_image(many->group[0].plan, image, &error);
    if (!status)
        status = fold_all(many, image, best, stream, &error);
    return status && !error.text[0] ? status : cm_context_note(many->context, status, &error);
}

cm_status cm_correlate_best(cm_context *context, const cm_image *image, const cm_template *const *part, size_t count,
                            const cm_options *options, const cm_best *best)
{
    static const cm_options none = { .method = CM_CCOEFF_NORMED };
    const cm_options *o = options ? options : &none;
    cm_error error = { "" };
    if (!context)
        return CM_ERROR_ARGUMENT;
    cm_status status = best ? cm_image_check(image, "image", &error)
                            : cm_fail(&error, CM_ERROR_ARGUMENT, "best: a null pointer");
    if (status)
        return cm_context_note(context, status, &error);
    const cm_problem problem = { .pixel = image->pixel, .image_width = image->width, .image_height = image->height, .method = o->method,
                                 .mode = o->mode, .border = o->border, .flat = o->flat, .channels = image->channels,
                                 .image_masked = cm_image_is_masked(image), .min_valid = o->min_valid };
    const cm_preference preference = { .kernel = o->kernel, .image_memory = image->memory, .map_memory = best->score.memory };
    cm_many *many = NULL;
    status = cm_many_create(context, &problem, &preference, part, count, NULL, &many);
    if (!status)
        status = cm_many_best(many, image, best, NULL);
    cm_many_destroy(many);
    return status;
}
