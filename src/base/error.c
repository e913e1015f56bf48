/* SPDX-License-Identifier: BSD-2-Clause */
/* Formats error texts. */
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>

xncc_status xncc_fail(xncc_error *error, xncc_status status, const char *format, ...)
{
    if (error) {
        va_list arguments;
        va_start(arguments, format);
        (void)vsnprintf(error->text, sizeof error->text, format, arguments);
        va_end(arguments);
    }
    return status;
}
