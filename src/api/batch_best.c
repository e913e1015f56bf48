/* xncc_batch_best: the best score of a batch of templates at each position. */
#include "api/batch_object.h"

#include "image/image.h"

static xncc_status check_best(const xncc_batch *batch, const xncc_best *best, xncc_error *error)
{
    if (batch->count == 0)
        return xncc_fail(error, XNCC_ERROR_ARGUMENT, "best: the batch has no template");
    if (batch->problem.mode == XNCC_FULL)
        return xncc_fail(
            error, XNCC_ERROR_UNSUPPORTED,
            "best: the maps of mode full have no positions in common; take mode same, or valid");
    xncc_status status = xncc_map_check(&best->score, error);
    if (status)
        return status;
    const xncc_map index = { .data = (float *)(void *)best->index,
                             .width = best->score.width,
                             .height = best->score.height,
                             .pitch = best->index_pitch,
                             .memory = best->score.memory };
    if (xncc_map_check(&index, NULL) != XNCC_OK)
        return xncc_fail(error, XNCC_ERROR_ARGUMENT,
                         "best: index is a null pointer or not aligned to 4 bytes, or its pitch of "
                         "%lld bytes does not suit %d elements",
                         (long long)best->index_pitch, index.width);
    if (best->score.width != batch->best_width || best->score.height != batch->best_height)
        return xncc_fail(
            error, XNCC_ERROR_ARGUMENT, "best: %d x %d does not fit the templates' map of %d x %d",
            best->score.width, best->score.height, batch->best_width, batch->best_height);
    if (best->score.memory == XNCC_DEVICE &&
        batch->group[0].plan->decision.engine != XNCC_DEVICE_CUDA)
        return xncc_fail(error, XNCC_ERROR_ARGUMENT,
                         "best: it is in device memory, but the plans run on the CPU; set "
                         "map_memory in the preference");
    return XNCC_OK;
}

/* Computes the map of one template and folds it into the best map. */
static xncc_status fold_templ(xncc_batch *batch, const xncc_batch_group *group, size_t i,
                              const xncc_image *image, const xncc_map *room, xncc_stream stream,
                              xncc_error *error)
{
    xncc_map map = *room;
    map.width = group->plan->map_width;
    map.height = group->plan->map_height;
    const xncc_fold fold = { .map = &map,
                             .index = (int32_t)batch->number[i],
                             .smallest = xncc_method_is_distance(batch->problem.method) };
    xncc_status status = xncc_plan_correlate(group->plan, image, batch->templ[i], &map, stream);
    return status ? status
                  : batch->engine->ops->share->best_fold(batch->shared, &fold, stream, error);
}

static xncc_status fold_all(xncc_batch *batch, const xncc_image *image, const xncc_best *best,
                            xncc_stream stream, xncc_error *error)
{
    const xncc_batch_ops *ops = batch->engine->ops->share;
    xncc_image shared;
    xncc_map room;
    xncc_status status = xncc_batch_share_image(batch, image, batch->count, &shared, stream, error);
    if (!status)
        status = ops->best_begin(batch->shared, best, &room, stream, error);
    for (size_t g = 0; g < batch->groups && !status; g++)
        for (size_t i = batch->group[g].first;
             i < batch->group[g].first + batch->group[g].count && !status; i++)
            status = fold_templ(batch, &batch->group[g], i, &shared, &room, stream, error);
    return status ? status : ops->best_end(batch->shared, stream, error);
}

xncc_status xncc_batch_best(xncc_batch *batch, const xncc_image *image, const xncc_best *best,
                            xncc_stream stream)
{
    xncc_error error = { "" };
    if (!batch)
        return XNCC_ERROR_ARGUMENT;
    xncc_batch_begin(batch);
    xncc_status status = !image || !best ? xncc_fail(&error, XNCC_ERROR_ARGUMENT,
                                                     "best: image or best is a null pointer")
                                         : check_best(batch, best, &error);
    if (!status)
        status = xncc_plan_check_image(batch->group[0].plan, image, &error);
    if (!status)
        status = fold_all(batch, image, best, stream, &error);
    return status && !error.text[0] ? status : xncc_context_note(batch->context, status, &error);
}

xncc_status xncc_correlate_best(xncc_context *context, const xncc_image *image,
                                const xncc_template *const *templ, size_t count,
                                const xncc_options *options, const xncc_best *best)
{
    static const xncc_options none = { .method = XNCC_CCOEFF_NORMED };
    const xncc_options *o = options ? options : &none;
    xncc_error error = { "" };
    if (!context)
        return XNCC_ERROR_ARGUMENT;
    const xncc_watch call = xncc_watch_make(&context->progress);
    xncc_status status = best ? xncc_image_check(image, "image", &error)
                              : xncc_fail(&error, XNCC_ERROR_ARGUMENT, "best is a null pointer");
    if (status)
        return xncc_context_note(context, status, &error);
    const xncc_problem problem = { .pixel = image->pixel,
                                   .image_width = image->width,
                                   .image_height = image->height,
                                   .method = o->method,
                                   .mode = o->mode,
                                   .border = o->border,
                                   .flat = o->flat,
                                   .channels = image->channels,
                                   .image_masked = xncc_image_is_masked(image),
                                   .min_valid = o->min_valid };
    const xncc_preference preference = { .kernel = o->kernel,
                                         .image_memory = image->memory,
                                         .map_memory = best->score.memory };
    xncc_batch *batch = NULL;
    status = xncc_batch_create(context, &problem, &preference, templ, count, NULL, &batch);
    if (!status) {
        xncc_watch_join(&batch->watch, &call);
        status = xncc_batch_best(batch, image, best, NULL);
    }
    xncc_batch_destroy(batch);
    return status;
}
