/* SPDX-License-Identifier: BSD-2-Clause */
/* The search of one page for one template, while it runs. */
#ifndef FIND_HUNT_H
#define FIND_HUNT_H

#include "common/search.h"
#include "exactncc/refine.h"

typedef struct find_hunt {
    app_search search;
    xncc_match *match;
    xncc_refined *refined; /* NULL without --subpixel */
    size_t room, found;    /* elements of match: allocated, and filled */
    xncc_plan_info plan;
} find_hunt;

/* The minimum distance of two matches in pixels, at least 1. */
int32_t find_hunt_distance(const app_search *search, const xncc_peak_rule *peaks);

/* Makes room for the matches of a search that is prepared. */
xncc_status find_hunt_open(find_hunt *hunt, const app_options *options, app_error *error);
void find_hunt_close(find_hunt *hunt); /* it is zero afterwards, and may be before */

#endif
