/* SPDX-License-Identifier: BSD-2-Clause */
/* The files that this process has read or written. */
#include "inputs.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>

typedef struct file_id {
    dev_t device;
    ino_t inode;
    int written;
} file_id;

/* Files are opened on several threads. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static file_id *known;
static size_t count, room;

static int is_known(const struct stat *info, int written)
{
    for (size_t i = 0; i < count; i++)
        if (known[i].device == info->st_dev && known[i].inode == info->st_ino &&
            known[i].written == written)
            return 1;
    return 0;
}

/* Returns 0 if there is no memory. */
static int add(const struct stat *info, int written)
{
    if (!S_ISREG(info->st_mode))
        return 1;
    pthread_mutex_lock(&lock);
    if (count == room) {
        const size_t more = room ? 2 * room : 16;
        file_id *bigger = realloc(known, more * sizeof *bigger);
        if (bigger) {
            known = bigger;
            room = more;
        }
    }
    const int fits = count < room;
    if (fits)
        known[count++] = (file_id){ info->st_dev, info->st_ino, written };
    pthread_mutex_unlock(&lock);
    return fits;
}

static int has(const char *path, int written)
{
    struct stat info;
    if (stat(path, &info) != 0)
        return 0;
    pthread_mutex_lock(&lock);
    const int found = is_known(&info, written);
    pthread_mutex_unlock(&lock);
    return found;
}

xncc_status app_inputs_add(const struct stat *info, const char *path, app_error *error)
{
    return add(info, 0) ? XNCC_OK : app_fail(error, XNCC_ERROR_MEMORY, "%s: out of memory", path);
}

int app_inputs_has(const char *path)
{
    return has(path, 0);
}

xncc_status app_outputs_add(const char *name, const char *path, app_error *error)
{
    struct stat info;
    if (stat(name, &info) != 0)
        return app_fail_errno(error, path, "cannot write", errno);
    return add(&info, 1) ? XNCC_OK : app_fail(error, XNCC_ERROR_MEMORY, "%s: out of memory", path);
}

int app_outputs_has(const char *path)
{
    return has(path, 1);
}
