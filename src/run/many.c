/* Many templates: grouped by size, a plan for each group, and their matches in one list. */
#include "run/many.h"

#include "base/memory.h"
#include "image/image.h"
#include "peaks/merge.h"

#include <string.h>

static xncc_status no_memory(xncc_error *error)
{
    return xncc_fail(error, XNCC_ERROR_MEMORY,
                     "many: no memory for the templates' matches; ask for fewer with top");
}

static int is_alike(const xncc_template *a, const xncc_template *b)
{
    return a->width == b->width && a->height == b->height && (a->mask != NULL) == (b->mask != NULL);
}

static xncc_status check_part(const xncc_many *many, const xncc_template *part, size_t i,
                              xncc_error *error)
{
    const xncc_problem *p = &many->problem;
    if (!part)
        return xncc_fail(error, XNCC_ERROR_ARGUMENT, "template %zu: a null pointer", i);
    if (part->context != many->context)
        return xncc_fail(error, XNCC_ERROR_ARGUMENT,
                         "template %zu: it was made with another context", i);
    if (part->pixel != p->pixel || part->channels != xncc_problem_channels(p))
        return xncc_fail(
            error, XNCC_ERROR_ARGUMENT,
            "template %zu: it is %s of %d channels and the image %s of %d; give all one type", i,
            xncc_pixel_name(part->pixel), part->channels, xncc_pixel_name(p->pixel),
            xncc_problem_channels(p));
    if (p->mode == XNCC_VALID && (part->width > p->image_width || part->height > p->image_height))
        return xncc_fail(error, XNCC_ERROR_ARGUMENT,
                         "template %zu: its %d x %d pixels do not fit into the image of %d x %d; "
                         "modes same and full allow that",
                         i, part->width, part->height, p->image_width, p->image_height);
    return XNCC_OK;
}

/* Orders the templates by groups, which come in the order of their first templates. */
static xncc_status group_parts(xncc_many *many, const xncc_template *const *part, xncc_error *error)
{
    many->part = xncc_alloc(many->count, sizeof *many->part);
    many->number = xncc_alloc(many->count, sizeof *many->number);
    many->group = xncc_alloc(many->count, sizeof *many->group);
    size_t *group_of = xncc_alloc(many->count, sizeof *group_of);
    if (!many->part || !many->number || !many->group || !group_of) {
        xncc_free(group_of);
        return xncc_fail(error, XNCC_ERROR_MEMORY, "many: no memory for %zu templates",
                         many->count);
    }
    for (size_t i = 0; i < many->count; i++) {
        size_t g = 0;
        while (g < many->groups && !is_alike(part[many->group[g].first], part[i]))
            g++;
        if (g == many->groups)
            many->group[many->groups++].first = i;
        many->group[g].count++;
        group_of[i] = g;
    }
    size_t at = 0;
    for (size_t g = 0; g < many->groups; g++) {
        const size_t first = at;
        for (size_t i = many->group[g].first; i < many->count; i++)
            if (group_of[i] == g) {
                many->part[at] = part[i];
                many->number[at++] = i;
            }
        many->group[g].first = first;
    }
    xncc_free(group_of);
    return XNCC_OK;
}

static void destroy_plans(xncc_many *many)
{
    for (size_t g = 0; many->group && g < many->groups; g++) {
        xncc_plan_destroy(many->group[g].plan);
        many->group[g].plan = NULL;
    }
}

/* Whether all are of one engine goes to *alike. */
static xncc_status make_plans(xncc_many *many, const xncc_preference *preference, int *alike)
{
    xncc_status status = XNCC_OK;
    *alike = 1;
    for (size_t g = 0; g < many->groups && !status; g++) {
        const xncc_template *part = many->part[many->group[g].first];
        xncc_problem problem = many->problem;
        problem.width = part->width;
        problem.height = part->height;
        problem.part_masked = xncc_template_masked(part);
        status = xncc_plan_create(many->context, &problem, preference, &many->group[g].plan);
        if (!status)
            *alike = *alike && many->group[g].plan->engine == many->group[0].plan->engine;
    }
    if (status)
        destroy_plans(many);
    return status;
}

/* Plans of one engine. Where the GPU cannot serve them all, the CPU shall. */
static xncc_status make_alike(xncc_many *many, const xncc_preference *preference)
{
    xncc_preference wanted = preference ? *preference
                                        : (xncc_preference){ .device = XNCC_DEVICE_AUTO };
    int alike;
    xncc_status status = make_plans(many, &wanted, &alike);
    if (status || alike)
        return status;
    destroy_plans(many);
    wanted.device = XNCC_DEVICE_CUDA;
    status = make_plans(many, &wanted, &alike);
    if (status != XNCC_ERROR_UNSUPPORTED)
        return status;
    wanted.device = XNCC_DEVICE_CPU;
    return make_plans(many, &wanted, &alike);
}

