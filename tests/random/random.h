/* SPDX-License-Identifier: BSD-2-Clause */
/* A randomized differential test: its problems, and what a run counts. */
#ifndef RANDOM_RANDOM_H
#define RANDOM_RANDOM_H

#include "check/general_call.h"

/* What is asked of a problem. */
typedef enum random_task {
    RANDOM_MAP,   /* xncc_correlate */
    RANDOM_FIND,  /* xncc_find */
    RANDOM_PLAN,  /* a plan: maps, matches, several templates of one size, rows that arrive, matches
                     left on the device */
    RANDOM_BATCH, /* xncc_find_batch and xncc_batch_best, templates of several sizes */
    RANDOM_CONVOLVE, /* xncc_convolve */
    RANDOM_TASKS
} random_task;

/* One problem. Plain data that follows from the seed of the run, the device and the number alone.
 */
typedef struct random_problem {
    uint64_t number;
    random_task task;
    uint64_t context; /* which context serves it */
    general_case c;   /* for a convolution, width and height are those of the filter */
    int levels;       /* 0, or how many values the samples of the image have */
    int copies;       /* of the template that are planted in the image */
    int oracle;       /* 1: the reference is compared with the oracle as well */
} random_problem;

enum { RANDOM_CONTEXTS = 7 };

/* A run of the program. */
typedef struct random_run {
    check_run check;                        /* its contexts are those of the present problem */
    xncc_context *context[RANDOM_CONTEXTS]; /* with 1 to 4 threads; on the GPU, some with small
                                               workspaces, so that plans work in bands */
    int on_gpu;                             /* 1: images and maps may be in device memory */
    long problems, refused, oracle;         /* refused: no kernel fits into the workspace */
    long task[RANDOM_TASKS], pixel[7], channels[5], method[7], place[3][5], masks[GENERAL_MASKS];
    char problem[512]; /* the present problem, for the report of a failure */
} random_run;

/* Draws problem `number`. */
random_problem random_draw(const random_run *run, uint64_t number);

/* Creates image, template, problem and name of a subject for a match. Returns 0 after a failed
 * check. general_free frees it. */
int random_make(random_run *run, const random_problem *p, general_subject *s);
/* The extents of the map and, for the oracle if `full`, the pixels. */
void random_extents(general_subject *s, int full);
/* Copies the template into the image at some places where it fits. */
void random_plant(general_subject *s, const xncc_image *templ, int copies);
/* A generator for what is drawn while problem p runs. */
kit_random random_stream(const random_problem *p);

/* Solve a problem with every kernel that can, and compare the results. */
void random_map(random_run *run, const random_problem *p);
void random_find(random_run *run, const random_problem *p);
void random_plan(random_run *run, const random_problem *p);
void random_batch(random_run *run, const random_problem *p);
void random_convolve(random_run *run, const random_problem *p);

/* Writes the names of the kernels that are to solve a problem, and returns their number. The kernel
 * "reference" is left out if it is slow and there are others. */
size_t random_kernels(random_run *run, const xncc_problem *problem, double work, const char **name);
/* Counts a call of a kernel. */
void random_count(random_run *run, const char *kernel);
/* Computes the map of the kernel "reference". If the problem says so, compares it with the oracle.
 */
kit_map random_reference(random_run *run, const random_problem *p, general_subject *s);
/* Notes the text for the report of a failure. */
void random_note(random_run *run, const random_problem *p, const char *name);
/* Where the image and the map of a call are (placed_create). */
int random_where(const random_run *run, kit_random *random);

#endif
