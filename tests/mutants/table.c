/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the tables of mutants. */
#include "mutants.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME, WHY, FILE_, COMPILE, RUN, FIND, REPLACE, FIELDS };
static const char *const keys[FIELDS] = {
    "name", "why", "file", "compile", "run", "find", "replace"
};

/* A paragraph that is being read. */
typedef struct paragraph {
    const char *table;
    int line;            /* of its first field; 0 before that */
    char *value[FIELDS]; /* NULL: not given */
    int last;            /* the field that indented lines continue */
} paragraph;

static char *trimmed(const char *text)
{
    while (isspace((unsigned char)*text))
        text++;
    size_t length = strlen(text);
    while (length && isspace((unsigned char)text[length - 1]))
        length--;
    return format("%.*s", (int)length, text);
}

/* Whether the mutated file is compiled by itself rather than included. */
static int is_source(const char *path)
{
    const char *ending = strrchr(path, '.');
    return ending && (!strcmp(ending, ".c") || !strcmp(ending, ".cpp") || !strcmp(ending, ".cu"));
}

static void finish(paragraph *p, mutant_list *mutants)
{
    if (!p->line)
        return;
    if (!p->value[COMPILE] && p->value[FILE_] && is_source(p->value[FILE_]))
        p->value[COMPILE] = p->value[FILE_];
    for (int k = 0; k < FIELDS; k++)
        if (!p->value[k] || (!*p->value[k] && k != REPLACE))
            fail("%s:%d: a mutant without `%s`", p->table, p->line, keys[k]);
    mutant *items = realloc(mutants->items, (mutants->count + 1) * sizeof *items);
    if (!items)
        fail("out of memory");
    mutants->items = items;
    items[mutants->count++] = (mutant){ .table = p->table,
                                        .line = p->line,
                                        .name = p->value[NAME],
                                        .why = p->value[WHY],
                                        .file = p->value[FILE_],
                                        .compile = p->value[COMPILE],
                                        .run = p->value[RUN],
                                        .find = p->value[FIND],
                                        .replace = p->value[REPLACE] };
    *p = (paragraph){ .table = p->table };
}

static void read_line(paragraph *p, const char *line, int number)
{
    if (isspace((unsigned char)*line)) {
        if (!p->line)
            fail("%s:%d: an indented line that continues nothing", p->table, number);
        p->value[p->last] = trimmed(format("%s\n%s", p->value[p->last], line));
        return;
    }
    for (int k = 0; k < FIELDS; k++) {
        const size_t length = strlen(keys[k]);
        if (strncmp(line, keys[k], length) != 0 || line[length] != ':')
            continue;
        if (p->value[k])
            fail("%s:%d: `%s` is given twice", p->table, number, keys[k]);
        if (!p->line)
            p->line = number;
        p->value[k] = trimmed(line + length + 1);
        p->last = k;
        return;
    }
    fail("%s:%d: not a field: %s", p->table, number, line);
}

void read_table(const char *path, mutant_list *mutants)
{
    const char *text = read_file(path);
    if (!text)
        fail("cannot read %s", path);
    paragraph p = { .table = format("%s", path) };
    for (int number = 1; *text; number++) {
        const size_t length = strcspn(text, "\n");
        const char *line = format("%.*s", (int)length, text);
        if (!*trimmed(line))
            finish(&p, mutants);
        else if (*line != '#')
            read_line(&p, line, number);
        text += length + (text[length] == '\n');
    }
    finish(&p, mutants);
}
