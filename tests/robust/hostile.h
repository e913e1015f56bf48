/* Files that lie about themselves, written byte by byte. */
#ifndef TEST_HOSTILE_H
#define TEST_HOSTILE_H

#include <stddef.h>
#include <stdint.h>

typedef struct hostile_bytes {
    uint8_t data[4096];
    size_t size;
} hostile_bytes;

typedef struct hostile_file {
    const char *name;
    void (*make)(hostile_bytes *file);
    int may_open; /* 1: reading may succeed; 0: it must fail */
} hostile_file;

extern const hostile_file hostile_files[];
extern const int hostile_count;

#endif
