/* SPDX-License-Identifier: BSD-2-Clause */
/* The members of a team: which of them are in use, and which one holds an address. */
#ifndef XNCC_TEAM_MEMBERS_H
#define XNCC_TEAM_MEMBERS_H

#include "base/pool.h"
#include "team/team.h"

#include <pthread.h>
#include <stdatomic.h>

/* The slot of the members' engine in templates and filters (xncc_slot). */
static inline int xncc_team_slot(xncc_device kind)
{
    return kind == XNCC_DEVICE_CUDA ? 1 : 0;
}

typedef struct xncc_member {
    xncc_recruit is;
    atomic_int lost; /* 1: it has failed, and is not used any more */
} xncc_member;

typedef struct xncc_team {
    xncc_engine base; /* first, so that an xncc_engine pointer is an xncc_team pointer */
    xncc_team_options options;
    int32_t count;
    xncc_member *member;
    xncc_pool *pool;      /* a thread per member, with the caller's */
    pthread_mutex_t lock; /* of the warning */
    xncc_error warning;   /* which members were lost, and why */
} xncc_team;

/* Returns the first member from `from` on that is in use, or -1. One member is always in use. */
int32_t xncc_member_from(const xncc_team *team, int32_t from);

/* The number of members in use. */
int32_t xncc_members_used(const xncc_team *team);

/* Returns the member that holds an address in device memory; if none says so, the first one in use.
 */
int32_t xncc_member_holding(const xncc_team *team, const void *address);

/* Writes which member an error is about in front of its text, unless the call was cancelled.
 * Returns the status. */
xncc_status xncc_member_name(const xncc_team *team, int32_t member, xncc_status status,
                             const xncc_error *why, xncc_error *error);

/* Handles what a member has returned. If it has failed and there are others to do its work, it is
 * lost from now on, the warning says so, and the result is XNCC_OK. Otherwise writes the error, and
 * returns the status.
 */
xncc_status xncc_member_fails(xncc_team *team, int32_t member, xncc_status status,
                              const xncc_error *why, xncc_error *error);

#endif
