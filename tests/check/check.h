/* The parts of the check program: every kernel against what the result must be. */
#ifndef CHECK_CHECK_H
#define CHECK_CHECK_H

#include "kit/oracle.h"
#include "kit/pixels.h"

enum { CHECK_THREAD_COUNTS = 3, CHECK_KERNELS = 64 };

/* One run of the program. */
typedef struct check_run {
    xncc_device device;
    xncc_context *context[CHECK_THREAD_COUNTS]; /* CPU: 1, 2 and 5 threads; CUDA: the same context
                                                   three times */
    xncc_context *cpu;                          /* where the kernel "reference" runs */
    const char *kernel;                         /* NULL: every kernel that can serve a problem */
    int full;                                   /* 1: more cases */
    int fp64_is_slow;                           /* 1: CUDA as on a device whose doubles are slow */
    int pixels;                                 /* bit 1 << xncc_pixel: pixel types to check */
    const char
        *group; /* of match and joint: tiny, small, large; of find: maps, bands; brief; NULL: all */
    uint64_t turn;                   /* counts results: what is not crossed is rotated by it */
    const char *seen[CHECK_KERNELS]; /* kernels that ran, and how often */
    long times[CHECK_KERNELS];
} check_run;

/* The areas. */
void check_match(check_run *run);
void check_find(check_run *run);
void check_scan(check_run *run);
void check_general(check_run *run);
void check_convolve(check_run *run);
void check_device(check_run *run);

/* The kernels of run->device for a problem, cut down to run->kernel: names into name, returns their
 * number. */
size_t check_kernels(check_run *run, const xncc_problem *problem, const char **name);
/* Counts a result of a kernel. */
void check_count(check_run *run, const char *kernel);
int check_wants(const check_run *run, xncc_pixel pixel);
int check_in_group(const check_run *run, const char *group);
/* The group brief: a few cases that reach every kernel, for tools under which a program runs many
 * times slower. */
int check_is_brief(const check_run *run);
/* The run cut down to the kernel whose blocks walk down the map, which they do far enough only
 * where it is high. 0 where it is none of the run's; its results count for the copy alone. */
int check_walking(const check_run *run, check_run *walking);

/* Lets the context take its CUDA device for one with slow doubles; skips the run where the program
 * cannot see into the library. */
void check_slow_doubles(xncc_context *context);

/* Compares two maps of the same extents bit for bit (any NaN equals any NaN); reports the first
 * difference with what. */
int check_same(const xncc_map *got, const xncc_map *want, const char *what);

/* Fails with the context's text when a call that must work did not. */
int check_ok(xncc_status status, const xncc_context *context, const char *what);

/* A tight map in host memory for expected values. */
kit_map check_map_for(const xncc_image *image, const xncc_image *templ, xncc_mode mode);

/* The problem of a view under a template or filter of width x height. */
xncc_problem check_problem(const xncc_image *image, int32_t width, int32_t height);

/* The map of the CPU's kernel "reference" in host memory. */
kit_map check_reference(check_run *run, const xncc_image *image, const xncc_image *templ,
                        const xncc_options *options);

#endif
