/* SPDX-License-Identifier: BSD-2-Clause */
/* xncc_suppressor: checks the arguments; the engine works in device memory. */
#include "engine/batch_ops.h"
#include "api/objects.h"

#include "base/float_env.h"
#include "base/memory.h"
#include "peaks/nms.h"

#include <string.h>

struct xncc_suppressor {
    const xncc_suppress_ops *ops;
    xncc_suppress_work *work;
};

xncc_status xncc_suppressor_create(xncc_context *context, size_t room, xncc_suppressor **result,
                                   xncc_error *error)
{
    XNCC_ENTER;
    if (result)
        *result = NULL;
    if (!context || !result)
        return xncc_fail_null(error, context ? "suppressor" : "context");
    if (room < 1 || room > XNCC_MAX_SUPPRESSOR)
        return xncc_fail(error, XNCC_ERROR_ARGUMENT,
                         "suppressor: room for %zu candidates is not within 1 .. %d", room,
                         XNCC_MAX_SUPPRESSOR);
    xncc_engine *cuda = context->engine[xncc_slot(XNCC_DEVICE_CUDA)];
    if (cuda)
        cuda = xncc_engine_worker(cuda);
    if (!cuda || !cuda->ops->suppress)
        return xncc_fail(
            error, XNCC_ERROR_UNSUPPORTED,
            "suppressor: this context has no CUDA device; xncc_suppress works in host memory");
    xncc_suppressor *suppressor = xncc_alloc(1, sizeof *suppressor);
    if (!suppressor)
        return xncc_fail(error, XNCC_ERROR_MEMORY, "suppressor: no memory");
    suppressor->ops = cuda->ops->suppress;
    xncc_status status = suppressor->ops->open(cuda, (uint32_t)room, &suppressor->work, error);
    if (status)
        xncc_suppressor_destroy(suppressor);
    else
        *result = suppressor;
    return xncc_done(status, error);
}

void xncc_suppressor_destroy(xncc_suppressor *suppressor)
{
    if (!suppressor)
        return;
    if (suppressor->work)
        suppressor->ops->close(suppressor->work);
    xncc_free(suppressor);
}

xncc_status xncc_suppressor_clear(xncc_suppressor *suppressor, xncc_stream stream,
                                  xncc_error *error)
{
    XNCC_ENTER;
    if (!suppressor)
        return xncc_fail_null(error, "suppressor");
    return xncc_done(suppressor->ops->clear(suppressor->work, stream, error), error);
}

xncc_status xncc_suppressor_add(xncc_suppressor *suppressor, const xncc_match *match,
                                const uint32_t *found, int32_t templ, int32_t width, int32_t height,
                                xncc_stream stream, xncc_error *error)
{
    XNCC_ENTER;
    if (!suppressor || !match || !found)
        return xncc_fail_null(error, !suppressor ? "suppressor" : !match ? "match" : "found");
    if (width < 1 || width > XNCC_MAX_SIDE || height < 1 || height > XNCC_MAX_SIDE)
        return xncc_fail(error, XNCC_ERROR_ARGUMENT,
                         "suppressor: extents of %d x %d are not within 1 .. %d", width, height,
                         XNCC_MAX_SIDE);
    const xncc_candidate form = { .templ = templ, .width = width, .height = height };
    return xncc_done(suppressor->ops->add(suppressor->work, match, found, &form, stream, error),
                     error);
}

xncc_status xncc_suppressor_add_candidates(xncc_suppressor *suppressor,
                                           const xncc_candidate *candidate, size_t count,
                                           xncc_stream stream, xncc_error *error)
{
    XNCC_ENTER;
    if (!suppressor || (!candidate && count))
        return xncc_fail_null(error, suppressor ? "candidate" : "suppressor");
    /* candidates that do not fit are not read */
    const uint32_t most = count > XNCC_MAX_SUPPRESSOR ? XNCC_MAX_SUPPRESSOR + 1 : (uint32_t)count;
    xncc_status status = XNCC_OK;
    if (count > 0)
        status = suppressor->ops->add_candidates(suppressor->work, candidate, most, stream, error);
    return xncc_done(status, error);
}

xncc_status xncc_suppressor_run(xncc_suppressor *suppressor, xncc_method method,
                                const xncc_suppress_rule *rule, xncc_candidate *result,
                                size_t capacity, uint32_t *kept, xncc_stream stream,
                                xncc_error *error)
{
    XNCC_ENTER;
    xncc_suppress_rule r;
    if (!suppressor || !result || !kept)
        return xncc_fail_null(error, !suppressor ? "suppressor" : !result ? "result" : "kept");
    if (capacity == 0)
        return xncc_fail(error, XNCC_ERROR_ARGUMENT, "suppressor: the capacity is 0");
    if (strcmp(xncc_method_name(method), "?") == 0)
        return xncc_fail(error, XNCC_ERROR_ARGUMENT, "%d is not a method", (int)method);
    xncc_status status = xncc_suppress_rule_read(&r, rule, error);
    if (status)
        return status;
    const size_t room = capacity > XNCC_MAX_SUPPRESSOR ? XNCC_MAX_SUPPRESSOR : capacity;
    const xncc_suppress_target target = { .smallest = xncc_method_is_distance(method),
                                          .rule = &r,
                                          .result = result,
                                          .capacity = (uint32_t)(r.top < room ? r.top : room),
                                          .kept = kept };
    return xncc_done(suppressor->ops->run(suppressor->work, &target, stream, error), error);
}
