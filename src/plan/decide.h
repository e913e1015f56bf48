/* SPDX-License-Identifier: BSD-2-Clause */
/* The decision: which kernel serves a problem on a machine, as a struct, as a text for people, and
 * as numbers for programs. Pure functions of plain data, so they give the same answer everywhere.
 */
#ifndef XNCC_PLAN_DECIDE_H
#define XNCC_PLAN_DECIDE_H

#include "base/error.h"
#include "exactncc/plan.h"
#include "plan/decision.h"
#include "plan/machine.h"

/* Returns 1 if a map whose windows are all in doubt might take far longer than the estimate.
 * Kernels for floats settle such windows together; others settle them one by one. */
int xncc_is_at_risk(const xncc_problem *problem, const xncc_decision *decision);

/* A kernel that is at risk is not chosen if one that is not takes at most so many times as long. */
#define XNCC_SAFETY 3.0

/* Chooses the kernel with the lowest estimate among those that can serve the problem, but for those
 * at risk (above); if the preference lists names, among those of the first name that has any.
 * problem: need not be legal. preference: NULL means none. decision: unchanged after a failure.
 * Returns XNCC_OK, XNCC_ERROR_ARGUMENT (an illegal problem or preference, an unknown kernel name),
 * or XNCC_ERROR_UNSUPPORTED if no kernel, or none of the requested ones, can serve the problem; the
 * error text then names the limit, for a list those of all its names as far as they fit. */
xncc_status xncc_decide(const xncc_problem *problem, const xncc_machine *machine,
                        const xncc_preference *preference, xncc_decision *decision,
                        xncc_error *error);

/* Writes at most size bytes, always terminated by a zero: the kernel with the reason, why others
 * of a list were refused, which memory holds what, the steps, the sums, the blocks, the bands and
 * the device memory, one per line. size: at least 1. */
void xncc_decision_explain(const xncc_decision *decision, char *text, size_t size);

/* Fills *info for a map of width x height elements. */
void xncc_decision_describe(const xncc_decision *decision, int32_t width, int32_t height,
                            xncc_plan_info *info);

#endif
