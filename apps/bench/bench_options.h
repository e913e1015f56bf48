/* The command line of exactncc-bench. */
#ifndef BENCH_OPTIONS_H
#define BENCH_OPTIONS_H

#include "options.h"

typedef enum bench_task { BENCH_TASK_ALL, BENCH_TASK_MATCH, BENCH_TASK_CONVOLVE } bench_task;

typedef struct bench_options {
    app_options common; /* first, so that a setter that is given it can reach the rest */
    bench_task task;
    int32_t repeat; /* timed runs per figure, from 1 */
    int32_t batch;  /* templates in the table `batch`, from 1 */
    int tables, find;
    int has_format; /* 1: --format was given */
} bench_options;

/* Reads the command line. */
app_parsed bench_options_parse(int argc, char **argv, bench_options *options, app_error *error);

/* Prints the options, for --help. */
void bench_options_print(FILE *out);

#endif
