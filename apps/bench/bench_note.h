/* SPDX-License-Identifier: BSD-2-Clause */
/* One line on stderr about what a long run is doing. */
#ifndef BENCH_NOTE_H
#define BENCH_NOTE_H

#include "watch.h"

typedef struct bench_note {
    app_watch watch;
    char text[160];
    int printed; /* 1: the text has been printed */
} bench_note;

/* Starts a thread that prints the text after 0.5 s, and from then on every 3 s if it has changed.
 */
void bench_note_start(bench_note *note);

/* Replaces the text. printf rules; what does not fit is cut. Does nothing without bench_note_start.
 */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void bench_note_set(bench_note *note, const char *format, ...);

void bench_note_stop(bench_note *note);

#endif
