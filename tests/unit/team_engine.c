/* SPDX-License-Identifier: BSD-2-Clause */
/* The members of team.h. */
#include "unit/team.h"

#include "unit/machines.h"

#include "cpu/cpu.h"
#include "engine/batch_ops.h"
#include "image/image.h"
#include "base/memory.h"
#ifdef TEAM_WITH_CUDA
#include "cuda/engine/cuda_engine.h"
#endif

#include <stdio.h>
#include <string.h>

enum { H200 = 5 };

team_notes team_note[MEMBERS];

typedef struct desk {
    xncc_engine base;
    xncc_engine *cpu;
    int number;
} desk;

struct xncc_engine_plan {
    desk *at;
    xncc_engine_plan *inner;
};

struct xncc_batch_context {
    desk *at;
    xncc_batch_context *inner;
};

void team_reset(void)
{
    for (int i = 0; i < MEMBERS; i++) {
        CHECK_INT(team_note[i].plans, 0);
        CHECK_INT(team_note[i].prepared, 0);
    }
    memset(team_note, 0, sizeof team_note);
}

static desk *desk_of(const xncc_engine *engine)
{
    return (desk *)(uintptr_t)engine;
}

/* Fails, if the test said so. */
static xncc_status reach(const desk *at, team_place place, xncc_error *error)
{
    team_notes *note = &team_note[at->number];
    if (note->fails != place || note->later-- > 0)
        return XNCC_OK;
    note->later = 0;
    return xncc_fail(error, note->status, "planted");
}

static void destroy(xncc_engine *engine)
{
    desk *at = desk_of(engine);
    at->cpu->ops->destroy(at->cpu);
    xncc_free(at);
}

static xncc_status describe(const xncc_engine *engine, xncc_machine *m, xncc_error *error)
{
    m->cuda = machine(H200).cuda;
    return reach(desk_of(engine), TEAM_DESCRIBE, error);
}

static xncc_status prepare(xncc_engine *engine, const xncc_template *templ,
                           const xncc_filter *filter, void **prepared, xncc_error *error)
{
    CHECK(!templ != !filter);
    const xncc_status status = reach(desk_of(engine), TEAM_PREPARE, error);
    if (!status) {
        *prepared = engine;
        team_note[desk_of(engine)->number].prepared++;
    }
    return status;
}

static void release(xncc_engine *engine, void *prepared)
{
    CHECK(prepared == engine);
    team_note[desk_of(engine)->number].prepared--;
}

static xncc_status bind(xncc_engine *engine, const xncc_problem *problem,
                        const xncc_decision *decision, const xncc_stack_plan *stack,
                        const xncc_watch *watch, xncc_engine_plan **plan, xncc_error *error)
{
    desk *at = desk_of(engine);
    xncc_machine m = { .cpu.absent = 1 };
    xncc_decision mine;
    CHECK_INT(decision->engine, XNCC_DEVICE_CUDA);
    xncc_status status = reach(at, TEAM_BIND, error);
    if (!status)
        status = at->cpu->ops->describe(at->cpu, &m, error);
    if (!status)
        status = xncc_decide(problem, &m, NULL, &mine, error);
    if (status)
        return status;
    xncc_engine_plan *made = xncc_alloc(1, sizeof *made);
    if (!made)
        return xncc_fail(error, XNCC_ERROR_MEMORY, "no memory for a plan");
    made->at = at;
    status = at->cpu->ops->bind(at->cpu, problem, &mine, stack, watch, &made->inner, error);
    if (status) {
        xncc_free(made);
        return status;
    }
    team_note[at->number].plans++;
    *plan = made;
    return XNCC_OK;
}

static void unbind(xncc_engine_plan *plan)
{
    plan->at->cpu->ops->unbind(plan->inner);
    team_note[plan->at->number].plans--;
    xncc_free(plan);
}

static xncc_status wait(xncc_engine_plan *plan, xncc_error *error)
{
    team_note[plan->at->number].waits++;
    (void)error;
    return XNCC_OK;
}

/* A run begins. prepared: of its template or filter, which must be this member's. */
static xncc_status begin(const xncc_engine_plan *plan, const void *prepared, xncc_stream stream,
                         xncc_error *error)
{
    team_notes *note = &team_note[plan->at->number];
    CHECK(prepared == plan->at);
    note->runs++;
    note->stream = stream;
    if (note->cancels)
        xncc_context_cancel(note->cancels);
    return reach(plan->at, TEAM_RUN, error);
}

static xncc_image near_image(const xncc_image *image)
{
    xncc_image view = *image;
    view.memory = XNCC_HOST;
    return view;
}

