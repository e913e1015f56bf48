/* The text of a failure on its way to the user. */
#include "fail.h"

#include <stdarg.h>
#include <stdio.h>

xncc_status app_fail(app_error *error, xncc_status status, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(error->text, sizeof error->text, format, list);
    va_end(list);
    return status;
}

xncc_status app_pass_on(app_error *error, xncc_status status, const char *about,
                        const xncc_error *why)
{
    return status ? app_fail(error, status, "%s: %s", about, why->text) : XNCC_OK;
}

xncc_status app_blame_usage(app_error *error, xncc_status status)
{
    error->usage = 1;
    return status;
}