static xncc_status keep_find(xncc_many *many, const xncc_many_options *o, xncc_error *error)
{
    many->capacity = o->capacity;
    if (o->find)
        many->find = *o->find;
    many->merges = o->merge != NULL;
    many->merge = o->merge ? *o->merge : xncc_merge_defaults();
    /* coverage is good where it is large, as are the scores of the default */
    many->merge.method = many->problem.method == XNCC_COVERAGE ? XNCC_CCOEFF_NORMED
                                                               : many->problem.method;
    if (!xncc_merge_is_valid(&many->merge))
        return xncc_fail(
            error, XNCC_ERROR_ARGUMENT,
            "many: a limit of %g is out of the range of the merge rule, or there is no such rule",
            many->merge.limit);
    many->each = many->find.top && many->find.top < many->capacity ? many->find.top
                                                                   : many->capacity;
    if (many->merge.top == 0 || many->merge.top > many->capacity)
        many->merge.top = many->capacity;
    uint64_t all;
    if (many->count == 0 || many->each == 0)
        return XNCC_OK;
    if (!xncc_mul_u64(many->count, many->each, &all))
        return no_memory(error);
    many->match = xncc_alloc(all, sizeof *many->match);
    many->candidate = xncc_alloc(all, sizeof *many->candidate);
    many->found = xncc_alloc(many->count, sizeof *many->found);
    return many->match && many->candidate && many->found ? XNCC_OK : no_memory(error);
}

static void keep_least(xncc_many *many)
{
    const xncc_problem *p = &many->problem;
    int32_t width = many->part[0]->width, height = many->part[0]->height;
    for (size_t i = 1; i < many->count; i++) {
        width = many->part[i]->width < width ? many->part[i]->width : width;
        height = many->part[i]->height < height ? many->part[i]->height : height;
    }
    many->best_width = p->mode == XNCC_VALID ? p->image_width - width + 1 : p->image_width;
    many->best_height = p->mode == XNCC_VALID ? p->image_height - height + 1 : p->image_height;
}

/* Fills an object that has its context. Where the text stays empty, a plan has left its own in the
 * context. */
static xncc_status fill(xncc_many *many, const xncc_preference *preference,
                        const xncc_template *const *part, const xncc_many_options *options,
                        xncc_error *error)
{
    static const xncc_many_options none = { 0 };
    xncc_problem *p = &many->problem;
    p->width = p->height = 1;
    p->part_masked = 0;
    xncc_status status = p->task == XNCC_TASK_MATCH ? xncc_problem_check(p, error)
                                                    : xncc_fail(error, XNCC_ERROR_ARGUMENT,
                                                                "many: the task is not matching");
    if (!status && many->count > INT32_MAX)
        status = xncc_fail(error, XNCC_ERROR_ARGUMENT, "many: %zu templates are more than 2^31 - 1",
                           many->count);
    for (size_t i = 0; i < many->count && !status; i++)
        status = part ? check_part(many, part[i], i, error)
                      : xncc_fail(error, XNCC_ERROR_ARGUMENT, "many: part is a null pointer");
    if (!status)
        status = keep_find(many, options ? options : &none, error);
    if (status || many->count == 0)
        return status;
    status = group_parts(many, part, error);
    if (status)
        return status;
    keep_least(many);
    status = make_alike(many, preference);
    if (status)
        return status;
    many->engine = many->group[0].plan->engine;
    return many->engine->ops->share->open(
        many->context->engine[xncc_slot(many->group[0].plan->decision.engine)], &many->share,
        error);
}

xncc_status xncc_many_create(xncc_context *context, const xncc_problem *problem,
                             const xncc_preference *preference, const xncc_template *const *part,
                             size_t count, const xncc_many_options *options, xncc_many **result)
{
    xncc_error error = { "" };
    if (result)
        *result = NULL;
    if (!context)
        return XNCC_ERROR_ARGUMENT;
    if (!result || !problem)
        return xncc_context_note(context,
                                 xncc_fail(&error, XNCC_ERROR_ARGUMENT,
                                           "many: %s is a null pointer",
                                           result ? "the problem" : "result"),
                                 &error);
    xncc_many *many = xncc_alloc(1, sizeof *many);
    if (!many)
        return xncc_context_note(context, no_memory(&error), &error);
    many->context = context;
    many->problem = *problem;
    many->count = count;
    xncc_status status = fill(many, preference, part, options, &error);
    if (status)
        xncc_many_destroy(many);
    else
        *result = many;
    return status && !error.text[0] ? status : xncc_context_note(context, status, &error);
}

