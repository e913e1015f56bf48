/* SPDX-License-Identifier: BSD-2-Clause */
/* One template in many images of one size. */
#include "api/objects.h"

#include "base/float_env.h"

#include <stdio.h>

/* Is an image valid because another one is? It differs in the place of its pixels alone. */
static int is_like(const xncc_image *image, const xncc_image *valid)
{
    return image->data && (uintptr_t)image->data % xncc_pixel_size(valid->pixel) == 0 &&
           image->width == valid->width && image->height == valid->height &&
           image->pitch == valid->pitch && image->pixel == valid->pixel &&
           image->memory == valid->memory && image->channels == valid->channels && !image->mask &&
           !image->has_no_data;
}

static xncc_status check_images(const xncc_plan *plan, const xncc_image_group *group,
                                xncc_error *error)
{
    const xncc_image *image = group->image;
    char name[32]; /* in the text of an error */
    for (size_t i = 0; i < group->count; i++) {
        if ((i > 0 && is_like(&image[i], image)) ||
            xncc_plan_check_image(plan, &image[i], NULL) == XNCC_OK)
            continue;
        (void)snprintf(name, sizeof name, "image %zu", i);
        return xncc_plan_check_rows(plan, &image[i], plan->problem.image_height, name, error);
    }
    return XNCC_OK;
}

xncc_status xncc_plan_find_images(xncc_plan *plan, const xncc_image *image, size_t count,
                                  const xncc_template *templ, const xncc_peak_rule *peaks,
                                  xncc_match *match, size_t capacity, size_t *found,
                                  xncc_stream stream, xncc_error *error)
{
    XNCC_ENTER;
    xncc_search_rule rule = { 0 };
    const xncc_image_group group = { image, count, capacity, match, found };
    for (size_t i = 0; found && i < count; i++)
        found[i] = 0;
    if (!plan || (count && (!image || !found || (!match && capacity))))
        return xncc_fail_null(error, !plan    ? "plan"
                                     : !image ? "image"
                                     : !found ? "found"
                                              : "match");
    xncc_watch_begin(&plan->watch);
    xncc_status status = xncc_plan_check_template(plan, templ, error);
    if (!status)
        status = check_images(plan, &group, error);
    if (!status)
        status = xncc_search_rule_make(&plan->problem, peaks, capacity, &rule, error);
    if (!status && rule.top > 0 && count > 0)
        status = plan->engine->ops->find_images(plan->engine_plan, &group, templ, &rule, stream,
                                                error);
    for (size_t i = 0; i < count; i++) {
        found[i] = status ? 0 : found[i];
        if (found[i])
            xncc_matches_move(match + i * capacity, found[i], plan->map.x0, plan->map.y0);
    }
    return xncc_done(status, error);
}
