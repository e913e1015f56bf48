/* What the parts of cm_many share. */
#ifndef CM_RUN_MANY_H
#define CM_RUN_MANY_H

#include "engine/many.h"
#include "run/run.h"

/* Templates of one size and maskedness, and their plan. */
typedef struct cm_many_group {
    size_t first, count; /* of cm_many's parts */
    cm_plan *plan;
} cm_many_group;

struct cm_many {
    cm_context *context;
    cm_problem problem; /* its sizes are of no template */
    size_t count, groups;
    const cm_template **part; /* group by group, each in the caller's order */
    size_t *number;           /* of each in the caller's order */
    cm_many_group *group;
    const cm_engine *engine; /* of all plans; NULL without templates */
    cm_share *share;
    /* of finding */
    cm_find_options find;
    cm_merge_options merge;
    int merges;
    size_t capacity, each; /* matches in all, and of each template */
    cm_match *match;
    size_t *found;
    cm_candidate *candidate;
    /* of the best template */
    int32_t best_width, best_height;
};

/* The image as the plans shall read it. Only calls that look at it several times need a view of their own. */
cm_status cm_many_share_image(cm_many *many, const cm_image *image, size_t times, cm_image *shared, cm_stream stream, cm_error *error);

#endif
