/* SPDX-License-Identifier: BSD-2-Clause */
/* Locks of files. */
#define _DEFAULT_SOURCE /* flock */
#include "lock.h"

#include <errno.h>
#include <sys/file.h>

int app_lock(int fd, int alone)
{
    while (flock(fd, (alone ? LOCK_EX : LOCK_SH) | LOCK_NB) != 0)
        if (errno != EINTR)
            return errno;
    return 0;
}

xncc_status app_lock_fail(app_error *error, const char *name, int why)
{
    if (why != EWOULDBLOCK)
        return app_fail_errno(error, name, "cannot lock", why);
    return app_fail(error, XNCC_ERROR_ARGUMENT,
                    "%s: another process is writing it; wait for its end", name);
}
