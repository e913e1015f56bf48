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

#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct command {
    const char *name;
    unsigned bit;
    xncc_status (*run)(const app_options *options, app_error *error);
} command;

static const command commands[] = {
    { "find", APP_FIND, app_find_or_manifest },
    { "correlate", APP_CORRELATE, app_correlate },
    { "convolve", APP_CONVOLVE, app_convolve },
};

static const char *const usage =
    "usage: mpirun -n RANKS exactncc-mpi find|correlate|convolve [options] -o FILE ...\n"
    "Does what exactncc does, with the same options, shared by the ranks; all of them must see "
    "the\n"
    "same files. Each keeps what it has done in FILE.rank-N until the job is complete; a job that\n"
    "was killed and is started again goes on from there.\n";

static const command *find_command(const char *word)
{
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++)
        if (strcmp(commands[i].name, word) == 0)
            return &commands[i];
    return NULL;
}

/* Runs the command on this rank. Returns the exit status. */
static int run(const command *c, int argc, char **argv, int rank)
{
    app_options o;
    app_error error = { .text = "" };
    char program[40], line[APP_ERROR_SIZE];
    int status = 2;
    snprintf(program, sizeof program, "exactncc-mpi %s", c->name);
    const app_parsed parsed = tool_options_parse(c->bit, program, argc, argv, &o, &error);
    o.maker = rank_spread_make;
    if (parsed == APP_RUN && (o.shards || o.resume))
        app_fail(&error, XNCC_ERROR_ARGUMENT,
                 "--shard and --resume are for exactncc; the ranks share the work, and go on where "
                 "they ended");
    else if (parsed == APP_RUN)
        status = c->run(&o, &error) ? (error.usage ? 2 : 1) : error.none ? 3 : 0;
    else if (parsed == APP_FAILED)
        status = 1;
    else if (parsed != APP_WRONG)
        app_fail(&error, XNCC_ERROR_ARGUMENT, "see exactncc %s --help", c->name);
    if (error.text[0] && rank == 0 && status)
        fprintf(stderr, "%s: %s\n", program, app_printable(error.text, line, sizeof line));
    tool_options_close(&o);
    return status;
}

/* --version or --help. */
static int tell(int version)
{
    app_error error = { .text = "" };
    if (version)
        printf("exactncc-mpi %s\n", xncc_version());
    else
        fputs(usage, stdout);
    if (app_finish_stdout(&error) == XNCC_OK)
        return 0;
    fprintf(stderr, "exactncc-mpi: %s\n", error.text);
    return 1;
}

int main(int argc, char **argv)
{
    int level, rank, status = 2;
    const char *word = argc > 1 ? argv[1] : "";
    if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0 || strcmp(word, "--help") == 0 ||
        strcmp(word, "-h") == 0) /* also without MPI */
        return tell(strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    app_unfinished_watch(NULL);
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const command *c = find_command(word);
    if (c)
        status = run(c, argc - 1, argv + 1, rank);
    else if (rank == 0)
        fputs(usage, stderr);
    rank_spread_end();
    /* All ranks end with the same status; a job that has failed must not look complete. */
    MPI_Allreduce(MPI_IN_PLACE, &status, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    MPI_Finalize();
    return status;
}
