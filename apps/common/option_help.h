/* SPDX-License-Identifier: BSD-2-Clause */
/* The options of a command as text for people and as JSON for programs. */
#ifndef APP_OPTION_HELP_H
#define APP_OPTION_HELP_H

#include "options.h"

#include <stdio.h>

enum { APP_EXAMPLES = 4 };

/* What --help says of a command besides its options. */
typedef struct app_manual {
    const char *name;      /* "find"; "" if the program has no commands */
    const char *arguments; /* "IMAGE TEMPLATE..." */
    const char *purpose;   /* one line */
    const char *notes;     /* paragraphs, separated by line feeds */
    const char *examples[APP_EXAMPLES];
} app_manual;

/* What an exit status means. */
typedef struct app_exit {
    int status;
    const char *meaning;
} app_exit;

/* Prints the help of a command in lines of at most 80 columns. */
void app_help_print(const app_manual *manual, const app_option_list *list, FILE *out);

/* The same as a JSON object. */
void app_help_json(const app_manual *manual, const app_option_list *list, FILE *out);

/* Prints paragraphs that are separated by line feeds, each with an empty line before it. */
void app_notes_print(const char *notes, FILE *out);

/* Prints what each exit status means, and the same as a JSON array. */
void app_exits_print(const app_exit *exits, size_t count, FILE *out);
void app_exits_json(const app_exit *exits, size_t count, FILE *out);

/* Prints a text in lines of at most 80 columns. The first line starts at column `at`, the others
 * after `indent` blanks. Ends with a line feed. */
void app_wrap(const char *text, int at, int indent, FILE *out);

#endif
