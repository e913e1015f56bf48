/* SPDX-License-Identifier: BSD-2-Clause */
/* Hands tracking to one member (team_run.h). */
#include "team/team_run.h"

#include "team/members.h"

int xncc_team_can_read_chips(const xncc_engine *engine, const xncc_problem *problem)
{
    const xncc_team *team = (const xncc_team *)engine;
    const xncc_engine *first = team->member[xncc_member_from(team, 0)].is.engine;
    return first->ops->can_read_chips && first->ops->can_read_chips(first, problem);
}

/* The member that holds one of the images, or -1. */
static int32_t holder_of(const xncc_team *team, const xncc_chip_reads *run)
{
    if (run->from->memory == XNCC_DEVICE)
        return xncc_member_holding(team, run->from->data);
    return run->scene->memory == XNCC_DEVICE ? xncc_member_holding(team, run->scene->data) : -1;
}

/* A run that another member takes over begins anew: what it sets depends on the images alone. */
xncc_status xncc_team_read_chips(xncc_engine *engine, const xncc_chip_reads *run, xncc_error *error)
{
    xncc_team *team = (xncc_team *)engine;
    const int32_t holder = holder_of(team, run);
    xncc_status failed, status;
    do {
        const int32_t member = holder < 0 ? xncc_member_from(team, 0) : holder;
        xncc_engine *is = team->member[member].is.engine;
        xncc_error why = { "" };
        failed = is->ops->read_chips(is, run, &why);
        status = holder >= 0 ? xncc_member_name(team, member, failed, &why, error)
                             : xncc_member_fails(team, member, failed, &why, error);
    } while (failed && !status);
    return status;
}
