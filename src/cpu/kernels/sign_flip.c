/* Signed pixels for kernels that know only unsigned ones. Used for methods that compare
 * differences, which do not change when a constant (the bias) is added to every sample. */
#include "cpu/kernels/general.h"

#include <assert.h>

static xncc_pixel unsigned_of(xncc_pixel pixel)
{
    assert(pixel == XNCC_S8 || pixel == XNCC_S16);
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

/* A job whose views of pixels are unsigned. The template is stored with its bias added. */
typedef struct flipped_job {
    xncc_problem problem;
    xncc_template templ;
    xncc_image image;
    xncc_job job;
} flipped_job;

static void flip_job(flipped_job *f, const xncc_job *job)
{
    f->problem = unsigned_problem(job->problem);
    f->templ = *job->templ;
    f->templ.pixel = unsigned_of(f->templ.pixel);
    f->image = *job->image;
    f->image.pixel = unsigned_of(f->image.pixel);
    f->job = *job;
    f->job.problem = &f->problem;
    f->job.templ = &f->templ;
    f->job.image = &f->image;
    f->job.sign_flipped = 1;
}

void xncc_signed_begin(const xncc_cpu_kernel *self, const xncc_job *job, void *shared,
                       void *scratch)
{
    const xncc_cpu_kernel *inner = self->variant;
    flipped_job f;
    flip_job(&f, job);
    inner->begin(inner, &f.job, shared, scratch);
}

void xncc_signed_area(const xncc_cpu_kernel *self, const xncc_job *job, void *scratch,
                      const xncc_area *area)
{
    const xncc_cpu_kernel *inner = self->variant;
    flipped_job f;
    flip_job(&f, job);
    inner->area(inner, &f.job, scratch, area);
}
