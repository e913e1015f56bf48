/* The tool exactncc: its commands, their help, and the exit status.
 * SPDX-License-Identifier: BSD-2-Clause */
#include "commands.h"
#include "common/guess.h"
#include "common/option_help.h"
#include "common/progress.h"
#include "common/unfinished.h"
#include "tool_options.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef struct command {
    unsigned bit;    /* APP_FIND, ... */
    int least, most; /* number of files */
    xncc_status (*run)(const app_options *options, app_error *error);
    app_manual manual;
} command;

static const command commands[] = {
    { APP_FIND,
      1,
      1 << 30,
      app_find_or_manifest,
      { "find",
        "IMAGE TEMPLATE | -t TEMPLATE IMAGE...",
        "Finds where the templates are in the images.",
        "Prints the matches of each page and template, best first. (x, y) is the top-left pixel of "
        "the match; x counts to the right and y down, both from 0.\n"
        "FILE@X,Y,W,H as TEMPLATE is the rectangle of W x H pixels at (X, Y) of FILE. @LIST as "
        "IMAGE or TEMPLATE is a text file with one name per line.\n"
        "--overlay and --heatmap of several images need {name} or {number} in FILE, of several "
        "pages {page}, and heat maps of several templates {template}.",
        { "exactncc find --top 4 data/board.tif data/board-fiducial.tif",
          "exactncc find --count -t data/cells-template.tif data/board.tif data/cells.tif" } } },
    { APP_CORRELATE,
      1,
      1 << 30,
      app_correlate,
      { "correlate",
        "IMAGE TEMPLATE -o MAP.tif | -t TEMPLATE IMAGE... -o {name}-map.tif",
        "Writes the map of scores as a float32 TIFF, .npy, or PNG.",
        "FILE@X,Y,W,H as TEMPLATE is the rectangle of W x H pixels at (X, Y) of FILE.",
        { "exactncc correlate data/cells.tif data/cells-template.tif -o map.tif" } } },
    { APP_CONVOLVE,
      1,
      1 << 30,
      app_convolve,
      { "convolve",
        "IMAGE... -o OUT.tif --gaussian SIGMA | --gradient x|y | --filter FILE",
        "Writes the image convolved with a filter as a float32 TIFF, .npy, or PNG.",
        "",
        { "exactncc convolve data/stars.tif -o smooth.tif --gaussian 1.5" } } },
    { APP_TRACK,
      1,
      1 << 30,
      app_track,
      { "track",
        "IMAGE1 IMAGE2 [IMAGE1 IMAGE2]...",
        "Finds where the parts of one image are in another.",
        "Prints a line per chip: its centre (x, y) in IMAGE1, its displacement (dx, dy), the "
        "score, "
        "and numbers that say how far to trust them.\n"
        "With geo tags in both images, chips are sought where they lie on the ground, and map_dx "
        "and map_dy are the displacement there.\n"
        "Several pairs of images are tracked together: their scores are averaged.",
        { "exactncc track --chip 24 --grid 8 data/flow-1.tif data/flow-2.tif",
          "exactncc track --format csv --back data/flow-1.tif data/flow-2.tif" } } },
    { APP_JOIN,
      1,
      1 << 30,
      app_join,
      { "join",
        "PART...",
        "Makes one result of the parts that commands with --shard have left.",
        "All parts of one command are needed. The files that the command reads must still be "
        "there, and names in it must still be right. The parts are not removed.",
        { "exactncc join found.csv.1-of-2 found.csv.2-of-2" } } },
    { APP_INFO,
      0,
      0,
      app_info,
      { "info",
        "",
        "Prints devices and limits, and which kernel would be chosen and why.",
        "",
        { "exactncc info --size 4096x4096 --template 31x31 --pixel u16",
          "exactncc info --kernels --task convolve --template 27x27 --pixel f32" } } },
};
enum { COMMANDS = sizeof commands / sizeof commands[0] };

static const app_exit exits[] = {
    { 0, "done (also if nothing was found)" },
    { 1, "the work failed, at least in part" },
    { 2, "wrong usage" },
    { 3, "nothing was found, and find has --fail-if-none" },
};
enum { EXITS = sizeof exits / sizeof exits[0] };

static const char *const purpose =
    "Finds templates in images by exact normalized cross-correlation.";

/* Prints one line, whatever the names in the text contain. */
static int complain(const char *about, const char *text, int status)
{
    char line[APP_ERROR_SIZE];
    fprintf(stderr, "exactncc%s%s: %s\n", *about ? " " : "", about,
            app_printable(text, line, sizeof line));
    return status;
}

/* The exit status of what only prints. */
static int printed(void)
{
    app_error error = { .text = "" };
    return app_finish_stdout(&error) == XNCC_OK ? 0 : complain("", error.text, 1);
}

