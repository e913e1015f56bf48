/* What an engine does for many templates beside running their plans. */
#ifndef XNCC_ENGINE_BATCH_OPS_H
#define XNCC_ENGINE_BATCH_OPS_H

#include "exactncc/batch.h"
#include "engine/engine.h"

typedef struct xncc_batch_context
    xncc_batch_context; /* what the plans of a xncc_batch have in common; one thread at a time */
typedef struct xncc_merge_work xncc_merge_work; /* what a xncc_merger has on a device */

/* A map and the template that it is of. Its extents are at most those of the best. */
typedef struct xncc_fold {
    const xncc_map *map; /* in the memory that best_begin gave */
    int32_t index;
    int32_t smallest; /* 1: small scores are good */
} xncc_fold;

typedef struct xncc_batch_ops {
    xncc_status (*open)(xncc_engine *engine, xncc_batch_context **share, xncc_error *error);
    void (*close)(xncc_batch_context *share);

    /* A view of a valid image that many plans of the engine read best. It is good until the share's
     * next call. NULL: the image's own. */
    xncc_status (*image)(xncc_batch_context *share, const xncc_image *image, xncc_image *shared,
                         xncc_stream stream, xncc_error *error);

    /* The best of several maps (batch.h): begin says where (the views are valid, and outlive end),
     * sets every position to none and gives memory for a map of best's extents; each fold adds a
     * map; end sees to it that the result is there. */
    xncc_status (*best_begin)(xncc_batch_context *share, const xncc_best *best, xncc_map *map,
                              xncc_stream stream, xncc_error *error);
    xncc_status (*best_fold)(xncc_batch_context *share, const xncc_fold *fold, xncc_stream stream,
                             xncc_error *error);
    xncc_status (*best_end)(xncc_batch_context *share, xncc_stream stream, xncc_error *error);
} xncc_batch_ops;

/* Where merged candidates go. */
typedef struct xncc_merge_target {
    const xncc_merge_options *options; /* valid */
    xncc_candidate *result;
    uint32_t capacity;
    uint32_t *kept;
} xncc_merge_target;

/* batch.h says what they do; arguments are checked. */
typedef struct xncc_merge_ops {
    xncc_status (*open)(xncc_engine *engine, uint32_t room, xncc_merge_work **work,
                        xncc_error *error);
    void (*close)(xncc_merge_work *work);
    xncc_status (*clear)(xncc_merge_work *work, xncc_stream stream, xncc_error *error);
    xncc_status (*add)(xncc_merge_work *work, const xncc_match *match, const uint32_t *found,
                       const xncc_candidate *like, xncc_stream stream, xncc_error *error);
    xncc_status (*add_candidates)(xncc_merge_work *work, const xncc_candidate *candidate,
                                  uint32_t count, xncc_stream stream, xncc_error *error);
    xncc_status (*merge)(xncc_merge_work *work, const xncc_merge_target *target, xncc_stream stream,
                         xncc_error *error);
} xncc_merge_ops;

/* Does the score take the place of the best so far, which is of template `index`, or of none at -1?
 * Without branches, so that loops over it are vector code. */
static XNCC_HD int xncc_best_takes(const xncc_fold *fold, float score, float best, int32_t index)
{
    const int better = fold->smallest ? score < best : score > best;
    return (score == score) & ((index < 0) | better | ((score == best) & (fold->index < index)));
}

#endif
