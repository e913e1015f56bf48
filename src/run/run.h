/* Contexts and plans from the inside. */
#ifndef CM_RUN_RUN_H
#define CM_RUN_RUN_H

#include "engine/engine.h"

#include <pthread.h>

struct cm_context {
    cm_engine *engine[CM_ENGINE_SLOTS]; /* by cm_slot; NULL where the context does not have it */
    cm_progress progress;
    _Atomic uint64_t templates; /* how many were made */
    pthread_mutex_t lock; /* of the text */
    cm_error last;
};

struct cm_plan {
    cm_context *context;
    cm_problem problem;
    cm_decision decision;
    int32_t map_width, map_height, x0, y0;
    const cm_engine *engine; /* of work */
    cm_work *work;
    int scanned; /* 1: a scan has the workspace */
};

/* The slot of an engine in contexts, templates and filters. */
static inline int cm_slot(cm_device engine)
{
    return engine == CM_DEVICE_CUDA ? 1 : 0;
}

/* Makes the engines that the options allow. CM_ERROR_DEVICE when CUDA was asked for and cannot be had. */
cm_status cm_registry_open(const cm_context_options *options, cm_engine *engine[CM_ENGINE_SLOTS], cm_error *error);

/* Keeps the text of a failure for cm_context_error; returns the status. context may be NULL. */
cm_status cm_context_note(cm_context *context, cm_status status, const cm_error *error);

/* Do they fit the plan, and can its engine reach the image? */
cm_status cm_plan_check_image(const cm_plan *plan, const cm_image *image, cm_error *error);
cm_status cm_plan_check_template(const cm_plan *plan, const cm_template *part, cm_error *error);

/* The options (NULL: none) as the peak search takes them. */
cm_status cm_plan_rule(const cm_plan *plan, const cm_find_options *options, size_t capacity, cm_peak_rule *rule,
                       cm_error *error);

/* Matches of a map to matches of the image. */
void cm_plan_move_matches(const cm_plan *plan, cm_match *match, size_t found);

/* The context's machine as the decision sees it. */
cm_machine cm_context_machine(const cm_context *context);

#endif
