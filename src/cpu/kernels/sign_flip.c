/* Signed pixels for kernels that know unsigned ones: where a method looks at differences only, the
 * bias moves nothing.
 */
#include "cpu/kernels/general.h"

static xncc_pixel unsigned_of(xncc_pixel pixel)
{
    return pixel == XNCC_S8 ? XNCC_U8 : XNCC_U16;
}

static xncc_problem unsigned_problem(const xncc_problem *problem)
{
    xncc_problem p = *problem;
    p.pixel = unsigned_of(p.pixel);
    return p;
}

void xncc_signed_shape(const xncc_cpu_kernel *self, const xncc_problem *problem, xncc_shape *shape)
{
    const xncc_cpu_kernel *inner = self->variant;
    const xncc_problem p = unsigned_problem(problem);
    inner->shape(inner, &p, shape);
}

/* What a job's views of pixels become; the template's are stored with their bias. */
typedef struct turned {
    xncc_problem problem;
    xncc_template templ;
    xncc_image image;
    xncc_job job;
} turned;

static void turn(turned *t, const xncc_job *job)
{
    t->problem = unsigned_problem(job->problem);
    t->templ = *job->templ;
    t->templ.pixel = unsigned_of(t->templ.pixel);
    t->image = *job->image;
    t->image.pixel = unsigned_of(t->image.pixel);
    t->job = *job;
    t->job.problem = &t->problem;
    t->job.templ = &t->templ;
    t->job.image = &t->image;
    t->job.turned = 1;
}

void xncc_signed_begin(const xncc_cpu_kernel *self, const xncc_job *job, void *shared,
                       void *scratch)
{
    const xncc_cpu_kernel *inner = self->variant;
    turned t;
    turn(&t, job);
    inner->begin(inner, &t.job, shared, scratch);
}

void xncc_signed_area(const xncc_cpu_kernel *self, const xncc_job *job, void *scratch,
                      const xncc_area *area)
{
    const xncc_cpu_kernel *inner = self->variant;
    turned t;
    turn(&t, job);
    inner->area(inner, &t.job, scratch, area);
}
