/* SPDX-License-Identifier: BSD-2-Clause */
/* One line on stderr about what a long run is doing. */
#include "bench_note.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { FIRST_MS = 500, STEP_MS = 3000 };

static void show(void *data)
{
    bench_note *note = data;
    if (!note->printed)
        fprintf(stderr, "exactncc-bench: %s\n", note->text);
    note->printed = 1;
}

void bench_note_start(bench_note *note)
{
    memset(note, 0, sizeof *note);
    snprintf(note->text, sizeof note->text, "starting");
    app_watch_start(&note->watch, FIRST_MS, STEP_MS, show, note);
}

void bench_note_set(bench_note *note, const char *format, ...)
{
    va_list list;
    if (!note->watch.running)
        return;
    va_start(list, format);
    pthread_mutex_lock(&note->watch.lock);
    vsnprintf(note->text, sizeof note->text, format, list);
    note->printed = 0;
    pthread_mutex_unlock(&note->watch.lock);
    va_end(list);
}

void bench_note_stop(bench_note *note)
{
    app_watch_stop(&note->watch);
}
