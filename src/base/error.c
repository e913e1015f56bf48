#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>

cm_status cm_fail(cm_error *error, cm_status status, const char *format, ...)
{
    if (error) {
        va_list arguments;
        va_start(arguments, format);
        (void)vsnprintf(error->text, sizeof error->text, format, arguments);
        va_end(arguments);
    }
    return status;
}
