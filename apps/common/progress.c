#include "progress.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { FIRST_MS = 500, STEP_MS = 200 };

/* Waits that long or until asked to stop; returns whether to stop. The lock is held. */
static int wait_ms(app_progress *p, long ms)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += ms * 1000000;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    while (!p->stopping)
        if (pthread_cond_timedwait(&p->stop, &p->lock, &until) != 0)
            break;
    return p->stopping;
}

static void *watch(void *data)
{
    app_progress *p = data;
    int shown = 0;
    pthread_mutex_lock(&p->lock);
    for (long ms = FIRST_MS; !wait_ms(p, ms); ms = STEP_MS) {
        fprintf(stderr, "\r%s: %3.0f %%", p->what, 100.0 * xncc_context_progress(p->context));
        fflush(stderr);
        shown = 1;
    }
    pthread_mutex_unlock(&p->lock);
    if (shown)
        fprintf(stderr, "\r%*s\r", (int)strlen(p->what) + 8, "");
    return NULL;
}

void app_progress_start(app_progress *p, const xncc_context *context, const char *what, int quiet)
{
    memset(p, 0, sizeof *p);
    if (quiet || !isatty(STDERR_FILENO))
        return;
    p->context = context;
    p->what = what;
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->stop, NULL);
    p->running = pthread_create(&p->thread, NULL, watch, p) == 0;
}

void app_progress_stop(app_progress *p)
{
    if (!p->running)
        return;
    pthread_mutex_lock(&p->lock);
    p->stopping = 1;
    pthread_cond_signal(&p->stop);
    pthread_mutex_unlock(&p->lock);
    pthread_join(p->thread, NULL);
    pthread_cond_destroy(&p->stop);
    pthread_mutex_destroy(&p->lock);
    p->running = 0;
}
