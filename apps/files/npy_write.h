/* SPDX-License-Identifier: BSD-2-Clause */
/* .npy output: NumPy's format 1.0, in the machine's byte order. */
#ifndef APP_NPY_WRITE_H
#define APP_NPY_WRITE_H

#include "exactncc/image.h"
#include "fail.h"

/* Writes an array of shape (height, width), or (height, width, channels) if there are several
 * samples per pixel, through app_output. The view must be in host memory. */
xncc_status app_npy_write(const char *path, const xncc_image *pixels, app_error *error);

/* The same in parts, in any order, to an open file: the head, and rows of a tight picture. Return
 * 0, or an errno. */
int app_npy_head(int fd, const xncc_image *shape);
int app_npy_put(int fd, const xncc_image *shape, int32_t first, int32_t count, const void *rows);

#endif
