/* SPDX-License-Identifier: BSD-2-Clause */
/* Batches of templates: the templates are grouped by size, each group has a plan, and all matches
 * go to one list. */
#include "api/batch_object.h"

#include "base/float_env.h"
#include "base/memory.h"
#include "base/options.h"
#include "image/image.h"
#include "peaks/nms.h"

#include <string.h>

static int is_same_group(const xncc_template *a, const xncc_template *b)
{
    return a->width == b->width && a->height == b->height && (a->mask != NULL) == (b->mask != NULL);
}

static xncc_status check_templ(const xncc_batch *batch, const xncc_template *templ, size_t i,
                               xncc_error *error)
{
    const xncc_problem *p = &batch->problem;
    const xncc_status status = xncc_template_check_listed(templ, i, batch->context, p->pixel,
                                                          p->channels, error);
    if (status)
        return status;
    if (p->rule.mode == XNCC_VALID &&
        (templ->width > p->image_width || templ->height > p->image_height))
        return xncc_fail(error, XNCC_ERROR_ARGUMENT,
                         "template %zu: its %d x %d pixels do not fit into the image of %d x %d; "
                         "modes same and full allow larger templates",
                         i, templ->width, templ->height, p->image_width, p->image_height);
    return XNCC_OK;
}

/* Sorts the templates by group. Groups are in the order of their first templates. */
static xncc_status group_templs(xncc_batch *batch, const xncc_template *const *templ,
                                xncc_error *error)
{
    batch->templ = xncc_alloc(batch->count, sizeof *batch->templ);
    batch->number = xncc_alloc(batch->count, sizeof *batch->number);
    batch->group = xncc_alloc(batch->count, sizeof *batch->group);
    size_t *group_of = xncc_alloc(batch->count, sizeof *group_of);
    if (!batch->templ || !batch->number || !batch->group || !group_of) {
        xncc_free(group_of);
        return xncc_fail(error, XNCC_ERROR_MEMORY, "batch: no memory for %zu templates",
                         batch->count);
    }
    for (size_t i = 0; i < batch->count; i++) {
        size_t g = 0;
        while (g < batch->groups && !is_same_group(templ[batch->group[g].first], templ[i]))
            g++;
        if (g == batch->groups)
            batch->group[batch->groups++].first = i;
        batch->group[g].count++;
        group_of[i] = g;
    }
    size_t at = 0;
    for (size_t g = 0; g < batch->groups; g++) {
        const size_t first = at;
        for (size_t i = batch->group[g].first; i < batch->count; i++)
            if (group_of[i] == g) {
                batch->templ[at] = templ[i];
                batch->number[at++] = i;
            }
        batch->group[g].first = first;
    }
    xncc_free(group_of);
    return XNCC_OK;
}

static void destroy_plans(xncc_batch *batch)
{
    for (size_t g = 0; batch->group && g < batch->groups; g++) {
        xncc_plan_destroy(batch->group[g].plan);
        batch->group[g].plan = NULL;
    }
}

static xncc_status decide_plan(const xncc_batch *batch, xncc_batch_group *group,
                               const xncc_preference *preference, const xncc_machine *known,
                               xncc_error *error)
{
    const xncc_template *templ = batch->templ[group->first];
    xncc_problem problem = batch->problem;
    problem.templ_width = templ->width;
    problem.templ_height = templ->height;
    problem.templ_masked = xncc_template_is_masked(templ);
    return xncc_plan_decide(batch->context, &problem, preference, known, &group->plan, error);
}

/* Creates a plan per group. *alike is set to 1 if all plans run on the same engine. Plans that are
 * bound later find the memory that is free now. known: as in xncc_batch_once. */
