/* The text of a failure, written where it happens and carried to the context. */
#ifndef XNCC_BASE_ERROR_H
#define XNCC_BASE_ERROR_H

#include "exactncc/context.h"

typedef struct xncc_error {
    char text[XNCC_ERROR_SIZE];
} xncc_error;

/* Writes the text (printf rules) and returns the status, so that a failing function can say: return
 * xncc_fail(e, ...). error may be NULL. The text is one line that names the value and says what to
 * do. */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
xncc_status
xncc_fail(xncc_error *error, xncc_status status, const char *format, ...);

#endif
