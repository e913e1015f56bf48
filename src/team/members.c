/* SPDX-License-Identifier: BSD-2-Clause */
/* The members of a team (members.h). */
#include "team/members.h"

int32_t xncc_member_from(const xncc_team *team, int32_t from)
{
    for (int32_t i = from; i < team->count; i++)
        if (!atomic_load(&team->member[i].lost))
            return i;
    return -1;
}

int32_t xncc_members_used(const xncc_team *team)
{
    int32_t used = 0;
    for (int32_t i = 0; i < team->count; i++)
        used += !atomic_load(&team->member[i].lost);
    return used;
}

int32_t xncc_member_holding(const xncc_team *team, const void *address)
{
    for (int32_t i = 0; i < team->count; i++) {
        const xncc_engine *engine = team->member[i].is.engine;
        if (engine->ops->holds && engine->ops->holds(engine, address))
            return i;
    }
    return xncc_member_from(team, 0);
}

xncc_status xncc_member_name(const xncc_team *team, int32_t member, xncc_status status,
                             const xncc_error *why, xncc_error *error)
{
    if (status == XNCC_ERROR_CANCELLED)
        return xncc_fail(error, status, "%s", why->text);
    return status ? xncc_fail(error, status, "%s: %s", team->member[member].is.name, why->text)
                  : XNCC_OK;
}

/* Adds the loss of a member to the warning. What does not fit is cut. The lock is held. */
static void warn(xncc_team *team, int32_t member, const xncc_error *why)
{
    const xncc_error before = team->warning;
    (void)xncc_fail(&team->warning, XNCC_ERROR_DEVICE,
                    "%s%s%s has failed, and the other devices do its work: %s", before.text,
                    before.text[0] ? "; " : "", team->member[member].is.name, why->text);
}

xncc_status xncc_member_fails(xncc_team *team, int32_t member, xncc_status status,
                              const xncc_error *why, xncc_error *error)
{
    if (status != XNCC_ERROR_DEVICE || team->options.strict)
        return xncc_member_name(team, member, status, why, error);
    pthread_mutex_lock(&team->lock);
    const int known = atomic_load(&team->member[member].lost), /* by another call */
        last = !known && xncc_members_used(team) == 1;
    if (!known && !last) {
        atomic_store(&team->member[member].lost, 1);
        warn(team, member, why);
    }
    pthread_mutex_unlock(&team->lock);
    return last ? xncc_member_name(team, member, status, why, error) : XNCC_OK;
}
