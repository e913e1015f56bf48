/* SPDX-License-Identifier: BSD-2-Clause */
/* The text of a failure on its way to the user. */
#include "fail.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

xncc_status app_fail(app_error *error, xncc_status status, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(error->text, sizeof error->text, format, list);
    va_end(list);
    if (status == XNCC_ERROR_MEMORY) /* whatever was tried before, the words are not at fault */
        error->usage = 0;
    return status;
}

/* What to do about a failed call of the system. */
static const char *remedy(int number)
{
    switch (number) {
    case ENOENT:
    case ENOTDIR: return "check the name";
    case EACCES:
    case EPERM: return "check the permissions of the file and its folder";
    case EROFS: return "this file system is read-only; write elsewhere";
    case ENOSPC:
    case EDQUOT: return "free some space or write elsewhere";
    case EFBIG: return "raise the limit of file sizes (ulimit -f)";
    case EPIPE: return "the program that reads the output has ended";
    case EMFILE:
    case ENFILE: return "raise the number of open files (ulimit -n)";
    case ENOMEM: return "free some memory";
    case ENAMETOOLONG: return "give a shorter name";
    case ELOOP: return "check the symbolic links";
    case EIO: return "the device has failed";
    default: return "give another name";
    }
}

xncc_status app_fail_errno(app_error *error, const char *path, const char *what, int number)
{
    return app_fail(error, number == ENOMEM ? XNCC_ERROR_MEMORY : XNCC_ERROR_ARGUMENT,
                    "%s: %s: %s; %s", path, what, strerror(number), remedy(number));
}

xncc_status app_pass_on(app_error *error, xncc_status status, const char *about,
                        const xncc_error *why)
{
    return status ? app_fail(error, status, "%s: %s", about, why->text) : XNCC_OK;
}

xncc_status app_fail_kernel(app_error *error, const char *kernel, const xncc_error *why)
{
    return app_fail(error, app_blame_usage(error, XNCC_ERROR_ARGUMENT), "--kernel %s: %s", kernel,
                    why->text);
}

xncc_status app_blame_usage(app_error *error, xncc_status status)
{
    error->usage = 1;
    return status;
}
