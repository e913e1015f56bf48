/* SPDX-License-Identifier: BSD-2-Clause */
/* The pages of find, taken from the feed and given out in their order. A small page keeps one
 * thread busy, so several of them are searched at a time, each by a finder: a thread with a context
 * and plans of its own. */
#ifndef FIND_CREW_H
#define FIND_CREW_H

#include "find_match.h"

/* A page on its way. */
typedef struct find_work {
    app_feed_page *page;
    find_hunt *hunts; /* one per template */
    int searched;     /* 1: by a finder, with this status and error; 0: the hunts are zero */
    xncc_status status;
    app_error error;
    int done; /* for the crew */
} find_work;

typedef struct find_crew find_crew;

/* Makes a crew without finders, for at most `room` pages at a time, at least 2. The job and the
 * feed must outlive it. Call find_crew_close whatever is returned. */
xncc_status find_crew_open(find_job *job, app_feed *feed, int room, find_crew **crew,
                           app_error *error);

/* Starts finders, once the device of the job is decided. Where there is no memory or no thread for
 * one, there are fewer: the pages that nobody searches are given out without a search. */
void find_crew_start(find_crew *crew, int finders);

/* Returns the next page; NULL after the last. The page is the caller's, its hunts are until the
 * next call. */
find_work *find_crew_next(find_crew *crew);

/* Ends the finders, stops the feed, and releases the pages that were not given out. */
void find_crew_close(find_crew *crew);

#endif
