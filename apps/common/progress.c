/* SPDX-License-Identifier: BSD-2-Clause */
/* The progress of long work on stderr, if that is a terminal. */
#include "progress.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { FIRST_MS = 500, STEP_MS = 200 };

static atomic_int busy; /* 1: a progress is watched */
static atomic_int line; /* 1: its line is on the terminal */

static void show(void *data)
{
    app_progress *p = data;
    const int part = atomic_load(&p->part), parts = atomic_load(&p->parts);
    int width;
    flockfile(stderr); /* whoever ends the line sees it and the flag together */
    if (p->context)
        width = fprintf(stderr, "\r%s: %3.0f %%", p->what,
                        100.0 * (part + xncc_context_progress(p->context)) / parts);
    else
        width = fprintf(stderr, "\r%d of %d %s", part, parts, p->what);
    fflush(stderr);
    p->width = width > p->width ? width : p->width;
    atomic_store(&line, 1);
    funlockfile(stderr);
}

void app_progress_start(app_progress *p, const xncc_context *context, const char *what, int quiet)
{
    memset(p, 0, sizeof *p);
    p->context = context;
    p->what = what;
    atomic_init(&p->part, 0);
    atomic_init(&p->parts, 1);
    if (quiet || !isatty(STDERR_FILENO) || atomic_exchange(&busy, 1))
        return;
    p->watched = 1;
    app_watch_start(&p->watch, FIRST_MS, STEP_MS, show, p);
}

void app_progress_part(app_progress *p, int part, int parts)
{
    atomic_store(&p->part, part);
    atomic_store(&p->parts, parts);
}

void app_progress_stop(app_progress *p)
{
    if (!p->watched)
        return;
    app_watch_stop(&p->watch);
    if (atomic_exchange(&line, 0))
        fprintf(stderr, "\r%*s\r", p->width, "");
    atomic_store(&busy, 0);
}

void app_progress_abandon(void)
{
    flockfile(stderr);
    if (atomic_exchange(&line, 0))
        putc('\n', stderr);
    funlockfile(stderr);
}
