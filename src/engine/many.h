/* What an engine does for many templates beside running their plans. */
#ifndef CM_ENGINE_MANY_H
#define CM_ENGINE_MANY_H

#include "corrmatch/many.h"
#include "engine/engine.h"

typedef struct cm_share cm_share;           /* what the plans of a cm_many have in common; one thread at a time */
typedef struct cm_merge_work cm_merge_work; /* what a cm_merger has on a device */

/* A map and the template that it is of. Its extents are at most those of the best. */
typedef struct cm_fold {
    const cm_map *map; /* in the memory that best_begin gave */
    int32_t index;
    int32_t smallest; /* 1: small scores are good */
} cm_fold;

typedef struct cm_share_ops {
    cm_status (*open)(cm_engine *engine, cm_share **share, cm_error *error);
    void (*close)(cm_share *share);

    /* A view of a valid image that many plans of the engine read best. It is good until the share's next call. NULL: the image's own. */
    cm_status (*image)(cm_share *share, const cm_image *image, cm_image *shared, cm_stream stream, cm_error *error);

    /* The best of several maps (many.h): begin says where (the views are valid, and outlive end), sets every position to none and gives
     * memory for a map of best's extents; each fold adds a map; end sees to it that the result is there. */
    cm_status (*best_begin)(cm_share *share, const cm_best *best, cm_map *map, cm_stream stream, cm_error *error);
    cm_status (*best_fold)(cm_share *share, const cm_fold *fold, cm_stream stream, cm_error *error);
    cm_status (*best_end)(cm_share *share, cm_stream stream, cm_error *error);
} cm_share_ops;

/* Where merged candidates go. */
typedef struct cm_merge_target {
    const cm_merge_options *options; /* valid */
    cm_candidate *result;
    uint32_t capacity;
    uint32_t *kept;
} cm_merge_target;

/* many.h says what they do; arguments are checked. */
typedef struct cm_merge_ops {
    cm_status (*open)(cm_engine *engine, uint32_t room, cm_merge_work **work, cm_error *error);
    void (*close)(cm_merge_work *work);
    cm_status (*clear)(cm_merge_work *work, cm_stream stream, cm_error *error);
    cm_status (*add)(cm_merge_work *work, const cm_match *match, const uint32_t *found, const cm_candidate *like, cm_stream stream,
                     cm_error *error);
    cm_status (*add_candidates)(cm_merge_work *work, const cm_candidate *candidate, uint32_t count, cm_stream stream, cm_error *error);
    cm_status (*merge)(cm_merge_work *work, const cm_merge_target *target, cm_stream stream, cm_error *error);
} cm_merge_ops;

/* Does the score take the place of the best so far, which is of template `index`, or of none at -1? Without branches, so that loops over it
 * are vector code. */
static CM_BOTH int cm_best_takes(const cm_fold *fold, float score, float best, int32_t index)
{
    const int better = fold->smallest ? score < best : score > best;
    return (score == score) & ((index < 0) | better | ((score == best) & (fold->index < index)));
}

#endif
