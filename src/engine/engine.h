/* SPDX-License-Identifier: BSD-2-Clause */
/* The interface of an engine. The CPU engine in src/cpu and the CUDA engine in cuda implement
 * it. */
#ifndef XNCC_ENGINE_ENGINE_H
#define XNCC_ENGINE_ENGINE_H

#include "base/watch.h"
#include "engine/chip_ops.h"
#include "exactncc/plan.h"
#include "template/template.h"
#include "peaks/peaks.h"
#include "plan/decision.h"
#include "plan/machine.h"
#include "plan/problem.h"
#include "plan/stack.h"

/* The state of one device. Several threads may use it at once. */
typedef struct xncc_engine xncc_engine;
/* An engine's part of a plan: its workspace. Used by one thread at a time. */
typedef struct xncc_engine_plan xncc_engine_plan;
/* What the plans of an xncc_batch share (engine/batch_ops.h). Used by one thread at a time. */
typedef struct xncc_batch_context xncc_batch_context;
/* A search that moves down the image as its rows arrive. It occupies its plan until it ends. */
typedef struct xncc_sweep xncc_sweep;

/* Where matches are written in device memory. (x0, y0), the position of map element (0, 0) in the
 * image, is added to their positions. */
typedef struct xncc_peak_target {
    const xncc_search_rule *rule;
    xncc_match *match; /* rule->top elements */
    uint32_t *found;
    int32_t x0, y0;
} xncc_peak_target;

/* Several templates of a plan's size, and their matches in host memory. The matches of template i
 * begin at match + i * capacity. */
typedef struct xncc_templ_group {
    const xncc_template *const *templ;
    size_t count, capacity;
    xncc_match *match;
    size_t *found;
} xncc_templ_group;

/* Several images of a plan's size, and their matches in host memory. The matches of image i begin
 * at match + i * capacity. */
typedef struct xncc_image_group {
    const xncc_image *image;
    size_t count, capacity;
    xncc_match *match;
    size_t *found;
} xncc_image_group;

