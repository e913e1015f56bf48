/* How a kernel serves a problem on CUDA: its steps, blocks, bands and memory. Pure functions of
 * plain data. */
#ifndef XNCC_PLAN_FIT_CUDA_H
#define XNCC_PLAN_FIT_CUDA_H

#include "base/error.h"
#include "plan/decision.h"
#include "plan/machine.h"

/* Fits a kernel to a legal problem: fills all fields of *fit but those of the choice among kernels.
 * Returns XNCC_OK, or XNCC_ERROR_UNSUPPORTED with a text that names the limit. */
xncc_status xncc_fit_cuda(const xncc_problem *problem, const xncc_machine *machine,
                          xncc_kernel kernel, xncc_decision *fit, xncc_error *error);

/* Returns 1 if a decision has a step. */
int xncc_decision_has(const xncc_decision *decision, xncc_step step);

/* Fills the workspace of a decision for its steps, blocks and bands. */
void xncc_workspace_make(const xncc_problem *problem, xncc_decision *decision);

/* Fills decision->batch, and adds its memory to the workspace. limit: the most bytes of all. */
void xncc_batch_slots_make(const xncc_problem *problem, uint64_t limit, xncc_decision *decision);

/* Returns 1 if the template is laid out for the matrix products from its own pixels. Otherwise its
 * byte planes are made first. */
int xncc_reads_template_pixels(const xncc_problem *problem, const xncc_decision *decision);

#endif
