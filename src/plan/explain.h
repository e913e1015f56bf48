/* SPDX-License-Identifier: BSD-2-Clause */
/* What describes a decision: a text for people, and numbers for programs. */
#ifndef XNCC_PLAN_EXPLAIN_H
#define XNCC_PLAN_EXPLAIN_H

#include "exactncc/plan.h"
#include "plan/decision.h"

#include <stddef.h>

/* Writes at most size bytes, always terminated by a zero: the kernel with the reason, why others
 * of a list were refused, which memory holds what, the steps, the sums, the blocks, the bands and
 * the device memory, one per line. size: at least 1. */
void xncc_decision_explain(const xncc_decision *decision, char *text, size_t size);

/* Fills *info for a map of width x height elements. */
void xncc_decision_describe(const xncc_decision *decision, int32_t width, int32_t height,
                            xncc_plan_info *info);

#endif
