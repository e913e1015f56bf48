/* The text of a failure, written where it happens and carried to the context. */
#ifndef CM_BASE_ERROR_H
#define CM_BASE_ERROR_H

#include "corrmatch/device.h"

typedef struct cm_error {
    char text[CM_ERROR_SIZE];
} cm_error;

/* Writes the text (printf rules) and returns the status, so that a failing function can say: return cm_fail(e, ...).
 * error may be NULL. The text is one line that names the value and says what to do. */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
cm_status cm_fail(cm_error *error, cm_status status, const char *format, ...);

#endif
