/* SPDX-License-Identifier: BSD-2-Clause */
/* A text that is printed into memory. (With open_memstream of the GNU library, what memory does not
 * suffice for is left out, and neither ferror nor fclose says so.) */
#ifndef APP_TEXT_FILE_H
#define APP_TEXT_FILE_H

#include <stdio.h>

/* All members belong to the functions below, except that `size` may be read after the last one. */
typedef struct app_text {
    FILE *out;
    char *bytes;
    size_t size, room;
    int failed;
} app_text;

/* Begins an empty text, and returns the stream to print it to. NULL: out of memory. The struct must
 * stay where it is until app_text_close. */
FILE *app_text_open(app_text *text);

/* Closes the stream. Returns what was printed, with a 0 after its text->size bytes; the caller
 * frees it. NULL: out of memory, or a call that printed has failed. */
char *app_text_close(app_text *text);

#endif
