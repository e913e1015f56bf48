/* SPDX-License-Identifier: BSD-2-Clause */
/* A map that is written row by row, so that it never is in memory as a whole: TIFF or .npy. */
#ifndef APP_MAP_FILE_H
#define APP_MAP_FILE_H

#include "journal.h"
#include "map_book.h"
#include "output.h"
#include "tiff_write.h"

/* What the file holds. */
typedef struct app_map_shape {
    int32_t width, height;
    int32_t tile;       /* TIFF: as in app_tiff_out */
    const char *key;    /* of a journal: says which work this is; NULL: no journal */
    app_map_book *book; /* the map is a page of it; NULL: it is not */
    int shared; /* 1: several processes write rows of it, to PATH.partial; 2: they have done so */
} app_map_shape;

typedef struct app_map_file app_map_file;

/* Creates the file under a temporary name. Fails if the name asks for PNG, which needs the whole
 * map. path must outlive the file.
 *
 * With a journal, the rows go to PATH.partial, and PATH.journal lists what has reached the disk. If
 * both are there and the journal has the key, the work goes on where it ended; a journal of other
 * work is a failure. Neither is removed before the map is complete. */
xncc_status app_map_file_open(const char *path, const app_map_shape *shape, app_map_file **file,
                              app_error *error);

/* The number of rows, from the top, that the file has. */
int32_t app_map_file_rows(const app_map_file *file);

/* Appends rows: `count` tight rows, of which those that the file has already are left out. flags:
 * as in app_map_file_flags. */
xncc_status app_map_file_put(app_map_file *file, int32_t first, int32_t count, const float *rows,
                             unsigned flags, app_error *error);

/* All flags that were given with rows, combined, also by an earlier process. Their meaning is the
 * caller's. */
unsigned app_map_file_flags(const app_map_file *file);

/* Smallest and largest value other than NaN; NaN if there is none. */
void app_map_file_range(const app_map_file *file, double *low, double *high);

/* For a file that is shared. Brings the rows to the disk that were put since the last call, and
 * says what is known of them. *file_number: tells this file from another of the same name. */
xncc_status app_map_file_slice(app_map_file *file, app_progress_line *done, uint64_t *file_number,
                               app_error *error);

/* 1 if the number is that of this file. */
int app_map_file_is(const app_map_file *file, uint64_t file_number);

/* Adds what is known of rows that another process has written. Fails if they are in another file.
 */
xncc_status app_map_file_add(app_map_file *file, const app_progress_line *done,
                             uint64_t file_number, app_error *error);

/* Completes the file and gives it its name. description, place and has_nan as in app_tiff_out. If
 * the status is a failure, nothing remains but what a journal needs or other processes have
 * written. frame: NULL: another process completes it. Returns the first failure. */
xncc_status app_map_file_close(app_map_file *file, const app_tiff_out *frame, xncc_status status,
                               app_error *error);

#endif