static xncc_status make_plans(xncc_batch *batch, const xncc_preference *preference,
                              const xncc_machine *known, int *alike, xncc_error *error)
{
    xncc_machine machine;
    xncc_status status = XNCC_OK;
    if (batch->once && !known) {
        status = xncc_context_machine(batch->context, &machine, error);
        known = &machine;
    }
    *alike = 1;
    for (size_t g = 0; g < batch->groups && !status; g++) {
        status = xncc_check_cancelled(&batch->watch, error);
        if (!status)
            status = decide_plan(batch, &batch->group[g], preference, known, error);
        if (status)
            break;
        xncc_plan *plan = batch->group[g].plan;
        if (batch->single) /* other threads have work of their own */
            plan->decision.cpu_threads = plan->decision.cpu_seats = 1;
        if (!batch->once)
            status = xncc_plan_bind(plan, NULL, error);
        *alike = *alike && plan->engine == batch->group[0].plan->engine;
    }
    if (status)
        destroy_plans(batch);
    return status;
}

/* Creates plans that all run on one engine. If the GPU cannot serve all of them, the CPU does. */
static xncc_status make_plans_on_one_engine(xncc_batch *batch, xncc_preference wanted,
                                            const xncc_machine *known, xncc_error *error)
{
    int alike;
    xncc_status status = make_plans(batch, &wanted, known, &alike, error);
    if (status || alike)
        return status;
    destroy_plans(batch);
    wanted.device = XNCC_DEVICE_CUDA;
    status = make_plans(batch, &wanted, known, &alike, error);
    if (status != XNCC_ERROR_UNSUPPORTED)
        return status;
    wanted.device = XNCC_DEVICE_CPU;
    return make_plans(batch, &wanted, known, &alike, error);
}

static xncc_status set_find_options(xncc_batch *batch, const xncc_batch_options *o,
                                    xncc_error *error)
{
    batch->capacity = o->capacity;
    batch->peaks = o->peaks;
    batch->suppresses = o->suppress != NULL;
    xncc_search_rule rule;
    xncc_status status = xncc_search_rule_make(&batch->problem, &o->peaks, o->capacity, &rule,
                                               error);
    if (!status)
        status = xncc_suppress_rule_read(&batch->suppress, o->suppress, error);
    if (status)
        return status;
    batch->per_template = rule.top;
    if (batch->suppress.top > o->capacity)
        batch->suppress.top = o->capacity;
    if (batch->count == 0 || batch->per_template == 0)
        return XNCC_OK;
    const uint64_t all = (uint64_t)batch->count * batch->per_template; /* each is at most 2^31 */
    batch->match = xncc_alloc_unset(all, sizeof *batch->match);
    batch->found = xncc_alloc(batch->count, sizeof *batch->found);
    if (!batch->once)
        batch->candidate = xncc_alloc_unset(all, sizeof *batch->candidate);
    const int made = batch->match && batch->found && (batch->once || batch->candidate);
    return made ? XNCC_OK
                : xncc_fail(error, XNCC_ERROR_MEMORY,
                            "batch: no memory for the templates' matches; ask for fewer with top");
}

