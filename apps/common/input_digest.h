/* SPDX-License-Identifier: BSD-2-Clause */
/* Which input files a command has, as a number that changes when one of them does. */
#ifndef APP_INPUT_DIGEST_H
#define APP_INPUT_DIGEST_H

#include "named_files.h"

/* FNV-1a of 64 bits. Start with app_digest_start. */
extern const uint64_t app_digest_start;
void app_digest_bytes(uint64_t *digest, const void *data, size_t size);
void app_digest_text(uint64_t *digest, const char *text);

/* A file: its name, its size and the time of its last change. */
void app_digest_file(uint64_t *digest, const char *name);

/* All files that the command reads, and the version of the program. */
uint64_t app_input_digest(const app_options *options, const app_named *inputs);

#endif
