/* SPDX-License-Identifier: BSD-2-Clause */
/* The parts of the check program, which compares every kernel with the expected result. */
#ifndef CHECK_CHECK_H
#define CHECK_CHECK_H

#include "kit/oracle.h"
#include "kit/pixels.h"

enum { CHECK_THREAD_COUNTS = 3, CHECK_KERNELS = 64 };

/* One run of the program. */
typedef struct check_run {
    xncc_device device;
    xncc_context *context[CHECK_THREAD_COUNTS]; /* CPU: 1, 2 and 5 threads, in the group threads 2,
                                                   3 and 5; CUDA: the same context three times */
    xncc_context *cpu;                          /* context for the kernel "reference" */
    const char *kernel;                         /* NULL: every kernel that can serve a problem */
    int full;                                   /* 1: more cases */
    int fp64_is_slow;  /* 1: run CUDA as on a device with slow double precision */
    int pixels;        /* the pixel types to check: bit 1 << xncc_pixel */
    const char *group; /* for match and general: tiny, small or large; for find: maps, bands,
                          tiles, widths or best; or brief or threads; NULL: all */
    uint64_t turn; /* counts results; properties that are not combined with each other are rotated
                      by it */
    const char
        *seen[CHECK_KERNELS]; /* names of the kernels that ran, and number of their results */
    long times[CHECK_KERNELS];
} check_run;

/* The areas of the command line. */
void check_match(check_run *run);
void check_find(check_run *run);
void check_best(check_run *run); /* part of check_find */
void check_scan(check_run *run);
void check_general(check_run *run);
void check_convolve(check_run *run);
void check_device(check_run *run);

/* Writes the names of the kernels of run->device for a problem, restricted to run->kernel, and
 * returns their number. */
size_t check_kernels(check_run *run, const xncc_problem *problem, const char **name);
/* Counts a result of a kernel. */
void check_count(check_run *run, const char *kernel);
int check_wants(const check_run *run, xncc_pixel pixel);
int check_in_group(const check_run *run, const char *group);
/* Is the group "brief"? It has a few cases that reach every kernel, for tools that slow a program
 * down many times. */
int check_is_brief(const check_run *run);
/* Is the group "threads"? It has a few cases that every kernel computes in several rectangles, each
 * time on several threads, for the thread sanitizer. */
int check_is_threads(const check_run *run);
/* Restricts the run to the kernel whose blocks walk down the map, which they do far enough only on
 * a high map. Returns 0 if that kernel is not part of the run. Its results are counted in *walking
 * only. */
int check_walking(const check_run *run, check_run *walking);

/* Makes the context treat its CUDA device as one with slow double precision. Skips the run if the
 * program has no access to the inside of the library. */
void check_slow_doubles(xncc_context *context);

/* Compares two maps of the same size bit for bit (any NaN equals any NaN). Reports the first
 * difference with `what`. */
int check_same(const xncc_map *got, const xncc_map *want, const char *what);

/* Fails with the text of kit_error if the status is not XNCC_OK. */
int check_ok(xncc_status status, const char *what);

/* Creates a tightly packed map in host memory for expected values. */
kit_map check_map_for(const xncc_image *image, const xncc_image *templ, xncc_mode mode);

/* Returns the problem of an image and a template or filter of width x height. */
xncc_problem check_problem(const xncc_image *image, int32_t width, int32_t height);

/* Is the kernel "reference" too slow for this problem? For floats it makes every sum in digits,
 * about a hundred times slower than in double. */
int check_is_long(const xncc_image *image, const xncc_image *templ, xncc_mode mode);

/* Computes the map in host memory with the CPU's kernel "reference" or, if that would take long,
 * with "direct-portable". The oracle checks either of them. */
kit_map check_reference(check_run *run, const xncc_image *image, const xncc_image *templ,
                        const kit_options *options);

/* Coefficients of a filter. CHECK_TAPS_TINY underflows, so that the sign of 0 and subnormal numbers
 * must be kept. CHECK_TAPS_WILD mixes magnitudes, so that the order of summation shows. */
typedef enum check_taps_fill {
    CHECK_TAPS_NOISE,
    CHECK_TAPS_DELTA,
    CHECK_TAPS_TINY,
    CHECK_TAPS_WILD,
    CHECK_TAPS_FILLS
} check_taps_fill;
void check_taps(float *tap, int32_t width, int32_t height, check_taps_fill fill,
                kit_random *random);

#endif
