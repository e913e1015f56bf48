/* Contexts and plans from the inside. */
#ifndef XNCC_API_OBJECTS_H
#define XNCC_API_OBJECTS_H

#include "engine/engine.h"

#include <pthread.h>

struct xncc_context {
    xncc_engine
        *engine[XNCC_ENGINE_SLOTS]; /* by xncc_slot; NULL where the context does not have it */
    xncc_progress progress;
    _Atomic uint64_t templates; /* how many were made */
    pthread_mutex_t lock;       /* of the text */
    xncc_error last;
};

struct xncc_plan {
    xncc_context *context;
    xncc_problem problem;
    xncc_decision decision;
    int32_t map_width, map_height, x0, y0;
    const xncc_engine *engine; /* of work */
    xncc_engine_plan *engine_plan;
    int scanned; /* 1: a scan has the workspace */
};

/* The slot of an engine in contexts, templates and filters. */
static inline int xncc_slot(xncc_device engine)
{
    return engine == XNCC_DEVICE_CUDA ? 1 : 0;
}

/* Makes the engines that the options allow. XNCC_ERROR_DEVICE when CUDA was asked for and cannot be
 * had. */
xncc_status xncc_registry_open(const xncc_context_options *options,
                               xncc_engine *engine[XNCC_ENGINE_SLOTS], xncc_error *error);

/* Keeps the text of a failure for xncc_context_error; returns the status. context may be NULL. */
xncc_status xncc_context_note(xncc_context *context, xncc_status status, const xncc_error *error);

/* Do they fit the plan, and can its engine reach the image? */
xncc_status xncc_plan_check_image(const xncc_plan *plan, const xncc_image *image,
                                  xncc_error *error);
xncc_status xncc_plan_check_template(const xncc_plan *plan, const xncc_template *templ,
                                     xncc_error *error);

/* The options (NULL: none) as the peak search takes them. */
xncc_status xncc_plan_rule(const xncc_plan *plan, const xncc_find_options *options, size_t capacity,
                           xncc_peak_rule *rule, xncc_error *error);

/* Matches of a map to matches of the image. */
void xncc_plan_move_matches(const xncc_plan *plan, xncc_match *match, size_t found);

/* The context's machine as the decision sees it. */
xncc_machine xncc_context_machine(const xncc_context *context);

#endif
