/* SPDX-License-Identifier: BSD-2-Clause */
/* The CPU engine's internal objects: the engine, its plans, and the functions that start a call. */
#ifndef XNCC_CPU_CPU_PLAN_H
#define XNCC_CPU_CPU_PLAN_H

#include "cpu/kernels/kernel.h"
#include "base/pool.h"
#include "base/room.h"
#include "cpu/cpu_kept.h"
#include "engine/chip_ops.h"
#include "engine/engine.h"

typedef struct cpu_engine {
    xncc_engine base;
    xncc_pool *pool;
    xncc_kept kept; /* memory that plans have left */
    uint32_t features;
} cpu_engine;

typedef struct xncc_cpu_bounds xncc_cpu_bounds;     /* cpu_bounds.h */
typedef struct xncc_cpu_prepared xncc_cpu_prepared; /* cpu_prepared.h */

/* A template in the form that the kernel reads. */
typedef struct xncc_cpu_prepared_templ {
    uint64_t serial; /* of the template; 0: none */
    void *shared;
} xncc_cpu_prepared_templ;

struct xncc_engine_plan {
    cpu_engine *engine;
    xncc_problem problem;
    const xncc_watch *watch; /* of the running call */
    const xncc_cpu_kernel *kernel;
    /* The threads that pay for one map, at least 1. scratch: a piece of memory per seat; NULL: the
     * kernel needs none. */
    xncc_team team;
    uint64_t rare_bytes;    /* of the extra memory that scratch memory points to; 0: none */
    int32_t seats;          /* threads that have memory of the plan, at least 1 */
    xncc_cpu_blocks blocks; /* the decision's */
    xncc_cpu_blocks half;   /* the decision's, if has_half is 1 */
    int32_t has_half;
    xncc_cpu_bounds *bounds;     /* of batches; allocated on first use */
    xncc_cpu_prepared *prepared; /* of batches; allocated on first use; NULL: nothing is shared */
    xncc_extent map;
    const xncc_mask_sums *mask_sums; /* for the next call; NULL: none */
    xncc_room *bands;   /* rows of the map for a sweep, per seat; of all threads: the first */
    double estimate_ms; /* the decision's, for one map */
    int32_t is_part;    /* 1: of a call that has added all of its maps to the progress */
    xncc_cpu_prepared_templ templ; /* of the last call */
};

static inline xncc_job xncc_job_make(const xncc_engine_plan *plan, const xncc_image *image)
{
    return (xncc_job){ .problem = &plan->problem,
                       .blocks = &plan->blocks,
                       .image = image,
                       .x0 = plan->map.x0,
                       .y0 = plan->map.y0,
                       .watch = plan->watch,
                       .mask_sums = plan->mask_sums,
                       .shared = plan->templ.shared };
}

/* The elements of the plan's map. */
static inline uint64_t xncc_plan_elements(const xncc_engine_plan *plan)
{
    return (uint64_t)plan->map.width * (uint64_t)plan->map.height;
}

/* Sets the template and its scoring rules. */
static inline void xncc_job_set_template(xncc_job *job, const xncc_template *templ)
{
    const xncc_problem *p = job->problem;
    job->templ = templ;
    job->general = xncc_general_rule_make(templ, p->rule.flat, p->rule.min_valid);
    if (xncc_problem_route(p) != XNCC_ROUTE_GENERAL && !xncc_pixel_is_of_doubles(p->pixel))
        job->rule = xncc_score_rule_make(templ, p->rule.method, p->rule.flat);
}

/* Returns a thread's scratch memory for the kernel; NULL if it needs none. */
static inline void *xncc_plan_scratch(const xncc_engine_plan *plan, int32_t slot)
{
    return plan->team.scratch ? plan->team.scratch[slot] : NULL;
}

/* Prepares the template for this kernel in the plan. Does nothing if the previous call had the same
 * template. */
void xncc_plan_prepare(xncc_engine_plan *plan, const xncc_job *job);

/* The same in `prepared`, with the scratch memory of thread `slot`. */
void xncc_plan_prepare_in(const xncc_engine_plan *plan, const xncc_job *job, int32_t slot,
                          xncc_cpu_prepared_templ *prepared);

/* Rows of the map: where they are written, and the most rows of a rectangle. */
typedef struct xncc_band {
    float *out;      /* element (0, first) */
    ptrdiff_t pitch; /* elements from one row to the next */
    int32_t first, count, area_rows;
} xncc_band;

/* Computes a band: divides it into rectangles, which the threads of the pool fill. If the call is
 * cancelled, the rectangles that are left count as done, but are not filled. */
void xncc_plan_fill(const xncc_engine_plan *plan, const xncc_job *job, const xncc_band *band);

extern const struct xncc_batch_ops xncc_cpu_batch_ops; /* engine/batch_ops.h */

/* Runs many small searches (engine/chip_ops.h). */
xncc_status xncc_cpu_chips(xncc_engine *engine, const xncc_chip_run *run, xncc_error *error);

/* Searches an image for matches (engine.h): in one call, or step by step as rows arrive. */
xncc_status xncc_cpu_sweep_begin(xncc_engine_plan *plan, const xncc_image *image,
                                 const xncc_template *templ, const xncc_search_rule *rule,
                                 xncc_sweep **sweep, xncc_error *error);
xncc_status xncc_cpu_sweep_rows(xncc_sweep *sweep, int32_t rows, xncc_error *error);
xncc_status xncc_cpu_sweep_finish(xncc_sweep *sweep, xncc_match *match, size_t *found,
                                  xncc_error *error);
void xncc_cpu_sweep_end(xncc_sweep *sweep);
xncc_status xncc_cpu_find(xncc_engine_plan *plan, const xncc_image *image,
                          const xncc_template *templ, const xncc_search_rule *rule,
                          xncc_match *match, size_t *found, xncc_stream stream, xncc_error *error);

/* The same for several images: each by one thread, if there are enough of them. */
xncc_status xncc_cpu_find_images(xncc_engine_plan *plan, const xncc_image_group *group,
                                 const xncc_template *templ, const xncc_search_rule *rule,
                                 xncc_stream stream, xncc_error *error);

/* The same for several templates. */
xncc_status xncc_cpu_find_batch(xncc_engine_plan *plan, const xncc_image *image,
                                const xncc_templ_group *group, const xncc_search_rule *rule,
                                xncc_stream stream, xncc_error *error);

/* A search for several templates, of which some have been found. */
typedef struct xncc_templ_run {
    xncc_engine_plan *plan;
    const xncc_image *image;
    const xncc_templ_group *group;
    const xncc_search_rule *rule;
    char *done; /* per template, 1: found, or being searched for */
} xncc_templ_run;

/* Finds the matches of template i, and marks it as done. */
xncc_status xncc_cpu_find_one(const xncc_templ_run *run, size_t i, xncc_error *error);

/* Finds those of several masked templates that have a mask in common with another one. They share
 * its window sums. */
xncc_status xncc_cpu_find_alike(const xncc_templ_run *run, xncc_error *error);

#endif