/* Fills a batch whose context, problem and count are set. known: as in xncc_batch_once. */
static xncc_status fill(xncc_batch *batch, const xncc_preference *preference,
                        const xncc_machine *known, const xncc_template *const *templ,
                        const xncc_batch_options *options, xncc_error *error)
{
    xncc_problem *p = &batch->problem;
    if (p->task != XNCC_TASK_MATCH)
        return xncc_fail(error, XNCC_ERROR_ARGUMENT, "batch: the task is not matching");
    if (preference->parts > 0)
        return xncc_fail(error, XNCC_ERROR_ARGUMENT,
                         "batch: the preference has %d parts, and a batch searches images in one "
                         "piece",
                         preference->parts);
    if (preference->images > 1)
        return xncc_fail(error, XNCC_ERROR_ARGUMENT,
                         "batch: the preference has %d images at a time, and a batch searches one",
                         preference->images);
    if (p->templ_width || p->templ_height || p->templ_masked)
        return xncc_fail(error, XNCC_ERROR_ARGUMENT,
                         "batch: templ_width, templ_height and templ_masked of the problem must be "
                         "0; each template has its own");
    p->templ_width = p->templ_height = 1;
    xncc_status status = xncc_problem_check(p, error);
    if (!status && batch->count > INT32_MAX)
        status = xncc_fail(error, XNCC_ERROR_ARGUMENT,
                           "batch: %zu templates are more than 2^31 - 1", batch->count);
    for (size_t i = 0; i < batch->count && !status; i++)
        status = templ ? check_templ(batch, templ[i], i, error)
                       : xncc_fail(error, XNCC_ERROR_ARGUMENT, "batch: templ is a null pointer");
    if (!status)
        status = set_find_options(batch, options, error);
    if (status || batch->count == 0)
        return status;
    status = group_templs(batch, templ, error);
    if (!status)
        status = make_plans_on_one_engine(batch, *preference, known, error);
    if (status)
        return status;
    batch->engine = batch->group[0].plan->engine;
    xncc_engine *worker = xncc_engine_worker(batch->engine);
    batch->share = worker->ops->share;
    return batch->share->open(worker, &batch->watch, &batch->shared, error);
}

/* Gives the templates the forms of the batch's engine. */
static xncc_status prepare_templs(const xncc_batch *batch, xncc_template *const *templ,
                                  xncc_error *error)
{
    const int slot = xncc_slot(batch->group[0].plan->decision.engine);
    xncc_engine *engine = batch->engine;
    xncc_status status = XNCC_OK;
    if (engine->ops->bind_shared)
        return batch->share->prepare(batch->shared, templ, batch->count, error);
    for (size_t i = 0; engine->ops->prepare && i < batch->count && !status; i++)
        status = engine->ops->prepare(engine, templ[i], NULL, &templ[i]->prepared[slot], error);
    return status;
}

/* Makes a batch; once: as in xncc_batch, then templ are those of `of`. */
static xncc_status make(xncc_context *context, const xncc_batch_once *of, int once,
                        const xncc_template *const *templ, xncc_batch **result, xncc_error *error)
{
    *result = NULL;
    xncc_batch *batch = xncc_alloc(1, sizeof *batch);
    if (!batch)
        return xncc_fail(error, XNCC_ERROR_MEMORY, "batch: no memory");
    batch->context = context;
    batch->watch = xncc_watch_make(&context->progress);
    batch->problem = *of->problem;
    batch->count = of->count;
    batch->once = once;
    batch->single = of->single;
    xncc_status status = fill(batch, of->preference, of->known, templ, of->options, error);
    if (!status && once && batch->count > 0)
        status = prepare_templs(batch, of->templ, error);
    if (status)
        xncc_batch_destroy(batch);
    else
        *result = batch;
    return status;
}

xncc_status xncc_batch_create_once(xncc_context *context, const xncc_batch_once *of,
                                   xncc_batch **result, xncc_error *error)
{
    return make(context, of, 1, (const xncc_template *const *)of->templ, result, error);
}

xncc_status xncc_batch_create(xncc_context *context, const xncc_problem *problem,
                              const xncc_preference *preference, const xncc_template *const *templ,
                              size_t count, const xncc_batch_options *options, xncc_batch **result,
                              xncc_error *error)
{
    XNCC_ENTER;
    xncc_problem p;
    xncc_preference wanted;
    xncc_batch_options o;
    if (result)
        *result = NULL;
    if (!context || !problem || !result)
        return xncc_fail_null(error, !context ? "context" : !problem ? "problem" : "batch");
    xncc_status status = XNCC_READ(&p, problem, xncc_problem, XNCC_PROBLEM_INIT, rule, error);
    if (!status)
        status = XNCC_READ(&wanted, preference, xncc_preference, XNCC_PREFERENCE_INIT, map_memory,
                           error);
    if (!status)
        status = XNCC_READ(&o, options, xncc_batch_options, XNCC_BATCH_OPTIONS_INIT, capacity,
                           error);
    if (status)
        return status;
    const xncc_batch_once of = {
        .problem = &p, .preference = &wanted, .count = count, .options = &o
    };
    return xncc_done(make(context, &of, 0, templ, result, error), error);
}

