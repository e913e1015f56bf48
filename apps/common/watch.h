/* SPDX-License-Identifier: BSD-2-Clause */
/* A thread that calls a function at intervals while something long runs. */
#ifndef APP_WATCH_H
#define APP_WATCH_H

#include <pthread.h>

typedef struct app_watch {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t stop;
    void (*tick)(void *data); /* called with the lock held */
    void *data;
    long first_ms, step_ms;
    int running, stopping;
} app_watch;

/* Calls tick(data) first_ms milliseconds from now, and then every step_ms, until app_watch_stop.
 * Without a thread nothing is called. */
void app_watch_start(app_watch *watch, long first_ms, long step_ms, void (*tick)(void *data),
                     void *data);

/* Ends the thread. Allowed for a watch that is all zero. */
void app_watch_stop(app_watch *watch);

#endif
