/* SPDX-License-Identifier: BSD-2-Clause */
/* The maps of one template on one page: their names, and what they say of themselves. */
#ifndef CORRELATE_TASK_H
#define CORRELATE_TASK_H

#include "common/feed.h"
#include "common/map_out.h"

/* What the pages of exactncc correlate share. */
typedef struct correlate_job {
    const app_options *options;
    app_named inputs;
    app_kit kit;
    app_maps maps;
} correlate_job;

typedef struct correlate_task {
    app_source *scene;
    int templ; /* from 0 */
    app_search search;
    app_map_out out[2]; /* the scores, and --coverage */
    char heatmap[APP_OUT_NAME_SIZE];
} correlate_task;

/* Makes a task without a search, with the names of its files. NULL after a failure. The caller
 * frees it. */
correlate_task *correlate_task_new(correlate_job *job, app_feed_page *page, int templ,
                                   app_error *error);

const app_source *correlate_templ(const correlate_job *job, const correlate_task *task);

/* Number of maps: 1, or 2 with --coverage. */
int correlate_maps(const correlate_job *job);

/* What map i is a map of. */
xncc_method correlate_method(const correlate_job *job, int i);

/* The text of the ImageDescription tag of map i: what the map is, so that the file explains itself.
 * NULL if there is no memory. */
char *correlate_describe(const correlate_job *job, const correlate_task *task, int i);

#endif
