/* SPDX-License-Identifier: BSD-2-Clause */
/* A page that is decoded on its own thread, so that its first rows can be searched while the others
 * are decoded. */
#ifndef APP_READER_H
#define APP_READER_H

#include "picture.h"

#include <pthread.h>

typedef struct app_reader {
    app_file *file;
    const app_picture *picture;
    xncc_pixel pixel;
    void *converted;
    pthread_t thread;
    pthread_mutex_t lock; /* guards the members below */
    pthread_cond_t more;
    int32_t rows, wanted;
    int ended, threaded, dropped;
    xncc_status status;
    app_error error;
} app_reader;

/* Starts to decode the selected page into the picture, which has its size. If converted is not
 * NULL, each row is also converted to samples of the type `pixel` there. Until app_reader_stop the
 * caller must not use file, picture or converted, except for the rows that app_reader_wait has
 * returned. beside: 1 to use a thread; if it is 0, or no thread can be started, everything is
 * decoded before this returns. */
void app_reader_start(app_reader *reader, app_file *file, const app_picture *picture,
                      xncc_pixel pixel, void *converted, int beside);

/* app_reader_start in two steps, for a caller that decodes on a thread of its own: makes the
 * reader, and decodes everything. */
void app_reader_open(app_reader *reader, app_file *file, const app_picture *picture,
                     xncc_pixel pixel, void *converted);
void app_reader_run(app_reader *reader);

/* Ends the decoding soon: nobody needs the rest. Its status is then XNCC_ERROR_CANCELLED. */
void app_reader_drop(app_reader *reader);

/* Waits until `wanted` rows (or all of them) are decoded. Returns the number of decoded rows, or -1
 * if decoding has failed. */
int32_t app_reader_wait(app_reader *reader, int32_t wanted);

/* Waits until the reader ends, and returns its status. Call it once per app_reader_start; more
 * calls are allowed. */
xncc_status app_reader_stop(app_reader *reader, app_error *error);

#endif
