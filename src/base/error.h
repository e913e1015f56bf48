/* The text of a failure. It is written where the failure is detected and carried to the context. */
#ifndef XNCC_BASE_ERROR_H
#define XNCC_BASE_ERROR_H

#include "exactncc/context.h"

typedef struct xncc_error {
    char text[XNCC_ERROR_SIZE];
} xncc_error;

/* Formats the text as printf does and returns status, so that a failing function can end with
 * `return xncc_fail(error, ...)`. If error is NULL, no text is written. A text is one line that
 * names the offending value and says what to do; a longer one than XNCC_ERROR_SIZE is cut. */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
xncc_status
xncc_fail(xncc_error *error, xncc_status status, const char *format, ...);

#endif
