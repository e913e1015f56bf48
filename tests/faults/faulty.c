/* SPDX-License-Identifier: BSD-2-Clause */
/* The tool with one call of the C library that fails. The linker leads the calls of the project's
 * own objects here (--wrap), so what libtiff and others call is not touched.
 *
 * EXACTNCC_FAULT=KIND:N makes the Nth call of a kind fail, as it would without memory or with
 * a broken disk; KIND:N+ every call from the Nth on; KIND:N! ends the program there, for a
 * debugger. EXACTNCC_FAULTS=FILE writes "KIND COUNT", the number of calls per kind, to the file at
 * the end.
 *
 * With FAULTY_CUDA, the kind "cuda" is that of the calls of a CUDA runtime that is pretended
 * (pretend/pretend.h). The file then has "lost 1" if nothing is lost by the call that failed, and
 * "left COUNT", the number of objects that were not freed. EXACTNCC_DEVICES=N is the number of
 * devices, and on device EXACTNCC_BROKEN no kernel can be launched. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#ifdef FAULTY_CUDA
#include "pretend/pretend.h"
#endif

typedef enum kind { MEMORY, THREAD, OPEN, READ, WRITE, CLOSE, RENAME, CUDA, KINDS } kind;

static const char *const names[KINDS] = { "memory", "thread", "open",   "read",
                                          "write",  "close",  "rename", "cuda" };
static atomic_long calls[KINDS];
static int failing = KINDS; /* the kind that fails */
static long nth;
static int lasting, stopping;
static atomic_int met; /* 1: a call has failed */

/* Counts a call. 1: it fails, and errno is set. */
static int fails(kind k, int number)
{
    const long now = atomic_fetch_add(&calls[k], 1) + 1;
    if ((int)k != failing || now < nth || (now > nth && !lasting))
        return 0;
    atomic_store(&met, 1);
    if (stopping)
        abort();
    errno = number;
    return 1;
}

#define WRAPPED(type, name, ...)                                                                   \
    type __real_##name(__VA_ARGS__);                                                               \
    type __wrap_##name(__VA_ARGS__);                                                               \
    type __wrap_##name(__VA_ARGS__)

/* ---- memory ---- */

WRAPPED(void *, malloc, size_t size)
{
    return fails(MEMORY, ENOMEM) ? NULL : __real_malloc(size);
}

WRAPPED(void *, calloc, size_t count, size_t size)
{
    return fails(MEMORY, ENOMEM) ? NULL : __real_calloc(count, size);
}

WRAPPED(void *, realloc, void *memory, size_t size)
{
    return fails(MEMORY, ENOMEM) ? NULL : __real_realloc(memory, size);
}

WRAPPED(void *, aligned_alloc, size_t alignment, size_t size)
{
    return fails(MEMORY, ENOMEM) ? NULL : __real_aligned_alloc(alignment, size);
}

WRAPPED(char *, strdup, const char *text)
{
    return fails(MEMORY, ENOMEM) ? NULL : __real_strdup(text);
}

WRAPPED(char *, strndup, const char *text, size_t most)
{
    return fails(MEMORY, ENOMEM) ? NULL : __real_strndup(text, most);
}

WRAPPED(FILE *, fopencookie, void *cookie, const char *mode, cookie_io_functions_t functions)
{
    return fails(MEMORY, ENOMEM) ? NULL : __real_fopencookie(cookie, mode, functions);
}

WRAPPED(char *, realpath, const char *path, char *resolved)
{
    return fails(MEMORY, ENOMEM) ? NULL : __real_realpath(path, resolved);
}

/* The same clock for all runs: reports have the time in them. */
time_t __wrap_time(time_t *now);
time_t __wrap_time(time_t *now)
{
    if (now)
        *now = 1000000000;
    return 1000000000;
}

/* ---- threads ---- */

WRAPPED(int, pthread_create, pthread_t *thread, const pthread_attr_t *attributes,
        void *(*function)(void *), void *argument)
{
    return fails(THREAD, EAGAIN) ? EAGAIN
                                 : __real_pthread_create(thread, attributes, function, argument);
}

/* ---- files ---- */

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...)
{
    va_list list;
    va_start(list, flags);
    const mode_t mode = flags & O_CREAT ? va_arg(list, mode_t) : 0;
    va_end(list);
    return fails(OPEN, EMFILE) ? -1 : __real_open(path, flags, mode);
}

WRAPPED(FILE *, fopen, const char *path, const char *mode)
{
    return fails(OPEN, EMFILE) ? NULL : __real_fopen(path, mode);
}

WRAPPED(FILE *, fdopen, int fd, const char *mode)
{
    return fails(OPEN, ENOMEM) ? NULL : __real_fdopen(fd, mode);
}

WRAPPED(FILE *, tmpfile, void)
{
    return fails(OPEN, EMFILE) ? NULL : __real_tmpfile();
}