static xncc_map near_map(const xncc_map *map)
{
    xncc_map view = *map;
    view.memory = XNCC_HOST;
    return view;
}

static xncc_status correlate(xncc_engine_plan *plan, const xncc_image *image,
                             const xncc_template *templ, const xncc_map *map, xncc_stream stream,
                             xncc_error *error)
{
    const xncc_image view = near_image(image);
    const xncc_map to = near_map(map);
    const xncc_status status = begin(plan, templ->prepared[1], stream, error);
    return status ? status
                  : plan->at->cpu->ops->correlate(plan->inner, &view, templ, &to, NULL, error);
}

static xncc_status find(xncc_engine_plan *plan, const xncc_image *image, const xncc_template *templ,
                        const xncc_search_rule *rule, xncc_match *match, size_t *found,
                        xncc_stream stream, xncc_error *error)
{
    const xncc_image view = near_image(image);
    const xncc_status status = begin(plan, templ->prepared[1], stream, error);
    return status ? status
                  : plan->at->cpu->ops->find(plan->inner, &view, templ, rule, match, found, NULL,
                                             error);
}

static xncc_status convolve(xncc_engine_plan *plan, const xncc_image *image,
                            const xncc_filter *filter, const xncc_map *out, xncc_stream stream,
                            xncc_error *error)
{
    const xncc_image view = near_image(image);
    const xncc_map to = near_map(out);
    const xncc_status status = begin(plan, filter->prepared[1], stream, error);
    return status ? status
                  : plan->at->cpu->ops->convolve(plan->inner, &view, filter, &to, NULL, error);
}

static int ready(xncc_engine *engine, xncc_kernel kernel)
{
    (void)engine;
    (void)kernel;
    return 1;
}

static xncc_status fetch(xncc_engine *engine, const xncc_image *image, void *host, int64_t pitch,
                         xncc_stream stream, xncc_error *error)
{
    const team_notes *note = &team_note[desk_of(engine)->number];
    (void)stream;
    CHECK((const char *)image->data >= note->memory && (const char *)image->data < note->end);
    for (int32_t y = 0; y < image->height; y++)
        memcpy((char *)host + y * pitch, xncc_image_row(image, y),
               (size_t)xncc_image_row_bytes(image));
    return reach(desk_of(engine), TEAM_RUN, error);
}

static xncc_status find_on_device(xncc_engine_plan *plan, const xncc_image *image,
                                  const xncc_template *templ, const xncc_peak_target *target,
                                  xncc_stream stream, xncc_error *error)
{
    size_t found = 0;
    const xncc_status status = find(plan, image, templ, target->rule, target->match, &found, stream,
                                    error);
    *target->found = (uint32_t)found;
    for (size_t i = 0; i < found; i++) {
        target->match[i].x += target->x0;
        target->match[i].y += target->y0;
    }
    return status;
}

static xncc_status find_batch(xncc_engine_plan *plan, const xncc_image *image,
                              const xncc_templ_group *group, const xncc_search_rule *rule,
                              xncc_stream stream, xncc_error *error)
{
    const xncc_image view = near_image(image);
    xncc_status status = XNCC_OK;
    CHECK(group->count > 0);
    for (size_t i = 0; i < group->count; i++)
        CHECK(group->templ[i]->prepared[1] == plan->at);
    status = begin(plan, plan->at, stream, error);
    return status ? status
                  : plan->at->cpu->ops->find_batch(plan->inner, &view, group, rule, NULL, error);
}

static xncc_status find_images(xncc_engine_plan *plan, const xncc_image_group *group,
                               const xncc_template *templ, const xncc_search_rule *rule,
                               xncc_stream stream, xncc_error *error)
{
    xncc_status status = XNCC_OK;
    CHECK(group->count > 0);
    for (size_t i = 0; i < group->count && !status; i++)
        status = find(plan, &group->image[i], templ, rule, group->match + i * group->capacity,
                      &group->found[i], stream, error);
    return status;
}

static int holds(const xncc_engine *engine, const void *address)
{
    const team_notes *note = &team_note[desk_of(engine)->number];
    return note->memory && (const char *)address >= note->memory &&
           (const char *)address < note->end;
}

/* ---- tracking, which computes nothing here ---- */

static int can_read_chips(const xncc_engine *engine, const xncc_problem *problem)
{
    (void)engine;
    return problem->pixel == XNCC_U8;
}

static xncc_status read_chips(xncc_engine *engine, const xncc_chip_reads *run, xncc_error *error)
{
    desk *at = desk_of(engine);
    team_note[at->number].runs++;
    if (team_note[at->number].cancels)
        xncc_context_cancel(team_note[at->number].cancels);
    const xncc_status status = reach(at, TEAM_RUN, error);
    return status ? status : xncc_check_cancelled(run->watch, error);
}

