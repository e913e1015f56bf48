/* SPDX-License-Identifier: BSD-2-Clause */
/* What the programs with commands say of themselves. */
#include "tool_program.h"

#include "common/guess.h"
#include "tool_options.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const app_exit exits[] = {
    { 0, "done (also if nothing was found)" },
    { 1, "the work failed, at least in part" },
    { 2, "wrong usage" },
    { 3, "nothing was found, and find has --fail-if-none" },
};
enum { EXITS = sizeof exits / sizeof exits[0] };

const tool_command *tool_find_command(const tool_program *p, const char *word)
{
    for (int i = 0; i < p->count; i++)
        if (strcmp(word, p->commands[i].manual.name) == 0)
            return &p->commands[i];
    return NULL;
}

void tool_command_name(const tool_program *p, const tool_command *c, char full[TOOL_NAME_SIZE])
{
    snprintf(full, TOOL_NAME_SIZE, "%s %s", p->name, c->manual.name);
}

/* The options of the command; full receives its name. */
static app_option_list options_of(const tool_program *p, const tool_command *c,
                                  char full[TOOL_NAME_SIZE])
{
    tool_command_name(p, c, full);
    app_option_list list = tool_options_list(c->bit, full);
    list.instead = p->instead;
    list.instead_count = p->instead_count;
    return list;
}

int tool_complain(const tool_program *p, const char *command, const char *text, int status)
{
    char line[APP_ERROR_SIZE];
    fprintf(stderr, "%s%s%s: %s\n", p->name, *command ? " " : "", command,
            app_printable(text, line, sizeof line));
    return status;
}

xncc_status tool_check_files(const tool_program *p, const tool_command *c, const app_options *o,
                             app_error *error)
{
    const int least = o->manifest ? 0 : c->least;
    if (o->file_count >= least && o->file_count <= c->most)
        return XNCC_OK;
    return app_fail(error, XNCC_ERROR_ARGUMENT, "%d file%s given; usage: %s %s [options] %s",
                    o->file_count, o->file_count == 1 ? "" : "s", p->name, c->manual.name,
                    c->manual.arguments);
}

/* The exit status of what only prints. */
static int printed(const tool_program *p)
{
    app_error error = { .text = "" };
    return app_finish_stdout(&error) == XNCC_OK ? 0 : tool_complain(p, "", error.text, 1);
}

static void print_overview(const tool_program *p, FILE *out)
{
    char line[160];
    const int indent = (int)strlen(p->name) + 14;
    fprintf(out, "%s %s\n%s\n\n", p->name, xncc_version(), p->purpose);
    for (int i = 0; i < p->count; i++) {
        fprintf(out, "  %s %-9s  ", p->name, p->commands[i].manual.name);
        app_wrap(p->commands[i].manual.purpose, indent, indent, out);
    }
    snprintf(line, sizeof line,
             "%s help COMMAND lists the options of a command, %s --version prints the version.",
             p->name, p->name);
    putc('\n', out);
    app_wrap(line, 0, 0, out);
    app_notes_print(p->notes, out);
    app_exits_print(exits, EXITS, out);
}

int tool_print_help(const tool_program *p, const tool_command *c)
{
    char full[TOOL_NAME_SIZE];
    const app_option_list list = options_of(p, c, full);
    app_help_print(&c->manual, &list, stdout);
    app_exits_print(exits, EXITS, stdout);
    return printed(p);
}

int tool_print_version(const tool_program *p)
{
    printf("%s %s\n", p->name, xncc_version());
    return printed(p);
}

/* The answers to first words that ask for text. more: the word after it, or NULL. */

/* Everything that --help says, for programs: man pages and completions are made from it. */
static int answer_json(const tool_program *p, const char *more)
{
    (void)more;
    char full[TOOL_NAME_SIZE];
    printf("{\n  \"program\": \"%s\",\n  \"version\": \"%s\",\n  \"purpose\": \"%s\",\n  "
           "\"notes\": ",
           p->name, xncc_version(), p->purpose);
    app_json_string(stdout, p->notes);
    fputs(",\n  \"exits\": ", stdout);
    app_exits_json(exits, EXITS, stdout);
    fputs(",\n  \"commands\": [\n", stdout);
    for (int i = 0; i < p->count; i++) {
        const app_option_list list = options_of(p, &p->commands[i], full);
        app_help_json(&p->commands[i].manual, &list, stdout);
        fputs(i + 1 < p->count ? ",\n" : "\n  ]\n}\n", stdout);
    }
    return printed(p);
}

/* Explains why the first word is not a command. */
static int refuse(const tool_program *p, const char *word)
{
    app_error error;
    app_guess guess;
    char why[80] = "";
    app_guess_start(&guess, word);
    for (int i = 0; i < p->count; i++)
        app_guess_try(&guess, p->commands[i].manual.name);
    if (*word == '-')
        snprintf(why, sizeof why, "; the command comes first, then its options");
    else if (!guess.count && access(word, F_OK) == 0)
        snprintf(why, sizeof why, "; did you mean %s find?", p->name);
    else if (!guess.count)
        snprintf(why, sizeof why, "; see %s --help", p->name);
    app_fail(&error, XNCC_ERROR_ARGUMENT, "%s: no such command%s%s", word, why,
             app_guess_text(&guess, ""));
    return tool_complain(p, "", error.text, 2);
}

static int answer_help(const tool_program *p, const char *more)
{
    const tool_command *c = more ? tool_find_command(p, more) : NULL;
    if (c)
        return tool_print_help(p, c);
    if (more && strcmp(more, "help") != 0)
        return refuse(p, more);
    print_overview(p, stdout);
    return printed(p);
}

static int answer_version(const tool_program *p, const char *more)
{
    (void)more;
    return tool_print_version(p);
}

typedef struct question {
    const char *word;
    int (*answer)(const tool_program *p, const char *more);
} question;

static const question questions[] = {
    { "--help", answer_help },       { "-h", answer_help },    { "help", answer_help },
    { "--version", answer_version }, { "-V", answer_version }, { "--help-json", answer_json },
};

static const question *find_question(const char *word)
{
    for (size_t i = 0; i < sizeof questions / sizeof questions[0]; i++)
        if (strcmp(questions[i].word, word) == 0)
            return &questions[i];
    return NULL;
}

int tool_only_asks(const char *word)
{
    return find_question(word) != NULL;
}

int tool_tell(const tool_program *p, int argc, char **argv)
{
    const question *q = argc > 1 ? find_question(argv[1]) : NULL;
    if (q)
        return q->answer(p, argc > 2 ? argv[2] : NULL);
    if (argc > 1)
        return refuse(p, argv[1]);
    print_overview(p, stderr);
    return 2;
}
