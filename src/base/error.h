/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes the text of a failure, where the failure is detected. */
#ifndef XNCC_BASE_ERROR_H
#define XNCC_BASE_ERROR_H

#include "exactncc/status.h"

#include <stdint.h>

/* Formats the text as printf does and returns status, so that a failing function can end with
 * `return xncc_fail(error, ...)`. If error is NULL, no text is written. A text is one line that
 * names the offending value and says what to do; a longer one than XNCC_ERROR_SIZE is cut. */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
xncc_status
xncc_fail(xncc_error *error, xncc_status status, const char *format, ...);

/* Refuses a null pointer. what: the name of the parameter. Returns XNCC_ERROR_ARGUMENT. */
static inline xncc_status xncc_fail_null(xncc_error *error, const char *what)
{
    return xncc_fail(error, XNCC_ERROR_ARGUMENT, "%s is a null pointer", what);
}

/* Ends a public call: after a success the text is empty, whatever was tried on the way. Returns
 * status. error may be NULL. */
static inline xncc_status xncc_done(xncc_status status, xncc_error *error)
{
    if (!status && error)
        error->text[0] = '\0';
    return status;
}

/* The ending of a noun after a number: "" for 1, else "s". */
static inline const char *xncc_plural(int64_t count)
{
    return count == 1 ? "" : "s";
}

#endif
