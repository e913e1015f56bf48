/* An output file with a temporary name until it is complete. */
#define _XOPEN_SOURCE 700 /* realpath */
#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static xncc_status fail_errno(const char *path, const char *what, app_error *error)
{
    return app_fail(error, XNCC_ERROR_ARGUMENT, "%s: %s: %s", path, what, strerror(errno));
}

xncc_status app_output_check(const char *path, app_error *error)
{
    struct stat info;
    char *directory = strdup(path);
    if (!directory)
        return app_fail(error, XNCC_ERROR_MEMORY, "%s: out of memory", path);
    char *slash = strrchr(directory, '/');
    if (!slash)
        strcpy(directory, *path ? "." : "");
    else
        slash[slash == directory] = 0;
    xncc_status status = XNCC_OK;
    if (stat(path, &info) == 0 && !S_ISREG(info.st_mode))
        status = app_fail(error, XNCC_ERROR_ARGUMENT,
                          "%s: cannot write: it is not a regular file; give another name", path);
    else if (access(directory, W_OK | X_OK) != 0)
        status = fail_errno(path, "cannot write in its directory", error);
    free(directory);
    return status;
}

xncc_status app_output_open(const char *path, app_output *output, app_error *error)
{
    *output = (app_output){ .fd = -1 };
    xncc_status status = app_output_check(path, error);
    if (status)
        return status;
    output->path = realpath(path, NULL);
    if (!output->path)
        output->path = strdup(path);
    size_t size = output->path ? strlen(output->path) + 48 : 0;
    output->name = size ? malloc(size) : NULL;
    if (!output->name) {
        free(output->path);
        return app_fail(error, XNCC_ERROR_MEMORY, "%s: out of memory", path);
    }
    for (int attempt = 0; output->fd < 0 && attempt < 100; attempt++) {
        snprintf(output->name, size, "%s.%ld-%d.tmp", output->path, (long)getpid(), attempt);
        output->fd = open(output->name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (output->fd < 0 && errno != EEXIST)
            break;
    }
    if (output->fd >= 0)
        return XNCC_OK;
    status = fail_errno(path, "cannot write", error);
    free(output->name);
    free(output->path);
    return status;
}

xncc_status app_output_close(app_output *output, xncc_status status, app_error *error)
{
    if (output->fd >= 0 && close(output->fd) != 0 && !status)
        status = fail_errno(output->path, "cannot write", error);
    if (!status && rename(output->name, output->path) != 0)
        status = fail_errno(output->path, "cannot rename the finished file", error);
    if (status)
        unlink(output->name);
    free(output->name);
    free(output->path);
    *output = (app_output){ .fd = -1 };
    return status;
}

int app_same_file(const char *a, const char *b)
{
    struct stat x, y;
    return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}