void xncc_batch_destroy(xncc_batch *batch)
{
    if (!batch)
        return;
    destroy_plans(batch);
    if (batch->shared)
        batch->share->close(batch->shared);
    xncc_free(batch->templ);
    xncc_free(batch->number);
    xncc_free(batch->group);
    xncc_free(batch->match);
    xncc_free(batch->found);
    xncc_free(batch->candidate);
    xncc_free(batch);
}

xncc_status xncc_batch_describe(const xncc_batch *batch, size_t number, xncc_plan_info *info,
                                xncc_error *error)
{
    XNCC_ENTER;
    if (!batch)
        return xncc_fail_null(error, "batch");
    for (size_t g = 0; g < batch->groups; g++)
        for (size_t i = 0; i < batch->group[g].count; i++)
            if (batch->number[batch->group[g].first + i] == number)
                return xncc_plan_describe(batch->group[g].plan, info, error);
    return xncc_fail(error, XNCC_ERROR_ARGUMENT, "template %zu is not one of the batch's %zu",
                     number, batch->count);
}

void xncc_batch_begin(xncc_batch *batch)
{
    xncc_watch_begin(&batch->watch);
    for (size_t g = 0; g < batch->groups; g++)
        xncc_watch_join(&batch->group[g].plan->watch, &batch->watch);
}

xncc_status xncc_batch_share_image(xncc_batch *batch, const xncc_image *image, size_t times,
                                   xncc_image *shared, xncc_stream stream, xncc_error *error)
{
    *shared = *image;
    return batch->share->image && times > 1
               ? batch->share->image(batch->shared, image, shared, stream, error)
               : XNCC_OK;
}

/* Collects the matches of all groups as candidates, in no particular order, and returns their
 * number. */
static size_t gather(xncc_batch *batch)
{
    size_t count = 0;
    for (size_t i = 0; i < batch->count; i++)
        for (size_t k = 0; k < batch->found[i]; k++)
            batch->candidate[count++] = (xncc_candidate){
                .match = batch->match[i * batch->per_template + k],
                .templ = (int32_t)batch->number[i],
                .width = batch->templ[i]->width,
                .height = batch->templ[i]->height
            };
    return count;
}

/* Suppresses or sorts the candidates, and keeps the best. */
static xncc_status list_candidates(xncc_batch *batch, xncc_candidate *match, size_t *found,
                                   xncc_error *error)
{
    const xncc_method method = batch->problem.rule.method;
    size_t count = gather(batch);
    xncc_status status = XNCC_OK;
    if (batch->suppresses)
        status = xncc_suppress(method, batch->candidate, count, &batch->suppress, &count, error);
    else
        xncc_candidates_sort(batch->candidate, count, method);
    if (status)
        return status;
    *found = count < batch->suppress.top ? count : batch->suppress.top;
    memcpy(match, batch->candidate, *found * sizeof *match);
    return XNCC_OK;
}

/* How many times the image is read from where it is. Devices that divide the templates of a size
 * read the caller's image, each for itself. */
static size_t times_read(const xncc_batch *batch)
{
    const int divided = batch->group[0].plan->decision.spread.present > 1;
    if (batch->once && batch->engine->ops->bind_shared)
        return batch->groups + 1; /* and no plan makes room for it */
    return divided && batch->count > batch->groups ? 1 : batch->groups;
}

