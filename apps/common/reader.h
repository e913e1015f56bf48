/* A page that is decoded on a thread of its own, so that its first rows can be matched while the
 * others are read. */
#ifndef APP_READER_H
#define APP_READER_H

#include "picture.h"

#include <pthread.h>

typedef struct app_reader {
    app_tiff *tiff;
    const app_picture *picture;
    xncc_pixel pixel;
    void *converted;
    pthread_t thread;
    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t more;
    int32_t rows, wanted;
    int ended, threaded;
    xncc_status status;
    app_error error;
} app_reader;

/* Begins to read the selected page into the picture, which has its size, and, where converted is
 * not NULL, each row with samples of that type into converted. Until app_reader_stop tiff, picture
 * and converted are the reader's, but for the rows that app_reader_wait has named. beside: 0, or
 * where no thread can be had, all is read before this returns.
 */
void app_reader_start(app_reader *reader, app_tiff *tiff, const app_picture *picture,
                      xncc_pixel pixel, void *converted, int beside);

/* Waits until so many rows (or the last one) are final, and returns how many are; -1 when reading
 * has failed. */
int32_t app_reader_wait(app_reader *reader, int32_t wanted);

/* Waits until the reader has ended and says how. To be called for each app_reader_start; again is
 * allowed. */
xncc_status app_reader_stop(app_reader *reader, app_error *error);

#endif