/* ---- batches ---- */

static xncc_status batch_open(xncc_engine *engine, const xncc_watch *watch,
                              xncc_batch_context **context, xncc_error *error)
{
    xncc_engine *cpu = desk_of(engine)->cpu;
    xncc_batch_context *made = xncc_alloc(1, sizeof *made);
    if (!made)
        return xncc_fail(error, XNCC_ERROR_MEMORY, "no memory for a batch");
    made->at = desk_of(engine);
    const xncc_status status = cpu->ops->share->open(cpu, watch, &made->inner, error);
    if (status)
        xncc_free(made);
    else
        *context = made;
    return status;
}

static void batch_close(xncc_batch_context *context)
{
    context->at->cpu->ops->share->close(context->inner);
    xncc_free(context);
}

/* The copy that several plans read is in device memory. */
static xncc_status batch_image(xncc_batch_context *context, const xncc_image *image,
                               xncc_image *copy, xncc_stream stream, xncc_error *error)
{
    (void)stream;
    *copy = *image;
    copy->memory = XNCC_DEVICE;
    return reach(context->at, TEAM_RUN, error);
}

static xncc_status best_begin(xncc_batch_context *context, const xncc_best *best, xncc_map *map,
                              xncc_stream stream, xncc_error *error)
{
    const xncc_status status = context->at->cpu->ops->share->best_begin(context->inner, best, map,
                                                                        stream, error);
    map->memory = XNCC_DEVICE;
    return status;
}

static xncc_status best_fold(xncc_batch_context *context, const xncc_fold *fold, xncc_stream stream,
                             xncc_error *error)
{
    const xncc_map map = near_map(fold->map);
    xncc_fold near = *fold;
    near.map = &map;
    return context->at->cpu->ops->share->best_fold(context->inner, &near, stream, error);
}

static const xncc_batch_ops share = { .open = batch_open,
                                      .close = batch_close,
                                      .image = batch_image,
                                      .best_begin = best_begin,
                                      .best_fold = best_fold };

static const xncc_engine_ops operations = { .destroy = destroy,
                                            .describe = describe,
                                            .prepare = prepare,
                                            .release = release,
                                            .bind = bind,
                                            .unbind = unbind,
                                            .wait = wait,
                                            .correlate = correlate,
                                            .find = find,
                                            .convolve = convolve,
                                            .ready = ready,
                                            .fetch = fetch,
                                            .find_on_device = find_on_device,
                                            .find_batch = find_batch,
                                            .find_images = find_images,
                                            .holds = holds,
                                            .can_read_chips = can_read_chips,
                                            .read_chips = read_chips,
                                            .share = &share };

/* Gives a context without a CUDA engine a team of these engines. */
static xncc_context *with_team(const xncc_recruit *recruit, int count, int strict,
                               double handover_ms)
{
    xncc_context *context = kit_context(XNCC_DEVICE_CPU, 1);
    xncc_engine *cpu = context->engine[0];
    const xncc_team_options o = { XNCC_DEVICE_CUDA, strict, handover_ms };
    if (xncc_team_create(recruit, count, &o, &context->engine[1], NULL))
        kit_give_up("no memory for a team");
    context->engine[0] = NULL; /* so that decisions are for the team */
    cpu->ops->destroy(cpu);
    return context;
}

xncc_context *team_context(int count, int strict, double handover_ms)
{
    xncc_recruit recruit[MEMBERS];
    for (int i = 0; i < count; i++) {
        desk *at = xncc_alloc(1, sizeof *at);
        if (!at || xncc_cpu_engine_create(1, &at->cpu, NULL))
            kit_give_up("no memory for a member");
        at->base.ops = &operations;
        at->number = i;
        recruit[i].engine = &at->base;
        (void)snprintf(recruit[i].name, sizeof recruit[i].name, "device %d", i);
    }
    return with_team(recruit, count, strict, handover_ms);
}

xncc_context *team_context_cuda(int count)
{
    xncc_recruit recruit[MEMBERS];
    xncc_context_destroy(kit_context(XNCC_DEVICE_CUDA, 1)); /* skips the test */
    for (int i = 0; i < count; i++) {
#ifdef TEAM_WITH_CUDA
        if (xncc_cuda_engine_create(0, UINT64_C(1) << 30, 2, &recruit[i].engine, &kit_error))
            kit_give_up("%s", kit_error.text);
#endif
        (void)snprintf(recruit[i].name, sizeof recruit[i].name, "engine %d", i);
    }
    return with_team(recruit, count, 0, 0.0);
}
