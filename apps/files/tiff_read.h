/* SPDX-License-Identifier: BSD-2-Clause */
/* TIFF input: what is known of libtiff. The decoder itself is app_tiff_decoder (decoder.h).
 * libtiff's messages are stored in its state and not printed. */
#ifndef APP_TIFF_READ_H
#define APP_TIFF_READ_H

/* Calls take once per codec that can be read, with the codec's name. */
void app_tiff_codecs(void (*take)(void *data, const char *name), void *data);

/* libtiff's version text; a constant string. */
const char *app_tiff_version(void);

#endif
