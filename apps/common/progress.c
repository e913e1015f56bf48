/* SPDX-License-Identifier: BSD-2-Clause */
/* The progress of a long call, in percent, on stderr if that is a terminal. */
#include "progress.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { FIRST_MS = 500, STEP_MS = 200 };

static atomic_int lines; /* lines of progress that are on the terminal */

static void show(void *data)
{
    app_progress *p = data;
    if (!p->shown)
        atomic_fetch_add(&lines, 1);
    const double done = atomic_load(&p->part) + xncc_context_progress(p->context);
    fprintf(stderr, "\r%s: %3.0f %%", p->what, 100.0 * done / atomic_load(&p->parts));
    fflush(stderr);
    p->shown = 1;
}

void app_progress_start(app_progress *p, const xncc_context *context, const char *what, int quiet)
{
    memset(p, 0, sizeof *p);
    p->context = context;
    p->what = what;
    atomic_init(&p->part, 0);
    atomic_init(&p->parts, 1);
    if (!quiet && isatty(STDERR_FILENO))
        app_watch_start(&p->watch, FIRST_MS, STEP_MS, show, p);
}

void app_progress_part(app_progress *p, int part, int parts)
{
    atomic_store(&p->part, part);
    atomic_store(&p->parts, parts);
}

void app_progress_stop(app_progress *p)
{
    app_watch_stop(&p->watch);
    if (!p->shown)
        return;
    fprintf(stderr, "\r%*s\r", (int)strlen(p->what) + 8, "");
    atomic_fetch_sub(&lines, 1);
}

void app_progress_abandon(void)
{
    if (atomic_load(&lines) > 0)
        putc('\n', stderr);
}
