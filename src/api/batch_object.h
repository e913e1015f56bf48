/* SPDX-License-Identifier: BSD-2-Clause */
/* The xncc_batch object. */
#ifndef XNCC_API_BATCH_OBJECT_H
#define XNCC_API_BATCH_OBJECT_H

#include "engine/batch_ops.h"
#include "api/objects.h"

/* Templates that share a plan: of one size, and either all or none of them masked. */
typedef struct xncc_batch_group {
    size_t first, count; /* templates first .. first + count - 1 of xncc_batch.templ */
    xncc_plan *plan;
} xncc_batch_group;

struct xncc_batch {
    xncc_context *context;
    xncc_problem problem; /* its width and height are those of no template */
    size_t count, groups;
    const xncc_template **templ; /* group by group; within a group in the caller's order */
    size_t *number;              /* each template's index in the caller's order */
    xncc_batch_group *group;
    xncc_engine *engine;         /* runs all plans; NULL if there are no templates */
    const xncc_batch_ops *share; /* what `shared` is of */
    xncc_batch_context *shared;
    int once;         /* 1: made by xncc_batch_create_once */
    int single;       /* as in xncc_batch_once */
    xncc_watch watch; /* of the running call */
    /* for xncc_batch_find */
    xncc_peak_rule peaks;
    xncc_suppress_rule suppress;
    int suppresses;
    size_t capacity, per_template; /* most matches in all, and per template */
    xncc_match *match;             /* those of templ[i] from i * per_template on, */
    size_t *found;                 /* found[i] of them */
    xncc_candidate *candidate;     /* room for all of them; NULL: `once` */
};

/* What a batch for one search is made of; as the arguments of xncc_batch_create. */
typedef struct xncc_batch_once {
    const xncc_problem *problem;
    const xncc_preference *preference;
    /* The machine, for several batches; NULL: it is asked for. */
    const xncc_machine *known;
    int single; /* 1: plans on the CPU keep to the calling thread */
    /* Made by xncc_template_make. The batch's engine gives them its forms, which are valid until
     * the batch is destroyed. */
    xncc_template *const *templ;
    size_t count;
    const xncc_batch_options *options;
} xncc_batch_once;

/* Makes a batch for one call of xncc_batch_find_once. Its plans are bound when their
 * turn comes, one at a time: on a GPU all of them in the same memory and on a stream of the batch,
 * which neither waits for other batches nor makes them wait. Structs of the older sizes are not
 * taken. Returns the statuses of xncc_batch_create. */
xncc_status xncc_batch_create_once(xncc_context *context, const xncc_batch_once *of,
                                   xncc_batch **batch, xncc_error *error);

/* Searches, and leaves the matches in batch->match and batch->found: most of a template's room
 * stays empty, and to list them all takes as much room again. */
xncc_status xncc_batch_find_once(xncc_batch *batch, const xncc_image *image, xncc_error *error);

/* Begins a public call of the batch. The calls of its plans are parts of it. */
void xncc_batch_begin(xncc_batch *batch);

/* Returns the image in the form that the plans should read. If the image is read only once (times
 * is 1), that is the image itself. */
xncc_status xncc_batch_share_image(xncc_batch *batch, const xncc_image *image, size_t times,
                                   xncc_image *shared, xncc_stream stream, xncc_error *error);

#endif
