/* How far a long call has come, on stderr, when that is a terminal. */
#ifndef APP_PROGRESS_H
#define APP_PROGRESS_H

#include "exactncc/context.h"

#include <pthread.h>

typedef struct app_progress {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t stop;
    const xncc_context *context;
    const char *what;
    int running, stopping;
} app_progress;

/* Starts watching the context, unless quiet or stderr is no terminal. Nothing is shown for the
 * first half second. */
void app_progress_start(app_progress *progress, const xncc_context *context, const char *what,
                        int quiet);
/* Ends it and clears the line. */
void app_progress_stop(app_progress *progress);

#endif
