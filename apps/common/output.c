/* An output file with a temporary name until it is complete. */
#define _XOPEN_SOURCE 700 /* realpath */
#include "output.h"

#include "unfinished.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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
    else if (access(path, F_OK) == 0 && access(path, W_OK) != 0)
        status = app_fail_errno(error, path, "cannot write", errno);
    else if (access(directory, W_OK | X_OK) != 0)
        status = app_fail_errno(error, path, "cannot write in its folder", errno);
    free(directory);
    return status;
}

/* Creates the temporary file, with the permissions of the file that it is to replace. */
static int create(app_output *output, size_t size)
{
    struct stat old;
    const int replaces = stat(output->path, &old) == 0;
    const mode_t mode = replaces ? old.st_mode & 0777 : 0666; /* less the umask */
    int why = EEXIST;
    for (int attempt = 0; output->fd < 0 && why == EEXIST && attempt < 100; attempt++) {
        snprintf(output->name, size, "%s.%ld-%d.tmp", output->path, (long)getpid(), attempt);
        output->fd = app_unfinished_create(output->name, mode);
        why = errno;
    }
    if (output->fd >= 0 && replaces && fchmod(output->fd, mode) != 0) {
        why = errno;
        close(output->fd);
        app_unfinished_remove(output->name);
        output->fd = -1;
    }
    return output->fd >= 0 ? 0 : why;
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
    const int why = create(output, size);
    if (!why)
        return XNCC_OK;
    status = app_fail_errno(error, path, "cannot write", why);
    free(output->name);
    free(output->path);
    return status;
}

xncc_status app_output_close(app_output *output, xncc_status status, app_error *error)
{
    if (output->fd >= 0 && close(output->fd) != 0 && !status)
        status = app_fail_errno(error, output->path, "cannot write", errno);
    if (!status && app_unfinished_rename(output->name, output->path) != 0)
        status = app_fail_errno(error, output->path, "cannot rename the finished file", errno);
    if (status)
        app_unfinished_remove(output->name);
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