void xncc_many_destroy(xncc_many *many)
{
    if (!many)
        return;
    destroy_plans(many);
    if (many->share)
        many->engine->ops->share->close(many->share);
    xncc_free(many->part);
    xncc_free(many->number);
    xncc_free(many->group);
    xncc_free(many->match);
    xncc_free(many->found);
    xncc_free(many->candidate);
    xncc_free(many);
}

xncc_status xncc_many_share_image(xncc_many *many, const xncc_image *image, size_t times,
                                  xncc_image *shared, xncc_stream stream, xncc_error *error)
{
    *shared = *image;
    const xncc_share_ops *ops = many->engine->ops->share;
    return ops->image && times > 1 ? ops->image(many->share, image, shared, stream, error)
                                   : XNCC_OK;
}

/* The matches of all groups as candidates, in no order. */
static size_t gather(xncc_many *many)
{
    size_t count = 0;
    for (size_t i = 0; i < many->count; i++)
        for (size_t k = 0; k < many->found[i]; k++)
            many->candidate[count++] = (xncc_candidate){ .match = many->match[i * many->each + k],
                                                         .part = (int32_t)many->number[i],
                                                         .width = many->part[i]->width,
                                                         .height = many->part[i]->height };
    return count;
}

/* One list out of many. */
static xncc_status put_together(xncc_many *many, xncc_candidate *match, size_t *found)
{
    size_t count = gather(many);
    xncc_status status = XNCC_OK;
    if (many->merges)
        status = xncc_matches_merge(many->candidate, count, &many->merge, &count);
    else
        xncc_candidates_sort(many->candidate, count, many->merge.method);
    if (status)
        return status;
    *found = count < many->merge.top ? count : many->merge.top;
    memcpy(match, many->candidate, *found * sizeof *match);
    return XNCC_OK;
}

static xncc_status find_all(xncc_many *many, const xncc_image *image, xncc_stream stream,
                            xncc_error *error)
{
    xncc_image shared;
    xncc_status status = xncc_plan_check_image(many->group[0].plan, image, error);
    if (!status)
        status = xncc_many_share_image(many, image, many->groups, &shared, stream, error);
    for (size_t g = 0; g < many->groups && !status; g++) {
        const xncc_many_group *group = &many->group[g];
        status = xncc_plan_find_bank(group->plan, &shared, many->part + group->first, group->count,
                                     &many->find, many->match + group->first * many->each,
                                     many->each, many->found + group->first, stream);
    }
    return status;
}

xncc_status xncc_many_find(xncc_many *many, const xncc_image *image, xncc_candidate *match,
                           size_t *found, xncc_stream stream)
{
    xncc_error error = { "" };
    if (!many)
        return XNCC_ERROR_ARGUMENT;
    if (!found || (!match && many->capacity) || !image)
        return xncc_context_note(
            many->context,
            xncc_fail(&error, XNCC_ERROR_ARGUMENT, "find: image, match or found is a null pointer"),
            &error);
    *found = 0;
    if (many->count == 0 || many->each == 0)
        return XNCC_OK;
    xncc_status status = find_all(many, image, stream, &error);
    if (!status && put_together(many, match, found) != XNCC_OK)
        status = xncc_fail(&error, XNCC_ERROR_INTERNAL, "find: the matches could not be merged");
    return status && !error.text[0] ? status : xncc_context_note(many->context, status, &error);
}

xncc_status xncc_find_many(xncc_context *context, const xncc_image *image,
                           const xncc_template *const *part, size_t count,
                           const xncc_find_options *options, const xncc_merge_options *merge,
                           xncc_candidate *match, size_t capacity, size_t *found)
{
    static const xncc_find_options none = { .method = XNCC_CCOEFF_NORMED };
    const xncc_find_options *o = options ? options : &none;
    xncc_error error = { "" };
    if (!context)
        return XNCC_ERROR_ARGUMENT;
    if (!found)
        return xncc_context_note(
            context, xncc_fail(&error, XNCC_ERROR_ARGUMENT, "find: found is a null pointer"),
            &error);
    *found = 0;
    xncc_status status = xncc_image_check(image, "image", &error);
    if (status)
        return xncc_context_note(context, status, &error);
    const xncc_problem problem = { .pixel = image->pixel,
                                   .image_width = image->width,
                                   .image_height = image->height,
                                   .method = o->method,
                                   .mode = o->mode,
                                   .border = o->border,
                                   .channels = image->channels,
                                   .image_masked = xncc_image_is_masked(image),
                                   .min_valid = o->min_valid };
    xncc_many *many = NULL;
    status = xncc_many_create(
        context, &problem,
        &(xncc_preference){
            .kernel = o->kernel, .image_memory = image->memory, .map_memory = image->memory },
        part, count, &(xncc_many_options){ .find = o, .merge = merge, .capacity = capacity },
        &many);
    if (!status)
        status = xncc_many_find(many, image, match, found, NULL);
    xncc_many_destroy(many);
    return status;
}
