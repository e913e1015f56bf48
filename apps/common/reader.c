/* SPDX-License-Identifier: BSD-2-Clause */
/* A page that is decoded on its own thread. */
#include "reader.h"

#include <string.h>

/* Publishes how many rows are decoded, or how decoding ended. */
static void publish(app_reader *r, int32_t rows, xncc_status status)
{
    pthread_mutex_lock(&r->lock);
    r->rows = rows;
    r->status = status;
    r->ended = status || rows == r->picture->height;
    if (r->ended || rows >= r->wanted)
        pthread_cond_signal(&r->more);
    pthread_mutex_unlock(&r->lock);
}

static int is_dropped(app_reader *r)
{
    pthread_mutex_lock(&r->lock);
    const int dropped = r->dropped;
    pthread_mutex_unlock(&r->lock);
    return dropped;
}

static void *read_rows(void *data)
{
    app_reader *r = data;
    const app_picture *p = r->picture;
    const app_target to = app_picture_target(p);
    const int32_t height = p->height; /* when all is decoded, *r may be gone */
    xncc_status status = XNCC_OK;
    for (int32_t done = 0, ready = 0; done < height && !status; done = ready) {
        status = is_dropped(r) ? XNCC_ERROR_CANCELLED
                               : app_file_decode(r->file, &to, &ready, &r->error);
        if (!status && r->converted)
            app_picture_convert(p, r->pixel, done, ready - done, r->converted);
        publish(r, status ? done : ready, status);
    }
    return NULL;
}

void app_reader_open(app_reader *r, app_file *file, const app_picture *picture, xncc_pixel pixel,
                     void *converted)
{
    memset(r, 0, sizeof *r);
    r->file = file;
    r->picture = picture;
    r->pixel = pixel;
    r->converted = converted;
    pthread_mutex_init(&r->lock, NULL);
    pthread_cond_init(&r->more, NULL);
}

void app_reader_run(app_reader *r)
{
    read_rows(r);
}

void app_reader_drop(app_reader *r)
{
    pthread_mutex_lock(&r->lock);
    r->dropped = 1;
    pthread_mutex_unlock(&r->lock);
}

void app_reader_start(app_reader *r, app_file *file, const app_picture *picture, xncc_pixel pixel,
                      void *converted, int beside)
{
    app_reader_open(r, file, picture, pixel, converted);
    r->threaded = beside && pthread_create(&r->thread, NULL, read_rows, r) == 0;
    if (!r->threaded)
        read_rows(r);
}

int32_t app_reader_wait(app_reader *r, int32_t wanted)
{
    pthread_mutex_lock(&r->lock);
    r->wanted = wanted;
    while (!r->ended && r->rows < wanted)
        pthread_cond_wait(&r->more, &r->lock);
    const int32_t rows = r->status ? -1 : r->rows;
    pthread_mutex_unlock(&r->lock);
    return rows;
}

xncc_status app_reader_stop(app_reader *r, app_error *error)
{
    if (r->threaded)
        pthread_join(r->thread, NULL);
    r->threaded = 0;
    pthread_mutex_lock(&r->lock);
    while (!r->ended)
        pthread_cond_wait(&r->more, &r->lock);
    pthread_mutex_unlock(&r->lock);
    if (r->status)
        *error = r->error;
    return r->status;
}
