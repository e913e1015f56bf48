/* SPDX-License-Identifier: BSD-2-Clause */
/* A thread that calls a function at intervals while something long runs. */
#include "watch.h"

#include <string.h>
#include <time.h>

/* Waits for ms milliseconds or until the watch is stopped; returns whether it is. The lock is held
 * by the caller. */
static int wait_ms(app_watch *w, long ms)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += ms / 1000;
    until.tv_nsec += ms % 1000 * 1000000;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    while (!w->stopping)
        if (pthread_cond_timedwait(&w->stop, &w->lock, &until) != 0)
            break;
    return w->stopping;
}

static void *run(void *data)
{
    app_watch *w = data;
    pthread_mutex_lock(&w->lock);
    for (long ms = w->first_ms; !wait_ms(w, ms); ms = w->step_ms)
        w->tick(w->data);
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

void app_watch_start(app_watch *w, long first_ms, long step_ms, void (*tick)(void *data),
                     void *data)
{
    memset(w, 0, sizeof *w);
    w->first_ms = first_ms;
    w->step_ms = step_ms;
    w->tick = tick;
    w->data = data;
    pthread_mutex_init(&w->lock, NULL);
    pthread_cond_init(&w->stop, NULL);
    w->running = pthread_create(&w->thread, NULL, run, w) == 0;
}

void app_watch_stop(app_watch *w)
{
    if (!w->running)
        return;
    pthread_mutex_lock(&w->lock);
    w->stopping = 1;
    pthread_cond_signal(&w->stop);
    pthread_mutex_unlock(&w->lock);
    pthread_join(w->thread, NULL);
    pthread_cond_destroy(&w->stop);
    pthread_mutex_destroy(&w->lock);
    w->running = 0;
}
