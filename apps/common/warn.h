/* SPDX-License-Identifier: BSD-2-Clause */
/* Lines on stderr that do not end the work. */
#ifndef APP_WARN_H
#define APP_WARN_H

/* Prints "exactncc: warning: " and a text (printf rules), as one line whatever names it has. Any
 * thread may call it. */
#if defined(__GNUC__)
__attribute__((format(printf, 1, 2)))
#endif
void
app_warn(const char *format, ...);

/* Prints "exactncc COMMAND: " and the text of a failure after which the work goes on. */
void app_say_failure(const char *command, const char *text);

#endif
