/* The tool exactncc: its commands, their help, and the exit status.
 * SPDX-License-Identifier: BSD-2-Clause */
#include "commands.h"
#include "common/progress.h"
#include "common/unfinished.h"
#include "tool_options.h"
#include "tool_program.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

static const tool_command commands[] = {
    { APP_FIND,
      1,
      TOOL_MANY,
      app_find_or_manifest,
      { "find",
        "IMAGE TEMPLATE | -t TEMPLATE IMAGE...",
        "Finds where the templates are in the images.",
        "Prints the matches of each page and template, best first. (x, y) is the top-left pixel of "
        "the match; x counts to the right and y down, both from 0.\n" TOOL_NOTE_RECTANGLE
        " " TOOL_NOTE_LIST "\n"
        "--overlay and --heatmap of several images need {name} or {number} in FILE, of several "
        "pages {page}, and heat maps of several templates {template}.",
        { "exactncc find --top 4 data/board.tif data/board-fiducial.tif",
          "exactncc find --count -t data/cells-template.tif data/board.tif data/cells.tif" } } },
    { APP_CORRELATE,
      1,
      TOOL_MANY,
      app_correlate,
      { "correlate",
        "IMAGE TEMPLATE -o MAP.tif | -t TEMPLATE IMAGE... -o {name}-map.tif",
        "Writes the map of scores as a float32 TIFF, .npy, or PNG.",
        TOOL_NOTE_RECTANGLE,
        { "exactncc correlate data/cells.tif data/cells-template.tif -o map.tif" } } },
    { APP_CONVOLVE,
      1,
      TOOL_MANY,
      app_convolve,
      { "convolve",
        "IMAGE... -o OUT.tif --gaussian SIGMA | --gradient x|y | --filter FILE",
        "Writes the image convolved with a filter as a float32 TIFF, .npy, or PNG.",
        "",
        { "exactncc convolve data/stars.tif -o smooth.tif --gaussian 1.5" } } },
    { APP_TRACK,
      1,
      TOOL_MANY,
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
      TOOL_MANY,
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
static const tool_program program = {
    "exactncc",
    "Finds templates in images by exact normalized cross-correlation.",
    "exactncc-bench, a program of its own, measures speed. exactncc-mpi, where MPI is there, "
    "shares "
    "searches between the ranks of a job.",
    commands,
    sizeof commands / sizeof commands[0],
    NULL,
    0,
};

static int run_parsed(const tool_command *c, const app_options *options)
{
    app_error error = { .text = "" };
    if (tool_check_files(&program, c, options, &error))
        return tool_complain(&program, c->manual.name, error.text, 2);
    if (c->run(options, &error) == XNCC_OK)
        return error.none ? 3 : 0;
    return tool_complain(&program, c->manual.name, error.text, error.usage ? 2 : 1);
}

static int run(const tool_command *c, int argc, char **argv)
{
    app_options options;
    app_error error = { .text = "" };
    char full[TOOL_NAME_SIZE];
    int status = 2;
    tool_command_name(&program, c, full);
    switch (tool_options_parse(c->bit, full, argc, argv, &options, &error)) {
    case APP_WRONG: tool_complain(&program, c->manual.name, error.text, 2); break;
    case APP_FAILED: status = tool_complain(&program, c->manual.name, error.text, 1); break;
    case APP_HELP: status = tool_print_help(&program, c); break;
    case APP_VERSION: status = tool_print_version(&program); break;
    case APP_RUN: status = run_parsed(c, &options); break;
    }
    tool_options_close(&options);
    return status;
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
    const tool_command *c = tool_find_command(&program, word);
    if (c) {
        app_unfinished_watch(end_terminal);
        return run(c, argc - 1, argv + 1);
    }
    if (strcmp(word, "bench") == 0)
        return tool_complain(&program, word, "measuring is a program of its own: exactncc-bench",
                             2);
    return tool_tell(&program, argc, argv);
}