static xncc_status find_group(xncc_batch *batch, const xncc_batch_group *group,
                              const xncc_image *image, xncc_stream stream, xncc_error *error)
{
    const xncc_templ_group all = { batch->templ + group->first, group->count, batch->per_template,
                                   batch->match + group->first * batch->per_template,
                                   batch->found + group->first };
    xncc_status status = batch->once ? xncc_check_cancelled(&batch->watch, error) : XNCC_OK;
    if (!status && batch->once)
        status = xncc_plan_bind(group->plan, batch->shared, error);
    if (!status)
        status = xncc_plan_find_group(group->plan, image, &all, &batch->peaks, stream, error);
    if (batch->once)
        xncc_plan_unbind(group->plan);
    return status;
}

static xncc_status find_all(xncc_batch *batch, const xncc_image *image, xncc_stream stream,
                            xncc_error *error)
{
    xncc_image shared;
    xncc_status status = xncc_batch_share_image(batch, image, times_read(batch), &shared, stream,
                                                error);
    for (size_t g = 0; g < batch->groups && !status; g++)
        status = find_group(batch, &batch->group[g], &shared, stream, error);
    if (status && batch->share->abandon)
        batch->share->abandon(batch->shared, stream);
    return status;
}

/* Searches with all templates, if any match is wanted. */
static xncc_status search(xncc_batch *batch, const xncc_image *image, xncc_stream stream,
                          xncc_error *error)
{
    xncc_batch_begin(batch);
    if (batch->count == 0)
        return XNCC_OK;
    const xncc_status status = xncc_plan_check_image(batch->group[0].plan, image, error);
    return status || batch->per_template == 0 ? status : find_all(batch, image, stream, error);
}

xncc_status xncc_batch_find_once(xncc_batch *batch, const xncc_image *image, xncc_error *error)
{
    xncc_stream stream = NULL;
    if (batch->count > 0 && batch->engine->ops->bind_shared)
        stream = batch->share->stream(batch->shared);
    return search(batch, image, stream, error);
}

xncc_status xncc_batch_find(xncc_batch *batch, const xncc_image *image, xncc_candidate *match,
                            size_t *found, xncc_stream stream, xncc_error *error)
{
    XNCC_ENTER;
    if (found)
        *found = 0;
    if (!batch || !image || !found || (!match && batch->capacity))
        return xncc_fail_null(error, !batch   ? "batch"
                                     : !image ? "image"
                                     : !found ? "found"
                                              : "match");
    xncc_status status = search(batch, image, stream, error);
    if (!status && batch->count > 0 && batch->per_template > 0)
        status = list_candidates(batch, match, found, error);
    return xncc_done(status, error);
}

xncc_status xncc_find_batch(xncc_context *context, const xncc_image *image,
                            const xncc_template *const *templ, size_t count,
                            const xncc_find_options *options, const xncc_suppress_rule *suppress,
                            xncc_candidate *match, size_t capacity, size_t *found,
                            xncc_error *error)
{
    XNCC_ENTER;
    xncc_find_options o;
    xncc_problem problem = XNCC_PROBLEM_INIT;
    xncc_preference preference = XNCC_PREFERENCE_INIT;
    xncc_batch_options all = XNCC_BATCH_OPTIONS_INIT;
    if (found)
        *found = 0;
    if (!context || !found)
        return xncc_fail_null(error, context ? "found" : "context");
    const xncc_watch call = xncc_watch_make(&context->progress);
    xncc_status status = XNCC_READ(&o, options, xncc_find_options, XNCC_FIND_OPTIONS_INIT, kernel,
                                   error);
    if (!status)
        status = xncc_problem_set(&problem, image, NULL, error);
    if (status)
        return status;
    problem.rule = o.rule;
    preference.kernel = o.kernel;
    preference.image_memory = preference.map_memory = image->memory;
    all.peaks = o.peaks;
    all.suppress = suppress;
    all.capacity = capacity;
    xncc_batch *batch = NULL;
    status = xncc_batch_create(context, &problem, &preference, templ, count, &all, &batch, error);
    if (!status) {
        xncc_watch_join(&batch->watch, &call);
        status = xncc_batch_find(batch, image, match, found, NULL, error);
    }
    xncc_batch_destroy(batch);
    return xncc_done(status, error);
}