static void print_overview(FILE *out)
{
    fprintf(out, "exactncc %s\n%s\n\n", xncc_version(), purpose);
    for (int i = 0; i < COMMANDS; i++) {
        fprintf(out, "  exactncc %-9s  ", commands[i].manual.name);
        app_wrap(commands[i].manual.purpose, 22, 22, out);
    }
    fputs("\nexactncc help COMMAND lists the options of a command, exactncc --version prints\n"
          "the version. exactncc-bench, a program of its own, measures speed.\n",
          out);
    app_exits_print(exits, EXITS, out);
}

static app_option_list list_of(const command *c, char *program, size_t size)
{
    snprintf(program, size, "exactncc %s", c->manual.name);
    return tool_options_list(c->bit, program);
}

static int print_help(const command *c)
{
    char program[32];
    const app_option_list list = list_of(c, program, sizeof program);
    app_help_print(&c->manual, &list, stdout);
    app_exits_print(exits, EXITS, stdout);
    return printed();
}

static int print_version(void)
{
    printf("exactncc %s\n", xncc_version());
    return printed();
}

/* Everything that --help says, for programs: man pages and completions are made from it. */
static int print_json(void)
{
    char program[32];
    printf("{\n  \"program\": \"exactncc\",\n  \"version\": \"%s\",\n  \"purpose\": \"%s\",\n  "
           "\"exits\": ",
           xncc_version(), purpose);
    app_exits_json(exits, EXITS, stdout);
    fputs(",\n  \"commands\": [\n", stdout);
    for (int i = 0; i < COMMANDS; i++) {
        const app_option_list list = list_of(&commands[i], program, sizeof program);
        app_help_json(&commands[i].manual, &list, stdout);
        fputs(i + 1 < COMMANDS ? ",\n" : "\n  ]\n}\n", stdout);
    }
    return printed();
}

static int run_parsed(const command *c, const app_options *options)
{
    app_error error = { .text = "" };
    const int least = options->manifest ? 0 : c->least;
    if (options->file_count < least || options->file_count > c->most) {
        app_fail(&error, XNCC_ERROR_ARGUMENT, "%d file%s given; usage: exactncc %s [options] %s",
                 options->file_count, options->file_count == 1 ? "" : "s", c->manual.name,
                 c->manual.arguments);
        return complain(c->manual.name, error.text, 2);
    }
    if (c->run(options, &error) == XNCC_OK)
        return error.none ? 3 : 0;
    return complain(c->manual.name, error.text, error.usage ? 2 : 1);
}

static int run(const command *c, int argc, char **argv)
{
    app_options options;
    app_error error = { .text = "" };
    char program[32];
    int status = 2;
    snprintf(program, sizeof program, "exactncc %s", c->manual.name);
    switch (tool_options_parse(c->bit, program, argc, argv, &options, &error)) {
    case APP_WRONG: complain(c->manual.name, error.text, 2); break;
    case APP_FAILED: status = complain(c->manual.name, error.text, 1); break;
    case APP_HELP: status = print_help(c); break;
    case APP_VERSION: status = print_version(); break;
    case APP_RUN: status = run_parsed(c, &options); break;
    }
    tool_options_close(&options);
    return status;
}

static const command *find_command(const char *word)
{
    for (int i = 0; i < COMMANDS; i++)
        if (strcmp(word, commands[i].manual.name) == 0)
            return &commands[i];
    return NULL;
}

/* Explains why the first word is not a command. */
static int refuse(const char *word)
{
    app_error error;
    app_guess guess;
    const char *why = "";
    if (strcmp(word, "bench") == 0)
        return complain("bench", "measuring is a program of its own: exactncc-bench", 2);
    app_guess_start(&guess, word);
    for (int i = 0; i < COMMANDS; i++)
        app_guess_try(&guess, commands[i].manual.name);
    if (*word == '-')
        why = "; the command comes first, then its options";
    else if (!guess.count && access(word, F_OK) == 0)
        why = "; did you mean exactncc find?";
    app_fail(&error, XNCC_ERROR_ARGUMENT, "%s: no such command%s%s", word, why,
             guess.count || *why ? app_guess_text(&guess, "") : "; see exactncc --help");
    return complain("", error.text, 2);
}

static int help(const char *word)
{
    const command *c = word ? find_command(word) : NULL;
    if (c)
        return print_help(c);
    if (word && strcmp(word, "help") != 0)
        return refuse(word);
    print_overview(stdout);
    return printed();
}

/* A signal ends the process: the line of progress ends, and nothing is printed behind it, as stderr
 * stays locked. */
static void end_terminal(void)
{
    flockfile(stderr);
    app_progress_abandon();
}

int main(int argc, char **argv)
{
    /* A full disk or a closed pipe is reported as an error, so that no half-written file is left.
     */
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    const char *word = argc > 1 ? argv[1] : "";
    const command *c = find_command(word);
    if (c) {
        app_unfinished_watch(end_terminal);
        return run(c, argc - 1, argv + 1);
    }
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "help") == 0)
        return help(argc > 2 ? argv[2] : NULL);
    if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0)
        return print_version();
    if (strcmp(word, "--help-json") == 0)
        return print_json();
    if (argc > 1)
        return refuse(word);
    print_overview(stderr);
    return 2;
}
