/* SPDX-License-Identifier: BSD-2-Clause */
/* What fuzz targets share. A target is a function that libFuzzer calls with made bytes; replay.c
 * calls it with the files of the corpus. A finding ends the program. */
#ifndef FUZZ_FUZZ_H
#define FUZZ_FUZZ_H

#include "exactncc/status.h"

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Ends the program with a line that names the broken rule, unless it holds. */
#define FUZZ_HOLDS(rule) fuzz_holds((rule) ? 1 : 0, __FILE__, __LINE__, #rule)
void fuzz_holds(int holds, const char *file, int line, const char *rule);

/* A failure has a text of one line; its status is one that a caller can get. */
void fuzz_check_failure(xncc_status status, const char *text);

/* Makes a file of these bytes, without touching a disk, and returns its name, which is valid until
 * the next call with this number (0 .. 3). */
const char *fuzz_file(int number, const void *bytes, size_t size);

/* 1: standard input is empty and what is printed is thrown away, until a call with 0. Reports of a
 * sanitizer are not. */
void fuzz_quiet(int quiet);

/* Takes numbers from the bytes; 0 after their end. */
typedef struct fuzz_bytes {
    const uint8_t *at;
    size_t left;
} fuzz_bytes;

uint8_t fuzz_byte(fuzz_bytes *bytes);
uint32_t fuzz_word(fuzz_bytes *bytes);
/* A number in 0 .. limit - 1. */
uint32_t fuzz_below(fuzz_bytes *bytes, uint32_t limit);

#endif
