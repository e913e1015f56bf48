/* SPDX-License-Identifier: BSD-2-Clause */
/* A team's part of a plan: a plan of each member that was used so far. */
#ifndef XNCC_TEAM_TEAM_PLAN_H
#define XNCC_TEAM_TEAM_PLAN_H

#include "plan/spread.h"
#include "image/rectangle.h"
#include "team/members.h"

/* A member's form of a template or a filter: a copy, which differs from the caller's only in what
 * that member prepared. The pixels and taps are shared. */
typedef struct xncc_team_form {
    int is_filter; /* which of them it is */
    union {
        xncc_template templ;
        xncc_filter filter;
    } of;
} xncc_team_form;

/* What a plan has on one member. A member works on one part at a time. */
typedef struct xncc_seat {
    xncc_engine_plan *plan; /* NULL: none yet */
    xncc_problem problem;   /* that it was bound to */
    xncc_room image;        /* the image of a band with its border */
    xncc_room rows;         /* the output of a convolution of a band */
} xncc_seat;

typedef struct xncc_team_plan {
    xncc_team *team;
    xncc_problem problem;
    xncc_decision decision;
    const xncc_watch *watch;
    int stays;        /* 1: a call had device memory, so the members' plans stay as they are */
    xncc_seat seat[]; /* of each member */
} xncc_team_plan;

/* Returns the team's plan behind the engine's. */
static inline xncc_team_plan *xncc_team_plan_of(xncc_engine_plan *plan)
{
    return (xncc_team_plan *)(void *)plan;
}

/* Returns a member's form of a template or a filter of the team. */
const xncc_template *xncc_team_template(const xncc_team_plan *plan, const xncc_template *templ,
                                        int32_t member);
const xncc_filter *xncc_team_filter(const xncc_team_plan *plan, const xncc_filter *filter,
                                    int32_t member);

/* Binds the member's plan to a problem, unless it is bound to it. The member's plan for another
 * problem is freed first, so that a device has memory for one at a time. The plan's own problem
 * comes with a stack of images, if the decision wants one. */
xncc_status xncc_seat_take(xncc_team_plan *plan, int32_t member, const xncc_problem *problem,
                           xncc_error *error);

xncc_status xncc_team_bind(xncc_engine *engine, const xncc_problem *problem,
                           const xncc_decision *decision, const xncc_stack_plan *stack,
                           const xncc_watch *watch, xncc_engine_plan **plan, xncc_error *error);
void xncc_team_unbind(xncc_engine_plan *plan);
xncc_status xncc_team_wait(xncc_engine_plan *plan, xncc_error *error);

#endif