typedef struct xncc_engine_ops {
    /* Frees the engine. */
    void (*destroy)(xncc_engine *engine);

    /* Fills in the engine's part of the machine. After a failure, limits that can change are
     * missing. */
    xncc_status (*describe)(const xncc_engine *engine, xncc_machine *machine, xncc_error *error);

    /* Creates the engine's own form of a template or of a filter; the other argument is NULL. Both
     * operations are NULL if the engine needs no form. */
    xncc_status (*prepare)(xncc_engine *engine, const xncc_template *templ,
                           const xncc_filter *filter, void **prepared, xncc_error *error);
    void (*release)(xncc_engine *engine, void *prepared);

    /* Allocates the workspace for a problem and its decision. stack: what a decision with a stack
     * of images needs for it (decision->stack.images > 1), which may be allocated on first use;
     * otherwise it is not read. The watch outlives the plan. Before each call, the caller sets when
     * the call began. Every call that runs a plan returns XNCC_ERROR_CANCELLED soon after it is
     * cancelled, also if that was before it began to run; the plan can then be used again. */
    xncc_status (*bind)(xncc_engine *engine, const xncc_problem *problem,
                        const xncc_decision *decision, const xncc_stack_plan *stack,
                        const xncc_watch *watch, xncc_engine_plan **plan, xncc_error *error);
    /* The same in memory that the plans of a batch share, one of them at a time: the plan before it
     * has been unbound. There is no stack. Calls are on the stream of the batch
     * (xncc_batch_ops.stream). NULL: plans have memory of their own. */
    xncc_status (*bind_shared)(xncc_batch_context *shared, const xncc_problem *problem,
                               const xncc_decision *decision, const xncc_watch *watch,
                               xncc_engine_plan **plan, xncc_error *error);
    void (*unbind)(xncc_engine_plan *plan);
    /* Waits for the work of the last call that did not wait. NULL: all calls do. */
    xncc_status (*wait)(xncc_engine_plan *plan, xncc_error *error);

    /* Run a plan; the semantics are those of include/exactncc/plan.h. Views are valid, fit the
     * problem, and are in memory that the engine can reach. */
    xncc_status (*correlate)(xncc_engine_plan *plan, const xncc_image *image,
                             const xncc_template *templ, const xncc_map *map, xncc_stream stream,
                             xncc_error *error);
    xncc_status (*find)(xncc_engine_plan *plan, const xncc_image *image, const xncc_template *templ,
                        const xncc_search_rule *rule, xncc_match *match, size_t *found,
                        xncc_stream stream, xncc_error *error);
    xncc_status (*convolve)(xncc_engine_plan *plan, const xncc_image *image,
                            const xncc_filter *filter, const xncc_map *out, xncc_stream stream,
                            xncc_error *error);

    /* Returns 1 if the engine can run the kernel; the engine may have to load a library to find
     * out. If it returns 0, describe no longer offers what is missing. NULL: always 1. */
    int (*ready)(xncc_engine *engine, xncc_kernel kernel);

    /* Copies a view in device memory to host memory with `pitch` bytes per row, in the order of a
     * stream, and waits for the copy. NULL for the CPU engine. */
    xncc_status (*fetch)(xncc_engine *engine, const xncc_image *image, void *host, int64_t pitch,
                         xncc_stream stream, xncc_error *error);

    /* find with the matches left in device memory. NULL: the engine has no device memory. */
    xncc_status (*find_on_device)(xncc_engine_plan *plan, const xncc_image *image,
                                  const xncc_template *templ, const xncc_peak_target *target,
                                  xncc_stream stream, xncc_error *error);
    /* find for several templates. */
    xncc_status (*find_batch)(xncc_engine_plan *plan, const xncc_image *image,
                              const xncc_templ_group *group, const xncc_search_rule *rule,
                              xncc_stream stream, xncc_error *error);

    /* find for several images: at least one, with a rule that wants at least one match. After a
     * failure, found is undefined. */
    xncc_status (*find_images)(xncc_engine_plan *plan, const xncc_image_group *group,
                               const xncc_template *templ, const xncc_search_rule *rule,
                               xncc_stream stream, xncc_error *error);

    /* correlate and find for plans of which each device has a part (include/exactncc/parts.h), with
     * a view per part; stream: one per part, or NULL. NULL: the engine is one device. */
    xncc_status (*correlate_parts)(xncc_engine_plan *plan, const xncc_image *image,
                                   const xncc_template *templ, const xncc_map *map,
                                   const xncc_stream *stream, xncc_error *error);
    xncc_status (*find_parts)(xncc_engine_plan *plan, const xncc_image *image,
                              const xncc_template *templ, const xncc_search_rule *rule,
                              xncc_match *match, size_t *found, const xncc_stream *stream,
                              xncc_error *error);

    /* find in steps, as described in include/exactncc/scan.h. The arguments of sweep_begin outlive
     * the sweep. `rows` only grows, and is the image's height before sweep_finish. All four are
     * NULL if the engine can only search a complete image. */
    xncc_status (*sweep_begin)(xncc_engine_plan *plan, const xncc_image *image,
                               const xncc_template *templ, const xncc_search_rule *rule,
                               xncc_sweep **sweep, xncc_error *error);
    xncc_status (*sweep_rows)(xncc_sweep *sweep, int32_t rows, xncc_error *error);
    xncc_status (*sweep_finish)(xncc_sweep *sweep, xncc_match *match, size_t *found,
                                xncc_error *error);
    void (*sweep_end)(xncc_sweep *sweep);

    /* Runs many small searches (engine/chip_ops.h), and returns when all have finished. The
     * problems and decisions are for this engine, and all views are in host memory. NULL: the
     * engine does not offer it. */
    xncc_status (*chips)(xncc_engine *engine, const xncc_chip_run *run, xncc_error *error);

    /* The same for chips of which only what is read of their maps is wanted (xncc_chip_reads),
     * with images that may be in device memory. can_read_chips says whether it serves a problem.
     * NULL: the engine does not offer it. */
    int (*can_read_chips)(const xncc_engine *engine, const xncc_problem *problem);
    xncc_status (*read_chips)(xncc_engine *engine, const xncc_chip_reads *run, xncc_error *error);

    /* Returns 1 if the engine's device holds the memory at an address. NULL: the engine has none of
     * its own. */
    int (*holds)(const xncc_engine *engine, const void *address);
    /* Copies what the engine has to report that no call has failed for, as one line of text; "":
     * nothing. NULL: it never has. */
    void (*warning)(xncc_engine *engine, char *text, size_t size);

    /* Returns the engine whose share and suppress are used in place of this one's. NULL: itself. */
    xncc_engine *(*worker)(xncc_engine *engine);
    const struct xncc_batch_ops *share; /* see engine/batch_ops.h */
    /* See engine/batch_ops.h. NULL: the engine has no memory of its own. */
    const struct xncc_suppress_ops *suppress;
} xncc_engine_ops;

struct xncc_engine {
    const xncc_engine_ops *ops;
};

static inline int xncc_engine_is_ready(xncc_engine *engine, xncc_kernel kernel)
{
    return !engine->ops->ready || engine->ops->ready(engine, kernel);
}

static inline xncc_engine *xncc_engine_worker(xncc_engine *engine)
{
    return engine->ops->worker ? engine->ops->worker(engine) : engine;
}

#endif
