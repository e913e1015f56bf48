/* An output file: written under a temporary name in the same directory and renamed when it is
 * complete, so that a failure leaves neither half a file nor a lost old one. */
#ifndef APP_OUTPUT_H
#define APP_OUTPUT_H

#include "fail.h"

typedef struct app_output {
    char *path; /* where it will be; a symbolic link has been followed */
    char *name; /* where it is now */
    int fd;     /* open for reading and writing; given away when the writer closes it (then -1) */
} app_output;

/* Can the file be made? Asked before the work starts. */
xncc_status app_output_check(const char *path, app_error *error);

/* After a failure *output needs no discard. */
xncc_status app_output_open(const char *path, app_output *output, app_error *error);

/* Ends it: renamed to its name, or removed when the status is a failure or the rename fails.
 * Returns the status that counts. */
xncc_status app_output_close(app_output *output, xncc_status status, app_error *error);

/* 1 when both names lead to the same existing file. */
int app_same_file(const char *a, const char *b);

#endif
