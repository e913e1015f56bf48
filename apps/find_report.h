/* SPDX-License-Identifier: BSD-2-Clause */
/* What exactncc find prints: a row per match, or with --count a row per search, page by page. */
#ifndef FIND_REPORT_H
#define FIND_REPORT_H

#include "common/output.h"
#include "find_result.h"

typedef struct find_report {
    const app_options *options;
    const app_named *inputs;
    const app_kit *kit;
    app_format format;
    app_output file; /* of -o */
    FILE *out;       /* stdout, or the file */
    const char *name;
    app_rows rows;     /* matches or numbers of matches: of this page, or for a table of all */
    app_rows searches; /* JSON and the summary of a table */
    app_rows failures; /* with texts of their own */
    unsigned hidden;   /* columns of rows that are left out */
    size_t hits, pages;
    size_t printed;        /* rows */
    int32_t width, height; /* of the last page */
    char crs[256];         /* the coordinate system of the first page; "": unknown */
    int begun;
} find_report;

/* Finds the format that the ending of a name asks for. Returns 0 if it is none. */
int find_format_of(const char *name, app_format *format);

/* Says which format -o and --format ask for, and fails if nothing can be written there. */
xncc_status find_report_check(const app_options *options, const app_named *inputs,
                              app_format *format, app_error *error);

/* Nothing is printed before the first page. Call find_report_close whatever is returned. */
xncc_status find_report_open(const app_options *options, const app_named *inputs,
                             const app_kit *kit, find_report *report, app_error *error);

/* Adds a page that was searched, or one that failed. The names of images, templates and devices
 * must outlive the report. */
xncc_status find_report_add(find_report *report, const find_result *result, app_error *error);

/* Prints the rest, unless there is nothing to print, and gives the file of -o its name if the
 * status is a success. Returns the first failure. */
xncc_status find_report_close(find_report *report, xncc_status status, app_error *error);

#endif
