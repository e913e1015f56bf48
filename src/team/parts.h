/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs the parts of a call on the members of a team, each on a thread of its own. */
#ifndef XNCC_TEAM_PARTS_H
#define XNCC_TEAM_PARTS_H

#include "team/team_plan.h"

/* Computes a part on a member. No two calls at once have the same member or the same part. */
typedef xncc_status (*xncc_part_fn)(xncc_team_plan *plan, void *argument, int32_t member,
                                    int32_t part, xncc_error *error);

/* The parts of a call. */
typedef struct xncc_parts {
    xncc_part_fn function;
    void *argument;
    int32_t count; /* 1 .. the members of the team */
    int fixed;     /* 1: member i computes part i, and no other member can */
} xncc_parts;

/* Computes all parts. The parts of a member that fails go to the others, unless they are fixed or
 * the team is strict. Returns the status of the first part that failed otherwise; the text names
 * its member. */
xncc_status xncc_parts_run(xncc_team_plan *plan, const xncc_parts *parts, xncc_error *error);

#endif
