/* Merging in device memory: the checks before an engine's own work. */
#include "engine/many.h"
#include "run/run.h"

#include "base/memory.h"
#include "peaks/merge.h"

struct cm_merger {
    cm_context *context;
    const cm_merge_ops *ops;
    cm_merge_work *work;
};

cm_status cm_merger_create(cm_context *context, size_t room, cm_merger **result)
{
    cm_error error = { "" };
    cm_status status = CM_OK;
    if (result)
        *result = NULL;
    if (!context)
        return CM_ERROR_ARGUMENT;
    cm_engine *cuda = context->engine[cm_slot(CM_DEVICE_CUDA)];
    if (!result || room < 1 || room > CM_MAX_MERGER)
        status = cm_fail(&error, CM_ERROR_ARGUMENT, "merger: result is a null pointer, or room for %zu candidates is not within 1 .. %d",
                         room, CM_MAX_MERGER);
    else if (!cuda || !cuda->ops->merge)
        status = cm_fail(&error, CM_ERROR_UNSUPPORTED,
                         "merger: this context has no CUDA device; cm_matches_merge works in host memory");
    if (status)
        return cm_context_note(context, status, &error);
    cm_merger *merger = cm_alloc(1, sizeof *merger);
    if (!merger)
        return cm_context_note(context, cm_fail(&error, CM_ERROR_MEMORY, "merger: no memory"), &error);
    merger->context = context;
    merger->ops = cuda->ops->merge;
    status = merger->ops->open(cuda, (uint32_t)room, &merger->work, &error);
    if (status)
        cm_merger_destroy(merger);
    else
        *result = merger;
    return cm_context_note(context, status, &error);
}

void cm_merger_destroy(cm_merger *merger)
{
    if (!merger)
        return;
    if (merger->work)
        merger->ops->close(merger->work);
    cm_free(merger);
}

cm_status cm_merger_clear(cm_merger *merger, cm_stream stream)
{
    cm_error error = { "" };
    return merger ? cm_context_note(merger->context, merger->ops->clear(merger->work, stream, &error), &error) : CM_ERROR_ARGUMENT;
}

cm_status cm_merger_add(cm_merger *merger, const cm_match *match, const uint32_t *found, const cm_candidate *like, cm_stream stream)
{
    cm_error error = { "" };
    if (!merger)
        return CM_ERROR_ARGUMENT;
    cm_status status = CM_OK;
    if (!match || !found || !like)
        status = cm_fail(&error, CM_ERROR_ARGUMENT, "merger: match, found or like is a null pointer");
    else if (like->width < 1 || like->width > CM_MAX_SIDE || like->height < 1 || like->height > CM_MAX_SIDE)
        status = cm_fail(&error, CM_ERROR_ARGUMENT, "merger: extents %d x %d are not within 1 .. %d", like->width, like->height,
                         CM_MAX_SIDE);
    if (!status)
        status = merger->ops->add(merger->work, match, found, like, stream, &error);
    return cm_context_note(merger->context, status, &error);
}

cm_status cm_merger_add_candidates(cm_merger *merger, const cm_candidate *candidate, size_t count, cm_stream stream)
{
    cm_error error = { "" };
    if (!merger)
        return CM_ERROR_ARGUMENT;
    cm_status status = candidate || count == 0 ? CM_OK : cm_fail(&error, CM_ERROR_ARGUMENT, "merger: candidate is a null pointer");
    /* what does not fit is not read */
    const uint32_t most = count > CM_MAX_MERGER ? CM_MAX_MERGER + 1 : (uint32_t)count;
    if (!status && count > 0)
        status = merger->ops->add_candidates(merger->work, candidate, most, stream, &error);
    return cm_context_note(merger->context, status, &error);
}

cm_status cm_merger_merge(cm_merger *merger, const cm_merge_options *options, cm_candidate *result, size_t capacity, uint32_t *kept,
                          cm_stream stream)
{
    const cm_merge_options none = cm_merge_defaults(), *o = options ? options : &none;
    cm_error error = { "" };
    if (!merger)
        return CM_ERROR_ARGUMENT;
    cm_status status = CM_OK;
    if (!result || !kept || capacity == 0)
        status = cm_fail(&error, CM_ERROR_ARGUMENT, "merger: result or kept is a null pointer, or the capacity is 0");
    else if (!cm_merge_is_valid(o))
        status = cm_fail(&error, CM_ERROR_ARGUMENT, "merger: a limit of %g is out of the rule's range, or there is no such rule or method",
                         o->limit);
    const uint32_t most = capacity > CM_MAX_MERGER ? CM_MAX_MERGER : (uint32_t)capacity;
    const cm_merge_target target = { o, result, o->top && o->top < most ? (uint32_t)o->top : most, kept };
    if (!status)
        status = merger->ops->merge(merger->work, &target, stream, &error);
    return cm_context_note(merger->context, status, &error);
}
