/* What the parts of the CPU engine share: the engine, a plan's work, and the start of a call. */
#ifndef XNCC_CPU_WORK_H
#define XNCC_CPU_WORK_H

#include "cpu/kernel.h"
#include "base/pool.h"
#include "engine/engine.h"

typedef struct cpu_engine {
    xncc_engine base;
    xncc_pool *pool;
    uint32_t features;
} cpu_engine;

struct xncc_work {
    cpu_engine *engine;
    xncc_problem problem;
    xncc_progress *progress;
    const xncc_cpu_kernel *kernel;
    xncc_shape shape;
    int32_t map_width, map_height, x0, y0;
    float *band; /* of a sweep; taken when first needed */
    char *shared;
    uint64_t shared_of; /* serial of the template that shared was made for; 0: none */
    char *scratch;      /* threads pieces of scratch_step bytes */
    uint64_t scratch_step;
};

static inline int32_t xncc_smaller(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

static inline void *xncc_work_scratch(const xncc_work *work, int32_t slot)
{
    return work->scratch ? work->scratch + (uint64_t)slot * work->scratch_step : NULL;
}

static inline xncc_job xncc_job_make(const xncc_work *work, const xncc_image *image)
{
    return (xncc_job){ .problem = &work->problem,
                       .image = image,
                       .x0 = work->x0,
                       .y0 = work->y0,
                       .map_width = work->map_width,
                       .map_height = work->map_height,
                       .shared = work->shared };
}

/* Gives a job its template. */
static inline void xncc_job_seek(xncc_job *job, const xncc_template *part)
{
    const xncc_problem *p = job->problem;
    job->part = part;
    job->rule = xncc_score_rule_make(part, p->method, p->flat);
    if (xncc_problem_route(p) == XNCC_ROUTE_JOINT)
        job->joint = xncc_joint_rule_make(part, p->method, p->flat, p->min_valid);
}

/* The kernel's own form of the template; what a call with the same template left is used again. */
static inline void xncc_work_prepare(xncc_work *work, const xncc_job *job)
{
    if (!work->kernel->begin || (job->part && job->part->serial == work->shared_of))
        return;
    work->kernel->begin(work->kernel, job, work->shared, xncc_work_scratch(work, 0));
    work->shared_of = job->part ? job->part->serial : 0;
}

extern const struct xncc_share_ops xncc_cpu_share_ops; /* engine/many.h */

/* Gathers the matches of an image (engine.h), at once or as its rows arrive. */
xncc_status xncc_cpu_sweep_begin(xncc_work *work, const xncc_image *image,
                                 const xncc_template *part, const xncc_peak_rule *rule,
                                 xncc_sweep **sweep, xncc_error *error);
xncc_status xncc_cpu_sweep_rows(xncc_sweep *sweep, int32_t rows, xncc_error *error);
xncc_status xncc_cpu_sweep_finish(xncc_sweep *sweep, xncc_match *match, size_t *found,
                                  xncc_error *error);
void xncc_cpu_sweep_end(xncc_sweep *sweep);
xncc_status xncc_cpu_find(xncc_work *work, const xncc_image *image, const xncc_template *part,
                          const xncc_peak_rule *rule, xncc_match *match, size_t *found,
                          xncc_stream stream, xncc_error *error);

#endif
