/* SPDX-License-Identifier: BSD-2-Clause */
/* Hands batches and suppressors to one member (team_share.h). */
#include "team/team_share.h"

#include "base/memory.h"
#include "team/members.h"

/* A member's part of a batch. */
typedef struct shared {
    const xncc_batch_ops *ops;
    xncc_batch_context *inner;
} shared;

static shared *shared_of(xncc_batch_context *context)
{
    return (shared *)(void *)context;
}

/* The member that does the work. */
static xncc_engine *worker_of(xncc_engine *engine)
{
    const xncc_team *team = (const xncc_team *)engine;
    return team->member[xncc_member_from(team, 0)].is.engine;
}

static xncc_status batch_open(xncc_engine *engine, const xncc_watch *watch,
                              xncc_batch_context **context, xncc_error *error)
{
    xncc_engine *worker = worker_of(engine);
    shared *made = xncc_alloc(1, sizeof *made);
    *context = NULL;
    if (!made)
        return xncc_fail(error, XNCC_ERROR_MEMORY, "no memory for the batch");
    made->ops = worker->ops->share;
    const xncc_status status = made->ops->open(worker, watch, &made->inner, error);
    if (status)
        xncc_free(made);
    else
        *context = (xncc_batch_context *)(void *)made;
    return status;
}

static void batch_close(xncc_batch_context *context)
{
    shared *s = shared_of(context);
    s->ops->close(s->inner);
    xncc_free(s);
}

static xncc_status batch_image(xncc_batch_context *context, const xncc_image *image,
                               xncc_image *view, xncc_stream stream, xncc_error *error)
{
    const shared *s = shared_of(context);
    *view = *image;
    return s->ops->image ? s->ops->image(s->inner, image, view, stream, error) : XNCC_OK;
}

static void batch_abandon(xncc_batch_context *context, xncc_stream stream)
{
    const shared *s = shared_of(context);
    if (s->ops->abandon)
        s->ops->abandon(s->inner, stream);
}

static xncc_status batch_best_begin(xncc_batch_context *context, const xncc_best *best,
                                    xncc_map *map, xncc_stream stream, xncc_error *error)
{
    const shared *s = shared_of(context);
    return s->ops->best_begin(s->inner, best, map, stream, error);
}

static xncc_status batch_best_fold(xncc_batch_context *context, const xncc_fold *fold,
                                   xncc_stream stream, xncc_error *error)
{
    const shared *s = shared_of(context);
    return s->ops->best_fold(s->inner, fold, stream, error);
}

static xncc_status batch_best_end(xncc_batch_context *context, xncc_stream stream,
                                  xncc_error *error)
{
    const shared *s = shared_of(context);
    return s->ops->best_end(s->inner, stream, error);
}

const xncc_batch_ops xncc_team_batch_ops = { .open = batch_open,
                                             .close = batch_close,
                                             .image = batch_image,
                                             .abandon = batch_abandon,
                                             .best_begin = batch_best_begin,
                                             .best_fold = batch_best_fold,
                                             .best_end = batch_best_end };

/* ---- suppression ---- */

typedef struct suppressor {
    const xncc_suppress_ops *ops;
    xncc_suppress_work *inner;
} suppressor;

static suppressor *suppressor_of(xncc_suppress_work *work)
{
    return (suppressor *)(void *)work;
}

static xncc_status work_open(xncc_engine *engine, uint32_t room, xncc_suppress_work **work,
                             xncc_error *error)
{
    xncc_engine *worker = worker_of(engine);
    *work = NULL;
    if (!worker->ops->suppress)
        return xncc_fail(error, XNCC_ERROR_UNSUPPORTED, "suppressor: there is no device memory");
    suppressor *made = xncc_alloc(1, sizeof *made);
    if (!made)
        return xncc_fail(error, XNCC_ERROR_MEMORY, "suppressor: no memory");
    made->ops = worker->ops->suppress;
    const xncc_status status = made->ops->open(worker, room, &made->inner, error);
    if (status)
        xncc_free(made);
    else
        *work = (xncc_suppress_work *)(void *)made;
    return status;
}

static void work_close(xncc_suppress_work *work)
{
    suppressor *s = suppressor_of(work);
    s->ops->close(s->inner);
    xncc_free(s);
}

static xncc_status work_clear(xncc_suppress_work *work, xncc_stream stream, xncc_error *error)
{
    const suppressor *s = suppressor_of(work);
    return s->ops->clear(s->inner, stream, error);
}

static xncc_status work_add(xncc_suppress_work *work, const xncc_match *match,
                            const uint32_t *found, const xncc_candidate *form, xncc_stream stream,
                            xncc_error *error)
{
    const suppressor *s = suppressor_of(work);
    return s->ops->add(s->inner, match, found, form, stream, error);
}

static xncc_status work_add_candidates(xncc_suppress_work *work, const xncc_candidate *candidate,
                                       uint32_t count, xncc_stream stream, xncc_error *error)
{
    const suppressor *s = suppressor_of(work);
    return s->ops->add_candidates(s->inner, candidate, count, stream, error);
}

static xncc_status work_run(xncc_suppress_work *work, const xncc_suppress_target *target,
                            xncc_stream stream, xncc_error *error)
{
    const suppressor *s = suppressor_of(work);
    return s->ops->run(s->inner, target, stream, error);
}

const xncc_suppress_ops xncc_team_suppress_ops = { .open = work_open,
                                                   .close = work_close,
                                                   .clear = work_clear,
                                                   .add = work_add,
                                                   .add_candidates = work_add_candidates,
                                                   .run = work_run };
