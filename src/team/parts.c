/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs the parts of a call on the members of a team (parts.h). */
#include "team/parts.h"

#include "base/memory.h"

/* The share of a member in a round, and what became of it. */
typedef struct share {
    int32_t member;
    int32_t done; /* how many of its parts succeeded */
    xncc_status status;
    xncc_error why; /* the next one failed */
} share;

/* A round: the parts that are left, dealt to the members in use. */
typedef struct rounds {
    xncc_team_plan *plan;
    const xncc_parts *parts;
    int32_t *left;   /* numbers of the parts that are left */
    int32_t count;   /* of them */
    int32_t members; /* that have a share, at most `count` */
    share *share;
} rounds;

/* Computes the parts index, index + members, ... of those that are left. */
static void run_member(void *argument, uint64_t index, int32_t slot)
{
    const rounds *r = argument;
    share *s = &r->share[index];
    (void)slot;
    s->done = 0;
    s->status = XNCC_OK;
    for (int64_t i = (int64_t)index; i < r->count && !s->status; i += r->members) {
        s->status = r->parts->function(r->plan, r->parts->argument, s->member, r->left[i], &s->why);
        s->done += !s->status;
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
        r->share[r->members++].member = m;
}

/* Keeps the parts that were not computed, in ascending order. */
static void keep_left(rounds *r)
{
    int32_t kept = 0;
    for (int32_t i = 0; i < r->count; i++)
        if (i / r->members >= r->share[i % r->members].done)
            r->left[kept++] = r->left[i];
    r->count = kept;
}

/* Returns the failure that the others cannot make good, or XNCC_OK. The failure of a device comes
 * last. */
static xncc_status judge(const rounds *r, xncc_error *error)
{
    xncc_status status = XNCC_OK;
    for (int device = 0; device <= 1; device++)
        for (int32_t i = 0; i < r->members && !status; i++) {
            const share *s = &r->share[i];
            if ((s->status == XNCC_ERROR_DEVICE) == device)
                status = r->parts->fixed
                             ? xncc_member_name(r->plan->team, s->member, s->status, &s->why, error)
                             : xncc_member_fails(r->plan->team, s->member, s->status, &s->why,
                                                 error);
        }
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
    r.share = xncc_alloc(most, sizeof *r.share);
    xncc_status status = XNCC_OK;
    if (!r.left || !r.share)
        status = xncc_fail(error, XNCC_ERROR_MEMORY, "no memory for the parts of a call");
    for (int32_t i = 0; i < parts->count && !status; i++)
        r.left[i] = i;
    if (!status)
        status = run_rounds(&r, error);
    xncc_free(r.left);
    xncc_free(r.share);
    return status;
}
