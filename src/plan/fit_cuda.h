/* SPDX-License-Identifier: BSD-2-Clause */
/* How a kernel serves a problem on CUDA: its steps, blocks, bands and memory. Pure functions of
 * plain data. */
#ifndef XNCC_PLAN_FIT_CUDA_H
#define XNCC_PLAN_FIT_CUDA_H

#include "base/error.h"
#include "plan/decision.h"
#include "plan/machine.h"

/* Fits a kernel, fit->kernel, to a legal problem: fills all fields of *fit but those of the choice
 * among kernels. Returns XNCC_OK, or XNCC_ERROR_UNSUPPORTED with a text that names the limit. */
xncc_status xncc_fit_cuda(const xncc_problem *problem, const xncc_machine *machine,
                          xncc_decision *fit, xncc_error *error);

#endif
