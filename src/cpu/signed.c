/* Signed pixels for kernels that know unsigned ones: where a method looks at differences only, the bias moves nothing.
 */
#include "cpu/joint.h"

static cm_pixel unsigned_of(cm_pixel pixel)
{
    return pixel == CM_S8 ? CM_U8 : CM_U16;
}

static cm_problem unsigned_problem(const cm_problem *problem)
{
    cm_problem p = *problem;
    p.pixel = unsigned_of(p.pixel);
    return p;
}

void cm_signed_shape(const cm_cpu_kernel *self, const cm_problem *problem, cm_shape *shape)
{
    const cm_cpu_kernel *inner = self->variant;
    const cm_problem p = unsigned_problem(problem);
    inner->shape(inner, &p, shape);
}

/* What a job's views of pixels become; the template's are stored with their bias. */
typedef struct turned {
    cm_problem problem;
    cm_template part;
    cm_image image;
    cm_job job;
} turned;

static void turn(turned *t, const cm_job *job)
{
    t->problem = unsigned_problem(job->problem);
    t->part = *job->part;
    t->part.pixel = unsigned_of(t->part.pixel);
    t->image = *job->image;
    t->image.pixel = unsigned_of(t->image.pixel);
    t->job = *job;
    t->job.problem = &t->problem;
    t->job.part = &t->part;
    t->job.image = &t->image;
    t->job.turned = 1;
}

void cm_signed_begin(const cm_cpu_kernel *self, const cm_job *job, void *shared, void *scratch)
{
    const cm_cpu_kernel *inner = self->variant;
    turned t;
    turn(&t, job);
    inner->begin(inner, &t.job, shared, scratch);
}

void cm_signed_area(const cm_cpu_kernel *self, const cm_job *job, void *scratch, const cm_area *area)
{
    const cm_cpu_kernel *inner = self->variant;
    turned t;
    turn(&t, job);
    inner->area(inner, &t.job, scratch, area);
}
