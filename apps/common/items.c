/* SPDX-License-Identifier: BSD-2-Clause */
/* The files of a command line: words, lists of names, and folders. */
#define _XOPEN_SOURCE 700 /* getline, scandir */
#include "items.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static xncc_status no_memory(const char *word, app_error *error)
{
    return app_fail(error, XNCC_ERROR_MEMORY, "%s: out of memory for the list of files", word);
}

static xncc_status fail_errno(const char *word, const char *what, const char *remedy,
                              app_error *error)
{
    return app_fail(error, XNCC_ERROR_ARGUMENT, "%s: %s: %s; %s", word, what, strerror(errno),
                    remedy);
}

/* Adds a copy of the name. */
static xncc_status add_name(app_items *items, const char *name, app_error *error)
{
    if (items->count == items->room) {
        const size_t room = items->room ? 2 * items->room : 64;
        char **more = realloc(items->name, room * sizeof *more);
        if (!more)
            return no_memory(name, error);
        items->name = more;
        items->room = room;
    }
    items->name[items->count] = strdup(name);
    if (!items->name[items->count])
        return no_memory(name, error);
    items->count++;
    return XNCC_OK;
}

static xncc_status add_lines(app_items *items, const char *word, FILE *file, app_error *error)
{
    char *line = NULL;
    size_t room = 0;
    ssize_t length;
    const size_t before = items->count;
    xncc_status status = XNCC_OK;
    errno = 0;
    while (!status && (length = getline(&line, &room, file)) > 0) {
        if (memchr(line, 0, (size_t)length))
            status = app_fail(error, XNCC_ERROR_ARGUMENT,
                              "%s: has a zero byte, so it is not a list of names; give a text file "
                              "with one name per line",
                              word);
        while (length > 0 && (line[length - 1] == '\n' || line[length - 1] == '\r'))
            line[--length] = 0;
        if (length > 0 && !status)
            status = add_name(items, line, error);
    }
    if (!status && (ferror(file) || !feof(file))) /* without memory getline sets neither */
        status = fail_errno(word, "cannot read", "give a text file with one name per line", error);
    if (!status && items->count == before)
        status = app_fail(error, XNCC_ERROR_ARGUMENT, "%s: has no names; write one per line", word);
    free(line);
    return status;
}

static xncc_status add_list(app_items *items, const char *word, app_error *error)
{
    if (strcmp(word, "@-") == 0)
        return add_lines(items, word, stdin, error);
    FILE *file = fopen(word + 1, "r");
    if (!file)
        return fail_errno(word, "cannot open the list", "check the name", error);
    const xncc_status status = add_lines(items, word, file, error);
    fclose(file);
    return status;
}

/* Whether a file begins like a picture that the tool can read. */
static int is_picture(const char *path)
{
    static const struct {
        const char *bytes;
        size_t count;
    } starts[] = {
        { "II*\0", 4 },   { "MM\0*", 4 },        { "II+\0", 4 },     { "MM\0+", 4 },
        { "\x89PNG", 4 }, { "\xff\xd8\xff", 3 }, { "\x93NUMPY", 6 },
    };
    char start[8] = "";
    FILE *file = fopen(path, "rb");
    const size_t got = file ? fread(start, 1, sizeof start, file) : 0;
    if (file)
        fclose(file);
    for (size_t i = 0; i < sizeof starts / sizeof starts[0]; i++)
        if (got >= starts[i].count && memcmp(start, starts[i].bytes, starts[i].count) == 0)
            return 1;
    if (got == sizeof start && start[0] == 'P' && start[1] >= '1' && start[1] <= '7')
        return strchr(" \t\r\n#", start[2]) != NULL;
    return got == sizeof start && memcmp(start, "BM", 2) == 0;
}

static int is_shown(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static xncc_status add_folder(app_items *items, const char *folder, app_error *error);

/* Adds an entry of a folder if it is a picture, or what is in it if it is a folder. */
static xncc_status add_entry(app_items *items, const char *folder, const char *name,
                             app_error *error)
{
    const size_t length = strlen(folder), slash = length && folder[length - 1] != '/';
    char *path = malloc(length + slash + strlen(name) + 1);
    struct stat info;
    xncc_status status = XNCC_OK;
    if (!path)
        return no_memory(folder, error);
    sprintf(path, "%s%s%s", folder, slash ? "/" : "", name);
    if (lstat(path, &info) == 0 && S_ISDIR(info.st_mode))
        status = add_folder(items, path, error);
    else if (stat(path, &info) == 0 && S_ISREG(info.st_mode) && is_picture(path))
        status = add_name(items, path, error);
    free(path);
    return status;
}

static xncc_status add_folder(app_items *items, const char *folder, app_error *error)
{
    struct dirent **entry;
    xncc_status status = XNCC_OK;
    const int count = scandir(folder, &entry, is_shown, by_name);
    if (count < 0)
        return fail_errno(folder, "cannot read the folder", "check its permissions", error);
    for (int i = 0; i < count; i++) {
        if (!status)
            status = add_entry(items, folder, entry[i]->d_name, error);
        free(entry[i]);
    }
    free(entry);
    return status;
}

xncc_status app_items_add(app_items *items, const char *word, int recursive, app_error *error)
{
    struct stat info;
    const int exists = stat(word, &info) == 0;
    if (word[0] == '@' && word[1] && !exists)
        return add_list(items, word, error);
    if (!exists || !S_ISDIR(info.st_mode))
        return add_name(items, word, error);
    if (!recursive)
        return app_fail(error, XNCC_ERROR_ARGUMENT,
                        "%s: is a folder; give --recursive to take all pictures in it", word);
    const size_t before = items->count;
    const xncc_status status = add_folder(items, word, error);
    if (!status && items->count == before)
        return app_fail(error, XNCC_ERROR_ARGUMENT, "%s: there is no picture in this folder", word);
    return status;
}

void app_items_free(app_items *items)
{
    for (size_t i = 0; i < items->count; i++)
        free(items->name[i]);
    free(items->name);
    *items = (app_items){ NULL, 0, 0 };
}
