/* SPDX-License-Identifier: BSD-2-Clause */
/* Plans and batches that are kept, so that images of one kind share them. */
#ifndef APP_PLANS_H
#define APP_PLANS_H

#include "exactncc/batch.h"
#include "exactncc/plan.h"

enum { APP_PLANS_KEPT = 4 };

typedef struct app_kept_plan {
    xncc_problem problem;
    const char *kernel;
    const xncc_template **templ; /* of a batch */
    size_t count;                /* of templ; 0: it is a plan, */
    int32_t images;              /* for so many images at a time */
    xncc_plan *plan;
    xncc_batch *batch;
    uint64_t used; /* when it was last asked for */
} app_kept_plan;

/* Start with zero and the context. At most APP_PLANS_KEPT are kept: of more, the one that was not
 * used for the longest time is destroyed. */
typedef struct app_plans {
    xncc_context *context;
    app_kept_plan kept[APP_PLANS_KEPT];
    uint64_t clock;
} app_plans;

/* A plan for a problem. kernel as in xncc_preference. It belongs to *plans, and may be used until
 * the next call. */
xncc_status app_plans_get(app_plans *plans, const xncc_problem *problem, const char *kernel,
                          xncc_plan **plan, xncc_error *why);

/* The same for several images at a time (xncc_preference). */
xncc_status app_plans_images(app_plans *plans, const xncc_problem *problem, const char *kernel,
                             int32_t images, xncc_plan **plan, xncc_error *why);

/* app_plans_get, and if the kernel cannot serve the problem, by any other that can. */
xncc_status app_plans_prefer(app_plans *plans, const xncc_problem *problem, const char *kernel,
                             xncc_plan **plan, xncc_error *why);

/* After work with this kernel has ended with the status: 1 if it failed and the kernel is the
 * reason, because it cannot serve the problem and others can. */
int app_plans_refused(app_plans *plans, const xncc_problem *problem, const char *kernel,
                      xncc_status status);

/* app_plans_get for several templates. The options must be the same in every call with these
 * templates and this problem. */
typedef struct app_batch_ask {
    const xncc_problem *problem; /* as for xncc_batch_create */
    const char *kernel;
    const xncc_template *const *templ;
    size_t count;
    const xncc_batch_options *options;
    int32_t images; /* as in xncc_preference; for templates 0 */
} app_batch_ask;

xncc_status app_plans_batch(app_plans *plans, const app_batch_ask *ask, xncc_batch **batch,
                            xncc_error *why);

void app_plans_close(app_plans *plans);

#endif
