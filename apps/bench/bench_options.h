/* SPDX-License-Identifier: BSD-2-Clause */
/* The command line of exactncc-bench. */
#ifndef BENCH_OPTIONS_H
#define BENCH_OPTIONS_H

#include "options.h"

typedef enum bench_task { BENCH_TASK_ALL, BENCH_TASK_MATCH, BENCH_TASK_CONVOLVE } bench_task;

/* The tables besides that of the kernels, in the order in which they are printed. */
enum {
    BENCH_TABLE_SIZES = 1,
    BENCH_TABLE_KINDS = 2,
    BENCH_TABLE_FILTERS = 4,
    BENCH_TABLE_TEMPLATES = 8,
    BENCH_TABLE_FIND = 16,
    BENCH_TABLE_BATCH = 32,
    BENCH_TABLE_MIXED = 64,
    BENCH_TABLE_DEVICES = 128,
    BENCH_TABLE_IMAGES = 256,
    BENCH_TABLE_ALL = 511
};

typedef struct bench_options {
    app_options common; /* first, so that a setter that is given it can reach the rest */
    bench_task task;
    int32_t repeat;  /* timed runs per figure, from 1 */
    int32_t batch;   /* templates in the tables `batch` and `devices`, from 1 */
    unsigned tables; /* which tables instead of that of the kernels, BENCH_TABLE_*, combined */
    int has_format;  /* 1: --format was given */
} bench_options;

/* Reads the command line. */
app_parsed bench_options_parse(int argc, char **argv, bench_options *options, app_error *error);

/* The options, for --help. */
const app_option_list *bench_options_list(void);

#endif
