/* SPDX-License-Identifier: BSD-2-Clause */
/* exactncc join: runs the command of the parts again, with their results in place of the work. */
#include "commands.h"
#include "common/spread.h"
#include "find_report.h"
#include "tool_options.h"

#include <stdlib.h>
#include <string.h>

/* Reads the command line that the parts have in common. */
static xncc_status read_words(const char *part, char ***words, int *count, app_error *error)
{
    app_ledger *ledger = NULL;
    char *head = NULL;
    xncc_status status = app_ledger_read(part, &head, &ledger, error);
    app_ledger_close(ledger, 0);
    *words = status ? NULL : app_part_words(head, count);
    if (!status && (!*words || strcmp((*words)[0], "find") != 0))
        status = app_fail(error, XNCC_ERROR_ARGUMENT,
                          "%s: is not a part that exactncc find --shard has left; give such files",
                          part);
    free(head);
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
    app_options o;
    char *const first = words[0];
    const app_parsed parsed = tool_options_parse(APP_FIND, "exactncc find", count, words, &o,
                                                 error);
    if (parsed == APP_RUN) {
        o.maker = app_spread_join;
        o.parts = options->files;
        o.part_count = options->file_count;
        o.quiet |= options->quiet;
        /* Under another name the result has the same format. */
        if (!o.has_format && find_format_of(o.output, &o.format))
            o.has_format = 1;
        o.output = options->output ? options->output : o.output;
        status = app_find_or_manifest(&o, error);
    } else {
        status = XNCC_ERROR_ARGUMENT; /* the error says why */
    }
    tool_options_close(&o);
    free(first);
    free(words);
    return status;
}
