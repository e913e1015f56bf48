/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes a team, and lists its operations (team.h). */
#include "team/team.h"

#include "base/memory.h"
#include "team/members.h"
#include "team/team_plan.h"
#include "team/team_run.h"

#include <stdio.h>

static void free_team(xncc_team *team)
{
    xncc_pool_destroy(team->pool);
    pthread_mutex_destroy(&team->lock);
    xncc_free(team->member);
    xncc_free(team);
}

static void destroy(xncc_engine *engine)
{
    xncc_team *team = (xncc_team *)engine;
    for (int32_t i = 0; i < team->count; i++)
        team->member[i].is.engine->ops->destroy(team->member[i].is.engine);
    free_team(team);
}

/* The first member in use describes itself. */
static xncc_status describe(const xncc_engine *engine, xncc_machine *machine, xncc_error *error)
{
    xncc_team *team = (xncc_team *)(uintptr_t)engine; /* it may lose a member */
    xncc_status failed, status;
    do {
        const int32_t first = xncc_member_from(team, 0);
        const xncc_engine *member = team->member[first].is.engine;
        xncc_error why = { "" };
        failed = member->ops->describe(member, machine, &why);
        status = xncc_member_fails(team, first, failed, &why, error);
    } while (failed && !status);
    machine->team.engine = team->options.kind;
    machine->team.devices = xncc_members_used(team);
    machine->team.handover_ms = team->options.handover_ms;
    return status;
}

/* One member makes the best maps of batches, and suppresses in device memory: the first one that is
 * in use when that is opened. */
static xncc_engine *worker(xncc_engine *engine)
{
    const xncc_team *team = (const xncc_team *)engine;
    return team->member[xncc_member_from(team, 0)].is.engine;
}

static int ready(xncc_engine *engine, xncc_kernel kernel)
{
    return xncc_engine_is_ready(worker(engine), kernel);
}

static int can_read_chips(const xncc_engine *engine, const xncc_problem *problem)
{
    const xncc_engine *first = worker((xncc_engine *)(uintptr_t)engine);
    return first->ops->can_read_chips && first->ops->can_read_chips(first, problem);
}

static xncc_status fetch(xncc_engine *engine, const xncc_image *image, void *host, int64_t pitch,
                         xncc_stream stream, xncc_error *error)
{
    const xncc_team *team = (const xncc_team *)engine;
    const int32_t at = xncc_member_holding(team, image->data);
    xncc_engine *member = team->member[at].is.engine;
    xncc_error why = { "" };
    if (!member->ops->fetch)
        return xncc_fail(error, XNCC_ERROR_ARGUMENT, "image: the devices have no memory");
    return xncc_member_name(team, at, member->ops->fetch(member, image, host, pitch, stream, &why),
                            &why, error);
}

static void warning(xncc_engine *engine, char *text, size_t size)
{
    xncc_team *team = (xncc_team *)engine;
    pthread_mutex_lock(&team->lock);
    (void)snprintf(text, size, "%s", team->warning.text);
    pthread_mutex_unlock(&team->lock);
}

/* ---- templates and filters ---- */

/* Where a member's form is. */
static void **form_of(const xncc_team *team, xncc_team_form *form)
{
    const int slot = xncc_team_slot(team->options.kind);
    return form->is_filter ? &form->of.filter.prepared[slot] : &form->of.templ.prepared[slot];
}

static void release(xncc_engine *engine, void *prepared)
{
    const xncc_team *team = (const xncc_team *)engine;
    xncc_team_form *form = prepared;
    for (int32_t i = 0; i < team->count; i++) {
        xncc_engine *member = team->member[i].is.engine;
        void *one = *form_of(team, &form[i]);
        if (one)
            member->ops->release(member, one);
    }
    xncc_free(prepared);
}

/* Makes the member's form of a template or of a filter; the other one is NULL. */
static xncc_status prepare_member(const xncc_team *team, int32_t i, const xncc_template *templ,
                                  const xncc_filter *filter, xncc_team_form *form,
                                  xncc_error *error)
{
    xncc_engine *member = team->member[i].is.engine;
    form->is_filter = !templ;
    if (templ)
        form->of.templ = *templ;
    else
        form->of.filter = *filter;
    void **one = form_of(team, form);
    *one = NULL;
    return member->ops->prepare(member, templ, filter, one, error);
}

/* The same for all members. */
static xncc_status prepare(xncc_engine *engine, const xncc_template *templ,
                           const xncc_filter *filter, void **prepared, xncc_error *error)
{
    xncc_team *team = (xncc_team *)engine;
    xncc_team_form *form = xncc_alloc((uint64_t)team->count, sizeof *form);
    xncc_status status = XNCC_OK;
    if (!form)
        return xncc_fail(error, XNCC_ERROR_MEMORY,
                         "no memory for the forms of a template or filter of %d devices",
                         team->count);
    for (int32_t i = xncc_member_from(team, 0); i >= 0 && !status;
         i = xncc_member_from(team, i + 1)) {
        xncc_error why = { "" };
        status = prepare_member(team, i, templ, filter, &form[i], &why);
        status = xncc_member_fails(team, i, status, &why, error);
    }
    if (status)
        release(engine, form);
    else
        *prepared = form;
    return status;
}

static const xncc_engine_ops operations = { .destroy = destroy,
                                            .describe = describe,
                                            .prepare = prepare,
                                            .release = release,
                                            .bind = xncc_team_bind,
                                            .unbind = xncc_team_unbind,
                                            .wait = xncc_team_wait,
                                            .correlate = xncc_team_correlate,
                                            .find = xncc_team_find,
                                            .convolve = xncc_team_convolve,
                                            .ready = ready,
                                            .fetch = fetch,
                                            .find_on_device = xncc_team_find_on_device,
                                            .find_batch = xncc_team_find_batch,
                                            .find_images = xncc_team_find_images,
                                            .correlate_parts = xncc_team_correlate_parts,
                                            .find_parts = xncc_team_find_parts,
                                            .can_read_chips = can_read_chips,
                                            .read_chips = xncc_team_read_chips,
                                            .warning = warning,
                                            .worker = worker };

xncc_status xncc_team_create(const xncc_recruit *recruit, int32_t count,
                             const xncc_team_options *options, xncc_engine **engine,
                             xncc_error *error)
{
    *engine = NULL;
    xncc_team *team = xncc_alloc(1, sizeof *team);
    if (!team)
        return xncc_fail(error, XNCC_ERROR_MEMORY, "no memory for %d devices", count);
    team->base.ops = &operations;
    team->options = *options;
    pthread_mutex_init(&team->lock, NULL);
    team->member = xncc_alloc((uint64_t)count, sizeof *team->member);
    xncc_status status = team->member ? xncc_pool_create(count, &team->pool, error)
                                      : xncc_fail(error, XNCC_ERROR_MEMORY,
                                                  "no memory for %d devices", count);
    if (status) {
        free_team(team);
        return status;
    }
    team->count = count;
    for (int32_t i = 0; i < count; i++)
        team->member[i].is = recruit[i];
    *engine = &team->base;
    return XNCC_OK;
}
