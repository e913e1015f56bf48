/* SPDX-License-Identifier: BSD-2-Clause */
/* What an engine implements for a batch of templates (xncc_batch) and for suppressing matches in
 * device memory (xncc_suppressor), besides running plans. */
#ifndef XNCC_ENGINE_BATCH_OPS_H
#define XNCC_ENGINE_BATCH_OPS_H

#include "exactncc/batch.h"
#include "exactncc/suppress.h"
#include "engine/engine.h"

/* The engine's part of an xncc_suppressor. Used by one thread at a time. */
typedef struct xncc_suppress_work xncc_suppress_work;

/* A template's map, to be folded into the best map. It is at most as wide and as high as the best
 * map. */
typedef struct xncc_fold {
    const xncc_map *map; /* in the memory that best_begin returned */
    int32_t index;
    int32_t smallest; /* 1: smaller scores are better */
} xncc_fold;

typedef struct xncc_batch_ops {
    /* The watch is that of the batch, as for xncc_engine_ops.bind. */
    xncc_status (*open)(xncc_engine *engine, const xncc_watch *watch, xncc_batch_context **context,
                        xncc_error *error);
    void (*close)(xncc_batch_context *context);

    /* Returns a view of a valid image in the form that several plans of the engine read fastest.
     * The view is valid until the next call with the same context. If the image is in device memory
     * and the context has a stream, what is on the default stream now comes before what that stream
     * gets later. NULL: the plans read the image itself. */
    xncc_status (*image)(xncc_batch_context *context, const xncc_image *image, xncc_image *shared,
                         xncc_stream stream, xncc_error *error);

    /* Ends a call that has failed: waits until nothing uses the memory of the caller. NULL: nothing
     * does. */
    void (*abandon)(xncc_batch_context *context, xncc_stream stream);

    /* Makes the engine's forms of templates that have none yet, all at once. They are valid until
     * the context is closed; xncc_engine_ops.release frees each of them, also after that. NULL: as
     * the engine's bind_shared. */
    xncc_status (*prepare)(xncc_batch_context *context, xncc_template *const *templ, size_t count,
                           xncc_error *error);
    /* The stream for calls of plans in shared memory. The context has one once templates are
     * prepared. NULL: as the engine's bind_shared. */
    xncc_stream (*stream)(xncc_batch_context *context);

    /* The best of several maps (batch.h).
     * - best_begin takes the views to fill, which are valid and outlive best_end. It sets every
     *   position to "no template", and returns memory for one map of the best map's size.
     * - best_fold adds a template's map.
     * - best_end makes sure that the result is complete. NULL: it is after each best_fold. */
    xncc_status (*best_begin)(xncc_batch_context *context, const xncc_best *best, xncc_map *map,
                              xncc_stream stream, xncc_error *error);
    xncc_status (*best_fold)(xncc_batch_context *context, const xncc_fold *fold, xncc_stream stream,
                             xncc_error *error);
    xncc_status (*best_end)(xncc_batch_context *context, xncc_stream stream, xncc_error *error);
} xncc_batch_ops;

/* What a suppressor does, and where the kept candidates are written. */
typedef struct xncc_suppress_target {
    int32_t smallest;               /* 1: small scores are good */
    const xncc_suppress_rule *rule; /* already checked */
    xncc_candidate *result;
    uint32_t capacity;
    uint32_t *kept;
} xncc_suppress_target;

/* The operations of xncc_suppressor, described in suppress.h. Arguments have been checked. form:
 * the number and the size of the template of the matches. */
typedef struct xncc_suppress_ops {
    xncc_status (*open)(xncc_engine *engine, uint32_t room, xncc_suppress_work **work,
                        xncc_error *error);
    void (*close)(xncc_suppress_work *work);
    xncc_status (*clear)(xncc_suppress_work *work, xncc_stream stream, xncc_error *error);
    xncc_status (*add)(xncc_suppress_work *work, const xncc_match *match, const uint32_t *found,
                       const xncc_candidate *form, xncc_stream stream, xncc_error *error);
    xncc_status (*add_candidates)(xncc_suppress_work *work, const xncc_candidate *candidate,
                                  uint32_t count, xncc_stream stream, xncc_error *error);
    xncc_status (*run)(xncc_suppress_work *work, const xncc_suppress_target *target,
                       xncc_stream stream, xncc_error *error);
} xncc_suppress_ops;

/* Does `score` replace `best`, the best score so far, which belongs to template `index` (-1: none)?
 * Free of branches, so that loops over it can be vectorized. */
static XNCC_HD int xncc_best_takes(const xncc_fold *fold, float score, float best, int32_t index)
{
    const int better = fold->smallest ? score < best : score > best;
    return (score == score) & ((index < 0) | better | ((score == best) & (fold->index < index)));
}

#endif
