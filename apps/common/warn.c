/* SPDX-License-Identifier: BSD-2-Clause */
/* Lines on stderr that do not end the work. */
#include "warn.h"

#include "progress.h"
#include "report.h"

#include <stdarg.h>
#include <stdio.h>

void app_warn(const char *format, ...)
{
    char text[APP_ERROR_SIZE], line[APP_ERROR_SIZE];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    app_progress_abandon();
    fprintf(stderr, "exactncc: warning: %s\n", app_printable(text, line, sizeof line));
}

void app_say_failure(const char *command, const char *text)
{
    char line[APP_ERROR_SIZE];
    app_progress_abandon();
    fprintf(stderr, "exactncc %s: %s\n", command, app_printable(text, line, sizeof line));
}
