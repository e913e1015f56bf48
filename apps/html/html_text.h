/* SPDX-License-Identifier: BSD-2-Clause */
/* Text and bytes as they stand in an HTML file. */
#ifndef APP_HTML_TEXT_H
#define APP_HTML_TEXT_H

#include <stddef.h>
#include <stdio.h>

/* Prints text so that it appears as text, in elements and in attribute values with double quotes.
 * Control characters and bytes that are not UTF-8 become U+FFFD. */
void app_html_text(FILE *out, const char *text);

/* Prints bytes in base64 (RFC 4648). */
void app_html_base64(FILE *out, const unsigned char *bytes, size_t count);

/* The command line as a shell reads it: the program and the words, quoted where they must be. The
 * caller frees it; NULL if there is no memory. */
char *app_html_command(const char *program, int count, char *const *words);

#endif
