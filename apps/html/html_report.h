/* SPDX-License-Identifier: BSD-2-Clause */
/* A report as one HTML file that needs no network: the pictures with their matches framed, and what
 * the script in report/ makes of them. Scenes are added one after the other and written at once, so
 * the report takes the memory of one scene. The file appears under its name when it is complete. */
#ifndef APP_HTML_REPORT_H
#define APP_HTML_REPORT_H

#include "common/overlay.h"
#include "common/source.h"

/* What all scenes of a report share. Borrowed until the report is closed. */
typedef struct app_html_about {
    const char *command; /* the command line */
    const char *method;
    int small_is_good;        /* 1: of two scores the smaller is better */
    int32_t side;             /* pictures of scenes are reduced to at most this many pixels */
    const app_source *templs; /* the templates */
    int templ_count;
} app_html_about;

/* A page of an image with its matches, best first for each template. Numbers of frames count
 * through the whole report. */
typedef struct app_html_scene {
    const char *name;
    uint32_t page;
    const app_picture *picture;
    const char *kernel, *device; /* what searched; NULL: not known */
    const app_frame *frames;
    size_t count;
    const double (*subpixel)[2]; /* x and y of each match to fractions of a pixel; NULL: none */
} app_html_scene;

typedef struct app_html app_html;

/* Fails if no report can be written under this name. Call it before the work starts. */
xncc_status app_html_check(const char *path, app_error *error);

/* Starts a report. On failure *report is NULL. */
xncc_status app_html_open(const char *path, const app_html_about *about, app_html **report,
                          app_error *error);

xncc_status app_html_add(app_html *report, const app_html_scene *scene, app_error *error);

/* Adds a page that could not be searched, with the reason. */
void app_html_add_failure(app_html *report, const char *name, uint32_t page, const char *reason);

/* Ends the report, or removes it if the status is a failure. Returns the first failure. NULL is
 * allowed. */
xncc_status app_html_close(app_html *report, xncc_status status, app_error *error);

#endif
