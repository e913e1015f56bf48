/* What the parts of xncc_batch share. */
#ifndef XNCC_API_BATCH_OBJECT_H
#define XNCC_API_BATCH_OBJECT_H

#include "engine/batch_ops.h"
#include "api/objects.h"

/* Templates of one size and maskedness, and their plan. */
typedef struct xncc_batch_group {
    size_t first, count; /* of xncc_batch's parts */
    xncc_plan *plan;
} xncc_batch_group;

struct xncc_batch {
    xncc_context *context;
    xncc_problem problem; /* its sizes are of no template */
    size_t count, groups;
    const xncc_template **templ; /* group by group, each in the caller's order */
    size_t *number;              /* of each in the caller's order */
    xncc_batch_group *group;
    const xncc_engine *engine; /* of all plans; NULL without templates */
    xncc_batch_context *shared;
    /* of finding */
    xncc_find_options find;
    xncc_merge_options merge;
    int merges;
    size_t capacity, per_template; /* matches in all, and of each template */
    xncc_match *match;
    size_t *found;
    xncc_candidate *candidate;
    /* of the best template */
    int32_t best_width, best_height;
};

/* The image as the plans shall read it. Only calls that look at it several times need a view of
 * their own. */
xncc_status xncc_batch_share_image(xncc_batch *batch, const xncc_image *image, size_t times,
                                   xncc_image *shared, xncc_stream stream, xncc_error *error);

#endif
