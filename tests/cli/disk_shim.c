/* SPDX-License-Identifier: BSD-2-Clause */
/* To be loaded before the C library: files whose name ends in .tmp, or in DISK_NAME, live on a disk
 * of DISK_BYTES bytes. What does not fit is not written. With DISK_MARKER, whoever would write it
 * creates that file instead, and waits for ever. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static atomic_long used;

/* Whether the descriptor is that of a file that is being written. */
static int is_output(int fd)
{
    char link[64], path[4096];
    const char *given = getenv("DISK_NAME"), *end = given ? given : ".tmp";
    const ssize_t size = (ssize_t)strlen(end);
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    const ssize_t length = readlink(link, path, sizeof path);
    return length > size && memcmp(path + length - size, end, (size_t)size) == 0;
}

/* Whether so many more bytes fit. */
static int fits(int fd, size_t bytes)
{
    const char *most = getenv("DISK_BYTES"), *marker = getenv("DISK_MARKER");
    if (!most || !is_output(fd) || atomic_fetch_add(&used, (long)bytes) + (long)bytes <= atol(most))
        return 1;
    if (marker) {
        close(open(marker, O_WRONLY | O_CREAT, 0666));
        for (;;)
            pause();
    }
    errno = ENOSPC;
    return 0;
}

ssize_t write(int fd, const void *from, size_t bytes)
{
    static ssize_t (*real)(int, const void *, size_t);
    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "write");
    return fits(fd, bytes) ? real(fd, from, bytes) : -1;
}

ssize_t pwrite(int fd, const void *from, size_t bytes, off_t at)
{
    static ssize_t (*real)(int, const void *, size_t, off_t);
    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "pwrite");
    return fits(fd, bytes) ? real(fd, from, bytes, at) : -1;
}

/* What libpng and the tool's own writers use. */
size_t fwrite(const void *from, size_t size, size_t count, FILE *file)
{
    static size_t (*real)(const void *, size_t, size_t, FILE *);
    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "fwrite");
    return fits(fileno(file), size * count) ? real(from, size, count, file) : 0;
}
