/* Whether a CUDA kernel can serve a problem of any route, and its estimated time. */
#ifndef XNCC_PLAN_COST_ROUTES_H
#define XNCC_PLAN_COST_ROUTES_H

#include "base/error.h"
#include "plan/decision.h"
#include "plan/machine.h"

/* xncc_fit_cuda for a problem of any route. */
xncc_status xncc_fit_cuda_routed(const xncc_problem *problem, const xncc_machine *machine,
                                 xncc_kernel kernel, xncc_decision *fit, xncc_error *error);

/* Bytes per row of an image that is laid out with its border. inner: xncc_problem_inner. */
double xncc_cuda_padded_pitch(const xncc_problem *inner);

#endif
