/* SPDX-License-Identifier: BSD-2-Clause */
/* Lines on stderr that do not end the work. */
#include "warn.h"

#include "progress.h"
#include "report.h"

#include <stdarg.h>
#include <stdio.h>

/* Prints a line of its own: no progress is shown between the end of its line and this one. */
static void print_line(const char *who, const char *text)
{
    char line[APP_ERROR_SIZE];
    flockfile(stderr);
    app_progress_abandon();
    fprintf(stderr, "exactncc%s: %s\n", who, app_printable(text, line, sizeof line));
    funlockfile(stderr);
}

void app_warn(const char *format, ...)
{
    char text[APP_ERROR_SIZE];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    print_line(": warning", text);
}

void app_say_failure(const char *command, const char *text)
{
    char who[64];
    snprintf(who, sizeof who, " %s", command);
    print_line(who, text);
}
