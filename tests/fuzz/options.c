/* SPDX-License-Identifier: BSD-2-Clause */
/* Command lines: the first byte is the command, and a word ends at a newline or a zero byte. */
#include "fuzz/fuzz.h"
#include "report.h"
#include "tool_options.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_WORDS = 40 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const unsigned commands[] = { APP_FIND,  APP_CORRELATE, APP_CONVOLVE,
                                         APP_TRACK, APP_JOIN,      APP_INFO };
    fuzz_bytes bytes = { data, size };
    const unsigned command = commands[fuzz_below(&bytes, sizeof commands / sizeof *commands)];
    char *text = malloc(bytes.left + 1), *word[MOST_WORDS + 1];
    static char first[] = "find";
    int count = 0;
    if (!text)
        return 0;
    memcpy(text, bytes.at, bytes.left);
    text[bytes.left] = 0;
    word[count++] = first;
    for (char *at = text; at < text + bytes.left && count < MOST_WORDS; at += strlen(at) + 1) {
        char *end = strchr(at, '\n');
        if (end)
            *end = 0;
        word[count++] = at;
    }
    word[count] = NULL;
    app_options options;
    app_error error = { .text = "" };
    const app_parsed parsed = tool_options_parse(command, "exactncc find", count, word, &options,
                                                 &error);
    char line[4 * APP_ERROR_SIZE];
    if (parsed == APP_WRONG) /* words are printed without their control characters */
        fuzz_check_failure(XNCC_ERROR_ARGUMENT, app_printable(error.text, line, sizeof line));
    FUZZ_HOLDS(parsed != APP_FAILED);
    if (parsed == APP_RUN)
        FUZZ_HOLDS(options.file_count >= 0 && options.file_count < MOST_WORDS);
    tool_options_close(&options);
    free(text);
    return 0;
}
