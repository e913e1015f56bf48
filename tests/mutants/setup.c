/* SPDX-License-Identifier: BSD-2-Clause */
/* What the driver of the mutants knows about the build: its setup file and compile_commands.json.
 */
#include "mutants.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

build_setup read_setup(const char *path)
{
    const char *text = read_file(path);
    if (!text)
        fail("cannot read %s", path);
    build_setup s = { NULL, NULL, NULL, "", { NULL, 0 }, { NULL, 0 }, { NULL, 0 } };
    while (*text) {
        const size_t length = strcspn(text, "\n"), key = strcspn(text, " \n");
        const size_t skip = key < length ? key + 1 : key;
        const char *name = format("%.*s", (int)key, text);
        const char *value = format("%.*s", (int)(length - skip), text + skip);
        if (strcmp(name, "source") == 0)
            s.source = value;
        else if (strcmp(name, "build") == 0)
            s.build = value;
        else if (strcmp(name, "work") == 0)
            s.work = value;
        else if (strcmp(name, "probe") == 0)
            s.probe = value;
        else if (strcmp(name, "link") == 0)
            list_add(&s.link, value);
        else if (strcmp(name, "library") == 0)
            list_add(&s.libraries, value);
        else if (strcmp(name, "object") == 0)
            list_add(&s.program_object, value);
        else if (*name)
            fail("%s: unknown key %s", path, name);
        text += length + (text[length] == '\n');
    }
    if (!s.source || !s.build || !s.work || !s.link.count)
        fail("%s: source, build, work and link are needed", path);
    return s;
}

list objects_of(const build_setup *setup, const char *program)
{
    list objects = { NULL, 0 };
    const size_t length = strlen(program);
    for (size_t i = 0; i < setup->program_object.count; i++) {
        const char *line = setup->program_object.items[i];
        if (strncmp(line, program, length) == 0 && line[length] == ' ')
            list_add(&objects, line + length + 1);
    }
    return objects;
}

/* Reads the string that begins at the quotation mark `*at`, and moves on behind it. */
static char *json_string(const char **at)
{
    const char *from = *at + 1, *end = from;
    while (*end && *end != '"')
        end += *end == '\\' && end[1] ? 2 : 1;
    char *string = format("%.*s", (int)(end - from), from), *to = string;
    for (; from < end; from++) {
        if (*from == '\\')
            from++;
        *to++ = *from;
    }
    *to = '\0';
    *at = end + (*end == '"');
    return string;
}

/* The words of a shell command, with quotation marks and backslashes resolved. */
static list shell_words(const char *command)
{
    list words = { NULL, 0 };
    char *word = format("%s", command);
    while (*(command += strspn(command, " \t\n"))) {
        size_t length = 0;
        char quote = 0;
        for (; *command && (quote || !isspace((unsigned char)*command)); command++) {
            if (*command == quote)
                quote = 0;
            else if (!quote && (*command == '"' || *command == '\''))
                quote = *command;
            else if (*command == '\\' && quote != '\'' && command[1])
                word[length++] = *++command;
            else
                word[length++] = *command;
        }
        word[length] = '\0';
        list_add(&words, word);
    }
    return words;
}

compile_unit find_unit(const build_setup *setup, const char *source)
{
    const char *path = format("%s/compile_commands.json", setup->build);
    const char *at = read_file(path);
    if (!at)
        fail("cannot read %s; the mutants need it", path);
    const char *wanted = format("%s/%s", setup->source, source);
    const char *folder = "", *command = "", *file = "";
    while ((at = strpbrk(at, "\"}")) != NULL) {
        if (*at == '}') { /* a unit is complete */
            if (strcmp(file, wanted) == 0)
                return (compile_unit){ shell_words(command), folder };
            folder = command = file = "";
            at++;
            continue;
        }
        const char *key = json_string(&at);
        at += strcspn(at, "\"}");
        if (*at != '"')
            continue;
        const char *value = json_string(&at);
        if (strcmp(key, "directory") == 0)
            folder = value;
        else if (strcmp(key, "command") == 0)
            command = value;
        else if (strcmp(key, "file") == 0)
            file = value;
    }
    return (compile_unit){ { NULL, 0 }, "" };
}
