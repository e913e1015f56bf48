/* SPDX-License-Identifier: BSD-2-Clause */
/* What the pages of a command share. */
#include "kit.h"

#include <string.h>

xncc_status app_kit_open(const app_options *options, const app_named *inputs,
                         const app_size *filter, app_kit *kit, app_error *error)
{
    *kit = (app_kit){ .inputs = inputs };
    if (filter)
        kit->filter_size = *filter;
    xncc_status status = filter ? XNCC_OK
                                : app_templates_open(options, inputs, &kit->templates, error);
    if (!status)
        status = app_session_begin(options, &kit->session, error);
    kit->plans.context = kit->session.context;
    return status;
}

xncc_status app_kit_share(const app_kit *from, app_kit *kit, app_error *error)
{
    xncc_context_options o = from->session.options->device;
    xncc_error why;
    o.device = XNCC_DEVICE_CPU;
    o.cuda_count = 0;
    o.threads = 1;
    *kit = (app_kit){ .inputs = from->inputs, .session = from->session };
    kit->session.context = NULL;
    xncc_status status = app_templates_share(&from->templates, &kit->templates, error);
    if (!status)
        status = app_pass_on(error, xncc_context_create(&o, &kit->session.context, &why),
                             "cannot start", &why);
    kit->plans.context = kit->session.context;
    return status;
}

/* Destroys what was made with the context. */
static void release(void *data)
{
    app_kit *kit = data;
    app_plans_close(&kit->plans);
    app_templates_release(&kit->templates);
    xncc_filter_destroy(kit->filter);
    kit->filter = NULL;
}

void app_kit_close(app_kit *kit)
{
    release(kit);
    app_templates_close(&kit->templates);
    app_session_close(&kit->session);
}

/* The sizes and rules for a page, without those of a template. */
static xncc_problem problem_of(const app_kit *kit, const app_picture *page)
{
    const app_options *o = kit->session.options;
    xncc_problem p = XNCC_PROBLEM_INIT;
    p.image_width = o->roi.width ? o->roi.width : page->width;
    p.image_height = o->roi.width ? o->roi.height : page->height;
    p.pixel = page->pixel;
    return p;
}

/* What one call is expected to take on the context; below 0: it cannot be served. */
static double estimate(app_kit *kit, const xncc_problem *problem)
{
    xncc_plan_info info = XNCC_PLAN_INFO_INIT;
    xncc_plan *plan;
    xncc_error why;
    if (app_plans_get(&kit->plans, problem, kit->session.options->kernel, &plan, &why) ||
        xncc_plan_describe(plan, &info, NULL))
        return -1.0;
    return info.estimate_ms;
}

static double estimate_filter(app_kit *kit, const app_picture *page)
{
    xncc_problem p = problem_of(kit, page);
    p.task = XNCC_TASK_CONVOLVE;
    p.rule.border = kit->session.options->rule.border;
    p.templ_width = kit->filter_size.width;
    p.templ_height = kit->filter_size.height;
    if (p.pixel != XNCC_U8 && p.pixel != XNCC_U16)
        p.pixel = XNCC_F32;
    return estimate(kit, &p);
}

static double estimate_templ(app_kit *kit, const app_picture *page, const app_picture *templ)
{
    xncc_problem p = problem_of(kit, page);
    p.pixel = app_pixel_join(page->pixel, templ->pixel);
    p.channels = page->channels;
    p.templ_width = templ->width;
    p.templ_height = templ->height;
    p.image_masked = page->mask != NULL;
    p.templ_masked = templ->mask != NULL;
    p.rule = kit->session.options->rule;
    return estimate(kit, &p);
}

/* The sum over the templates. Those of the kind of the one before take as long. */
static double estimate_page(app_kit *kit, const app_picture *page)
{
    double sum = 0.0, last = 0.0;
    if (kit->filter_size.width)
        return estimate_filter(kit, page);
    for (int i = 0; i < kit->templates.count; i++) {
        const app_picture *t = &kit->templates.source[i].picture;
        const app_picture *before = i ? &kit->templates.source[i - 1].picture : NULL;
        if (!before || before->width != t->width || before->height != t->height ||
            before->pixel != t->pixel || (before->mask == NULL) != (t->mask == NULL))
            last = estimate_templ(kit, page, t);
        if (last < 0.0)
            return last;
        sum += last;
    }
    return sum;
}

xncc_status app_kit_decide(app_kit *kit, const app_picture *page, size_t item, app_error *error)
{
    const app_pages *p = &kit->session.options->pages;
    const app_picture *last = &kit->last;
    if (!kit->session.waiting)
        return XNCC_OK;
    if (last->width != page->width || last->height != page->height || last->pixel != page->pixel ||
        last->channels != page->channels)
        kit->page_ms = estimate_page(kit, page);
    kit->last = (app_picture){ .width = page->width,
                               .height = page->height,
                               .pixel = page->pixel,
                               .channels = page->channels };
    const int open_end = p->last == INT64_MAX;
    const double each = open_end ? 1.0 : (double)(p->last - p->first + 1);
    const app_auto_job job = { .page_ms = kit->page_ms,
                               .pages = (double)(kit->inputs->images.count - item) * each,
                               .spent_ms = kit->spent_ms,
                               .open_end = open_end };
    kit->spent_ms += kit->page_ms;
    const xncc_status status = app_session_decide(&kit->session, &job, release, kit, error);
    kit->plans.context = kit->session.context;
    return status;
}
