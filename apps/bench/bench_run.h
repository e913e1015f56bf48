/* SPDX-License-Identifier: BSD-2-Clause */
/* What the tables of exactncc-bench share: a run with the rates measured in it, the choice of
 * kernels, and the timing of one kernel on one case. */
#ifndef BENCH_RUN_H
#define BENCH_RUN_H

#include "bench_case.h"
#include "bench_note.h"
#include "bench_options.h"
#include "bench_report.h"
#include "session.h"

enum { BENCH_KERNELS = 64 };

typedef struct bench_run {
    const bench_options *options;
    app_session session;
    xncc_context *checker; /* CPU engine */
    int cuda;              /* 1: the session has a CUDA device */
    double host_rate;      /* bytes per second, read and written, of a copy in host memory */
    double device_rate;    /* the same in device memory; 0 without a device */
    double mac_rate;       /* multiply-adds of 8-bit integers per second that the tensor cores can
                              do; 0: not known */
    int wrong;             /* number of results that differed */
    bench_report report;
    bench_note note;
} bench_run;

/* Call bench_close whatever is returned. */
xncc_status bench_open(const bench_options *options, bench_run *run, app_error *error);
void bench_close(bench_run *run);

/* Prints the report to stdout. */
xncc_status bench_print(const bench_run *run, app_error *error);

/* 1 if this kernel, which can serve the problem, runs on the CPU. */
int bench_on_cpu(const bench_run *run, const xncc_problem *problem, const char *kernel);

/* The context to make a kernel's plans with: the session's for CUDA kernels, the checker for CPU
 * kernels (a session on a CUDA device alone has no CPU engine). */
xncc_context *bench_context(const bench_run *run, const xncc_problem *problem, const char *kernel);

/* Makes a plan with this kernel. On failure *plan is NULL and why has the text. */
xncc_status bench_plan(xncc_context *context, const xncc_problem *problem, const char *kernel,
                       xncc_plan **plan, xncc_error *why);

/* The kernels to time a problem with. All but BENCH_BEST_CPU are limited by --kernel. */
typedef enum bench_pick {
    BENCH_ALL,     /* every feasible kernel */
    BENCH_BEST,    /* the fastest kernel of the device, or of the CPU without a device */
    BENCH_BOTH,    /* the fastest kernel of the device, then that of the CPU */
    BENCH_CUDA,    /* every CUDA kernel */
    BENCH_BEST_CPU /* the fastest kernel of the CPU */
} bench_pick;

/* Writes the names of the kernels, fastest first by the decision's estimate, and returns their
 * number. kernel has room for BENCH_KERNELS names. */
size_t bench_choose(const bench_run *run, const xncc_problem *problem, bench_pick pick,
                    const char **kernel);

/* Adds the row of one kernel on one case to a section. */
typedef xncc_status bench_visit(bench_run *run, bench_section *section, bench_case *c,
                                const char *kernel, app_error *error);

/* Opens a case, visits it with each kernel of the choice, and closes it. */
xncc_status bench_visit_kernels(bench_run *run, bench_section *section, const xncc_problem *problem,
                                bench_pick pick, bench_visit *visit, app_error *error);

/* The CPU kernel that a search's results are compared with: the reference if the problem is small,
 * otherwise the fastest kernel of another kind than `timed`. */
const char *bench_checker(const bench_run *run, const xncc_problem *problem, const char *timed);

/* Does what is timed. */
typedef xncc_status bench_call(void *state, app_error *error);

/* The median wall-clock time of a call in ms: --repeat timed runs after one that is not counted. A
 * run of more than a second counts at once and is the last. */
xncc_status bench_wall(const bench_run *run, bench_call *call, void *state, double *ms,
                       app_error *error);

/* Result of one kernel on one case. */
typedef struct bench_time {
    double ms;         /* CPU: the whole call; CUDA: device time, image and map in device memory */
    double end_to_end; /* the whole call, host memory to host memory */
    int exact;         /* 1: both maps are as expected */
} bench_time;

/* Times a map and checks it; a wrong one is counted in run->wrong. */
xncc_status bench_measure(bench_run *run, bench_case *c, const char *kernel, bench_time *time,
                          app_error *error);

/* The least possible time in ms for a map on a kernel's device: every pixel is read once and every
 * score written once at the copy rate, or, if that takes longer and the rate is known, the
 * multiply-adds at the device's integer tensor rate. NaN if not known. *by says which of the two.
 */
double bench_floor(const bench_run *run, const bench_case *c, const char *kernel, const char **by);

/* A row with the columns that describe a case, a kernel and whether its result was right; all
 * others are empty. */
bench_row bench_row_of(const bench_run *run, const bench_case *c, const char *kernel, int exact);

/* The image size to use: the first --size, or else the size given. */
app_size bench_image_size(const bench_run *run, int32_t width, int32_t height);

/* The tables, each in a file of its own. */
xncc_status bench_kernels(bench_run *run, app_error *error);    /* every kernel */
xncc_status bench_sizes(bench_run *run, app_error *error);      /* one image, n x n templates */
xncc_status bench_kinds(bench_run *run, app_error *error);      /* pixel types, masks, borders */
xncc_status bench_filters(bench_run *run, app_error *error);    /* convolution, CPU and GPU */
xncc_status bench_throughput(bench_run *run, app_error *error); /* template pixels per second */
xncc_status bench_find(bench_run *run, app_error *error);       /* searches */
xncc_status bench_batch(bench_run *run, app_error *error);      /* templates of one size */
xncc_status bench_mixed(bench_run *run, app_error *error);      /* templates of several sizes */
xncc_status bench_devices(bench_run *run, app_error *error);    /* several devices, if there are */
xncc_status bench_images(bench_run *run, app_error *error);     /* many small images, CPU */

#endif
