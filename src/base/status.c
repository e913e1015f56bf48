/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of statuses, texts of failures, and the version of the library. */
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>

#define TEXT_OF(x) #x
#define VERSION(a, b, c) TEXT_OF(a) "." TEXT_OF(b) "." TEXT_OF(c)

const char *xncc_status_string(xncc_status status)
{
    switch (status) {
    case XNCC_OK: return "done";
    case XNCC_ERROR_ARGUMENT: return "invalid argument";
    case XNCC_ERROR_MEMORY: return "out of memory";
    case XNCC_ERROR_UNSUPPORTED: return "not supported";
    case XNCC_ERROR_DEVICE: return "device error";
    case XNCC_ERROR_INTERNAL: return "internal error";
    case XNCC_ERROR_CANCELLED: return "cancelled";
    }
    return "unknown status";
}

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

const char *xncc_version(void)
{
    return VERSION(XNCC_VERSION_MAJOR, XNCC_VERSION_MINOR, XNCC_VERSION_PATCH);
}
