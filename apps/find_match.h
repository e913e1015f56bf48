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

/* 1 if the page is in memory, and one type of samples holds it and all templates. */
int find_is_one_search(const app_kit *kit, const app_feed_page *page);

/* Searches such a page. The picture may still be decoded. hunts: one per template, zero before; the
 * caller closes them. Several threads may do so, each with a kit of its own (app_kit_share). */
xncc_status find_search_page(app_kit *kit, app_feed_page *page, find_hunt *hunts, app_error *error);

/* Fills the result of a page, in the order of the pages. searched: 1 if find_search_page has found
 * the hunts; 0: they are zero, and the page is searched. */
xncc_status find_on_page(find_job *job, app_feed_page *page, int searched, find_hunt *hunts,
                         find_result *result, app_error *error);

#endif
