/* What exactncc find collects and prints: a row per match, and a row per search. */
#ifndef APP_FIND_REPORT_H
#define APP_FIND_REPORT_H

#include "common/search.h"
#include "exactncc/refine.h"
#include "html/html_report.h"

typedef struct app_find_job {
    const app_options *options;
    app_session session;
    const char *image;
    app_source *templs;
    int templ_count;
    int32_t width, height; /* of the last page, in pixels */
    app_rows matches, searches;
    app_html *html; /* --report; NULL: not wanted */
} app_find_job;

/* A search that is running. */
typedef struct app_hunt {
    app_search search;
    xncc_match *match;
    xncc_refined *refined; /* NULL without --subpixel */
    size_t room, found;    /* elements of match: allocated, and filled */
    xncc_plan_info plan;   /* what searched */
} app_hunt;

/* Sets up the tables. */
void app_find_report_open(app_find_job *job);
void app_find_report_close(app_find_job *job);

/* Adds a search and its matches to the tables. */
xncc_status app_find_report(app_find_job *job, const app_source *scene, const app_source *templ,
                            const app_hunt *hunt, app_error *error);

/* --merge: of the match rows from `first` on, keeps those that the rule keeps, best first. */
xncc_status app_find_merge(app_find_job *job, size_t first, app_error *error);

/* --overlay: writes the picture with every match framed. */
xncc_status app_find_overlay(const app_find_job *job, const app_source *scene, app_error *error);

/* --report: starts it, and adds a page with the match rows from `first` on. */
xncc_status app_find_html_open(app_find_job *job, app_error *error);
xncc_status app_find_html(app_find_job *job, const app_source *scene, size_t first,
                          app_error *error);

/* Prints the tables to stdout, in the format of --format. */
void app_find_print(const app_find_job *job);

#endif
