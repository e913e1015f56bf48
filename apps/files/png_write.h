/* SPDX-License-Identifier: BSD-2-Clause */
/* PNG output: 8-bit RGB, or a float picture in 16-bit grey. save.h says how floats become grey. */
#ifndef APP_PNG_WRITE_H
#define APP_PNG_WRITE_H

#include "tiff_write.h"

/* Writes the file through app_output. Fails in a build without libpng. No date is written, so that
 * the same picture always gives the same bytes. */
xncc_status app_png_write(const char *path, const app_tiff_out *picture, app_error *error);

#endif
