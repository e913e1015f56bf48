/* SPDX-License-Identifier: BSD-2-Clause */
/* Maps, convolutions, batches and tracking on a team (team_run.h). */
#include "team/team_run.h"

#include "base/memory.h"
#include "team/team_call.h"

#include <string.h>

static const xncc_engine_ops *ops_of(const xncc_team_plan *plan, int32_t member)
{
    return plan->team->member[member].is.engine->ops;
}

/* Rows first .. first + count - 1 of a map. */
static xncc_map rows_of(const xncc_map *map, int32_t first, int32_t count)
{
    xncc_map rows = *map;
    rows.data = xncc_map_row(map, first);
    rows.height = count;
    return rows;
}

/* ---- maps ---- */

static xncc_status correlate_part(xncc_team_plan *plan, void *argument, int32_t member,
                                  int32_t part, xncc_error *error)
{
    const xncc_team_call *call = argument;
    const xncc_band band = xncc_spread_band(&plan->problem, &plan->decision.spread, part, 0);
    const xncc_map rows = call->held    ? call->map[part]
                          : call->whole ? *call->map
                                        : rows_of(call->map, band.first, band.count);
    xncc_image view;
    xncc_status status = xncc_team_call_band(plan, call, member, part, &band, &view, error);
    return status ? status
                  : ops_of(plan, member)
                        ->correlate(plan->seat[member].plan, &view,
                                    xncc_team_template(plan, call->templ, member), &rows,
                                    xncc_team_stream(call, member), error);
}

xncc_status xncc_team_correlate(xncc_engine_plan *plan, const xncc_image *image,
                                const xncc_template *templ, const xncc_map *map, xncc_stream stream,
                                xncc_error *error)
{
    xncc_team_call call = { .image = image, .templ = templ, .map = map, .stream = stream };
    return xncc_team_call_run(xncc_team_plan_of(plan), &call, correlate_part, error);
}

xncc_status xncc_team_correlate_parts(xncc_engine_plan *engine_plan, const xncc_image *image,
                                      const xncc_template *templ, const xncc_map *map,
                                      const xncc_stream *stream, xncc_error *error)
{
    xncc_team_plan *plan = xncc_team_plan_of(engine_plan);
    xncc_team_call call = {
        .held = 1, .image = image, .templ = templ, .map = map, .streams = stream
    };
    const xncc_parts parts = { correlate_part, &call, plan->decision.spread.devices, 1 };
    const xncc_status status = xncc_parts_run(plan, &parts, error);
    xncc_error why = { "" };
    if (status) /* the others may still use the caller's memory */
        (void)xncc_team_wait(engine_plan, &why);
    return status;
}

/* ---- convolutions ---- */

static xncc_status convolve_whole(xncc_team_plan *plan, const xncc_team_call *call, int32_t member,
                                  xncc_error *error)
{
    const xncc_status status = xncc_seat_take(plan, member, &plan->problem, error);
    return status ? status
                  : ops_of(plan, member)
                        ->convolve(plan->seat[member].plan, call->image,
                                   xncc_team_filter(plan, call->filter, member), call->map,
                                   xncc_team_stream(call, member), error);
}

static xncc_status convolve_part(xncc_team_plan *plan, void *argument, int32_t member, int32_t part,
                                 xncc_error *error)
{
    const xncc_team_call *call = argument;
    if (call->whole)
        return convolve_whole(plan, call, member, error);
    const xncc_band band = xncc_spread_band(&plan->problem, &plan->decision.spread, part, 0);
    const xncc_problem p = xncc_spread_problem(&plan->problem, &band);
    const int32_t anchor = call->filter->anchor_y;
    const xncc_rectangle rectangle = { .top = (int64_t)band.first - anchor,
                                       .width = p.image_width,
                                       .height = p.image_height,
                                       .border = plan->problem.rule.border };
    xncc_seat *seat = &plan->seat[member];
    xncc_image view;
    xncc_status status = xncc_seat_take(plan, member, &p, error);
    if (!status)
        status = xncc_rectangle_view(call->image, &rectangle, &seat->image, plan->watch, &view,
                                     error);
    /* the band's own rows, and those that the filter reads beyond */
    const xncc_map all = { .data = xncc_room_take(&seat->rows, (uint64_t)p.image_height,
                                                  (uint64_t)p.image_width * sizeof(float)),
                           .width = p.image_width,
                           .height = p.image_height };
    if (!status && !all.data)
        status = xncc_fail(error, XNCC_ERROR_MEMORY,
                           "no memory for %d rows of the output of a device", p.image_height);
    if (!status)
        status = ops_of(plan, member)
                     ->convolve(seat->plan, &view, xncc_team_filter(plan, call->filter, member),
                                &all, xncc_team_stream(call, member), error);
    for (int32_t y = 0; y < band.count && !status; y++)
        memcpy(xncc_map_row(call->map, band.first + y), xncc_map_row(&all, anchor + y),
               (size_t)p.image_width * sizeof(float));
    return status;
}

xncc_status xncc_team_convolve(xncc_engine_plan *plan, const xncc_image *image,
                               const xncc_filter *filter, const xncc_map *out, xncc_stream stream,
                               xncc_error *error)
{
    xncc_team_call call = { .image = image, .filter = filter, .map = out, .stream = stream };
    return xncc_team_call_run(xncc_team_plan_of(plan), &call, convolve_part, error);
}

/* Divides the `count` templates or images of a call, each of which takes so long on one device, and
 * runs the parts. */
