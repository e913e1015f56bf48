/* What every engine fills: the CPU engine in src/cpu, the CUDA engine in cuda. */
#ifndef XNCC_ENGINE_ENGINE_H
#define XNCC_ENGINE_ENGINE_H

#include "base/error.h"
#include "exactncc/plan.h"
#include "template/template.h"
#include "peaks/peaks.h"
#include "plan/decision.h"
#include "plan/machine.h"
#include "plan/problem.h"

#ifdef __cplusplus
#include <atomic>
typedef std::atomic<uint64_t> xncc_counter;
#else
#include <stdatomic.h>
typedef _Atomic uint64_t xncc_counter;
#endif

typedef struct xncc_engine
    xncc_engine; /* one device's state; may be used by several threads at once */
typedef struct xncc_engine_plan
    xncc_engine_plan;                 /* what a plan bound: workspace; one thread at a time */
typedef struct xncc_sweep xncc_sweep; /* a find that goes down the image as its rows arrive; holds
                                         its work until it ends */

/* How far a call has come, for xncc_context_progress: engines add to done. */
typedef struct xncc_progress {
    xncc_counter done, total;
} xncc_progress;

/* A call of so many units (map elements) begins. What finished calls counted is dropped, so that
 * the fraction means the calls under way. */
static inline void xncc_progress_begin(xncc_progress *progress, uint64_t units)
{
    if (atomic_load(&progress->done) >= atomic_load(&progress->total)) {
        atomic_store(&progress->done, UINT64_C(0));
        atomic_store(&progress->total, UINT64_C(0));
    }
    atomic_fetch_add(&progress->total, units);
}

static inline void xncc_progress_step(xncc_progress *progress, uint64_t units)
{
    atomic_fetch_add(&progress->done, units);
}

/* Where matches go in device memory. Positions get the offset of the map's element (0, 0) in the
 * image. */
typedef struct xncc_peak_target {
    const xncc_peak_rule *rule;
    xncc_match *match; /* rule->top of them */
    uint32_t *found;
    int32_t x0, y0;
} xncc_peak_target;

/* Templates of a plan's size, and their matches in host memory: those of template i from match + i
 * * capacity on. */
typedef struct xncc_plan_batch {
    const xncc_template *const *templ;
    size_t count, capacity;
    xncc_match *match;
    size_t *found;
} xncc_plan_batch;

typedef struct xncc_engine_ops {
    /* Frees the engine. */
    void (*destroy)(xncc_engine *engine);

    /* Fills its half of the machine. */
    void (*describe)(const xncc_engine *engine, xncc_machine *machine);

    /* The engine's own form of a template or a filter, or NULL in *prepared when it needs none. */
    xncc_status (*prepare_template)(xncc_engine *engine, const xncc_template *templ,
                                    void **prepared, xncc_error *error);
    xncc_status (*prepare_filter)(xncc_engine *engine, const xncc_filter *filter, void **prepared,
                                  xncc_error *error);
    void (*release)(xncc_engine *engine, void *prepared);

    /* Takes the workspace for a decided problem. */
    xncc_status (*bind)(xncc_engine *engine, const xncc_problem *problem,
                        const xncc_decision *decision, xncc_progress *progress,
                        xncc_engine_plan **plan, xncc_error *error);
    void (*unbind)(xncc_engine_plan *plan);

    /* Run it. Views are valid, fit the problem, and lie where the engine can reach them. Semantics
     * of include/exactncc/plan.h. */
    xncc_status (*correlate)(xncc_engine_plan *plan, const xncc_image *image,
                             const xncc_template *templ, const xncc_map *map, xncc_stream stream,
                             xncc_error *error);
    xncc_status (*find)(xncc_engine_plan *plan, const xncc_image *image, const xncc_template *templ,
                        const xncc_peak_rule *rule, xncc_match *match, size_t *found,
                        xncc_stream stream, xncc_error *error);
    xncc_status (*convolve)(xncc_engine_plan *plan, const xncc_image *image,
                            const xncc_filter *filter, const xncc_map *out, xncc_stream stream,
                            xncc_error *error);

    /* 1 when the engine has what the kernel needs, which it may have to load first. After a 0,
     * describe no longer promises it. NULL: always 1. */
    int (*ready)(xncc_engine *engine, xncc_kernel kernel);

    /* Copies a view in device memory to tightly packed host memory, and waits. NULL for the CPU
     * engine. */
    xncc_status (*fetch)(xncc_engine *engine, const xncc_image *image, void *host,
                         xncc_error *error);

    /* find with the matches left in device memory, and find for many templates. NULL: the engine
     * has no such memory; find is called for each template. */
    xncc_status (*find_on_device)(xncc_engine_plan *plan, const xncc_image *image,
                                  const xncc_template *templ, const xncc_peak_target *target,
                                  xncc_stream stream, xncc_error *error);
    xncc_status (*find_batch)(xncc_engine_plan *plan, const xncc_image *image,
                              const xncc_plan_batch *batch, const xncc_peak_rule *rule,
                              xncc_stream stream, xncc_error *error);

    /* find in steps, as include/exactncc/scan.h has it; what sweep_begin is given outlives the
     * sweep. Rows only grow, and are all there before sweep_finish. NULL, all four: the engine
     * finds at the end. */
    xncc_status (*sweep_begin)(xncc_engine_plan *plan, const xncc_image *image,
                               const xncc_template *templ, const xncc_peak_rule *rule,
                               xncc_sweep **sweep, xncc_error *error);
    xncc_status (*sweep_rows)(xncc_sweep *sweep, int32_t rows, xncc_error *error);
    xncc_status (*sweep_finish)(xncc_sweep *sweep, xncc_match *match, size_t *found,
                                xncc_error *error);
    void (*sweep_end)(xncc_sweep *sweep);

    const struct xncc_batch_ops *share; /* engine/many.h */
    const struct xncc_merge_ops *merge; /* the same; NULL: the engine has no memory of its own */
} xncc_engine_ops;

struct xncc_engine {
    const xncc_engine_ops *ops;
};

#endif
