/* Whether kernels can serve a problem of any route, and their estimated time. */
#ifndef XNCC_PLAN_COST_ROUTES_H
#define XNCC_PLAN_COST_ROUTES_H

#include "plan/decision.h"
#include "plan/machine.h"

/* xncc_cost_cpu for a problem of any route. */
double xncc_cost_cpu_routed(const xncc_problem *problem, const xncc_machine *machine,
                            xncc_kernel kernel);

#endif
