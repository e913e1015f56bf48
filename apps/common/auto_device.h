/* SPDX-License-Identifier: BSD-2-Clause */
/* Whether --device auto starts CUDA. Starting it takes longer than small jobs take on the CPU. */
#ifndef APP_AUTO_DEVICE_H
#define APP_AUTO_DEVICE_H

#include <stddef.h>

/* What starting CUDA costs a process, in milliseconds: driver, context and the first plan, as
 * measured on one H200 in November 2026 (find on a 480 x 360 picture: 0.35 s, of which 0.33 s). */
enum { APP_CUDA_START_MS = 330 };

/* A job as it is known when its first page, or a later one, has been opened. */
typedef struct app_auto_job {
    double page_ms; /* what the CPU is expected to take for a page like this one; below 0: it cannot
                       do it */
    double pages;   /* pages that are known to be left, this one included */
    double spent_ms; /* what the CPU was expected to take for the pages before */
    int open_end;    /* 1: nobody knows how many more pages follow */
} app_auto_job;

typedef struct app_auto_choice {
    int cuda;      /* 1: start CUDA, and use it where it is faster */
    char why[160]; /* the reason, as a clause */
} app_auto_choice;

/* CUDA is started if the CPU cannot do the job, or is expected to take longer for the rest of it
 * than CUDA takes to start. If nobody knows how many pages follow, they are expected to take as
 * long as those that are done. A pure function. */
app_auto_choice app_auto_choose(const app_auto_job *job);

#endif
