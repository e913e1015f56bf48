/* SPDX-License-Identifier: BSD-2-Clause */
/* The options of a command as text for people and as JSON for programs. */
#include "option_help.h"

#include "report.h"

#include <string.h>

enum { COLUMNS = 80, INDENT = 25, TEXT = 1024 };

static const char *const headings[APP_GROUPS] = {
    [APP_GROUP_PROBLEM] = "Problem", [APP_GROUP_INPUT] = "Input",     [APP_GROUP_FILTER] = "Filter",
    [APP_GROUP_SCORE] = "Score",     [APP_GROUP_MATCHES] = "Matches", [APP_GROUP_OUTPUT] = "Output",
    [APP_GROUP_TRACK] = "Tracking",  [APP_GROUP_RUN] = "Running",
};

void app_wrap(const char *text, int at, int indent, FILE *out)
{
    const char *gap = "";
    for (text += strspn(text, " "); *text; text += strspn(text, " ")) {
        const int length = (int)strcspn(text, " ");
        if (*gap && at + 1 + length > COLUMNS) {
            fprintf(out, "\n%*s", indent, "");
            at = indent;
            gap = "";
        }
        fprintf(out, "%s%.*s", gap, length, text);
        at += length + (*gap != 0);
        gap = " ";
        text += length;
    }
    putc('\n', out);
}

/* Whether `expected` says more than the name of the value does. */
static int says_more(const app_option *o)
{
    return o->argument && (o->words || strcmp(o->argument, "FILE") != 0);
}

static void print_option(const app_option *o, FILE *out)
{
    char left[64], words[TEXT], text[2 * TEXT];
    const int more = says_more(o) || o->initial;
    snprintf(left, sizeof left, "  %c%c%c --%s %s", o->letter ? '-' : ' ',
             o->letter ? o->letter : ' ', o->letter ? ',' : ' ', o->name,
             o->argument ? o->argument : "");
    snprintf(text, sizeof text, "%s%s%s%s%s%s%s", o->help, more ? " [" : "",
             says_more(o) ? app_option_expected(o, words, sizeof words) : "",
             says_more(o) && o->initial ? "; " : "", o->initial ? "default " : "",
             o->initial ? o->initial : "", more ? "]" : "");
    if (strlen(left) < INDENT)
        fprintf(out, "%-*s", INDENT, left);
    else
        fprintf(out, "%s\n%*s", left, INDENT, "");
    app_wrap(text, INDENT, INDENT, out);
}

/* The i-th option as help has it. *listed: whether it is under this heading. NULL after the last.
 */
static const app_option *help_option_at(const app_option_list *list, int i, app_group group,
                                        int *listed)
{
    const app_option *o = app_option_at(list, i);
    for (int k = 0; o && k < list->instead_count; k++)
        if (strcmp(list->instead[k].name, o->name) == 0) {
            o = &list->instead[k];
            break;
        }
    *listed = o && o->help && o->group == group;
    return o;
}

static void print_group(const app_option_list *list, app_group group, FILE *out)
{
    const app_option *o;
    int printed = 0, listed;
    for (int i = 0; (o = help_option_at(list, i, group, &listed)); i++) {
        if (!listed)
            continue;
        if (!printed++)
            fprintf(out, "\n%s:\n", headings[group]);
        print_option(o, out);
    }
}

void app_notes_print(const char *notes, FILE *out)
{
    char line[TEXT];
    while (*notes) {
        const size_t length = strcspn(notes, "\n");
        snprintf(line, sizeof line, "%.*s", (int)length, notes);
        putc('\n', out);
        app_wrap(line, 0, 0, out);
        notes += length + (notes[length] != 0);
    }
}

void app_help_print(const app_manual *m, const app_option_list *list, FILE *out)
{
    char text[TEXT];
    snprintf(text, sizeof text, "Usage: %s [options]%s%s", list->program, *m->arguments ? " " : "",
             m->arguments);
    app_wrap(text, 0, 7, out);
    app_wrap(m->purpose, 0, 0, out);
    app_notes_print(m->notes, out);
    for (int group = 0; group < APP_GROUPS; group++)
        print_group(list, (app_group)group, out);
    fputs("\nExamples:\n", out);
    for (int i = 0; i < APP_EXAMPLES && m->examples[i]; i++)
        fprintf(out, "  %s\n", m->examples[i]);
}

static void put_member(const char *name, const char *text, FILE *out)
{
    app_json_string(out, name);
    fputs(": ", out);
    if (text)
        app_json_string(out, text);
    else
        fputs("null", out);
}

static void put_strings(const char *name, const char *const *texts, size_t most, FILE *out)
{
    app_json_string(out, name);
    fputs(": [", out);
    for (size_t i = 0; texts && i < most && texts[i]; i++) {
        fputs(i ? ", " : "", out);
        app_json_string(out, texts[i]);
    }
    putc(']', out);
}

static void put_option(const app_option *o, FILE *out)
{
    char letter[2] = { o->letter, 0 }, words[TEXT];
    fputs("      {", out);
    put_member("name", o->name, out);
    fputs(", ", out);
    put_member("letter", o->letter ? letter : NULL, out);
    fputs(", ", out);
    put_member("argument", o->argument, out);
    fputs(", ", out);
    put_member("group", headings[o->group], out);
    fputs(", ", out);
    put_strings("words", o->words, SIZE_MAX, out);
    fputs(", ", out);
    put_member("expected", o->argument ? app_option_expected(o, words, sizeof words) : NULL, out);
    fputs(", ", out);
    put_member("default", o->initial, out);
    fputs(", ", out);
    put_member("help", o->help, out);
    putc('}', out);
}

void app_help_json(const app_manual *m, const app_option_list *list, FILE *out)
{
    const app_option *o;
    const char *comma = "";
    int listed;
    fputs("    {", out);
    put_member("name", m->name, out);
    fputs(", ", out);
    put_member("arguments", m->arguments, out);
    fputs(", ", out);
    put_member("purpose", m->purpose, out);
    fputs(",\n     ", out);
    put_member("notes", m->notes, out);
    fputs(",\n     ", out);
    put_strings("examples", m->examples, APP_EXAMPLES, out);
    fputs(",\n     \"options\": [\n", out);
    for (int group = 0; group < APP_GROUPS; group++)
        for (int i = 0; (o = help_option_at(list, i, (app_group)group, &listed)); i++) {
            if (!listed)
                continue;
            fputs(comma, out);
            put_option(o, out);
            comma = ",\n";
        }
    fputs("\n     ]}", out);
}

void app_exits_print(const app_exit *exits, size_t count, FILE *out)
{
    fputs("\nExit status:\n", out);
    for (size_t i = 0; i < count; i++)
        fprintf(out, "  %d  %s\n", exits[i].status, exits[i].meaning);
}

void app_exits_json(const app_exit *exits, size_t count, FILE *out)
{
    fputs("[", out);
    for (size_t i = 0; i < count; i++) {
        fprintf(out, "%s{\"status\": %d, ", i ? ", " : "", exits[i].status);
        put_member("meaning", exits[i].meaning, out);
        putc('}', out);
    }
    fputs("]", out);
}
