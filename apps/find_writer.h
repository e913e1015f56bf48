/* SPDX-License-Identifier: BSD-2-Clause */
/* Where find's results go: printed, and drawn, page by page and in order, on a thread beside the
 * search. */
#ifndef FIND_WRITER_H
#define FIND_WRITER_H

#include "find_draw.h"
#include "find_report.h"

#include <pthread.h>

typedef struct find_writer {
    find_report report;
    find_draw draw;
    app_feed *feed;
    int tells; /* 1: a page that failed is reported on stderr */
    pthread_t thread;
    int threaded;
    int stopped;          /* 1: nothing can be written any more */
    pthread_mutex_t lock; /* guards the members below */
    pthread_cond_t changed;
    find_result *first, **last;
    int waiting; /* results in the list */
    int ending;
    xncc_status status; /* the first failure to write */
    app_error error;
} find_writer;

/* Starts. beside: 1 to write on a thread. tells: 1 to report a page that failed on stderr. Call
 * find_writer_close whatever is returned. */
xncc_status find_writer_open(const app_options *options, const app_named *inputs,
                             const app_kit *kit, find_writer *writer, app_error *error);
void find_writer_start(find_writer *writer, app_feed *feed, int beside, int tells);

/* Writes a result, and then frees it and releases its page. Returns 0 if nothing can be written any
 * more. */
int find_writer_give(find_writer *writer, find_result *result);

/* Waits until everything is written. From now on find_writer_give writes by itself. */
void find_writer_join(find_writer *writer);

/* Waits until everything is written, and ends the report. Returns the first failure. */
xncc_status find_writer_close(find_writer *writer, xncc_status status, app_error *error);

#endif
