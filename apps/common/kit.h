/* SPDX-License-Identifier: BSD-2-Clause */
/* What the pages of a command share: the device, the templates or the filter, and the plans. */
#ifndef APP_KIT_H
#define APP_KIT_H

#include "plans.h"
#include "session.h"
#include "templates.h"

typedef struct app_kit {
    const app_named *inputs;
    app_session session;
    app_templates templates;
    app_plans plans;
    xncc_filter *filter;  /* made with the context of the session; NULL: not yet */
    app_size filter_size; /* width 0: the command matches templates */
    /* For --device auto: */
    app_picture last; /* the kind of the last page; it has no pixels */
    double page_ms; /* what the CPU is expected to take for such a page; below 0: it cannot do it */
    double spent_ms; /* the sum over the pages so far */
} app_kit;

/* Opens the device as app_session_begin does. Reads the templates, or, if filter is not NULL, notes
 * its size. Call app_kit_close whatever is returned. */
xncc_status app_kit_open(const app_options *options, const app_named *inputs,
                         const app_size *filter, app_kit *kit, app_error *error);
void app_kit_close(app_kit *kit);

/* A kit for another thread of the command: the same template pictures, but a context of one CPU
 * thread, and plans and templates of its own. The device must be decided, and the first kit must
 * outlive it. Call app_kit_close whatever is returned. */
xncc_status app_kit_share(const app_kit *from, app_kit *kit, app_error *error);

/* Call it for each page when its kind is known, before anything is computed from it. With --device
 * auto, and CUDA not started, it is started if what is left is worth it; templates, plans and
 * filter are then made again. item: the number of the page's image, from 0. */
xncc_status app_kit_decide(app_kit *kit, const app_picture *page, size_t item, app_error *error);

#endif
