/* Many templates: grouped by size, a plan for each group, and their matches in one list. */
#include "run/many.h"

#include "base/memory.h"
#include "image/image.h"
#include "peaks/merge.h"

#include <string.h>

static cm_status no_memory(cm_error *error)
{
    return cm_fail(error, CM_ERROR_MEMORY, "many: no memory for the templates' matches; ask for fewer with top");
}

static int is_alike(const cm_template *a, const cm_template *b)
{
    return a->width == b->width && a->height == b->height && (a->mask != NULL) == (b->mask != NULL);
}

static cm_status check_part(const cm_many *many, const cm_template *part, size_t i, cm_error *error)
{
    const cm_problem *p = &many->problem;
    if (!part)
        return cm_fail(error, CM_ERROR_ARGUMENT, "template %zu: a null pointer", i);
    if (part->context != many->context)
        return cm_fail(error, CM_ERROR_ARGUMENT, "template %zu: it was made with another context", i);
    if (part->pixel != p->pixel || part->channels != cm_problem_channels(p))
        return cm_fail(error, CM_ERROR_ARGUMENT, "template %zu: it is %s of %d channels and the image %s of %d; give all one type", i,
                       cm_pixel_name(part->pixel), part->channels, cm_pixel_name(p->pixel), cm_problem_channels(p));
    if (p->mode == CM_VALID && (part->width > p->image_width || part->height > p->image_height))
        return cm_fail(error, CM_ERROR_ARGUMENT,
                       "template %zu: its %d x %d pixels do not fit into the image of %d x %d; modes same and full allow that", i,
                       part->width, part->height, p->image_width, p->image_height);
    return CM_OK;
}

