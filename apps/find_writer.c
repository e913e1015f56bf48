/* SPDX-License-Identifier: BSD-2-Clause */
/* Where find's results go. */
#include "find_writer.h"

#include "common/warn.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_WAITING = 4 };

/* Everything that is made of a page's matches, one after the other. */
static xncc_status show(find_writer *w, const find_result *r, app_error *error)
{
    if (r->status && w->tells)
        app_say_failure("find", r->error.text);
    xncc_status status = find_report_add(&w->report, r, error);
    return status ? status : find_draw_page(&w->draw, r, error);
}

/* Writes a result unless an earlier one failed, and frees it. */
static void write_result(find_writer *w, find_result *r)
{
    app_error error = { .text = "" };
    pthread_mutex_lock(&w->lock);
    const int failed = w->status != XNCC_OK;
    pthread_mutex_unlock(&w->lock);
    const xncc_status status = failed ? XNCC_OK : show(w, r, &error);
    app_feed_release(w->feed, r->from);
    find_result_free(r);
    pthread_mutex_lock(&w->lock);
    if (status) {
        w->status = status;
        w->error = error;
    }
    pthread_mutex_unlock(&w->lock);
}

static void *write_all(void *data)
{
    find_writer *w = data;
    for (;;) {
        pthread_mutex_lock(&w->lock);
        while (!w->first && !w->ending)
            pthread_cond_wait(&w->changed, &w->lock);
        find_result *r = w->first;
        if (r) {
            w->first = r->next;
            w->waiting--;
            if (!w->first)
                w->last = &w->first;
        }
        pthread_cond_broadcast(&w->changed);
        pthread_mutex_unlock(&w->lock);
        if (!r)
            return NULL;
        write_result(w, r);
    }
}

xncc_status find_writer_open(const app_options *options, const app_named *inputs,
                             const app_kit *kit, find_writer *w, app_error *error)
{
    memset(w, 0, sizeof *w);
    w->last = &w->first;
    pthread_mutex_init(&w->lock, NULL);
    pthread_cond_init(&w->changed, NULL);
    xncc_status status = find_report_open(options, inputs, kit, &w->report, error);
    return status ? status : find_draw_open(options, inputs, kit, &w->draw, error);
}

void find_writer_start(find_writer *w, app_feed *feed, int beside, int tells)
{
    w->feed = feed;
    w->tells = tells;
    w->threaded = beside && pthread_create(&w->thread, NULL, write_all, w) == 0;
}

int find_writer_give(find_writer *w, find_result *r)
{
    if (!w->threaded) {
        write_result(w, r);
        return !w->status;
    }
    pthread_mutex_lock(&w->lock);
    while (w->waiting >= MOST_WAITING)
        pthread_cond_wait(&w->changed, &w->lock);
    r->next = NULL;
    *w->last = r;
    w->last = &r->next;
    w->waiting++;
    const int ok = !w->status;
    pthread_cond_broadcast(&w->changed);
    pthread_mutex_unlock(&w->lock);
    return ok;
}

void find_writer_join(find_writer *w)
{
    pthread_mutex_lock(&w->lock);
    w->ending = 1;
    pthread_cond_broadcast(&w->changed);
    pthread_mutex_unlock(&w->lock);
    if (w->threaded)
        pthread_join(w->thread, NULL);
    w->threaded = 0;
}

xncc_status find_writer_close(find_writer *w, xncc_status status, app_error *error)
{
    find_writer_join(w);
    if (w->status && !status) {
        status = w->status;
        *error = w->error;
    }
    status = find_draw_close(&w->draw, status, error);
    return find_report_close(&w->report, status, error);
}
