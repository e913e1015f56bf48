/* SPDX-License-Identifier: BSD-2-Clause */
/* The files that this process has read or written, by device and inode, so that no output replaces
 * one of them, whatever its name has come to mean since it was checked. */
#ifndef APP_INPUTS_H
#define APP_INPUTS_H

#include "fail.h"

struct stat;

/* Adds a regular file; any other is ignored. Returns XNCC_OK or XNCC_ERROR_MEMORY. path: for the
 * message. */
xncc_status app_inputs_add(const struct stat *info, const char *path, app_error *error);

/* 1 if the name leads to a file that was added. */
int app_inputs_has(const char *path);

/* The same for files that have been written. A file is added before it gets its final name, `path`,
 * so that nothing can fail after that. name: the name that it has. */
xncc_status app_outputs_add(const char *name, const char *path, app_error *error);
int app_outputs_has(const char *path);

#endif
