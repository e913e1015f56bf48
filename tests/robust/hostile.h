/* SPDX-License-Identifier: BSD-2-Clause */
/* Files with wrong claims, written byte by byte. */
#ifndef TEST_HOSTILE_H
#define TEST_HOSTILE_H

#include <stddef.h>
#include <stdint.h>

typedef struct hostile_bytes {
    uint8_t data[4096];
    size_t size;
} hostile_bytes;

/* Appends bytes to the file; what does not fit is dropped. Numbers are little-endian. */
void hostile_put(hostile_bytes *file, const void *bytes, size_t size);
void hostile_put16(hostile_bytes *file, uint16_t value);
void hostile_put32(hostile_bytes *file, uint32_t value);

/* Starts a file whose first directory follows at byte 8. */
void hostile_header(hostile_bytes *file);

typedef struct hostile_entry {
    uint16_t tag, type;
    uint32_t count, value;
} hostile_entry;

/* Starts a directory at the current end of the file. */
void hostile_directory(hostile_bytes *file, const hostile_entry *entries, int count, uint32_t next);

typedef struct hostile_file {
    const char *name;
    void (*make)(hostile_bytes *file);
    int may_open; /* 1: reading may succeed; 0: it must fail */
} hostile_file;

extern const hostile_file hostile_files[];
extern const int hostile_count;

/* Writes a correct colour picture with alpha, geo tags and a no-data value. */
void hostile_tagged(hostile_bytes *file);

/* Writes the same with one of these tags changed; 0 after the last. *may_open: 1 if reading may
 * succeed, 0 if it must fail. */
int hostile_tag(int i, hostile_bytes *file, const char **name, int *may_open);

#endif
