/* The text that describes a decision to people. */
#ifndef XNCC_PLAN_EXPLAIN_H
#define XNCC_PLAN_EXPLAIN_H

#include "plan/decision.h"

#include <stddef.h>

/* Writes at most size bytes, always terminated by a zero: the kernel with the reason, why others
 * of a list were refused, which memory holds what, the steps, the sums, the blocks, the bands and
 * the device memory, one per line. size: at least 1. */
void xncc_decision_explain(const xncc_decision *decision, char *text, size_t size);

#endif
