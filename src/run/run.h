/* Contexts and plans from the inside. */
#ifndef CM_RUN_RUN_H
#define CM_RUN_RUN_H

#include "engine/engine.h"

#include <pthread.h>

struct cm_context {
    cm_engine *engine[CM_ENGINE_SLOTS]; /* by cm_slot; NULL where the context does not have it */
    cm_progress progress;
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

/* The context's machine as the decision sees it. */
cm_machine cm_context_machine(const cm_context *context);

#endif
