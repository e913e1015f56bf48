/* SPDX-License-Identifier: BSD-2-Clause */
/* The progress of long work on stderr, if that is a terminal: of calls in percent, or of parts by
 * their number. */
#ifndef APP_PROGRESS_H
#define APP_PROGRESS_H

#include "exactncc/context.h"
#include "watch.h"

#include <stdatomic.h>

typedef struct app_progress {
    app_watch watch;
    const xncc_context *context; /* NULL: parts are counted */
    const char *what;            /* printed before the percentage, or after the numbers */
    int watched;                 /* 1: this is the one that is shown */
    int width;                   /* of the line */
    atomic_int part, parts;      /* the context works at this part, from 0, of so many */
} app_progress;

/* Starts to watch the context, unless quiet is set, stderr is not a terminal, or a progress is
 * watched already: of nested ones the outermost is shown. Nothing is shown for the first half
 * second. Without a context the line is "3 of 500 images", where what is "images". */
void app_progress_start(app_progress *progress, const xncc_context *context, const char *what,
                        int quiet);

/* For work of several calls that take about as long as each other: the next call is part `part`,
 * from 0, of `parts`. */
void app_progress_part(app_progress *progress, int part, int parts);

/* Ends a line of progress that is on the terminal, because another text follows or the process is
 * about to end. */
void app_progress_abandon(void);

/* Ends it and clears the line. */
void app_progress_stop(app_progress *progress);

#endif
