/* What kernels take for padded and joint problems, and whether they serve them. */
#ifndef CM_PLAN_COST_ROUTES_H
#define CM_PLAN_COST_ROUTES_H

#include "plan/decide.h"

/* As cm_cost_cpu, for a problem of any route. */
double cm_cost_cpu_routed(const cm_problem *problem, const cm_machine *machine, cm_kernel kernel);

/* As cm_fit_cuda, for a problem of any route. */
cm_status cm_fit_cuda_routed(const cm_problem *problem, const cm_machine *machine, cm_kernel kernel, cm_decision *fit, cm_error *error);

/* Bytes from row to row of an image that is laid out with its border; inner: cm_problem_inner. */
double cm_cuda_padded_pitch(const cm_problem *inner);

#endif
