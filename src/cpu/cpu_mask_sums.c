/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds several masked templates of one size. Those with equal masks share the sums S and Q of
 * their windows, which are most of the work of a masked search. */
#include "base/memory.h"
#include "cpu/cpu_plan.h"

#include <string.h>

/* The most memory for shared sums. Without them, each template computes its own. */
enum { SUM_BYTES = 512 << 20 };

typedef struct batch_run {
    xncc_engine_plan *plan;
    const xncc_image *image;
    const xncc_templ_group *group;
    const xncc_search_rule *rule;
    xncc_mask_sums sums; /* S is NULL if nothing can be shared */
    char *done;          /* per template */
} batch_run;

static xncc_status find_one(const batch_run *run, size_t i, xncc_error *error)
{
    run->done[i] = 1;
    return xncc_cpu_find(run->plan, run->image, run->group->templ[i], run->rule,
                         run->group->match + i * run->group->capacity, &run->group->found[i], NULL,
                         error);
}

/* Finds template i, and all later ones with its mask. */
static xncc_status find_alike(batch_run *run, size_t i, xncc_error *error)
{
    const xncc_templ_group *group = run->group;
    xncc_status status = XNCC_OK;
    size_t first = i;
    run->sums.known = 0;
    for (size_t k = i + 1; k < group->count && run->sums.S && !status; k++) {
        if (run->done[k] || !xncc_template_has_mask_of(group->templ[k], group->templ[i]))
            continue;
        run->plan->mask_sums = &run->sums;
        if (!run->sums.known)
            status = find_one(run, first, error);
        run->sums.known = 1;
        if (!status)
            status = find_one(run, k, error);
    }
    run->plan->mask_sums = NULL;
    return status || run->done[i] ? status : find_one(run, i, error);
}

/* Allocates the sums, if the plan can share them. */
static xncc_status open_sums(batch_run *run, xncc_error *error)
{
    const xncc_engine_plan *plan = run->plan;
    const uint64_t windows = xncc_plan_elements(plan);
    if (run->group->count < 2 || !plan->kernel->begin ||
        !xncc_mask_sums_fit(&plan->problem, &plan->blocks) ||
        windows > SUM_BYTES / (2 * sizeof(uint64_t)))
        return XNCC_OK;
    run->sums.width = plan->map.width;
    run->sums.S = xncc_alloc(windows, 2 * sizeof(uint64_t));
    if (!run->sums.S)
        return xncc_fail(error, XNCC_ERROR_MEMORY, "no memory for the sums of %llu windows",
                         (unsigned long long)windows);
    run->sums.Q = run->sums.S + windows;
    return XNCC_OK;
}

xncc_status xncc_cpu_find_masked(xncc_engine_plan *plan, const xncc_image *image,
                                 const xncc_templ_group *group, const xncc_search_rule *rule,
                                 xncc_error *error)
{
    batch_run run = { .plan = plan, .image = image, .group = group, .rule = rule };
    run.done = xncc_alloc(group->count, 1);
    if (!run.done)
        return xncc_fail(error, XNCC_ERROR_MEMORY, "no memory for %zu templates", group->count);
    xncc_status status = open_sums(&run, error);
    for (size_t i = 0; i < group->count && !status; i++)
        if (!run.done[i])
            status = find_alike(&run, i, error);
    xncc_free(run.sums.S);
    xncc_free(run.done);
    return status;
}
