/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds several masked templates of one size. Those with equal masks share the sums S and Q of
 * their windows, which are most of the work of a masked search. */
#include "base/memory.h"
#include "cpu/cpu_plan.h"

/* The most memory for shared sums. Without them, each template computes its own. */
enum { SUM_BYTES = 512 << 20 };

/* Finds template i and all later ones with its mask, if there are any. sums: memory. */
static xncc_status find_alike(const xncc_templ_run *run, size_t i, xncc_mask_sums *sums,
                              xncc_error *error)
{
    xncc_engine_plan *plan = run->plan;
    const xncc_templ_group *group = run->group;
    xncc_status status = XNCC_OK;
    sums->known = 0;
    plan->mask_sums = sums;
    for (size_t k = i + 1; k < group->count && !status; k++) {
        if (run->done[k] || !xncc_template_has_mask_of(group->templ[k], group->templ[i]))
            continue;
        if (!sums->known)
            status = xncc_cpu_find_one(run, i, error);
        sums->known = 1;
        if (!status)
            status = xncc_cpu_find_one(run, k, error);
    }
    plan->mask_sums = NULL;
    return status;
}

xncc_status xncc_cpu_find_alike(const xncc_templ_run *run, xncc_error *error)
{
    const xncc_engine_plan *plan = run->plan;
    const uint64_t windows = xncc_plan_elements(plan);
    xncc_mask_sums sums = { .width = plan->map.width };
    if (run->group->count < 2 || !plan->kernel->begin ||
        !xncc_mask_sums_fit(&plan->problem, &plan->blocks) ||
        windows > SUM_BYTES / (2 * sizeof(uint64_t)))
        return XNCC_OK;
    sums.S = xncc_alloc(windows, 2 * sizeof(uint64_t));
    if (!sums.S)
        return xncc_fail(error, XNCC_ERROR_MEMORY, "no memory for the sums of %llu windows",
                         (unsigned long long)windows);
    sums.Q = sums.S + windows;
    xncc_status status = XNCC_OK;
    for (size_t i = 0; i < run->group->count && !status; i++)
        if (!run->done[i])
            status = find_alike(run, i, &sums, error);
    xncc_free(sums.S);
    return status;
}
