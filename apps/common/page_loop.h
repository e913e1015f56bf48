/* SPDX-License-Identifier: BSD-2-Clause */
/* The pages of the images of a command, one after the other, with those that fail reported. */
#ifndef APP_PAGE_LOOP_H
#define APP_PAGE_LOOP_H

#include "feed.h"
#include "named_files.h"
#include "progress.h"

typedef struct app_page_work {
    app_feed_rule feed;
    const app_named *inputs;
    const char *command; /* "correlate", for messages */
    /* Called with each page that could be opened. The page is released afterwards. */
    xncc_status (*take)(void *data, app_feed_page *page, app_error *error);
    void *data;
    int *complete; /* set to 1 if all pages were taken, even if some have failed; NULL: not asked */
} app_page_work;

/* How the pages went. */
typedef struct app_tally {
    size_t pages, failed;
} app_tally;

/* 1 if the command has one page at most. */
int app_is_single(const app_options *options, const app_named *inputs);

/* 1 if a page's failure ends the work: wrong usage, --strict, or the only page. */
int app_is_fatal(const app_options *options, const app_named *inputs, const app_error *error);

/* The status at the end: a failure if a page failed. */
xncc_status app_tally_end(const app_tally *tally, app_error *error);

/* Starts to show how many of the images are done, if there are several; silent: never. */
void app_images_start(app_progress *progress, const app_named *inputs, int silent);

/* The work is at this page. */
void app_images_at(app_progress *progress, const app_named *inputs, const app_feed_page *page);

/* Reads the pages ahead, and takes them in order. A page that fails is reported on stderr, and the
 * rest is done, unless the failure is fatal. */
xncc_status app_for_pages(const app_page_work *work, app_error *error);

#endif
