/* What the tables of `exactncc bench` share: a run with the rates measured in it, the timing of one
 * kernel on one case, and the report.
 */
#ifndef APP_BENCH_RUN_H
#define APP_BENCH_RUN_H

#include "bench_case.h"
#include "session.h"

enum { APP_BENCH_SECTIONS = 4, APP_BENCH_KERNELS = 64 };

/* One table of the report. */
typedef struct app_bench_section {
    const char *name;  /* the array's key in JSON */
    const char *title; /* a line above the table; NULL: none */
    unsigned skip;     /* columns left out, as app_rows_print takes them */
    unsigned hide;     /* columns left out of the readable table besides */
    app_rows rows;
} app_bench_section;

typedef struct app_bench_run {
    const app_options *options;
    app_session session;
    xncc_context *checker; /* CPU engine */
    int cuda;              /* 1: the session has a CUDA device */
    double host_rate;      /* bytes a second, read and written, of a copy */
    double device_rate;    /* the same on the device; 0 without one */
    double mac_rate; /* multiply-adds of 8-bit integers a second that the device's tensor cores can
                        do; 0: not known */
    int wrong;       /* results that differed */
    app_bench_section section[APP_BENCH_SECTIONS];
    int sections;
} app_bench_run;

/* To be closed whatever is returned. */
xncc_status app_bench_open(const app_options *options, app_bench_run *run, app_error *error);
void app_bench_close(app_bench_run *run);

/* Starts a table; at most APP_BENCH_SECTIONS. */
app_bench_section *app_bench_section_add(app_bench_run *run, const char *name, const char *title,
                                         const app_column *columns, int width);
xncc_status app_bench_row(app_bench_section *section, const app_value *row, app_error *error);

/* All tables, in the form that the options ask for. */
void app_bench_print(const app_bench_run *run);

int app_bench_on_cpu(const app_bench_run *run, const char *kernel);

/* The context that a kernel's plans are made with: the session's, or the checker for the CPU's
 * kernels, which a session on a CUDA device alone does not have. */
xncc_context *app_bench_context(const app_bench_run *run, const char *kernel);

/* The text of that context's last error. */
xncc_status app_bench_fail(const app_bench_run *run, xncc_status status, const char *kernel,
                           app_error *error);

/* Whether --kernel, if it was given, means this one. */
int app_bench_is_wanted(const app_options *options, const char *kernel);

/* The fastest kernel for a problem by the decision's estimate: on the CPU, or on the device. NULL:
 * there is none. */
const char *app_bench_best(const app_bench_run *run, const xncc_problem *problem, int cpu);

/* The kernels that searches are timed with: those that --kernel means, or else the device's fastest
 * and the CPU's fastest; their number. kernel has room for APP_BENCH_KERNELS. */
size_t app_bench_choice(const app_bench_run *run, const xncc_problem *problem, const char **kernel);

/* The kernel of the CPU engine that tells what one has to find: the reference where that is little
 * work, else the fastest of another kind than `timed`. */
const char *app_bench_checker(const app_bench_run *run, const xncc_problem *problem,
                              const char *timed);

/* The median wall-clock time of a call in ms: options' repeat timed runs after one that is not
 * counted. A run that takes over a second counts at once and is the last. */
xncc_status app_bench_wall(const app_options *options, xncc_status (*call)(void *state),
                           void *state, double *ms);

/* How one kernel did on one case. */
typedef struct app_bench_time {
    double ms;         /* CPU: the whole call; CUDA: device time, image and map in device memory */
    double end_to_end; /* the whole call, host memory to host memory */
    int exact;         /* both maps are as they should be */
} app_bench_time;

/* Times a map and checks it; a wrong one is counted in run->wrong. */
xncc_status app_bench_measure(app_bench_run *run, app_bench_case *c, const char *kernel,
                              app_bench_time *time, app_error *error);

/* The least time in ms for a map on a kernel's device: every pixel read once and every score
 * written once at the copy rate, or, where it is more and the rate is known, the multiply-adds at
 * the device's integer tensor rate. NaN when not known. *by names which. */
double app_bench_floor(const app_bench_run *run, const app_bench_case *c, const char *kernel,
                       const char **by);

/* The tables. */
xncc_status app_bench_filters(app_bench_run *run, app_error *error);
xncc_status app_bench_templates(app_bench_run *run, app_error *error);
xncc_status app_bench_find(app_bench_run *run, app_error *error);
xncc_status app_bench_batch(app_bench_run *run, app_error *error);

#endif
