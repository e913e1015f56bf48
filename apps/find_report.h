/* What find collects and prints. */
#ifndef APP_FIND_REPORT_H
#define APP_FIND_REPORT_H

#include "common/search.h"
#include "exactncc/refine.h"

typedef struct app_find_job {
    const app_options *options;
    app_session session;
    const char *image;
    app_source *templs;
    int templ_count;
    int32_t width, height; /* of the last page */
    app_rows matches, searches;
} app_find_job;

/* A search under way. */
typedef struct app_hunt {
    app_search search;
    xncc_match *match;
    xncc_refined *refined; /* NULL: not asked for */
    size_t room, found;
} app_hunt;

/* Gives the tables their columns. */
void app_find_report_open(app_find_job *job);
void app_find_report_close(app_find_job *job);

/* Adds a search and its matches. */
xncc_status app_find_report(app_find_job *job, const app_source *scene, const app_source *templ,
                            const app_hunt *hunt, app_error *error);

/* --merge: leaves, of the rows of matches from `first` on, those that --merge keeps, in their
 * order. */
xncc_status app_find_merge(app_find_job *job, size_t first, app_error *error);

xncc_status app_find_overlay(const app_find_job *job, const app_source *scene, app_error *error);

/* To stdout, in the format that was asked for. */
void app_find_print(const app_find_job *job);

#endif
