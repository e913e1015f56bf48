/* What the CPU's kernels cost: the measured table behind the decision. Pure functions of plain
 * data. */
#ifndef XNCC_PLAN_COST_H
#define XNCC_PLAN_COST_H

#include "plan/decide.h"

/* Milliseconds that a CPU kernel would take for a legal problem on this machine; negative when it
 * cannot serve it. */
double xncc_cost_cpu(const xncc_problem *problem, const xncc_machine *machine, xncc_kernel kernel);

#endif
