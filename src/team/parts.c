/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs the parts of a call on the members of a team (parts.h). */
#include "team/parts.h"

#include "base/memory.h"

/* A round: the parts that are left, dealt to the members in use. */
typedef struct rounds {
    xncc_team_plan *plan;
    const xncc_parts *parts;
    int32_t *left;   /* numbers of the parts that are left */
    int32_t count;   /* of them */
    int32_t *member; /* numbers of the members */
    int32_t members; /* of them, at most `count` */
    /* What became of the parts of each member: how many succeeded, and why the next one failed. */
    int32_t *done;
    xncc_status *status;
    xncc_error *why;
} rounds;

/* Computes the parts index, index + members, ... of those that are left. */
static void run_member(void *argument, uint64_t index, int32_t slot)
{
    rounds *r = argument;
    (void)slot;
    r->done[index] = 0;
    r->status[index] = XNCC_OK;
    for (int64_t i = (int64_t)index; i < r->count && !r->status[index]; i += r->members) {
        r->status[index] = r->parts->function(r->plan, r->parts->argument, r->member[index],
                                              r->left[i], &r->why[index]);
        r->done[index] += !r->status[index];
    }
}

/* Returns the first member from `from` on that parts are dealt to, or a negative number. */
static int32_t next_member(const rounds *r, int32_t from)
{
    return r->parts->fixed ? from : xncc_member_from(r->plan->team, from);
}

/* Deals the parts that are left. Parts that are fixed are all left. */
static void deal(rounds *r)
{
    r->members = 0;
    for (int32_t m = next_member(r, 0); m >= 0 && r->members < r->count; m = next_member(r, m + 1))
        r->member[r->members++] = m;
}

/* Keeps the parts that were not computed, in ascending order. */
static void keep_left(rounds *r)
{
    int32_t kept = 0;
    for (int32_t i = 0; i < r->count; i++)
        if (i / r->members >= r->done[i % r->members])
            r->left[kept++] = r->left[i];
    r->count = kept;
}

/* Returns the failure that the others cannot make good, or XNCC_OK. */
static xncc_status judge(const rounds *r, xncc_error *error)
{
    xncc_status status = XNCC_OK;
    for (int32_t i = 0; i < r->members && !status; i++)
        if (r->status[i] && r->status[i] != XNCC_ERROR_DEVICE)
            status = r->status[i] == XNCC_ERROR_CANCELLED
                         ? xncc_fail(error, r->status[i], "%s", r->why[i].text)
                         : xncc_member_name(r->plan->team, r->member[i], r->status[i], &r->why[i],
                                            error);
    for (int32_t i = 0; i < r->members && !status; i++)
        if (r->status[i])
            status = r->parts->fixed ? xncc_member_name(r->plan->team, r->member[i], r->status[i],
                                                        &r->why[i], error)
                                     : xncc_member_fails(r->plan->team, r->member[i], r->status[i],
                                                         &r->why[i], error);
    return status;
}

static xncc_status run_rounds(rounds *r, xncc_error *error)
{
    xncc_status status = XNCC_OK;
    while (r->count > 0 && !status) {
        deal(r);
        xncc_pool_run_on(r->plan->team->pool, r->members, (uint64_t)r->members, run_member, r);
        status = judge(r, error);
        if (!status)
            keep_left(r);
    }
    return status;
}

xncc_status xncc_parts_run(xncc_team_plan *plan, const xncc_parts *parts, xncc_error *error)
{
    const uint64_t most = (uint64_t)plan->team->count;
    rounds r = { .plan = plan, .parts = parts, .count = parts->count };
    r.left = xncc_alloc(most, sizeof *r.left);
    r.member = xncc_alloc(most, sizeof *r.member);
    r.done = xncc_alloc(most, sizeof *r.done);
    r.status = xncc_alloc(most, sizeof *r.status);
    r.why = xncc_alloc(most, sizeof *r.why);
    xncc_status status = XNCC_OK;
    if (!r.left || !r.member || !r.done || !r.status || !r.why)
        status = xncc_fail(error, XNCC_ERROR_MEMORY, "no memory for the parts of a call");
    for (int32_t i = 0; i < parts->count && !status; i++)
        r.left[i] = i;
    if (!status)
        status = run_rounds(&r, error);
    xncc_free(r.left);
    xncc_free(r.member);
    xncc_free(r.done);
    xncc_free(r.status);
    xncc_free(r.why);
    return status;
}
