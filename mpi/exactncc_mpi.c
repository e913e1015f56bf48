/* SPDX-License-Identifier: BSD-2-Clause */
/* exactncc-mpi: the commands of exactncc whose work the ranks of an MPI job share:
 *
 *     mpirun -n 4 exactncc-mpi find -o found.csv IMAGE TEMPLATE
 *
 * The options are those of exactncc, and so is what rank 0 writes. */
#include "commands.h"
#include "common/unfinished.h"
#include "rank_spread.h"
#include "tool_options.h"
#include "tool_program.h"

#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

static const tool_command commands[] = {
    { APP_FIND,
      1,
      TOOL_MANY,
      app_find_or_manifest,
      { "find",
        "-o FILE IMAGE TEMPLATE | -o FILE -t TEMPLATE IMAGE...",
        "Finds where the templates are in the images; the ranks share the work.",
        "FILE has the bytes that exactncc find writes, with any number of ranks. The ranks share "
        "slices of the pages, or the items of --manifest.\n" TOOL_NOTE_RECTANGLE " " TOOL_NOTE_LIST,
        { "mpirun -n 4 exactncc-mpi find -o found.csv data/board.tif data/board-fiducial.tif",
          "mpirun -n 64 exactncc-mpi find --threads 1 --quiet --manifest items.csv -o "
          "all.csv" } } },
    { APP_CORRELATE,
      1,
      TOOL_MANY,
      app_correlate,
      { "correlate",
        "-o MAP.tif IMAGE TEMPLATE | -o {name}-map.tif -t TEMPLATE IMAGE...",
        "Writes the map of scores as a float32 TIFF or .npy; the ranks share the work.",
        "The map has the bytes that exactncc correlate writes, with any number of ranks. Each rank "
        "writes its rows to FILE.partial, FILE as given by -o.\n" TOOL_NOTE_RECTANGLE,
        { "mpirun -n 4 exactncc-mpi correlate -o map.tif data/cells.tif "
          "data/cells-template.tif" } } },
    { APP_CONVOLVE,
      1,
      TOOL_MANY,
      app_convolve,
      { "convolve",
        "-o OUT.tif IMAGE... --gaussian SIGMA | --gradient x|y | --filter FILE",
        "Writes the image convolved with a filter as a float32 TIFF or .npy; the ranks share the "
        "work.",
        "The file has the bytes that exactncc convolve writes, with any number of ranks. Each rank "
        "writes its rows to FILE.partial, FILE as given by -o.",
        { "mpirun -n 4 exactncc-mpi convolve -o smooth.tif data/stars.tif --gaussian 1.5" } } },
};

/* --shard and --resume are refused, and the output cannot be standard output. */
static const app_option instead[] = {
    { "shard", 0, NULL, APP_GROUP_RUN, 0, NULL, NULL, NULL, NULL, NULL },
    { "resume", 0, NULL, APP_GROUP_RUN, 0, NULL, NULL, NULL, NULL, NULL },
    { "output", 'o', "FILE", APP_GROUP_OUTPUT, 0, NULL, NULL, NULL, "a file name",
      "the file that rank 0 writes; it must be given. Its ending says how, as in exactncc; maps "
      "are .tif or .npy" },
};

static const tool_program program = {
    "exactncc-mpi",
    "Does what exactncc does, shared by the ranks of an MPI job.",
    "It is started by mpirun, mpiexec or srun. The options are those of exactncc. -o is needed, "
    "and "
    "all ranks must see the same files.\n"
    "Rank N keeps what it has done in FILE.rank-N, FILE as given by -o, until the job is complete. "
    "A job that was killed goes on from there when it is started again, with any number of ranks.",
    commands,
    sizeof commands / sizeof commands[0],
    instead,
    sizeof instead / sizeof instead[0],
};

/* Runs the command on this rank. Returns the exit status. */
static int run(const tool_command *c, app_options *o, app_error *error)
{
    o->maker = rank_spread_make;
    if (o->shards || o->resume) {
        app_fail(error, XNCC_ERROR_ARGUMENT,
                 "--shard and --resume are for exactncc; the ranks share the work, and go on where "
                 "they ended");
        return 2;
    }
    if (tool_check_files(&program, c, o, error))
        return 2;
    return c->run(o, error) ? (error->usage ? 2 : 1) : error->none ? 3 : 0;
}

/* Returns the number of this rank. */
static int begin_job(void)
{
    int level, rank;
    MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
}

/* Returns the exit status of all ranks: a job that has failed must not look complete. */
static int end_job(int status)
{
    rank_spread_end();
    MPI_Allreduce(MPI_IN_PLACE, &status, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    MPI_Finalize();
    return status;
}

/* A command with its options. What only asks for text is answered without MPI. */
static int run_command(const tool_command *c, int argc, char **argv)
{
    app_options o;
    app_error error = { .text = "" };
    char full[TOOL_NAME_SIZE];
    int status = 2;
    tool_command_name(&program, c, full);
    const app_parsed parsed = tool_options_parse(c->bit, full, argc, argv, &o, &error);
    if (parsed == APP_HELP || parsed == APP_VERSION) {
        tool_options_close(&o);
        return parsed == APP_HELP ? tool_print_help(&program, c) : tool_print_version(&program);
    }
    const int rank = begin_job();
    if (parsed == APP_RUN)
        status = run(c, &o, &error);
    else if (parsed == APP_FAILED)
        status = 1;
    if (error.text[0] && rank == 0 && status)
        tool_complain(&program, c->manual.name, error.text, status);
    tool_options_close(&o);
    return end_job(status);
}

int main(int argc, char **argv)
{
    const char *word = argc > 1 ? argv[1] : "";
    const tool_command *c = tool_find_command(&program, word);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    app_unfinished_watch(NULL);
    if (c)
        return run_command(c, argc - 1, argv + 1);
    if (tool_only_asks(word))
        return tool_tell(&program, argc, argv);
    return end_job(begin_job() == 0 ? tool_tell(&program, argc, argv) : 2);
}
