/* SPDX-License-Identifier: BSD-2-Clause */
/* Searching one page for all templates. */
#ifndef FIND_MATCH_H
#define FIND_MATCH_H

#include "common/doubts.h"
#include "common/out_name.h"
#include "find_hunt.h"
#include "find_result.h"

/* What the pages of a command share. */
typedef struct find_job {
    const app_options *options;
    app_named inputs;
    app_kit kit;
    app_written written; /* heat maps */
    size_t pages;        /* that were searched */
    size_t hits;         /* matches on these pages */
    app_doubt *doubt;    /* one per template; NULL before the first page */
    app_doubts doubts;
    char crs[256]; /* --format geojson: the coordinate system of the first page */
} find_job;

/* Searches the page, and fills the result. The picture may still be decoded. */
xncc_status find_on_page(find_job *job, app_feed_page *page, find_result *result, app_error *error);

#endif
