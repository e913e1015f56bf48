/* SPDX-License-Identifier: BSD-2-Clause */
/* The files of a command line: words, lists of names, and folders. */
#ifndef APP_ITEMS_H
#define APP_ITEMS_H

#include "fail.h"

#include <stddef.h>

typedef struct app_items {
    char **name;
    size_t count, room;
} app_items;

/* Adds what a word stands for:
 *
 * - @FILE: each line of the text file FILE is a name; empty lines are skipped. @-: the lines of
 *   standard input. If there is a file with the whole name, it is that file.
 * - a folder, if recursive is 1: the pictures in it and in the folders below it, in the order of
 *   their names. A picture is a file that begins like one; links to folders and names that begin
 *   with a dot are skipped.
 * - anything else: the word. It need not exist.
 *
 * Fails if a list or folder cannot be read, or if it has no names. */
xncc_status app_items_add(app_items *items, const char *word, int recursive, app_error *error);

void app_items_free(app_items *items);

#endif
