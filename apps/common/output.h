/* SPDX-License-Identifier: BSD-2-Clause */
/* An output file. It is written under a temporary name in the same folder and renamed when it is
 * complete, so that a failure leaves no half-written file and does not destroy an old one. Nor does
 * a signal (unfinished.h). It has the permissions of the file that it replaces. */
#ifndef APP_OUTPUT_H
#define APP_OUTPUT_H

#include "fail.h"

#include <stdint.h>

typedef struct app_output {
    char *path; /* the final name; symbolic links are resolved */
    char *name; /* the temporary name; NULL for standard output */
    int fd;     /* open for reading and writing; set it to -1 if the writer has closed it */
} app_output;

/* Fails if the file cannot be created. Call it before the work starts. */
xncc_status app_output_check(const char *path, app_error *error);

/* Creates the temporary file. After a failure there is nothing to close. */
xncc_status app_output_open(const char *path, app_output *output, app_error *error);

/* Closes the file and renames it; removes it if the status is a failure or the renaming fails.
 * Returns the first failure. */
xncc_status app_output_close(app_output *output, xncc_status status, app_error *error);

/* 1 if the name means standard output: "-", or "-" with an extension such as "-.npy". What is
 * written there arrives when it is complete. */
int app_output_is_standard(const char *path);

/* Both texts as one, such as a name and ".partial". The caller frees it. NULL: no memory. */
char *app_text_join(const char *path, const char *ending);

/* Writes all bytes at a place of an open file. Returns 0, or an errno. */
int app_output_put(int fd, const void *from, uint64_t bytes, uint64_t offset);

#endif
