/* SPDX-License-Identifier: BSD-2-Clause */
/* xncc_batch_best: the best score of a batch of templates at each position. */
#include "api/batch_object.h"

#include "base/float_env.h"
#include "image/image.h"

static xncc_status check_best(const xncc_batch *batch, const xncc_best *best, xncc_error *error)
{
    int32_t width = 0, height = 0; /* of the largest map */
    if (batch->count == 0)
        return xncc_fail(error, XNCC_ERROR_ARGUMENT, "best: the batch has no template");
    if (batch->problem.rule.mode == XNCC_FULL)
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
    for (size_t g = 0; g < batch->groups; g++) {
        const xncc_extent *map = &batch->group[g].plan->map;
        width = map->width > width ? map->width : width;
        height = map->height > height ? map->height : height;
    }
    if (best->score.width != width || best->score.height != height)
        return xncc_fail(error, XNCC_ERROR_ARGUMENT,
                         "best: %d x %d does not fit the templates' map of %d x %d",
                         best->score.width, best->score.height, width, height);
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
    map.width = group->plan->map.width;
    map.height = group->plan->map.height;
    const xncc_fold fold = { .map = &map,
                             .index = (int32_t)batch->number[i],
                             .smallest = xncc_method_is_distance(batch->problem.rule.method) };
    xncc_status status = xncc_plan_correlate(group->plan, image, batch->templ[i], &map, stream,
                                             error);
    return status ? status : batch->share->best_fold(batch->shared, &fold, stream, error);
}

static xncc_status fold_all(xncc_batch *batch, const xncc_image *image, const xncc_best *best,
                            xncc_stream stream, xncc_error *error)
{
    const xncc_batch_ops *ops = batch->share;
    xncc_image shared;
    xncc_map room;
    xncc_status status = xncc_batch_share_image(batch, image, batch->count, &shared, stream, error);
    if (!status)
        status = ops->best_begin(batch->shared, best, &room, stream, error);
    for (size_t g = 0; g < batch->groups && !status; g++)
        for (size_t i = batch->group[g].first;
             i < batch->group[g].first + batch->group[g].count && !status; i++)
            status = fold_templ(batch, &batch->group[g], i, &shared, &room, stream, error);
    if (!status && ops->best_end)
        status = ops->best_end(batch->shared, stream, error);
    if (status && ops->abandon)
        ops->abandon(batch->shared, stream);
    return status;
}

xncc_status xncc_batch_best(xncc_batch *batch, const xncc_image *image, const xncc_best *best,
                            xncc_stream stream, xncc_error *error)
{
    XNCC_ENTER;
    if (!batch || !image || !best)
        return xncc_fail_null(error, !batch ? "batch" : !image ? "image" : "best");
    xncc_batch_begin(batch);
    xncc_status status = check_best(batch, best, error);
    if (!status)
        status = xncc_plan_check_image(batch->group[0].plan, image, error);
    if (!status)
        status = fold_all(batch, image, best, stream, error);
    return xncc_done(status, error);
}
