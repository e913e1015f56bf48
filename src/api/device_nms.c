/* xncc_merger: checks the arguments; the engine merges in device memory. */
#include "engine/batch_ops.h"
#include "api/objects.h"

#include "base/memory.h"
#include "peaks/nms.h"

struct xncc_merger {
    xncc_context *context;
    const xncc_merge_ops *ops;
    xncc_merge_work *work;
};

xncc_status xncc_merger_create(xncc_context *context, size_t room, xncc_merger **result)
{
    xncc_error error = { "" };
    xncc_status status = XNCC_OK;
    if (result)
        *result = NULL;
    if (!context)
        return XNCC_ERROR_ARGUMENT;
    xncc_engine *cuda = context->engine[xncc_slot(XNCC_DEVICE_CUDA)];
    if (!result || room < 1 || room > XNCC_MAX_MERGER)
        status = xncc_fail(
            &error, XNCC_ERROR_ARGUMENT,
            "merger: result is a null pointer, or room for %zu candidates is not within 1 .. %d",
            room, XNCC_MAX_MERGER);
    else if (!cuda || !cuda->ops->merge)
        status = xncc_fail(
            &error, XNCC_ERROR_UNSUPPORTED,
            "merger: this context has no CUDA device; xncc_matches_merge works in host memory");
    if (status)
        return xncc_context_note(context, status, &error);
    xncc_merger *merger = xncc_alloc(1, sizeof *merger);
    if (!merger)
        return xncc_context_note(context, xncc_fail(&error, XNCC_ERROR_MEMORY, "merger: no memory"),
                                 &error);
    merger->context = context;
    merger->ops = cuda->ops->merge;
    status = merger->ops->open(cuda, (uint32_t)room, &merger->work, &error);
    if (status)
        xncc_merger_destroy(merger);
    else
        *result = merger;
    return xncc_context_note(context, status, &error);
}

void xncc_merger_destroy(xncc_merger *merger)
{
    if (!merger)
        return;
    if (merger->work)
        merger->ops->close(merger->work);
    xncc_free(merger);
}

xncc_status xncc_merger_clear(xncc_merger *merger, xncc_stream stream)
{
    xncc_error error = { "" };
    return merger ? xncc_context_note(merger->context,
                                      merger->ops->clear(merger->work, stream, &error), &error)
                  : XNCC_ERROR_ARGUMENT;
}

xncc_status xncc_merger_add(xncc_merger *merger, const xncc_match *match, const uint32_t *found,
                            const xncc_candidate *like, xncc_stream stream)
{
    xncc_error error = { "" };
    if (!merger)
        return XNCC_ERROR_ARGUMENT;
    xncc_status status = XNCC_OK;
    if (!match || !found || !like)
        status = xncc_fail(&error, XNCC_ERROR_ARGUMENT,
                           "merger: match, found or like is a null pointer");
    else if (like->width < 1 || like->width > XNCC_MAX_SIDE || like->height < 1 ||
             like->height > XNCC_MAX_SIDE)
        status = xncc_fail(&error, XNCC_ERROR_ARGUMENT,
                           "merger: extents %d x %d are not within 1 .. %d", like->width,
                           like->height, XNCC_MAX_SIDE);
    if (!status)
        status = merger->ops->add(merger->work, match, found, like, stream, &error);
    return xncc_context_note(merger->context, status, &error);
}

xncc_status xncc_merger_add_candidates(xncc_merger *merger, const xncc_candidate *candidate,
                                       size_t count, xncc_stream stream)
{
    xncc_error error = { "" };
    if (!merger)
        return XNCC_ERROR_ARGUMENT;
    xncc_status status = candidate || count == 0 ? XNCC_OK
                                                 : xncc_fail(&error, XNCC_ERROR_ARGUMENT,
                                                             "merger: candidate is a null pointer");
    /* candidates that do not fit are not read */
    const uint32_t most = count > XNCC_MAX_MERGER ? XNCC_MAX_MERGER + 1 : (uint32_t)count;
    if (!status && count > 0)
        status = merger->ops->add_candidates(merger->work, candidate, most, stream, &error);
    return xncc_context_note(merger->context, status, &error);
}

xncc_status xncc_merger_merge(xncc_merger *merger, const xncc_merge_options *options,
                              xncc_candidate *result, size_t capacity, uint32_t *kept,
                              xncc_stream stream)
{
    const xncc_merge_options none = xncc_merge_defaults(), *o = options ? options : &none;
    xncc_error error = { "" };
    if (!merger)
        return XNCC_ERROR_ARGUMENT;
    xncc_status status = XNCC_OK;
    if (!result || !kept || capacity == 0)
        status = xncc_fail(&error, XNCC_ERROR_ARGUMENT,
                           "merger: result or kept is a null pointer, or the capacity is 0");
    else if (!xncc_merge_is_valid(o))
        status = xncc_fail(&error, XNCC_ERROR_ARGUMENT,
                           "merger: the limit %g is out of range, or the rule or method is unknown",
                           o->limit);
    const uint32_t most = capacity > XNCC_MAX_MERGER ? XNCC_MAX_MERGER : (uint32_t)capacity;
    const xncc_merge_target target = { o, result, o->top && o->top < most ? (uint32_t)o->top : most,
                                       kept };
    if (!status)
        status = merger->ops->merge(merger->work, &target, stream, &error);
    return xncc_context_note(merger->context, status, &error);
}
