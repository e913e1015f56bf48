/* SPDX-License-Identifier: BSD-2-Clause */
/* An output file with a temporary name until it is complete. */
#define _XOPEN_SOURCE 700 /* realpath */
#include "output.h"

#include "inputs.h"
#include "unfinished.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int app_output_is_standard(const char *path)
{
    return path[0] == '-' && (path[1] == 0 || (path[1] == '.' && !strchr(path, '/')));
}

xncc_status app_output_check(const char *path, app_error *error)
{
    struct stat info;
    if (app_output_is_standard(path))
        return XNCC_OK;
    char *directory = strdup(path);
    if (!directory)
        return app_fail(error, XNCC_ERROR_MEMORY, "%s: out of memory", path);
    char *slash = strrchr(directory, '/');
    if (!slash)
        strcpy(directory, *path ? "." : "");
    else
        slash[slash == directory] = 0;
    xncc_status status = XNCC_OK;
    if (lstat(path, &info) == 0 && S_ISLNK(info.st_mode) && access(path, F_OK) != 0)
        status = app_fail(
            error, XNCC_ERROR_ARGUMENT,
            "%s: cannot write: it is a symbolic link that leads nowhere; give another "
            "name",
            path);
    else if (stat(path, &info) == 0 && !S_ISREG(info.st_mode))
        status = app_fail(error, XNCC_ERROR_ARGUMENT,
                          "%s: cannot write: it is not a regular file; give another name", path);
    else if (access(path, F_OK) == 0 && access(path, W_OK) != 0)
        status = app_fail_errno(error, path, "cannot write", errno);
    else if (access(directory, W_OK | X_OK) != 0)
        status = app_fail_errno(error, path, "cannot write in its folder", errno);
    free(directory);
    return status;
}

/* A name beside the final one. A final name that leaves no room for an addition (a name has at most
 * 255 bytes) is not part of it. */
static void name_temporary(const app_output *output, int attempt, size_t size)
{
    const char *slash = strrchr(output->path, '/');
    const size_t folder = slash ? (size_t)(slash + 1 - output->path) : 0;
    const int fits = strlen(output->path) - folder <= 200;
    snprintf(output->name, size, "%.*s%s.%ld-%d.tmp", (int)folder, output->path,
             fits ? output->path + folder : "exactncc", (long)getpid(), attempt);
}

/* Creates the temporary file, with the permissions of the file that it is to replace. */
static int create(app_output *output, size_t size)
{
    struct stat old;
    const int replaces = stat(output->path, &old) == 0;
    const mode_t mode = replaces ? old.st_mode & 0777 : 0666; /* less the umask */
    int why = EEXIST;
    for (int attempt = 0; output->fd < 0 && why == EEXIST && attempt < 100; attempt++) {
        name_temporary(output, attempt, size);
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

/* A file without a name, because writers go back in what they write and a pipe cannot. */
static xncc_status open_standard(app_output *output, app_error *error)
{
    FILE *file = tmpfile();
    const int why = errno;
    output->path = strdup("standard output");
    output->fd = file ? dup(fileno(file)) : -1;
    if (file)
        fclose(file);
    if (output->path && output->fd >= 0)
        return XNCC_OK;
    if (output->fd >= 0)
        close(output->fd);
    free(output->path);
    *output = (app_output){ .fd = -1 };
    return app_fail_errno(error, "standard output", "cannot make a temporary file", why);
}

/* Copies the file without a name to standard output. */
static int copy_to_standard(int from)
{
    char part[1 << 16];
    ssize_t got = lseek(from, 0, SEEK_SET) == 0 ? 1 : -1;
    while (got > 0 && (got = read(from, part, sizeof part)) > 0)
        for (ssize_t done = 0, now; done < got; done += now) {
            now = write(STDOUT_FILENO, part + done, (size_t)(got - done));
            if (now < 0 && errno != EINTR)
                return 0;
            now = now < 0 ? 0 : now;
        }
    return got == 0;
}

xncc_status app_output_open(const char *path, app_output *output, app_error *error)
{
    *output = (app_output){ .fd = -1 };
    if (app_output_is_standard(path))
        return open_standard(output, error);
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
        *output = (app_output){ .fd = -1 };
        return app_fail(error, XNCC_ERROR_MEMORY, "%s: out of memory", path);
    }
    const int why = create(output, size);
    if (!why)
        return XNCC_OK;
    free(output->name);
    free(output->path);
    *output = (app_output){ .fd = -1 };
    return app_fail_errno(error, path, "cannot write", why);
}

/* Gives the finished file its name, or copies it to standard output. */
static xncc_status deliver(const app_output *output, app_error *error)
{
    if (!output->name)
        return copy_to_standard(output->fd)
                   ? XNCC_OK
                   : app_fail_errno(error, output->path, "cannot write", errno);
    if (app_inputs_has(output->path))
        return app_fail(error, XNCC_ERROR_ARGUMENT,
                        "%s: would overwrite an input; give another name", output->path);
    if (app_outputs_has(output->path))
        return app_fail(error, XNCC_ERROR_ARGUMENT,
                        "%s: is also the name of another output; give another name", output->path);
    const xncc_status status = app_outputs_add(output->name, output->path, error);
    if (!status && app_unfinished_rename(output->name, output->path) != 0)
        return app_fail_errno(error, output->path, "cannot rename the finished file", errno);
    return status;
}

xncc_status app_output_close(app_output *output, xncc_status status, app_error *error)
{
    if (output->name && output->fd >= 0 && close(output->fd) != 0 && !status)
        status = app_fail_errno(error, output->path, "cannot write", errno);
    if (!status)
        status = deliver(output, error);
    if (status && output->name)
        app_unfinished_remove(output->name);
    if (!output->name)
        close(output->fd);
    free(output->name);
    free(output->path);
    *output = (app_output){ .fd = -1 };
    return status;
}

char *app_text_join(const char *path, const char *ending)
{
    const size_t size = strlen(path) + strlen(ending) + 1;
    char *name = malloc(size);
    if (name)
        snprintf(name, size, "%s%s", path, ending);
    return name;
}

int app_output_put(int fd, const void *from, uint64_t bytes, uint64_t offset)
{
    for (uint64_t done = 0; done < bytes;) {
        const ssize_t now = pwrite(fd, (const char *)from + done, (size_t)(bytes - done),
                                   (off_t)(offset + done));
        if (now < 0 && errno != EINTR)
            return errno;
        done += now < 0 ? 0 : (uint64_t)now;
    }
    return 0;
}
