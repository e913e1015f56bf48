/* SPDX-License-Identifier: BSD-2-Clause */
/* Writing a picture: the extension of its name decides the format. */
#ifndef APP_SAVE_H
#define APP_SAVE_H

#include "fail.h"
#include "tiff_write.h"

typedef enum app_form { APP_FORM_TIFF, APP_FORM_PNG, APP_FORM_NPY } app_form;

/* The format that a name asks for: .tif or .tiff, .png, .npy, in upper or lower case; "-" is
 * standard output and TIFF, "-.png" and "-.npy" are standard output, too. Fails if the extension is
 * another one, if this build cannot write the format, or if standard output is a terminal. Call it
 * before the work starts. */
xncc_status app_save_form(const char *path, app_form *form, app_error *error);

/* 1 if this build can write PNG. */
int app_save_has_png(void);

/* Writes the picture in the format of its name, through app_output.
 *
 * - TIFF: as app_tiff_write.
 *
 * - .npy: float32 of shape (height, width), or uint8 of shape (height, width, 3).
 *
 * - PNG: colour with 8 bits. A float picture becomes grey with 16 bits, 0 for its smallest finite
 * value and 65535 for its largest, which the texts "low" and "high" of the file state; values
 * between are rounded to nearest, infinities are at the ends, and NaN is transparent. */
xncc_status app_save(const char *path, const app_tiff_out *picture, app_error *error);

#endif
