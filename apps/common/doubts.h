/* SPDX-License-Identifier: BSD-2-Clause */
/* Warnings about the result of a search: what it shows may not be what it seems. */
#ifndef APP_DOUBTS_H
#define APP_DOUBTS_H

#include "options.h"
#include "picture.h"

#include "exactncc/chance.h"

/* What is known of one template; zero before app_doubt_template. */
typedef struct app_doubt {
    int looked;
    xncc_chance chance;
} app_doubt;

/* The warnings of one command so far; zero at the beginning. */
typedef struct app_doubts {
    size_t cut, chance;
} app_doubts;

/* The matches of one template on one page. */
typedef struct app_outcome {
    const char *image, *templ; /* names */
    uint64_t windows;          /* positions of the map */
    size_t found;              /* matches, up to app_doubts_room() */
    double best, worst;        /* scores of the first and the last match, if any was found */
} app_outcome;

/* The number of matches to search for, which may be more than --top shows: so that a list that was
 * cut can say by how many. */
size_t app_doubts_room(const app_options *options);

/* Looks at a template once, and warns if it is flat and the method cannot compare it. */
void app_doubts_template(const app_options *options, const app_picture *templ, const char *name,
                         app_doubt *doubt);

/* Warns if --top cut the list of a search that has a limit. Of one without a limit, warns if chance
 * explains the best match, or does not explain the last one and the user has not chosen --top.
 * Prints the first few warnings of each kind and counts the rest. */
void app_doubts_outcome(const app_options *options, const app_doubt *doubt,
                        const app_outcome *outcome, app_doubts *doubts);

/* Says how many warnings were left out. */
void app_doubts_finish(const app_doubts *doubts);

#endif
