/* SPDX-License-Identifier: BSD-2-Clause */
/* The bytes of an input: a file, or what arrives through a pipe. Reading is buffered. There is no
 * memory map, so a file that shrinks while it is read causes a short read and not a signal. */
#ifndef APP_INPUT_H
#define APP_INPUT_H

#include "fail.h"

#include <stddef.h>
#include <stdint.h>

typedef struct app_input app_input;

/* Opens a file, a named pipe, or standard input ("-"). max_memory: the most bytes that
 * app_input_keep may hold. On failure *input is NULL, and the text names the file. */
xncc_status app_input_open(const char *path, uint64_t max_memory, app_input **input,
                           app_error *error);
void app_input_close(app_input *input);

/* "standard input", or the path. */
const char *app_input_name(const app_input *input);

/* Number of bytes; UINT64_MAX for a pipe of which the end is not known. */
uint64_t app_input_size(const app_input *input);

/* 1 if every position can be reached. */
int app_input_seeks(const app_input *input);

/* Makes every position of a pipe that is still at its beginning reachable: reads it to its end into
 * memory. The text of a failure does not name the file. */
xncc_status app_input_keep(app_input *input, app_error *error);

/* The next bytes, which stay unread: up to `most` (at most 4096). Returns how many there are. */
size_t app_input_peek(app_input *input, void *to, size_t most);

/* Reads. Returns fewer bytes than asked for only at the end or after an error. */
size_t app_input_read(app_input *input, void *to, size_t bytes);

/* Reads only bytes that need not be waited for; there may be none. */
size_t app_input_some(app_input *input, void *to, size_t most);

/* The next byte, or -1. */
int app_input_byte(app_input *input);

/* The position, in bytes from the first. */
uint64_t app_input_tell(const app_input *input);

/* Goes to a position. Returns 0 if that is not possible: a pipe goes forward only. */
int app_input_seek(app_input *input, uint64_t position);

/* Why reading has ended early: the text of a read error, or "the file is cut short". */
const char *app_input_reason(const app_input *input);

#endif
