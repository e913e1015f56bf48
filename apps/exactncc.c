/* The tool exactncc: its commands, their help, and the exit status.
 * SPDX-License-Identifier: BSD-2-Clause */
#include "commands.h"
#include "tool_options.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

typedef struct command {
    const char *name;
    unsigned bit;    /* APP_FIND, ... */
    int least, most; /* number of files */
    xncc_status (*run)(const app_options *options, app_error *error);
    const char *usage, *purpose, *more;
} command;

static const command commands[] = {
    { "find", APP_FIND, 2, 1 << 30, app_find, "IMAGE TEMPLATE...",
      "finds where the templates are in the image",
      "Prints the matches of each page and template, best first. (x, y) is the top-left pixel of "
      "the match; x counts to the right and y down, both from 0.\n"
      "FILE@X,Y,W,H as TEMPLATE is the rectangle of W x H pixels at (X, Y) of FILE.\n"
      "Example: exactncc find --top 4 data/board.tif data/board-fiducial.tif\n" },
    { "correlate", APP_CORRELATE, 2, 2, app_correlate, "IMAGE TEMPLATE -o MAP.tif",
      "writes the map of scores as a float32 TIFF",
      "FILE@X,Y,W,H as TEMPLATE is the rectangle of W x H pixels at (X, Y) of FILE.\n"
      "Example: exactncc correlate data/cells.tif data/cells-template.tif -o map.tif\n" },
    { "convolve", APP_CONVOLVE, 1, 1, app_convolve,
      "IMAGE -o OUT.tif --gaussian SIGMA | --gradient x|y | --filter FILE",
      "writes the image convolved with a filter as a float32 TIFF",
      "Example: exactncc convolve data/stars.tif -o smooth.tif --gaussian 1.5\n" },
    { "info", APP_INFO, 0, 0, app_info, "",
      "prints devices and limits, and which kernel would be chosen and why",
      "Example: exactncc info --size 4096x4096 --template 31x31 --pixel u16\n"
      "Example: exactncc info --kernels --task convolve --template 27x27 --pixel f32\n" },
};
enum { COMMANDS = sizeof commands / sizeof commands[0] };

static void print_overview(FILE *out)
{
    fprintf(out,
            "exactncc %s: finds templates in TIFF images by exact normalized cross-correlation\n\n",
            xncc_version());
    for (int i = 0; i < COMMANDS; i++)
        fprintf(out, "  exactncc %-9s %s\n", commands[i].name, commands[i].purpose);
    fputs("\nexactncc COMMAND --help lists the options of a command; exactncc --version prints the "
          "version.\n"
          "exactncc-bench, a program of its own, measures speed.\n"
          "Exit status: 0 done (also if nothing was found), 1 the work failed, 2 wrong usage.\n",
          out);
}

static void print_help(const command *c)
{
    printf("exactncc %s [options] %s\n%s\n\n", c->name, c->usage, c->purpose);
    tool_options_print(c->bit, stdout);
    printf("\n%s", c->more);
}

/* Prints one line, whatever the names in the text contain. */
static void complain(const char *about, const char *text)
{
    char line[APP_ERROR_SIZE];
    fprintf(stderr, "exactncc%s%s: %s\n", *about ? " " : "", about,
            app_printable(text, line, sizeof line));
}

static int run_parsed(const command *c, const app_options *options)
{
    app_error error = { .text = "" };
    if (options->file_count < c->least || options->file_count > c->most) {
        fprintf(stderr, "exactncc %s: %d file%s given; usage: exactncc %s [options] %s\n", c->name,
                options->file_count, options->file_count == 1 ? "" : "s", c->name, c->usage);
        return 2;
    }
    if (c->run(options, &error) == XNCC_OK)
        return 0;
    complain(c->name, error.text);
    return error.usage ? 2 : 1;
}

static int run(const command *c, int argc, char **argv)
{
    app_options options;
    app_error error = { .text = "" };
    char program[32];
    int status = 2;
    snprintf(program, sizeof program, "exactncc %s", c->name);
    switch (tool_options_parse(c->bit, program, argc, argv, &options, &error)) {
    case APP_WRONG: complain(c->name, error.text); break;
    case APP_HELP:
        print_help(c);
        status = fflush(stdout) == 0 ? 0 : 1;
        break;
    case APP_RUN: status = run_parsed(c, &options); break;
    }
    tool_options_close(&options);
    return status;
}

int main(int argc, char **argv)
{
    /* A full disk or a closed pipe is reported as an error, so that no half-written file is left.
     */
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    const char *word = argc > 1 ? argv[1] : "";
    for (int i = 0; i < COMMANDS; i++)
        if (strcmp(word, commands[i].name) == 0)
            return run(&commands[i], argc - 1, argv + 1);
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "help") == 0) {
        print_overview(stdout);
        return fflush(stdout) == 0 ? 0 : 1;
    }
    if (strcmp(word, "--version") == 0) {
        printf("exactncc %s\n", xncc_version());
        return fflush(stdout) == 0 ? 0 : 1;
    }
    if (strcmp(word, "bench") == 0)
        complain("bench", "measuring is a program of its own: exactncc-bench");
    else if (argc > 1)
        complain("", "no such command; see exactncc --help");
    else
        print_overview(stderr);
    return 2;
}
