/* SPDX-License-Identifier: BSD-2-Clause */
#define _GNU_SOURCE /* memfd_create */
#include "fuzz/fuzz.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* What memory does not suffice for is a failed allocation, as it is without the sanitizer. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "allocator_may_return_null=1";
}

void fuzz_holds(int holds, const char *file, int line, const char *rule)
{
    if (holds)
        return;
    fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, rule);
    abort();
}

void fuzz_check_failure(xncc_status status, const char *text)
{
    FUZZ_HOLDS(status >= XNCC_OK && status != XNCC_ERROR_INTERNAL);
    FUZZ_HOLDS(strcmp(xncc_status_string(status), xncc_status_string((xncc_status)12345)) != 0);
    if (!status)
        return;
    FUZZ_HOLDS(text[0] != 0);
    FUZZ_HOLDS(strpbrk(text, "\n\r") == NULL);
}

const char *fuzz_file(int number, const void *bytes, size_t size)
{
    static int fd[4] = { -1, -1, -1, -1 };
    static char name[4][40];
    if (fd[number] < 0) {
        fd[number] = memfd_create("fuzz", 0);
        snprintf(name[number], sizeof name[number], "/proc/self/fd/%d", fd[number]);
    }
    if (fd[number] < 0 || ftruncate(fd[number], 0) != 0 ||
        pwrite(fd[number], bytes, size, 0) != (ssize_t)size) {
        perror("fuzz: cannot make a file in memory");
        exit(2);
    }
    return name[number];
}

/* Of the sanitizers, where there are some. */
void __sanitizer_set_report_fd(void *fd) __attribute__((weak));

void fuzz_quiet(int quiet)
{
    static int kept[3] = { -1, -1, -1 }, nowhere = -1;
    (void)fflush(stdout);
    for (int i = 0; i < 3; i++) {
        if (kept[i] < 0)
            kept[i] = fcntl(i, F_DUPFD_CLOEXEC, 3);
        if (nowhere < 0)
            nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
        if (dup2(quiet ? nowhere : kept[i], i) < 0)
            exit(2);
    }
    if (__sanitizer_set_report_fd)
        __sanitizer_set_report_fd((void *)(intptr_t)kept[2]);
}

uint8_t fuzz_byte(fuzz_bytes *bytes)
{
    if (!bytes->left)
        return 0;
    bytes->left--;
    return *bytes->at++;
}

uint32_t fuzz_word(fuzz_bytes *bytes)
{
    uint32_t word = 0;
    for (int i = 0; i < 4; i++)
        word = word << 8 | fuzz_byte(bytes);
    return word;
}

uint32_t fuzz_below(fuzz_bytes *bytes, uint32_t limit)
{
    return (limit <= 256 ? fuzz_byte(bytes) : fuzz_word(bytes)) % limit;
}
