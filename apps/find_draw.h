/* SPDX-License-Identifier: BSD-2-Clause */
/* The pictures and pages that find makes of its results: --overlay and --report. */
#ifndef FIND_DRAW_H
#define FIND_DRAW_H

#include "common/out_name.h"
#include "find_result.h"
#include "html/html_report.h"

typedef struct find_draw {
    const app_options *options;
    const app_named *inputs;
    const app_kit *kit;
    app_written written; /* overlays */
    app_html *html;      /* --report; NULL: not wanted */
    size_t hits;         /* of the pages before, so that numbers are those of the table */
} find_draw;

/* Call find_draw_close whatever is returned. */
xncc_status find_draw_open(const app_options *options, const app_named *inputs, const app_kit *kit,
                           find_draw *draw, app_error *error);

/* Draws a page that was searched, or notes one that failed. */
xncc_status find_draw_page(find_draw *draw, const find_result *result, app_error *error);

/* Ends the report, or removes it if the status is a failure. Returns the first failure. */
xncc_status find_draw_close(find_draw *draw, xncc_status status, app_error *error);

#endif
