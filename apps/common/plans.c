/* SPDX-License-Identifier: BSD-2-Clause */
/* Plans and batches that are kept. */
#include "plans.h"

#include <stdlib.h>
#include <string.h>

/* Every byte of a problem is a member, so that problems can be compared as memory. */
_Static_assert(sizeof(xncc_problem) == 40 + sizeof(xncc_match_rule), "xncc_problem has padding");
_Static_assert(sizeof(xncc_match_rule) == 32, "xncc_match_rule has padding");

static void forget(app_kept_plan *k)
{
    xncc_batch_destroy(k->batch);
    xncc_plan_destroy(k->plan);
    free(k->templ);
    memset(k, 0, sizeof *k);
}

static int is_for(const app_kept_plan *k, const app_batch_ask *ask)
{
    return k->used && k->count == ask->count && k->kernel == ask->kernel &&
           k->images == ask->images && memcmp(&k->problem, ask->problem, sizeof k->problem) == 0 &&
           (k->count == 0 || memcmp(k->templ, ask->templ, k->count * sizeof *k->templ) == 0);
}

/* Makes the plan, or the batch if there are templates. */
static xncc_status make(xncc_context *context, const app_batch_ask *ask, app_kept_plan *k,
                        xncc_error *why)
{
    xncc_preference preference = XNCC_PREFERENCE_INIT;
    preference.kernel = ask->kernel;
    preference.images = ask->images;
    k->images = ask->images;
    k->problem = *ask->problem;
    k->kernel = ask->kernel;
    k->count = ask->count;
    if (!ask->count)
        return xncc_plan_create(context, ask->problem, &preference, &k->plan, why);
    k->templ = malloc(ask->count * sizeof *k->templ);
    if (!k->templ) {
        strcpy(why->text, "out of memory");
        return XNCC_ERROR_MEMORY;
    }
    memcpy(k->templ, ask->templ, ask->count * sizeof *k->templ);
    return xncc_batch_create(context, ask->problem, &preference, ask->templ, ask->count,
                             ask->options, &k->batch, why);
}

/* Finds or makes it. */
static xncc_status get(app_plans *p, const app_batch_ask *ask, app_kept_plan **found,
                       xncc_error *why)
{
    app_kept_plan *oldest = &p->kept[0];
    for (size_t i = 0; i < APP_PLANS_KEPT; i++) {
        app_kept_plan *k = &p->kept[i];
        *found = k;
        if (is_for(k, ask)) {
            k->used = ++p->clock;
            return XNCC_OK;
        }
        if (k->used < oldest->used)
            oldest = k;
    }
    forget(oldest);
    const xncc_status status = make(p->context, ask, oldest, why);
    if (status)
        forget(oldest);
    else
        oldest->used = ++p->clock;
    *found = oldest;
    return status;
}

xncc_status app_plans_images(app_plans *p, const xncc_problem *problem, const char *kernel,
                             int32_t images, xncc_plan **plan, xncc_error *why)
{
    app_kept_plan *found;
    const app_batch_ask ask = { .problem = problem, .kernel = kernel, .images = images };
    const xncc_status status = get(p, &ask, &found, why);
    *plan = found->plan;
    return status;
}

xncc_status app_plans_get(app_plans *p, const xncc_problem *problem, const char *kernel,
                          xncc_plan **plan, xncc_error *why)
{
    return app_plans_images(p, problem, kernel, 1, plan, why);
}

xncc_status app_plans_prefer(app_plans *p, const xncc_problem *problem, const char *kernel,
                             xncc_plan **plan, xncc_error *why)
{
    const xncc_status status = app_plans_get(p, problem, kernel, plan, why);
    return status && kernel ? app_plans_get(p, problem, NULL, plan, why) : status;
}

int app_plans_refused(app_plans *p, const xncc_problem *problem, const char *kernel,
                      xncc_status status)
{
    xncc_plan *plan;
    xncc_error unused;
    if (status != XNCC_ERROR_ARGUMENT && status != XNCC_ERROR_UNSUPPORTED)
        return 0;
    return kernel && app_plans_get(p, problem, kernel, &plan, &unused) != XNCC_OK &&
           app_plans_get(p, problem, NULL, &plan, &unused) == XNCC_OK;
}

xncc_status app_plans_batch(app_plans *p, const app_batch_ask *ask, xncc_batch **batch,
                            xncc_error *why)
{
    app_kept_plan *found;
    const xncc_status status = get(p, ask, &found, why);
    *batch = found->batch;
    return status;
}

void app_plans_close(app_plans *p)
{
    for (size_t i = 0; i < APP_PLANS_KEPT; i++)
        forget(&p->kept[i]);
}