static xncc_status run_shares(xncc_team_plan *plan, xncc_part_fn function, xncc_team_call *call,
                              double item_ms, size_t count, xncc_error *error)
{
    const xncc_machine machine = { .team = { plan->decision.engine, xncc_members_used(plan->team),
                                             plan->team->options.handover_ms } };
    const size_t devices = (size_t)xncc_spread_items(&machine, &plan->decision, item_ms, count);
    call->each = (count + devices - 1) / devices;
    const xncc_parts parts = { function, call, (int32_t)((count + call->each - 1) / call->each),
                               0 };
    return xncc_parts_run(plan, &parts, error);
}

/* ---- batches: the templates are divided, and each member has the whole image ---- */

static xncc_status batch_part(xncc_team_plan *plan, void *argument, int32_t member, int32_t part,
                              xncc_error *error)
{
    const xncc_team_call *call = argument;
    const xncc_templ_group *all = call->templs;
    const size_t first = (size_t)part * call->each, left = all->count - first;
    xncc_templ_group some = { .count = left < call->each ? left : call->each,
                              .capacity = all->capacity,
                              .match = all->match + first * all->capacity,
                              .found = all->found + first };
    xncc_status status = xncc_seat_take(plan, member, &plan->problem, error);
    if (status)
        return status;
    const xncc_template **templ = xncc_alloc(some.count, sizeof *templ);
    if (!templ)
        return xncc_fail(error, XNCC_ERROR_MEMORY, "no memory for a list of %zu templates",
                         some.count);
    for (size_t i = 0; i < some.count; i++)
        templ[i] = xncc_team_template(plan, all->templ[first + i], member);
    some.templ = templ;
    status = ops_of(plan, member)
                 ->find_batch(plan->seat[member].plan, call->image, &some, call->rule,
                              xncc_team_stream(call, member), error);
    xncc_free(templ);
    return status;
}

xncc_status xncc_team_find_batch(xncc_engine_plan *engine_plan, const xncc_image *image,
                                 const xncc_templ_group *group, const xncc_search_rule *rule,
                                 xncc_stream stream, xncc_error *error)
{
    xncc_team_plan *plan = xncc_team_plan_of(engine_plan);
    xncc_team_call call = {
        .image = image, .templs = group, .each = group->count, .rule = rule, .stream = stream
    };
    return xncc_team_call_stays(&call)
               ? xncc_team_call_there(plan, &call, batch_part, error)
               : run_shares(plan, batch_part, &call, plan->decision.estimate_ms, group->count,
                            error);
}

/* ---- several images: each member has some ---- */

/* Searches `count` images, from `first` on, on a member. */
static xncc_status find_images(xncc_team_plan *plan, const xncc_team_call *call, int32_t member,
                               size_t first, size_t count, xncc_error *error)
{
    const xncc_image_group *all = call->images;
    const xncc_stream stream = member == (call->holder ? call->holder[0] : 0) ? call->stream : NULL;
    const xncc_image_group some = { all->image + first, count, all->capacity,
                                    all->match + first * all->capacity, all->found + first };
    const xncc_status status = xncc_seat_take(plan, member, &plan->problem, error);
    return status ? status
                  : ops_of(plan, member)
                        ->find_images(plan->seat[member].plan, &some,
                                      xncc_team_template(plan, call->templ, member), call->rule,
                                      stream, error);
}

static xncc_status images_part(xncc_team_plan *plan, void *argument, int32_t member, int32_t part,
                               xncc_error *error)
{
    const xncc_team_call *call = argument;
    const size_t first = (size_t)part * call->each, left = call->images->count - first;
    return find_images(plan, call, member, first, left < call->each ? left : call->each, error);
}

/* Searches the images of a member, run by run: a run are images that follow each other in the list.
 */
static xncc_status images_there(xncc_team_plan *plan, void *argument, int32_t member, int32_t part,
                                xncc_error *error)
{
    const xncc_team_call *call = argument;
    const size_t count = call->images->count;
    xncc_status status = XNCC_OK;
    (void)part;
    for (size_t first = 0, end; first < count && !status; first = end) {
        for (end = first; end < count && call->holder[end] == member; end++)
            ;
        if (end > first)
            status = find_images(plan, call, member, first, end - first, error);
        end += end == first;
    }
    return status;
}

static int are_on_devices(const xncc_image_group *group)
{
    for (size_t i = 0; i < group->count; i++)
        if (group->image[i].memory == XNCC_DEVICE)
            return 1;
    return 0;
}

xncc_status xncc_team_find_images(xncc_engine_plan *engine_plan, const xncc_image_group *group,
                                  const xncc_template *templ, const xncc_search_rule *rule,
                                  xncc_stream stream, xncc_error *error)
{
    xncc_team_plan *plan = xncc_team_plan_of(engine_plan);
    xncc_team_call call = { .images = group, .templ = templ, .rule = rule, .stream = stream };
    if (are_on_devices(group)) {
        call.holder = xncc_alloc(group->count, sizeof *call.holder);
        if (!call.holder)
            return xncc_fail(error, XNCC_ERROR_MEMORY, "no memory for a list of %zu images",
                             group->count);
        for (size_t k = 0; k < group->count; k++)
            call.holder[k] = xncc_member_holding(plan->team, group->image[k].data);
        const xncc_parts parts = { images_there, &call, plan->team->count, 1 };
        const xncc_status status = xncc_parts_run(plan, &parts, error);
        xncc_free(call.holder);
        return status;
    }
    const xncc_stack *stack = &plan->decision.stack;
    const double image_ms = stack->images > 1 ? stack->image_ms : plan->decision.spread.alone_ms;
    return run_shares(plan, images_part, &call, image_ms, group->count, error);
}

/* ---- tracking: one member runs it ---- */

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
