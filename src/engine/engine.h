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
typedef struct cm_sweep cm_sweep;   /* a find that goes down the image as its rows arrive; holds its work until it ends */

/* How far a call has come, for cm_context_progress: engines add to done. */
typedef struct cm_progress {
    cm_counter done, total;
} cm_progress;

/* A call of so many units (map elements) begins. What finished calls counted is dropped, so that the fraction means the calls under way. */
static inline void cm_progress_begin(cm_progress *progress, uint64_t units)
{
    if (atomic_load(&progress->done) >= atomic_load(&progress->total)) {
        atomic_store(&progress->done, UINT64_C(0));
        atomic_store(&progress->total, UINT64_C(0));
    }
    atomic_fetch_add(&progress->total, units);
}

static inline void cm_progress_step(cm_progress *progress, uint64_t units)
{
    atomic_fetch_add(&progress->done, units);
}

/* Where matches go in device memory. Positions get the offset of the map's element (0, 0) in the image. */
typedef struct cm_peak_target {
    const cm_peak_rule *rule;
    cm_match *match; /* rule->top of them */
    uint32_t *found;
    int32_t x0, y0;
} cm_peak_target;

/* Templates of a plan's size, and their matches in host memory: those of template i from match + i * capacity on. */
typedef struct cm_bank {
    const cm_template *const *part;
    size_t count, capacity;
    cm_match *match;
    size_t *found;
} cm_bank;

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

    /* find with the matches left in device memory, and find for many templates. NULL: the engine has no such memory; find is called for
     * each template. */
    cm_status (*find_on_device)(cm_work *work, const cm_image *image, const cm_template *part, const cm_peak_target *target,
                                cm_stream stream, cm_error *error);
    cm_status (*find_bank)(cm_work *work, const cm_image *image, const cm_bank *bank, const cm_peak_rule *rule, cm_stream stream,
                           cm_error *error);

    /* find in steps, as include/corrmatch/scan.h has it; what sweep_begin is given outlives the sweep. Rows only grow, and are all there
     * before sweep_finish. NULL, all four: the engine finds at the end. */
    cm_status (*sweep_begin)(cm_work *work, const cm_image *image, const cm_template *part, const cm_peak_rule *rule,
                             cm_sweep **sweep, cm_error *error);
    cm_status (*sweep_rows)(cm_sweep *sweep, int32_t rows, cm_error *error);
    cm_status (*sweep_finish)(cm_sweep *sweep, cm_match *match, size_t *found, cm_error *error);
    void (*sweep_end)(cm_sweep *sweep);

    const struct cm_share_ops *share; /* engine/many.h */
    const struct cm_merge_ops *merge; /* the same; NULL: the engine has no memory of its own */
} cm_engine_ops;

struct cm_engine {
    const cm_engine_ops *ops;
};

#endif
