/* What every engine fills: the CPU engine in src/cpu, the CUDA engine in cuda. */
#ifndef CM_ENGINE_ENGINE_H
#define CM_ENGINE_ENGINE_H

#include "base/error.h"
#include "corrmatch/plan.h"
#include "model/template.h"
#include "peaks/peaks.h"
#include "plan/decide.h"

#ifdef __cplusplus
#include <atomic>
typedef std::atomic<uint64_t> cm_counter;
#else
#include <stdatomic.h>
typedef _Atomic uint64_t cm_counter;
#endif

typedef struct cm_engine cm_engine; /* one device's state; may be used by several threads at once */
typedef struct cm_work cm_work;     /* what a plan bound: workspace; one thread at a time */

/* How far a call has come, for cm_context_progress: engines add to done. */
typedef struct cm_progress {
    cm_counter done, total;
} cm_progress;

typedef struct cm_engine_ops {
    /* Frees the engine. */
    void (*destroy)(cm_engine *engine);

    /* Fills its half of the machine. */
    void (*describe)(const cm_engine *engine, cm_machine *machine);

    /* The engine's own form of a template or a filter, or NULL in *prepared when it needs none. */
    cm_status (*prepare_template)(cm_engine *engine, const cm_template *part, void **prepared, cm_error *error);
    cm_status (*prepare_filter)(cm_engine *engine, const cm_filter *filter, void **prepared, cm_error *error);
    void (*release)(cm_engine *engine, void *prepared);

    /* Takes the workspace for a decided problem. */
    cm_status (*bind)(cm_engine *engine, const cm_problem *problem, const cm_decision *decision, cm_progress *progress,
                      cm_work **work, cm_error *error);
    void (*unbind)(cm_work *work);

    /* Run it. Views are valid, fit the problem, and lie where the engine can reach them. Semantics of include/corrmatch/plan.h. */
    cm_status (*correlate)(cm_work *work, const cm_image *image, const cm_template *part, const cm_map *map,
                           cm_stream stream, cm_error *error);
    cm_status (*find)(cm_work *work, const cm_image *image, const cm_template *part, const cm_peak_rule *rule,
                      cm_match *match, size_t *found, cm_stream stream, cm_error *error);
    cm_status (*convolve)(cm_work *work, const cm_image *image, const cm_filter *filter, const cm_map *out,
                          cm_stream stream, cm_error *error);

    /* 1 when the engine has what the kernel needs, which it may have to load first. After a 0, describe no longer promises it.
     * NULL: always 1. */
    int (*ready)(cm_engine *engine, cm_kernel kernel);

    /* Copies a view in device memory to tightly packed host memory, and waits. NULL for the CPU engine. */
    cm_status (*fetch)(cm_engine *engine, const cm_image *image, void *host, cm_error *error);
} cm_engine_ops;

struct cm_engine {
    const cm_engine_ops *ops;
};

#endif
