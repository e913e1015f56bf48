/* SPDX-License-Identifier: BSD-2-Clause */
/* Where a call of a team's plan runs (team_call.h). */
#include "team/team_call.h"

#include "plan/problem.h"

int xncc_team_call_stays(const xncc_team_call *call)
{
    return call->target || call->image->memory == XNCC_DEVICE ||
           (call->map && call->map->memory == XNCC_DEVICE);
}

xncc_status xncc_team_call_band(xncc_team_plan *plan, const xncc_team_call *call, int32_t member,
                                int32_t part, const xncc_band *band, xncc_image *view,
                                xncc_error *error)
{
    if (call->whole) {
        *view = *call->image;
        return xncc_seat_take(plan, member, &plan->problem, error);
    }
    const xncc_band all = xncc_spread_band(&plan->problem, &plan->decision.spread, part, 1);
    const xncc_image *image = call->held ? &call->image[part] : call->image;
    const int32_t top = call->held ? all.first - all.above : 0; /* of `image`, in the plan's */
    const xncc_problem p = xncc_spread_problem(&plan->problem, band);
    const xncc_extent map = xncc_problem_extent(&plan->problem);
    const xncc_rectangle rectangle = { .left = map.x0,
                                       .top = (int64_t)map.y0 + band->first - band->above - top,
                                       .width = p.image_width,
                                       .height = p.image_height,
                                       .border = plan->problem.rule.border,
                                       .masked = p.image_masked };
    const xncc_status status = xncc_seat_take(plan, member, &p, error);
    return status ? status
                  : xncc_rectangle_view(image, &rectangle, &plan->seat[member].image, plan->watch,
                                        view, error);
}

/* The device memory of a call. */
static const void *memory_of(const xncc_team_call *call)
{
    if (call->image->memory == XNCC_DEVICE)
        return call->image->data;
    return call->map ? (const void *)call->map->data : call->target->match;
}

xncc_status xncc_team_call_there(xncc_team_plan *plan, xncc_team_call *call, xncc_part_fn part,
                                 xncc_error *error)
{
    const int32_t member = xncc_member_holding(plan->team, memory_of(call));
    xncc_error why = { "" };
    plan->stays = 1;
    call->whole = 1;
    return xncc_member_name(plan->team, member, part(plan, call, member, 0, &why), &why, error);
}

xncc_status xncc_team_call_run(xncc_team_plan *plan, xncc_team_call *call, xncc_part_fn part,
                               xncc_error *error)
{
    if (xncc_team_call_stays(call))
        return xncc_team_call_there(plan, call, part, error);
    call->whole = plan->decision.spread.devices < 2 || plan->stays;
    const xncc_parts parts = { .function = part,
                               .argument = call,
                               .count = call->whole ? 1 : plan->decision.spread.devices };
    return xncc_parts_run(plan, &parts, error);
}
