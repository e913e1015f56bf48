/* SPDX-License-Identifier: BSD-2-Clause */
/* Buffered reading from a file, a pipe or memory. */
#define _XOPEN_SOURCE 700 /* pread */
#include "input.h"

#include "inputs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ROOM = 32 << 10 };

struct app_input {
    char *name;
    int fd;
    int piped;         /* 1: cannot be positioned */
    int kept;          /* 1: the buffer holds everything */
    uint64_t base;     /* where the input begins in the file */
    uint64_t size;     /* UINT64_MAX: not known */
    uint64_t position; /* of the next byte */
    uint8_t *buffer;
    uint64_t start; /* position of the buffer's first byte */
    size_t filled;
    uint64_t max_memory;
    int reason; /* errno of a failed read, or 0 */
};

/* Opens the descriptor. Anything but a file or a pipe is refused before it is opened, because
 * opening a device can have effects. */
static xncc_status open_descriptor(const char *path, app_input *in, app_error *error)
{
    struct stat info;
    const int standard = strcmp(path, "-") == 0;
    if ((standard ? fstat(STDIN_FILENO, &info) : stat(path, &info)) != 0)
        return app_fail_errno(error, path, "cannot open", errno);
    if (standard && isatty(STDIN_FILENO))
        return app_fail(error, XNCC_ERROR_ARGUMENT,
                        "standard input: is a terminal; send a picture through a pipe, or name a "
                        "file");
    in->piped = S_ISFIFO(info.st_mode) || S_ISSOCK(info.st_mode) || S_ISCHR(info.st_mode);
    if (!standard && !S_ISREG(info.st_mode) && !S_ISFIFO(info.st_mode))
        return app_fail(error, XNCC_ERROR_ARGUMENT,
                        "%s: is not a regular file or a pipe; name a picture", path);
    if (standard && !S_ISREG(info.st_mode) && !in->piped)
        return app_fail(error, XNCC_ERROR_ARGUMENT,
                        "standard input: is not a file or a pipe; send a picture");
    in->fd = standard ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC);
    if (in->fd < 0)
        return app_fail_errno(error, path, "cannot open", errno);
    if (fstat(in->fd, &info) != 0)
        return app_fail_errno(error, path, "cannot open", errno);
    xncc_status status = app_inputs_add(&info, path, error);
    if (status)
        return status;
    const off_t at = standard && !in->piped ? lseek(in->fd, 0, SEEK_CUR) : 0;
    in->base = at > 0 ? (uint64_t)at : 0;
    in->size = in->piped                           ? UINT64_MAX
               : (uint64_t)info.st_size > in->base ? (uint64_t)info.st_size - in->base
                                                   : 0;
    return XNCC_OK;
}

xncc_status app_input_open(const char *path, uint64_t max_memory, app_input **input,
                           app_error *error)
{
    app_input *in = calloc(1, sizeof *in);
    *input = NULL;
    if (in) {
        in->fd = -1;
        in->max_memory = max_memory;
        in->name = strdup(strcmp(path, "-") == 0 ? "standard input" : path);
        in->buffer = malloc(ROOM);
    }
    if (!in || !in->name || !in->buffer) {
        app_input_close(in);
        return app_fail(error, XNCC_ERROR_MEMORY, "%s: out of memory", path);
    }
    xncc_status status = open_descriptor(path, in, error);
    if (status)
        app_input_close(in);
    else
        *input = in;
    return status;
}

void app_input_close(app_input *in)
{
    if (!in)
        return;
    if (in->fd >= 0)
        close(in->fd);
    free(in->buffer);
    free(in->name);
    free(in);
}

const char *app_input_name(const app_input *in)
{
    return in->name;
}

uint64_t app_input_size(const app_input *in)
{
    return in->size;
}

int app_input_seeks(const app_input *in)
{
    return !in->piped || in->kept;
}

/* Reads from a position of the descriptor, which is ignored for a pipe. Returns fewer bytes only at
 * the end or after an error. */
