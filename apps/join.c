/* SPDX-License-Identifier: BSD-2-Clause */
/* exactncc join: runs the command of the parts again, with their results in place of the work. */
#include "commands.h"
#include "common/spread.h"
#include "find_report.h"
#include "tool_options.h"

#include <stdlib.h>
#include <string.h>

typedef struct joinable {
    const char *name;
    unsigned bit;
    xncc_status (*run)(const app_options *options, app_error *error);
} joinable;

static const joinable commands[] = {
    { "find", APP_FIND, app_find_or_manifest },
    { "correlate", APP_CORRELATE, app_correlate },
    { "convolve", APP_CONVOLVE, app_convolve },
};

static const joinable *find_command(const char *name)
{
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++)
        if (strcmp(commands[i].name, name) == 0)
            return &commands[i];
    return NULL;
}

static xncc_status refuse(const char *part, app_error *error)
{
    return app_fail(error, XNCC_ERROR_ARGUMENT,
                    "%s: is not a part that a command with --shard has left; give such files",
                    part);
}

/* Reads the command line that the parts have in common. */
static xncc_status read_words(const char *part, char ***words, int *count, app_error *error)
{
    app_ledger *ledger = NULL;
    char *head = NULL;
    xncc_status status = app_ledger_read(part, &head, &ledger, error);
    app_ledger_close(ledger, 0);
    *words = status ? NULL : app_part_words(head, count);
    if (!status && (!*words || !find_command((*words)[0])))
        status = refuse(part, error);
    free(head);
    return status;
}

/* Runs the command of the parts. */
static xncc_status run(const joinable *c, const app_options *options, int count, char **words,
                       app_error *error)
{
    app_options o;
    char program[40];
    xncc_status status = XNCC_ERROR_ARGUMENT;
    snprintf(program, sizeof program, "exactncc %s", c->name);
    const app_parsed parsed = tool_options_parse(c->bit, program, count, words, &o, error);
    o.maker = app_spread_join;
    o.parts = options->files;
    o.part_count = options->file_count;
    o.quiet |= options->quiet;
    if (parsed == APP_FAILED) {
        status = XNCC_ERROR_MEMORY;
    } else if (parsed != APP_WRONG && (parsed != APP_RUN || !o.output)) { /* --shard needs -o */
        status = refuse(o.parts[0], error);
    } else if (parsed == APP_RUN && options->output && c->bit != APP_FIND) {
        app_fail(
            error, app_blame_usage(error, status),
            "-o: maps are where the parts were written, and get their own names; leave it out");
    } else if (parsed == APP_RUN) {
        /* Under another name the result has the same format. */
        if (options->output && !o.has_format && find_format_of(o.output, &o.format))
            o.has_format = 1;
        o.output = options->output ? options->output : o.output;
        status = c->run(&o, error);
    }
    tool_options_close(&o);
    return status;
}

xncc_status app_join(const app_options *options, app_error *error)
{
    char **words = NULL;
    int count = 0;
    xncc_status status = read_words(options->files[0], &words, &count, error);
    if (status) {
        if (words)
            free(words[0]);
        free(words);
        return status;
    }
    char *const first = words[0];
    status = run(find_command(first), options, count, words, error);
    free(first);
    free(words);
    return status;
}
