/* SPDX-License-Identifier: BSD-2-Clause */
/* Files that are being written, which are removed if the process is told to end. */
#ifndef APP_UNFINISHED_H
#define APP_UNFINISHED_H

#include <sys/types.h>

/* From now on SIGINT, SIGTERM and SIGHUP remove every unfinished file before they end the process;
 * those that were ignored remain ignored. before: called first; it may print. Must be called before
 * there is a second thread. Without a thread for it, the signals end the process at once. */
void app_unfinished_watch(void (*before)(void));

/* Creates a file for reading and writing that does not exist yet. Returns its descriptor, or -1
 * with errno set. */
int app_unfinished_create(const char *name, mode_t mode);

/* The file is complete: gives it its name. Returns 0, or -1 with errno set; the file is then still
 * unfinished. */
int app_unfinished_rename(const char *name, const char *to);

/* Removes the file. */
void app_unfinished_remove(const char *name);

#endif
