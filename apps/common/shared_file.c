/* SPDX-License-Identifier: BSD-2-Clause */
/* A map that several processes write. */
#include "shared_file.h"

#include "input_digest.h"
#include "inputs.h"
#include "lock.h"
#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { NUMBER_BYTES = 8, NUMBER_MARK = 'X' }; /* no format that is written begins with the mark */

/* A number that no other file has: made of the time and the process. */
static uint64_t new_number(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    const uint64_t parts[3] = { (uint64_t)now.tv_sec, (uint64_t)now.tv_nsec, (uint64_t)getpid() };
    uint64_t digest = app_digest_start;
    app_digest_bytes(&digest, parts, sizeof parts);
    return digest << 8 | NUMBER_MARK;
}

/* Reads the number. *there: 0 if the file has neither a number nor a header. */
static int read_number(app_shared_file *f, int *there)
{
    uint8_t byte[NUMBER_BYTES] = { 0 };
    if (pread(f->fd, byte, sizeof byte, 0) < 0)
        return errno;
    *there = byte[0] != 0;
    f->number = 0;
    for (int i = NUMBER_BYTES; byte[0] == NUMBER_MARK && i-- > 0;)
        f->number = f->number << 8 | byte[i];
    return 0;
}

static int write_number(const app_shared_file *f)
{
    const uint64_t number = new_number();
    uint8_t byte[NUMBER_BYTES];
    for (int i = 0; i < NUMBER_BYTES; i++)
        byte[i] = (uint8_t)(number >> 8 * i);
    return app_output_put(f->fd, byte, sizeof byte, 0);
}

/* Reads the number of the file, which the first process gives it, and keeps the file from those
 * that want it alone: this one, while it writes the number, and a job with a journal, which keeps
 * it. Returns 0 or a number of errno. */
static int join_others(app_shared_file *f)
{
    enum { ATTEMPTS = 500 };
    const struct timespec pause = { .tv_nsec = 10000000 };
    int why = EWOULDBLOCK, there = 0;
    for (int i = 0; i < ATTEMPTS && why == EWOULDBLOCK; i++) {
        why = app_lock(f->fd, 0);
        if (!why)
            why = read_number(f, &there);
        if (!why && there)
            return 0;
        if (!why && !(why = app_lock(f->fd, 1)) && !(why = read_number(f, &there)) && !there)
            why = write_number(f);
        if (!why)
            why = EWOULDBLOCK; /* shared again */
        else if (why == EWOULDBLOCK)
            nanosleep(&pause, NULL);
    }
    return why;
}

xncc_status app_shared_open(const char *path, int create, app_shared_file *f, app_error *error)
{
    *f = (app_shared_file){ .name = app_text_join(path, ".partial"), .fd = -1 };
    if (!f->name)
        return app_fail(error, XNCC_ERROR_MEMORY, "%s: out of memory", path);
    f->fd = open(f->name, O_RDWR | (create ? O_CREAT : 0) | O_CLOEXEC, 0666);
    xncc_status status = XNCC_OK;
    if (f->fd < 0)
        status = app_fail_errno(error, f->name, "cannot write", errno);
    const int why = status ? 0 : join_others(f);
    if (why)
        status = app_lock_fail(error, f->name, why);
    if (status)
        app_shared_close(f);
    return status;
}

int app_shared_is(const app_shared_file *f, uint64_t number)
{
    return f->number == 0 || f->number == number;
}

xncc_status app_shared_deliver(const app_shared_file *f, const char *path, app_error *error)
{
    if (app_inputs_has(path))
        return app_fail(error, XNCC_ERROR_ARGUMENT,
                        "%s: would overwrite an input; give another name", path);
    const xncc_status status = app_outputs_add(f->name, path, error);
    if (!status && rename(f->name, path) != 0)
        return app_fail_errno(error, path, "cannot rename the finished file", errno);
    return status;
}

void app_shared_close(app_shared_file *f)
{
    if (f->name && f->fd >= 0)
        close(f->fd);
    free(f->name);
    *f = (app_shared_file){ .fd = -1 };
}
