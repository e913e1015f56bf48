/* SPDX-License-Identifier: BSD-2-Clause */
/* The templates of a command: read once, and prepared once per pixel type. */
#ifndef APP_TEMPLATES_H
#define APP_TEMPLATES_H

#include "named_files.h"
#include "pixels.h"
#include "source.h"

typedef struct app_templates {
    app_source *source; /* path: the name that was given */
    xncc_template *(*made)[APP_PIXELS];
    int count;
    int shared; /* 1: the pictures belong to another app_templates */
} app_templates;

/* Reads the templates with their masks. There must be no --mask, or one per template. Call
 * app_templates_close whatever is returned. */
xncc_status app_templates_open(const app_options *options, const app_named *inputs,
                               app_templates *templates, app_error *error);
void app_templates_close(app_templates *templates);

/* The same pictures for another thread, which prepares its own templates from them. They must
 * outlive it. Call app_templates_close whatever is returned. */
xncc_status app_templates_share(const app_templates *from, app_templates *templates,
                                app_error *error);

/* Template i, from 0, with samples of a type. It is prepared when it is first asked for; all calls
 * must have the same context. */
xncc_status app_templates_get(app_templates *templates, int i, xncc_pixel pixel,
                              xncc_context *context, xncc_template **templ, app_error *error);

/* Forgets what was prepared, so that another context can be used. */
void app_templates_release(app_templates *templates);

#endif
