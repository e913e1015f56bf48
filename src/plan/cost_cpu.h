/* The cost of the CPU kernels on plain problems: the measured table behind the decision. A pure
 * function of plain data. */
#ifndef XNCC_PLAN_COST_CPU_H
#define XNCC_PLAN_COST_CPU_H

#include "plan/kernels.h"
#include "plan/machine.h"

/* The estimated time of a CPU kernel for a legal plain problem, in milliseconds; negative if the
 * kernel cannot serve it on this machine. */
double xncc_cost_cpu(const xncc_problem *problem, const xncc_machine *machine, xncc_kernel kernel);

#endif
