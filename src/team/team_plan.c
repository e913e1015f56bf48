/* SPDX-License-Identifier: BSD-2-Clause */
/* A team's part of a plan, and the plans of its members (team_plan.h). */
#include "team/team_plan.h"

#include "base/int_math.h"
#include "base/memory.h"
#include "plan/decide.h"
#include "team/parts.h"

const xncc_template *xncc_team_template(const xncc_team_plan *plan, const xncc_template *templ,
                                        int32_t member)
{
    const xncc_team_form *form = templ->prepared[xncc_team_slot(plan->team->options.kind)];
    return &form[member].of.templ;
}

const xncc_filter *xncc_team_filter(const xncc_team_plan *plan, const xncc_filter *filter,
                                    int32_t member)
{
    const xncc_team_form *form = filter->prepared[xncc_team_slot(plan->team->options.kind)];
    return &form[member].of.filter;
}

/* Problems of one plan differ in these alone. */
static int is_same(const xncc_problem *a, const xncc_problem *b)
{
    return a->image_width == b->image_width && a->image_height == b->image_height &&
           a->rule.mode == b->rule.mode && a->rule.border == b->rule.border;
}

/* Decides for a member: the kernel of the whole plan if that can serve the problem, else any. */
static xncc_status decide(const xncc_team_plan *plan, int32_t member, const xncc_problem *problem,
                          xncc_decision *decision, xncc_stack_plan *stack, xncc_error *error)
{
    xncc_engine *engine = plan->team->member[member].is.engine;
    xncc_preference want = XNCC_PREFERENCE_INIT;
    xncc_status status;
    want.device = plan->decision.engine;
    want.kernel = xncc_kernel_table[plan->decision.kernel].name;
    if (plan->decision.stack.images > 1 && is_same(problem, &plan->problem))
        want.images = xncc_ceil_div(plan->decision.stack.wanted, xncc_members_used(plan->team));
    do {
        xncc_machine machine = { .cpu.absent = 1 };
        status = engine->ops->describe(engine, &machine, error);
        if (status)
            return status;
        status = xncc_decide(problem, &machine, &want, decision, error);
        if (status == XNCC_ERROR_UNSUPPORTED && want.kernel) {
            want.kernel = NULL;
            status = xncc_decide(problem, &machine, &want, decision, error);
        }
        if (!status)
            decision->stack = xncc_stack_choose(problem, &machine, &want, decision, stack);
    } while (!status && !(xncc_engine_is_ready(engine, decision->kernel) &&
                          (decision->stack.images < 2 ||
                           xncc_engine_is_ready(engine, stack->decision.kernel))));
    return status;
}

xncc_status xncc_seat_take(xncc_team_plan *plan, int32_t member, const xncc_problem *problem,
                           xncc_error *error)
{
    xncc_engine *engine = plan->team->member[member].is.engine;
    xncc_seat *seat = &plan->seat[member];
    xncc_decision decision;
    xncc_stack_plan stack;
    if (atomic_load(&plan->team->member[member].lost))
        return xncc_fail(error, XNCC_ERROR_DEVICE,
                         "it has failed before, and is not used any more");
    if (seat->plan && is_same(&seat->problem, problem))
        return XNCC_OK;
    if (seat->plan)
        engine->ops->unbind(seat->plan);
    seat->plan = NULL;
    seat->problem = *problem;
    xncc_status status = decide(plan, member, problem, &decision, &stack, error);
    if (!status)
        status = engine->ops->bind(engine, problem, &decision, &stack, plan->watch, &seat->plan,
                                   error);
    return status;
}

static xncc_status take_part(xncc_team_plan *plan, void *argument, int32_t member, int32_t part,
                             xncc_error *error)
{
    (void)argument;
    (void)part;
    return xncc_seat_take(plan, member, &plan->problem, error);
}

/* A plan that is not divided is bound at once, to the first member in use. Each member decides on a
 * stack of its own, with its first plan for whole images. */
xncc_status xncc_team_bind(xncc_engine *engine, const xncc_problem *problem,
                           const xncc_decision *decision, const xncc_stack_plan *stack,
                           const xncc_watch *watch, xncc_engine_plan **result, xncc_error *error)
{
    xncc_team *team = (xncc_team *)engine;
    (void)stack;
    *result = NULL;
    xncc_team_plan *plan = xncc_alloc(1, sizeof *plan + (size_t)team->count * sizeof *plan->seat);
    if (!plan)
        return xncc_fail(error, XNCC_ERROR_MEMORY, "no memory for the plan of %d devices",
                         team->count);
    plan->team = team;
    plan->problem = *problem;
    plan->decision = *decision;
    plan->watch = watch;
    const xncc_parts first = { take_part, NULL, 1, 0 };
    xncc_status status = decision->spread.devices > 1 ? XNCC_OK
                                                      : xncc_parts_run(plan, &first, error);
    if (status)
        xncc_team_unbind((xncc_engine_plan *)(void *)plan);
    else
        *result = (xncc_engine_plan *)(void *)plan;
    return status;
}

void xncc_team_unbind(xncc_engine_plan *engine_plan)
{
    xncc_team_plan *plan = xncc_team_plan_of(engine_plan);
    for (int32_t i = 0; i < plan->team->count; i++) {
        xncc_seat *seat = &plan->seat[i];
        if (seat->plan)
            plan->team->member[i].is.engine->ops->unbind(seat->plan);
        xncc_free(seat->image.memory);
        xncc_free(seat->rows.memory);
    }
    xncc_free(plan);
}

xncc_status xncc_team_wait(xncc_engine_plan *engine_plan, xncc_error *error)
{
    const xncc_team_plan *plan = xncc_team_plan_of(engine_plan);
    xncc_status status = XNCC_OK;
    for (int32_t i = 0; i < plan->team->count; i++) {
        const xncc_engine_ops *ops = plan->team->member[i].is.engine->ops;
        xncc_error why = { "" };
        if (!plan->seat[i].plan || !ops->wait || atomic_load(&plan->team->member[i].lost))
            continue;
        const xncc_status one = ops->wait(plan->seat[i].plan, &why);
        if (!status)
            status = xncc_member_name(plan->team, i, one, &why, error);
    }
    return status;
}
