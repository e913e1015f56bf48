/* SPDX-License-Identifier: BSD-2-Clause */
/* The templates of a command. */
#include "templates.h"

#include <stdlib.h>
#include <string.h>

static xncc_status check_masks(const app_options *o, int count, app_error *error)
{
    if (o->mask_count == 0 || o->mask_count == count)
        return XNCC_OK;
    return app_fail(
        error, app_blame_usage(error, XNCC_ERROR_ARGUMENT),
        "--mask: %d given for %d template%s; give one per template, in the same order (-: no mask)",
        o->mask_count, count, count == 1 ? "" : "s");
}

static xncc_status load(const app_options *o, const app_named *in, int i, app_source *source,
                        app_error *error)
{
    const char *mask = o->mask_count ? o->masks[i] : "-";
    xncc_status status = app_source_load_templ(in->templs.name[i], &o->reading, source, error);
    if (!status && strcmp(mask, "-") != 0)
        status = app_source_mask(source, mask, &o->reading, error);
    return status;
}

xncc_status app_templates_open(const app_options *o, const app_named *in, app_templates *t,
                               app_error *error)
{
    *t = (app_templates){ .count = (int)in->templs.count };
    xncc_status status = check_masks(o, t->count, error);
    if (status)
        return status;
    t->source = calloc(in->templs.count, sizeof *t->source);
    t->made = calloc(in->templs.count, sizeof *t->made);
    if (!t->source || !t->made)
        return app_fail(error, XNCC_ERROR_MEMORY, "out of memory for %d templates", t->count);
    for (int i = 0; i < t->count && !status; i++)
        status = load(o, in, i, &t->source[i], error);
    return status;
}

xncc_status app_templates_get(app_templates *t, int i, xncc_pixel pixel, xncc_context *context,
                              xncc_template **templ, app_error *error)
{
    xncc_image view;
    xncc_error why;
    xncc_status status = XNCC_OK;
    if (!t->made[i][pixel]) {
        status = app_source_view(&t->source[i], pixel, &view, error);
        if (!status)
            status = app_pass_on(error,
                                 xncc_template_create(context, &view, &t->made[i][pixel], &why),
                                 t->source[i].path, &why);
    }
    *templ = t->made[i][pixel];
    return status;
}

void app_templates_release(app_templates *t)
{
    for (int i = 0; t->made && i < t->count; i++)
        for (int pixel = 0; pixel < APP_PIXELS; pixel++) {
            xncc_template_destroy(t->made[i][pixel]);
            t->made[i][pixel] = NULL;
        }
}

xncc_status app_templates_share(const app_templates *from, app_templates *t, app_error *error)
{
    const size_t count = (size_t)from->count;
    *t = (app_templates){ .source = calloc(count, sizeof *t->source),
                          .made = calloc(count, sizeof *t->made),
                          .count = from->count,
                          .shared = 1 };
    if (!t->source || !t->made)
        return app_fail(error, XNCC_ERROR_MEMORY, "out of memory for %d templates", t->count);
    for (size_t i = 0; i < count; i++) {
        t->source[i] = from->source[i];
        t->source[i].converted = NULL;
    }
    return XNCC_OK;
}

void app_templates_close(app_templates *t)
{
    app_templates_release(t);
    for (int i = 0; t->source && i < t->count; i++) {
        if (t->shared)
            t->source[i].picture = (app_picture){ .pixels = NULL }; /* is another's */
        app_source_free(&t->source[i]);
    }
    free(t->source);
    free(t->made);
    memset(t, 0, sizeof *t);
}
