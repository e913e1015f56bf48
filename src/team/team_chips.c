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

static xncc_status run_on(const xncc_team *team, int32_t member, const xncc_chip_reads *run,
                          xncc_error *why)
{
    xncc_engine *engine = team->member[member].is.engine;
    return engine->ops->read_chips(engine, run, why);
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
        xncc_error why = { "" };
        failed = run_on(team, member, run, &why);
        if (failed == XNCC_ERROR_CANCELLED)
            status = xncc_fail(error, failed, "%s", why.text);
        else if (holder >= 0 || !failed)
            status = xncc_member_name(team, member, failed, &why, error);
        else
            status = xncc_member_fails(team, member, failed, &why, error);
    } while (failed && !status);
    return status;
}
