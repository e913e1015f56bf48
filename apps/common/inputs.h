/* SPDX-License-Identifier: BSD-2-Clause */
/* The files that this process has read or written, by device and inode, so that no output replaces
 * one of them, whatever its name has come to mean since it was checked. */
#ifndef APP_INPUTS_H
#define APP_INPUTS_H

struct stat;

/* Adds a regular file. Without memory nothing is added. */
void app_inputs_add(const struct stat *info);

/* 1 if the name leads to a file that was added. */
int app_inputs_has(const char *path);

/* The same for files that have been written. */
void app_outputs_add(const char *path);
int app_outputs_has(const char *path);

#endif
