/* SPDX-License-Identifier: BSD-2-Clause */
/* Locks of files among processes. A lock ends with its descriptor. */
#ifndef APP_LOCK_H
#define APP_LOCK_H

#include "fail.h"

/* Locks the file of the descriptor, in place of a lock that it has: for itself alone, or together
 * with others that share it. Does not wait. Returns 0, or a number of errno: EWOULDBLOCK if another
 * process has a lock that excludes this one; the descriptor then has none. */
int app_lock(int fd, int alone);

/* The failure for a number that app_lock has returned. */
xncc_status app_lock_fail(app_error *error, const char *name, int why);

#endif
