/* SPDX-License-Identifier: BSD-2-Clause */
/* The text of a failure on its way to the user: one line that names the file or value at fault and
 * says what to do. */
#ifndef APP_FAIL_H
#define APP_FAIL_H

#include "exactncc/status.h"

enum { APP_ERROR_SIZE = 1024 };

typedef struct app_error {
    int usage; /* 1: the command line is wrong, so the exit status is 2 */
    int none;  /* 1: --fail-if-none, and nothing was found: without a failure the status is 3 */
    char text[APP_ERROR_SIZE];
} app_error;

/* Writes the text (printf rules; what does not fit is cut) and returns the status, so that a
 * failing function can end with: return app_fail(error, ...). */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
xncc_status
app_fail(app_error *error, xncc_status status, const char *format, ...);

/* Fails with "path: what: " and the system's text for errno, then what to do about it, which
 * depends on the cause: a name, a permission, space. what: "cannot open". */
xncc_status app_fail_errno(app_error *error, const char *path, const char *what, int number);

/* Ends a call of the library. If it failed, writes "about: " and its text; about is the file or
 * value at fault. Returns the status. */
xncc_status app_pass_on(app_error *error, xncc_status status, const char *about,
                        const xncc_error *why);

/* Fails because of the kernel that --kernel asks for. */
xncc_status app_fail_kernel(app_error *error, const char *kernel, const xncc_error *why);

/* Marks the failure as wrong usage and returns the status. */
xncc_status app_blame_usage(app_error *error, xncc_status status);

#endif
