/* SPDX-License-Identifier: BSD-2-Clause */
/* What a file is, by its first bytes. */
#ifndef APP_KINDS_H
#define APP_KINDS_H

#include "decoder.h"

enum { APP_KIND_BYTES = 256 }; /* as many first bytes as there are, up to this number */

typedef struct app_file_kind {
    const char *name;           /* "TIFF"; with its article: "a TIFF file" */
    const app_decoder *decoder; /* NULL: cannot be read */
    const char *missing;        /* the library that would be needed to read it; NULL: none does */
} app_file_kind;

/* Recognizes a file. NULL: unknown. */
const app_file_kind *app_file_kind_of(const uint8_t *head, size_t size);

/* The name of the i-th format that this build reads; NULL after the last. */
const char *app_kind_read(size_t i);

#endif
