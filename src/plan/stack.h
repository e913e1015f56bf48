/* SPDX-License-Identifier: BSD-2-Clause */
/* Many small images in one launch: they lie below each other and form a stack, which is one tall
 * image for the steps up to the map. Map row y of image i is row i * H + y of the map of the stack.
 * Rows whose windows lie in two images are computed, too, and not searched: the search has a slot
 * per image (cuda/peaks/peak_search.h). In mode valid a score depends on its window alone, so the
 * maps of the images are exactly parts of that of the stack. Pure functions of plain data. */
#ifndef XNCC_PLAN_STACK_H
#define XNCC_PLAN_STACK_H

#include "plan/decision.h"
#include "plan/machine.h"

/* The stack of a plan: a problem and a decision of its own. */
typedef struct xncc_stack_plan {
    xncc_problem problem;
    xncc_decision decision;
    uint64_t image_pitch;  /* bytes per row of copied images */
    uint64_t image_bytes;  /* of the copied images of a stack. XNCC_BUFFER_BATCH begins with two of
                              these: while one stack is searched, the next one is copied */
    uint64_t search_bytes; /* of the search, without its results, which follows them */
    uint64_t result_bytes; /* of the results, which follow the search */
} xncc_stack_plan;

/* Decides how a plan searches `preference->images` images, of which several devices get a share
 * each, and returns what goes to decision->stack of the plan. Fills *stack if that has at least two
 * images. decision: of the plan; the memory of both is within the machine's limit. */
xncc_stack xncc_stack_choose(const xncc_problem *problem, const xncc_machine *machine,
                             const xncc_preference *preference, const xncc_decision *decision,
                             xncc_stack_plan *stack);

#endif
