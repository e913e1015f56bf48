/* SPDX-License-Identifier: BSD-2-Clause */
/* One problem to be timed: pseudo-random pixels, a template or filter, a map for the results, and
 * the check of the results against other kernels. */
#ifndef BENCH_CASE_H
#define BENCH_CASE_H

#include "exactncc/plan.h"
#include "fail.h"

/* A rectangle of windows (matching) or of output pixels, such that every pixel that they read is
 * inside the image. */
typedef struct bench_region {
    int32_t x, y, width, height;
} bench_region;

enum { BENCH_REGIONS = 3 };

typedef struct bench_case {
    xncc_problem problem;
    xncc_image image;
    xncc_image pixels;   /* of the template */
    uint8_t *mask;       /* of the template, or NULL */
    float *coefficients; /* of the filter */
    xncc_map map;        /* results are written here; tight rows in host memory */
    xncc_extent extent;  /* of the map */
    /* The expected results, from bench_expect. */
    int expected; /* 1: the members below are valid */
    float *whole; /* the whole map, or NULL */
    bench_region region[BENCH_REGIONS];
    float *scores[BENCH_REGIONS]; /* the reference kernel's scores in the regions; all NULL if
                                     `whole` is the reference kernel's map */
} bench_case;

/* Allocates and fills a case; the same problem always has the same pixels. Call bench_case_close
 * whatever is returned. */
xncc_status bench_case_open(const xncc_problem *problem, bench_case *c, app_error *error);
void bench_case_close(bench_case *c);

/* Fills an array with pseudo-random samples, which depend only on the seed (not 0). */
void bench_fill(void *data, xncc_pixel pixel, size_t count, uint64_t seed);

/* Number of multiply-adds, and of map elements. */
double bench_macs(const bench_case *c);
double bench_pixels(const bench_case *c);

/* Above this many multiply-adds the reference kernel does not compute a whole map for a check. */
extern const double bench_reference_macs;

/* Computes what results are compared with. Call it before each kernel; the work is done once per
 * case. If the problem is small, this is the reference kernel's map. Otherwise it is the reference
 * kernel's scores in three regions (the top-left and bottom-right corners and the middle), and the
 * whole map by the fastest kernel of another kind than `kernel`, if there is one. checker has the
 * CPU engine, context the engine of `kernel`. */
xncc_status bench_expect(xncc_context *checker, xncc_context *context, bench_case *c,
                         const char *kernel, app_error *error);

/* 1 if the map equals the expected results bit for bit. */
int bench_check(const bench_case *c);

/* 1 if two kernels are of one kind: direct-avx2 and direct-portable are, conv-tiled and conv-global
 * are not. */
int bench_same_kind(const char *a, const char *b);

#endif
