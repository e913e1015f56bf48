/* SPDX-License-Identifier: BSD-2-Clause */
/* What a plan keeps for the bounds of its batches: half images, and templates in the form that the
 * kernels read. */
#ifndef XNCC_CPU_CPU_BOUNDS_H
#define XNCC_CPU_CPU_BOUNDS_H

#include "cpu/cpu_plan.h"
#include "cpu/kernels/bounds.h"

/* A template. */
typedef struct xncc_cpu_bound_templ {
    xncc_cpu_prepared_templ prepared; /* once the rest is filled */
    int32_t flat;                     /* 1: it has no bound, and the rest is not filled */
    xncc_bound_templ bound;
    uint8_t *pixels;   /* of bound.half */
    void *half_shared; /* what the kernel prepared of the half */
} xncc_cpu_bound_templ;

struct xncc_cpu_bounds {
    xncc_halves halves;
    xncc_cpu_bound_templ *templ; /* and their memory */
    size_t count;
    char *scratch; /* scratch_step bytes per thread */
    uint64_t scratch_step;
    double mean_scale, mean_rest; /* of the windows, about */
    int32_t pause;                /* calls that do without bounds, since they did not pay lately */
};

/* Makes the bounds of a plan that has half blocks ready for an image and for templates. Returns
 * XNCC_OK, XNCC_ERROR_MEMORY, or XNCC_ERROR_CANCELLED. */
xncc_status xncc_cpu_bounds_prepare(xncc_templ_run *run, xncc_error *error);

/* Returns 1 if few windows of the image can be expected to have a bound above `limit`. Any answer
 * is right: it decides only how long the search takes. */
int xncc_cpu_bounds_pay(const xncc_cpu_bounds *bounds, size_t templ, float limit);

/* NULL is allowed. */
void xncc_cpu_bounds_destroy(xncc_cpu_bounds *bounds);

#endif