/* Orders the templates by groups, which come in the order of their first templates. */
static cm_status group_parts(cm_many *many, const cm_template *const *part, cm_error *error)
{
    many->part = cm_alloc(many->count, sizeof *many->part);
    many->number = cm_alloc(many->count, sizeof *many->number);
    many->group = cm_alloc(many->count, sizeof *many->group);
    size_t *group_of = cm_alloc(many->count, sizeof *group_of);
    if (!many->part || !many->number || !many->group || !group_of) {
        cm_free(group_of);
        return cm_fail(error, CM_ERROR_MEMORY, "many: no memory for %zu templates", many->count);
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
    cm_free(group_of);
    return CM_OK;
}

static void destroy_plans(cm_many *many)
{
    for (size_t g = 0; many->group && g < many->groups; g++) {
        cm_plan_destroy(many->group[g].plan);
        many->group[g].plan = NULL;
    }
}

/* Whether all are of one engine goes to *alike. */
static cm_status make_plans(cm_many *many, const cm_preference *preference, int *alike)
{
    cm_status status = CM_OK;
    *alike = 1;
    for (size_t g = 0; g < many->groups && !status; g++) {
        const cm_template *part = many->part[many->group[g].first];
        cm_problem problem = many->problem;
        problem.width = part->width;
        problem.height = part->height;
        problem.part_masked = cm_template_masked(part);
        status = cm_plan_create(many->context, &problem, preference, &many->group[g].plan);
        if (!status)
            *alike = *alike && many->group[g].plan->engine == many->group[0].plan->engine;
    }
    if (status)
        destroy_plans(many);
    return status;
}

/* Plans of one engine. Where the GPU cannot serve them all, the CPU shall. */
static cm_status make_alike(cm_many *many, const cm_preference *preference)
{
    cm_preference wanted = preference ? *preference : (cm_preference){ .device = CM_DEVICE_AUTO };
    int alike;
    cm_status status = make_plans(many, &wanted, &alike);
    if (status || alike)
        return status;
    destroy_plans(many);
    wanted.device = CM_DEVICE_CUDA;
    status = make_plans(many, &wanted, &alike);
    if (status != CM_ERROR_UNSUPPORTED)
        return status;
    wanted.device = CM_DEVICE_CPU;
    return make_plans(many, &wanted, &alike);
}

static cm_status keep_find(cm_many *many, const cm_many_options *o, cm_error *error)
{
    many->capacity = o->capacity;
    if (o->find)
        many->find = *o->find;
    many->merges = o->merge != NULL;
    many->merge = o->merge ? *o->merge : cm_merge_defaults();
    /* coverage is good where it is large, as are the scores of the default */
    many->merge.method = many->problem.method == CM_COVERAGE ? CM_CCOEFF_NORMED : many->problem.method;
    if (!cm_merge_is_valid(&many->merge))
        return cm_fail(error, CM_ERROR_ARGUMENT, "many: a limit of %g is out of the range of the merge rule, or there is no such rule",
                       many->merge.limit);
    many->each = many->find.top && many->find.top < many->capacity ? many->find.top : many->capacity;
    if (many->merge.top == 0 || many->merge.top > many->capacity)
        many->merge.top = many->capacity;
    uint64_t all;
    if (many->count == 0 || many->each == 0)
        return CM_OK;
    if (!cm_mul_u64(many->count, many->each, &all))
        return no_memory(error);
    many->match = cm_alloc(all, sizeof *many->match);
    many->candidate = cm_alloc(all, sizeof *many->candidate);
    many->found = cm_alloc(many->count, sizeof *many->found);
    return many->match && many->candidate && many->found ? CM_OK : no_memory(error);
}

static void keep_least(cm_many *many)
{
    const cm_problem *p = &many->problem;
    int32_t width = many->part[0]->width, height = many->part[0]->height;
    for (size_t i = 1; i < many->count; i++) {
        width = many->part[i]->width < width ? many->part[i]->width : width;
        height = many->part[i]->height < height ? many->part[i]->height : height;
    }
    many->best_width = p->mode == CM_VALID ? p->image_width - width + 1 : p->image_width;
    many->best_height = p->mode == CM_VALID ? p->image_height - height + 1 : p->image_height;
}

/* Fills an object that has its context. Where the text stays empty, a plan has left its own in the context. */
static cm_status fill(cm_many *many, const cm_preference *preference, const cm_template *const *part, const cm_many_options *options,
                      cm_error *error)
{
    static const cm_many_options none = { 0 };
    cm_problem *p = &many->problem;
    p->width = p->height = 1;
    p->part_masked = 0;
    cm_status status = p->task == CM_TASK_MATCH ? cm_problem_check(p, error)
                                                : cm_fail(error, CM_ERROR_ARGUMENT, "many: the task is not matching");
    if (!status && many->count > INT32_MAX)
        status = cm_fail(error, CM_ERROR_ARGUMENT, "many: %zu templates are more than 2^31 - 1", many->count);
    for (size_t i = 0; i < many->count && !status; i++)
        status = part ? check_part(many, part[i], i, error) : cm_fail(error, CM_ERROR_ARGUMENT, "many: part is a null pointer");
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
    return many->engine->ops->share->open(many->context->engine[cm_slot(many->group[0].plan->decision.engine)], &many->share, error);
}

cm_status cm_many_create(cm_context *context, const cm_problem *problem, const cm_preference *preference,
                         const cm_template *const *part, size_t count, const cm_many_options *options, cm_many **result)
{
    cm_error error = { "" };
    if (result)
        *result = NULL;
    if (!context)
        return CM_ERROR_ARGUMENT;
    if (!result || !problem)
        return cm_context_note(
            context, cm_fail(&error, CM_ERROR_ARGUMENT, "many: %s is a null pointer", result ? "the problem" : "result"), &error);
    cm_many *many = cm_alloc(1, sizeof *many);
    if (!many)
        return cm_context_note(context, no_memory(&error), &error);
    many->context = context;
    many->problem = *problem;
    many->count = count;
    cm_status status = fill(many, preference, part, options, &error);
    if (status)
        cm_many_destroy(many);
    else
        *result = many;
    return status && !error.text[0] ? status : cm_context_note(context, status, &error);
}

void cm_many_destroy(cm_many *many)
{
    if (!many)
        return;
    destroy_plans(many);
    if (many->share)
        many->engine->ops->share->close(many->share);
    cm_free(many->part);
    cm_free(many->number);
    cm_free(many->group);
    cm_free(many->match);
    cm_free(many->found);
    cm_free(many->candidate);
    cm_free(many);
}

cm_status cm_many_share_image(cm_many *many, const cm_image *image, size_t times, cm_image *shared, cm_stream stream, cm_error *error)
{
    *shared = *image;
    const cm_share_ops *ops = many->engine->ops->share;
    return ops->image && times > 1 ? ops->image(many->share, image, shared, stream, error) : CM_OK;
}

/* The matches of all groups as candidates, in no order. */
static size_t gather(cm_many *many)
{
    size_t count = 0;
    for (size_t i = 0; i < many->count; i++)
        for (size_t k = 0; k < many->found[i]; k++)
            many->candidate[count++] = (cm_candidate){ .match = many->match[i * many->each + k],
                                                       .part = (int32_t)many->number[i],
                                                       .width = many->part[i]->width,
                                                       .height = many->part[i]->height };
    return count;
}

/* One list out of many. */
static cm_status put_together(cm_many *many, cm_candidate *match, size_t *found)
{
    size_t count = gather(many);
    cm_status status = CM_OK;
    if (many->merges)
        status = cm_matches_merge(many->candidate, count, &many->merge, &count);
    else
        cm_candidates_sort(many->candidate, count, many->merge.method);
    if (status)
        return status;
    *found = count < many->merge.top ? count : many->merge.top;
    memcpy(match, many->candidate, *found * sizeof *match);
    return CM_OK;
}

static cm_status find_all(cm_many *many, const cm_image *image, cm_stream stream, cm_error *error)
{
    cm_image shared;
    cm_status status = cm_plan_check_image(many->group[0].plan, image, error);
    if (!status)
        status = cm_many_share_image(many, image, many->groups, &shared, stream, error);
    for (size_t g = 0; g < many->groups && !status; g++) {
        const cm_many_group *group = &many->group[g];
        status = cm_plan_find_bank(group->plan, &shared, many->part + group->first, group->count, &many->find,
                                   many->match + group->first * many->each, many->each, many->found + group->first, stream);
    }
    return status;
}

cm_status cm_many_find(cm_many *many, const cm_image *image, cm_candidate *match, size_t *found, cm_stream stream)
{
    cm_error error = { "" };
    if (!many)
        return CM_ERROR_ARGUMENT;
    if (!found || (!match && many->capacity) || !image)
        return cm_context_note(many->context, cm_fail(&error, CM_ERROR_ARGUMENT, "find: image, match or found is a null pointer"),
                               &error);
    *found = 0;
    if (many->count == 0 || many->each == 0)
        return CM_OK;
    cm_status status = find_all(many, image, stream, &error);
    if (!status && put_together(many, match, found) != CM_OK)
        status = cm_fail(&error, CM_ERROR_INTERNAL, "find: the matches could not be merged");
    return status && !error.text[0] ? status : cm_context_note(many->context, status, &error);
}

cm_status cm_find_many(cm_context *context, const cm_image *image, const cm_template *const *part, size_t count,
                       const cm_find_options *options, const cm_merge_options *merge, cm_candidate *match, size_t capacity,
                       size_t *found)
{
    static const cm_find_options none = { .method = CM_CCOEFF_NORMED };
    const cm_find_options *o = options ? options : &none;
    cm_error error = { "" };
    if (!context)
        return CM_ERROR_ARGUMENT;
    if (!found)
        return cm_context_note(context, cm_fail(&error, CM_ERROR_ARGUMENT, "find: found is a null pointer"), &error);
    *found = 0;
    cm_status status = cm_image_check(image, "image", &error);
    if (status)
        return cm_context_note(context, status, &error);
    const cm_problem problem = { .pixel = image->pixel, .image_width = image->width, .image_height = image->height, .method = o->method,
                                 .mode = o->mode, .border = o->border, .channels = image->channels,
                                 .image_masked = cm_image_is_masked(image), .min_valid = o->min_valid };
    cm_many *many = NULL;
    status = cm_many_create(context, &problem,
                            &(cm_preference){ .kernel = o->kernel, .image_memory = image->memory, .map_memory = image->memory }, part,
                            count, &(cm_many_options){ .find = o, .merge = merge, .capacity = capacity }, &many);
    if (!status)
        status = cm_many_find(many, image, match, found, NULL);
    cm_many_destroy(many);
    return status;
}