WRAPPED(int, dup, int fd)
{
    return fails(OPEN, EMFILE) ? -1 : __real_dup(fd);
}

/* Which descriptors have bytes that are not on the disk. */
enum { DESCRIPTORS = 1024 };
static atomic_int unsynced[DESCRIPTORS];

static int bytes_written(int fd, int some)
{
    return fd >= 0 && fd < DESCRIPTORS ? atomic_exchange(&unsynced[fd], some) : 0;
}

/* A file system tells of a failed write when the file is closed; it is closed all the same. There
 * is nothing to tell if nothing was written since the last fsync, or if the file has no name any
 * more.
 */
static int close_fails(int fd, int written)
{
    struct stat info;
    return written && fstat(fd, &info) == 0 && info.st_nlink > 0 && fails(CLOSE, EIO);
}

WRAPPED(int, close, int fd)
{
    const int failed = close_fails(fd, bytes_written(fd, 0)), result = __real_close(fd);
    errno = failed ? EIO : errno;
    return failed ? -1 : result;
}

WRAPPED(int, fclose, FILE *file)
{
    const int failed = close_fails(fileno(file), __fwriting(file)), result = __real_fclose(file);
    errno = failed ? EIO : errno;
    return failed ? EOF : result;
}

WRAPPED(int, fsync, int fd)
{
    if (fails(CLOSE, EIO))
        return -1;
    bytes_written(fd, 0);
    return __real_fsync(fd);
}

WRAPPED(int, fdatasync, int fd)
{
    if (fails(CLOSE, EIO))
        return -1;
    bytes_written(fd, 0);
    return __real_fdatasync(fd);
}

WRAPPED(int, rename, const char *from, const char *to)
{
    return fails(RENAME, EIO) ? -1 : __real_rename(from, to);
}

WRAPPED(ssize_t, read, int fd, void *to, size_t bytes)
{
    return fails(READ, EIO) ? -1 : __real_read(fd, to, bytes);
}

WRAPPED(ssize_t, pread, int fd, void *to, size_t bytes, off_t at)
{
    return fails(READ, EIO) ? -1 : __real_pread(fd, to, bytes, at);
}

WRAPPED(ssize_t, write, int fd, const void *from, size_t bytes)
{
    bytes_written(fd, 1);
    return fails(WRITE, ENOSPC) ? -1 : __real_write(fd, from, bytes);
}

WRAPPED(ssize_t, pwrite, int fd, const void *from, size_t bytes, off_t at)
{
    bytes_written(fd, 1);
    return fails(WRITE, ENOSPC) ? -1 : __real_pwrite(fd, from, bytes, at);
}

WRAPPED(int, ftruncate, int fd, off_t size)
{
    bytes_written(fd, 1);
    return fails(WRITE, ENOSPC) ? -1 : __real_ftruncate(fd, size);
}

/* ---- streams: a failure sets the error indicator, as one of the system would ---- */

static int stream_fails(kind k, FILE *file, int number)
{
    if (!fails(k, number))
        return 0;
    file->_flags |= 0x20; /* what ferror of the GNU library returns */
    return 1;
}

WRAPPED(size_t, fread, void *to, size_t size, size_t count, FILE *file)
{
    return stream_fails(READ, file, EIO) ? 0 : __real_fread(to, size, count, file);
}

WRAPPED(ssize_t, getline, char **line, size_t *size, FILE *file)
{
    if (fails(MEMORY, ENOMEM)) /* without the error indicator, as the GNU library has it */
        return -1;
    return stream_fails(READ, file, EIO) ? -1 : __real_getline(line, size, file);
}

WRAPPED(char *, fgets, char *to, int size, FILE *file)
{
    return stream_fails(READ, file, EIO) ? NULL : __real_fgets(to, size, file);
}

WRAPPED(int, getc, FILE *file)
{
    return stream_fails(READ, file, EIO) ? EOF : __real_getc(file);
}

/* What is printed to stderr does not fail: there the messages are looked for. */
static int print_fails(FILE *file)
{
    return file != stderr && stream_fails(WRITE, file, ENOSPC);
}

WRAPPED(size_t, fwrite, const void *from, size_t size, size_t count, FILE *file)
{
    return print_fails(file) ? 0 : __real_fwrite(from, size, count, file);
}

WRAPPED(int, fputs, const char *text, FILE *file)
{
    return print_fails(file) ? EOF : __real_fputs(text, file);
}

WRAPPED(int, fputc, int c, FILE *file)
{
    return print_fails(file) ? EOF : __real_fputc(c, file);
}

WRAPPED(int, putc, int c, FILE *file)
{
    return print_fails(file) ? EOF : __real_putc(c, file);
}

WRAPPED(int, puts, const char *text)
{
    return print_fails(stdout) ? EOF : __real_puts(text);
}

WRAPPED(int, fflush, FILE *file)
{
    return file && print_fails(file) ? EOF : __real_fflush(file);
}