static size_t fetch(app_input *in, uint64_t from, void *to, size_t bytes)
{
    size_t done = 0;
    if (!in->piped) /* what is appended while the file is read does not belong to it */
        bytes = from >= in->size ? 0 : in->size - from < bytes ? (size_t)(in->size - from) : bytes;
    while (done < bytes) {
        char *at = (char *)to + done;
        const size_t left = bytes - done;
        const ssize_t got = in->piped ? read(in->fd, at, left)
                                      : pread(in->fd, at, left, (off_t)(in->base + from + done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            in->reason = errno;
        if (got <= 0)
            break;
        done += (size_t)got;
    }
    return done;
}

/* Fills the buffer from the position on. Returns whether it has bytes. A pipe that delivers slowly
 * is asked for no more than `least` bytes, so that they can be used as they arrive. */
static int refill(app_input *in, size_t least)
{
    if (in->kept)
        return 0;
    in->start = in->position;
    in->filled = 0;
    if (in->piped) {
        ssize_t got;
        do
            got = read(in->fd, in->buffer, ROOM);
        while (got < 0 && errno == EINTR);
        if (got < 0)
            in->reason = errno;
        in->filled = got > 0 ? (size_t)got : 0;
        if (in->filled > 0 && in->filled < least)
            in->filled += fetch(in, 0, in->buffer + in->filled, least - in->filled);
    } else {
        in->filled = fetch(in, in->start, in->buffer, ROOM);
    }
    return in->filled > 0;
}

/* The bytes in the buffer from the position on. */
static size_t buffered(const app_input *in)
{
    return in->position >= in->start && in->position - in->start < in->filled
               ? in->filled - (size_t)(in->position - in->start)
               : 0;
}

size_t app_input_peek(app_input *in, void *to, size_t most)
{
    size_t have = buffered(in);
    if (have < most && !in->kept && in->piped && have > 0) {
        memmove(in->buffer, in->buffer + (in->position - in->start), have);
        in->start = in->position;
        in->filled = have + fetch(in, 0, in->buffer + have, most - have);
        have = in->filled;
    } else if (have < most && refill(in, most)) {
        have = buffered(in);
    }
    have = have < most ? have : most;
    if (have)
        memcpy(to, in->buffer + (in->position - in->start), have);
    return have;
}

size_t app_input_read(app_input *in, void *to, size_t bytes)
{
    size_t done = 0;
    while (done < bytes) {
        const size_t left = bytes - done;
        size_t have = buffered(in);
        if (have == 0 && left >= ROOM && !in->kept) {
            have = fetch(in, in->position, (char *)to + done, left);
            in->position += have;
            return done + have;
        }
        if (have == 0 && !refill(in, left < ROOM ? left : ROOM))
            break;
        have = buffered(in);
        have = have < left ? have : left;
        memcpy((char *)to + done, in->buffer + (in->position - in->start), have);
        in->position += have;
        done += have;
    }
    return done;
}

size_t app_input_some(app_input *in, void *to, size_t most)
{
    const size_t have = buffered(in);
    return app_input_read(in, to, have < most ? have : most);
}

int app_input_byte(app_input *in)
{
    if (!buffered(in) && !refill(in, 1))
        return -1;
    return in->buffer[in->position++ - in->start];
}

uint64_t app_input_tell(const app_input *in)
{
    return in->position;
}

int app_input_seek(app_input *in, uint64_t position)
{
    uint8_t skipped[4096];
    if (app_input_seeks(in)) {
        in->position = position;
        return 1;
    }
    if (position < in->position)
        return 0;
    while (in->position < position) {
        const uint64_t left = position - in->position;
        const size_t want = left < sizeof skipped ? (size_t)left : sizeof skipped;
        if (app_input_read(in, skipped, want) != want)
            return 0;
    }
    return 1;
}

xncc_status app_input_keep(app_input *in, app_error *error)
{
    size_t room = ROOM, have = in->filled;
    if (app_input_seeks(in))
        return XNCC_OK;
    if (in->start != 0)
        return app_fail(error, XNCC_ERROR_INTERNAL, "the beginning has been read already");
    for (;;) {
        if (have > in->max_memory)
            return app_fail(error, XNCC_ERROR_MEMORY,
                            "the pipe delivers more than the limit of %llu bytes; raise "
                            "--max-memory, or write a file first",
                            (unsigned long long)in->max_memory);
        if (have == room) {
            uint8_t *more = room > SIZE_MAX / 2 ? NULL : realloc(in->buffer, 2 * room);
            if (!more)
                return app_fail(error, XNCC_ERROR_MEMORY,
                                "out of memory for %zu bytes of the pipe; write a file first",
                                room);
            in->buffer = more;
            room *= 2;
        }
        const size_t got = fetch(in, 0, in->buffer + have, room - have);
        have += got;
        if (have < room)
            break;
    }
    if (in->reason)
        return app_fail(error, XNCC_ERROR_ARGUMENT, "cannot be read: %s", strerror(in->reason));
    in->filled = have;
    in->size = have;
    in->kept = 1;
    return XNCC_OK;
}

const char *app_input_reason(const app_input *in)
{
    return in->reason ? strerror(in->reason) : "the file is cut short";
}
