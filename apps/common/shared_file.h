/* SPDX-License-Identifier: BSD-2-Clause */
/* The file PATH.partial, in which several processes write one map before it gets its name PATH.
 *
 * Records of earlier processes say what they have written, and to which file. So each such file has
 * a number of its own, which stands in its first bytes until the header of the format takes their
 * place. That is written last: a file with a header has all rows. (The number of the inode would
 * not do: the next file can get it.) */
#ifndef APP_SHARED_FILE_H
#define APP_SHARED_FILE_H

#include "fail.h"

#include <stdint.h>

typedef struct app_shared_file {
    char *name;      /* NULL: the file is not open */
    int fd;          /* its descriptor */
    uint64_t number; /* 0: it has its header */
} app_shared_file;

/* Opens the file. create: 0: it must be there. */
xncc_status app_shared_open(const char *path, int create, app_shared_file *file, app_error *error);

/* 1 if rows that were written to the file with this number are in this file. */
int app_shared_is(const app_shared_file *file, uint64_t number);

/* Gives the finished file its name. */
xncc_status app_shared_deliver(const app_shared_file *file, const char *path, app_error *error);

void app_shared_close(app_shared_file *file);

#endif
