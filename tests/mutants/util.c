/* SPDX-License-Identifier: BSD-2-Clause */
/* Strings, files and child processes for the driver of the mutants. */
#include "mutants.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

void list_add(list *strings, const char *string)
{
    char **items = realloc(strings->items, (strings->count + 2) * sizeof *items);
    if (!items)
        fail("out of memory");
    items[strings->count++] = format("%s", string);
    items[strings->count] = NULL;
    strings->items = items;
}

int list_has(const list *strings, const char *string)
{
    for (size_t i = 0; i < strings->count; i++)
        if (strcmp(strings->items[i], string) == 0)
            return 1;
    return 0;
}

list words_of(const char *text)
{
    static const char blanks[] = " \t\r\n";
    list words = { NULL, 0 };
    for (text += strspn(text, blanks); *text; text += strspn(text, blanks)) {
        const size_t length = strcspn(text, blanks);
        list_add(&words, format("%.*s", (int)length, text));
        text += length;
    }
    return words;
}

char *format(const char *rules, ...)
{
    va_list values;
    va_start(values, rules);
    const int length = vsnprintf(NULL, 0, rules, values);
    va_end(values);
    char *text = length < 0 ? NULL : malloc((size_t)length + 1);
    if (!text) {
        fputs("out of memory\n", stderr);
        exit(MUTANTS_FAILED);
    }
    va_start(values, rules);
    vsnprintf(text, (size_t)length + 1, rules, values);
    va_end(values);
    return text;
}

void fail(const char *rules, ...)
{
    fflush(stdout);
    va_list values;
    va_start(values, rules);
    vfprintf(stderr, rules, values);
    va_end(values);
    fputc('\n', stderr);
    exit(MUTANTS_FAILED);
}

char *read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return NULL;
    size_t size = 0, room = 1 << 16;
    char *text = malloc(room);
    while (text) {
        size += fread(text + size, 1, room - 1 - size, file);
        if (size < room - 1)
            break;
        text = realloc(text, room *= 2);
    }
    if (!text)
        fail("out of memory");
    const int failed = ferror(file);
    fclose(file);
    text[size] = '\0';
    return failed ? NULL : text;
}

void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "wb");
    const int written = file && fputs(text, file) >= 0;
    if (!file || fclose(file) != 0 || !written)
        fail("cannot write %s: %s", path, strerror(errno));
}

/* The child's part of run_command. */
static void become(const list *command, const char *folder, const char *log)
{
    const int output = open(log, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (output >= 0 && dup2(output, STDOUT_FILENO) >= 0 && dup2(output, STDERR_FILENO) >= 0) {
        if (chdir(folder) == 0)
            execvp(command->items[0], command->items);
        fprintf(stderr, "cannot run %s in %s: %s\n", command->items[0], folder, strerror(errno));
        fflush(stderr);
    }
    _exit(127);
}

int run_command(const list *command, const char *folder, const char *log)
{
    fflush(NULL);
    const pid_t child = fork();
    if (child < 0)
        fail("cannot start a process: %s", strerror(errno));
    if (child == 0)
        become(command, folder, log);
    int status = 0;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            fail("cannot wait for %s: %s", command->items[0], strerror(errno));
    return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}
