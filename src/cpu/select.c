/* Which code serves a row of the kernel table. */
#include "cpu/kernel.h"

static const cm_cpu_kernel *matching(cm_kernel kernel)
{
    switch (kernel) {
    case CM_KERNEL_REFERENCE:
        return &cm_reference_match;
    default:
        return NULL;
    }
}

static const cm_cpu_kernel *convolving(cm_kernel kernel)
{
    switch (kernel) {
    case CM_KERNEL_REFERENCE:
        return &cm_reference_convolve;
    default:
        return NULL;
    }
}

const cm_cpu_kernel *cm_cpu_kernel_of(cm_kernel kernel, const cm_problem *problem)
{
    return problem->task == CM_TASK_MATCH ? matching(kernel) : convolving(kernel);
}
