/* SPDX-License-Identifier: BSD-2-Clause */
/* Whether a CPU kernel can serve a problem, in which blocks, and its estimated time: the measured
 * table behind the decision. A pure function of plain data. */
#ifndef XNCC_PLAN_COST_CPU_H
#define XNCC_PLAN_COST_CPU_H

#include "plan/cpu_blocks.h"
#include "plan/machine.h"

/* Fills *blocks and returns the estimated time of a CPU kernel for a legal problem in milliseconds;
 * negative if the kernel cannot serve it on this machine. */
double xncc_cost_cpu(const xncc_problem *problem, const xncc_machine *machine, xncc_kernel kernel,
                     xncc_cpu_blocks *blocks);

/* Returns how many of `all` threads pay for a call that takes all of them so many milliseconds:
 * each has work for longer than it takes to wake it. */
int32_t xncc_cpu_threads_that_pay(double milliseconds, int32_t all);

#endif
