/* What the parts of the CPU engine share: the engine, a plan's work, and the start of a call. */
#ifndef CM_CPU_WORK_H
#define CM_CPU_WORK_H

#include "cpu/kernel.h"
#include "base/pool.h"
#include "engine/engine.h"

typedef struct cpu_engine {
    cm_engine base;
    cm_pool *pool;
    uint32_t features;
} cpu_engine;

struct cm_work {
    cpu_engine *engine;
    cm_problem problem;
    cm_progress *progress;
    const cm_cpu_kernel *kernel;
    cm_shape shape;
    int32_t map_width, map_height, x0, y0;
    float *band; /* of a sweep; taken when first needed */
    char *shared;
    uint64_t shared_of; /* serial of the template that shared was made for; 0: none */
    char *scratch; /* threads pieces of scratch_step bytes */
    uint64_t scratch_step;
};

static inline int32_t cm_smaller(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

static inline void *cm_work_scratch(const cm_work *work, int32_t slot)
{
    return work->scratch ? work->scratch + (uint64_t)slot * work->scratch_step : NULL;
}

static inline cm_job cm_job_make(const cm_work *work, const cm_image *image)
{
    return (cm_job){ .problem = &work->problem,
                     .image = image,
                     .x0 = work->x0,
                     .y0 = work->y0,
                     .map_width = work->map_width,
                     .map_height = work->map_height,
                     .shared = work->shared };
}

/* Gives a job its template. */
static inline void cm_job_seek(cm_job *job, const cm_template *part)
{
    const cm_problem *p = job->problem;
    job->part = part;
    job->rule = cm_score_rule_make(part, p->method, p->flat);
    if (cm_problem_route(p) == CM_ROUTE_JOINT)
        job->joint = cm_joint_rule_make(part, p->method, p->flat, p->min_valid);
}

/* The kernel's own form of the template; what a call with the same template left is used again. */
static inline void cm_work_prepare(cm_work *work, const cm_job *job)
{
    if (!work->kernel->begin || (job->part && job->part->serial == work->shared_of))
        return;
    work->kernel->begin(work->kernel, job, work->shared, cm_work_scratch(work, 0));
    work->shared_of = job->part ? job->part->serial : 0;
}

extern const struct cm_share_ops cm_cpu_share_ops; /* engine/many.h */

/* Gathers the matches of an image (engine.h), at once or as its rows arrive. */
cm_status cm_cpu_sweep_begin(cm_work *work, const cm_image *image, const cm_template *part, const cm_peak_rule *rule,
                             cm_sweep **sweep, cm_error *error);
cm_status cm_cpu_sweep_rows(cm_sweep *sweep, int32_t rows, cm_error *error);
cm_status cm_cpu_sweep_finish(cm_sweep *sweep, cm_match *match, size_t *found, cm_error *error);
void cm_cpu_sweep_end(cm_sweep *sweep);
cm_status cm_cpu_find(cm_work *work, const cm_image *image, const cm_template *part, const cm_peak_rule *rule,
                      cm_match *match, size_t *found, cm_stream stream, cm_error *error);

#endif
