/* What the CPU's kernels cost: the measured table behind the decision. Pure functions of plain data. */
#ifndef CM_PLAN_COST_H
#define CM_PLAN_COST_H

#include "plan/decide.h"

/* Milliseconds that a CPU kernel would take for a legal problem on this machine; negative when it cannot serve it. */
double cm_cost_cpu(const cm_problem *problem, const cm_machine *machine, cm_kernel kernel);

#endif