static int print_to(FILE *file, const char *format, va_list list)
{
    return print_fails(file) ? -1 : vfprintf(file, format, list);
}

int __wrap_fprintf(FILE *file, const char *format, ...);
int __wrap_fprintf(FILE *file, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    const int result = print_to(file, format, list);
    va_end(list);
    return result;
}

int __wrap_printf(const char *format, ...);
int __wrap_printf(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    const int result = print_to(stdout, format, list);
    va_end(list);
    return result;
}

/* ---- the same calls where the compiler knew the size of an object (-D_FORTIFY_SOURCE) ---- */

WRAPPED(char *, __realpath_chk, const char *path, char *resolved, size_t room)
{
    return fails(MEMORY, ENOMEM) ? NULL : __real___realpath_chk(path, resolved, room);
}

WRAPPED(ssize_t, __read_chk, int fd, void *to, size_t bytes, size_t room)
{
    return fails(READ, EIO) ? -1 : __real___read_chk(fd, to, bytes, room);
}

WRAPPED(ssize_t, __pread_chk, int fd, void *to, size_t bytes, off_t at, size_t room)
{
    return fails(READ, EIO) ? -1 : __real___pread_chk(fd, to, bytes, at, room);
}

WRAPPED(size_t, __fread_chk, void *to, size_t room, size_t size, size_t count, FILE *file)
{
    return stream_fails(READ, file, EIO) ? 0 : __real___fread_chk(to, room, size, count, file);
}

WRAPPED(char *, __fgets_chk, char *to, size_t room, int size, FILE *file)
{
    return stream_fails(READ, file, EIO) ? NULL : __real___fgets_chk(to, room, size, file);
}

int __wrap___fprintf_chk(FILE *file, int flag, const char *format, ...);
int __wrap___fprintf_chk(FILE *file, int flag, const char *format, ...)
{
    (void)flag;
    va_list list;
    va_start(list, format);
    const int result = print_to(file, format, list);
    va_end(list);
    return result;
}

int __wrap___printf_chk(int flag, const char *format, ...);
int __wrap___printf_chk(int flag, const char *format, ...)
{
    (void)flag;
    va_list list;
    va_start(list, format);
    const int result = print_to(stdout, format, list);
    va_end(list);
    return result;
}

/* ---- CUDA ---- */

#ifdef FAULTY_CUDA
static atomic_int lost; /* 1: nothing is lost by what failed */
static int broken = -1; /* the device on which launches fail */

int pretend_fails(const char *call, const char *detail, const void *place)
{
    (void)place;
    if (pretend_device() == broken && strcmp(call, "cudaLaunchKernel") == 0)
        return 1;
    if (!fails(CUDA, 0))
        return 0;
    /* a device is described without the number of devices */
    atomic_store(&lost,
                 pretend_may_be_lost(call, detail) || strcmp(call, "cudaGetDeviceCount") == 0);
    return 1;
}

static void set_devices(void)
{
    const char *count = getenv("EXACTNCC_DEVICES"), *number = getenv("EXACTNCC_BROKEN");
    if (count)
        pretend_devices(atoi(count), -1);
    if (number)
        broken = atoi(number);
}

static void report_cuda(int fd)
{
    char line[64];
    const pretend_objects left = pretend_count();
    const int length = snprintf(line, sizeof line, "lost %d\nleft %ld\n", atomic_load(&lost),
                                pretend_count_all(&left));
    (void)!__real_write(fd, line, (size_t)length);
}
#else
static void set_devices(void)
{
}

static void report_cuda(int fd)
{
    (void)fd;
}
#endif

static void report(void)
{
    const char *path = getenv("EXACTNCC_FAULTS");
    const int fd = path ? __real_open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666) : -1;
    char line[64];
    for (int k = 0; fd >= 0 && k < KINDS; k++) {
        const int length = snprintf(line, sizeof line, "%s %ld\n", names[k],
                                    atomic_load(&calls[k]));
        (void)!__real_write(fd, line, (size_t)length);
    }
    const int length = snprintf(line, sizeof line, "met %d\n", atomic_load(&met));
    (void)!__real_write(fd, line, (size_t)length);
    report_cuda(fd);
    if (fd >= 0)
        __real_close(fd);
}

int __real_main(int argc, char **argv);
int __wrap_main(int argc, char **argv);

/* Counting begins with main: what the CUDA runtime does before it is not the project's own. */
int __wrap_main(int argc, char **argv)
{
    const char *fault = getenv("EXACTNCC_FAULT");
    for (int k = 0; k < KINDS; k++) {
        const size_t length = strlen(names[k]);
        atomic_store(&calls[k], 0);
        if (fault && strncmp(fault, names[k], length) == 0 && fault[length] == ':') {
            char *end;
            nth = strtol(fault + length + 1, &end, 10);
            lasting = *end == '+';
            stopping = *end == '!';
            failing = k;
        }
    }
    set_devices();
    atexit(report);
    return __real_main(argc, argv);
}
