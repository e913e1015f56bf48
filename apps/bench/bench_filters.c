/* SPDX-License-Identifier: BSD-2-Clause */
/* The table `filters`: convolution of a float image by plain loops on one thread, by the CPU's
 * fastest kernel, and by the CUDA kernels with and without the transfer. */
#include "bench_run.h"
#include "device_timer.h"
#include "filters.h"

#include <math.h>
#include <string.h>

static const bench_column columns[] = {
    BENCH_FILTER,      BENCH_WIDTH,
    BENCH_HEIGHT,      BENCH_SIDE,
    BENCH_CUDA_KERNEL, BENCH_CPU_1_THREAD_MS,
    BENCH_CPU_KERNEL,  BENCH_CPU_MS,
    BENCH_GPU_MS,      BENCH_TRANSFER_MS,
    BENCH_SPEEDUP,     BENCH_SPEEDUP_OVERALL,
    BENCH_OVER_CPU,    BENCH_OVER_CPU_OVERALL,
    BENCH_CHECKED,     BENCH_COLUMNS,
};

/* One filter, with the figures that each of its rows repeats. */
typedef struct filtering {
    const char *name;
    bench_case c;
    const char *cpu_kernel;
    double plain_ms, cpu_ms, transfer_ms;
    int exact; /* 1: the CPU's maps were right */
} filtering;

static xncc_status add_row(bench_run *run, bench_section *section, const filtering *f,
                           const char *kernel, const bench_time *gpu, app_error *error)
{
    const double nan = (double)NAN, gpu_ms = gpu ? gpu->ms : nan, overall = gpu_ms + f->transfer_ms;
    bench_row row = bench_row_of(run, &f->c, f->cpu_kernel, f->exact && (!gpu || gpu->exact));
    app_value *v = row.value;
    v[BENCH_FILTER].text = f->name;
    v[BENCH_SIDE].integer = f->c.problem.templ_width;
    v[BENCH_CUDA_KERNEL].text = kernel;
    v[BENCH_CPU_1_THREAD_MS].real = f->plain_ms;
    v[BENCH_CPU_KERNEL].text = f->cpu_kernel;
    v[BENCH_CPU_MS].real = f->cpu_ms;
    v[BENCH_GPU_MS].real = gpu_ms;
    v[BENCH_TRANSFER_MS].real = gpu ? f->transfer_ms : nan;
    v[BENCH_SPEEDUP].real = f->plain_ms / gpu_ms;
    v[BENCH_SPEEDUP_OVERALL].real = f->plain_ms / overall;
    v[BENCH_OVER_CPU].real = f->cpu_ms / gpu_ms;
    v[BENCH_OVER_CPU_OVERALL].real = f->cpu_ms / overall;
    return bench_section_row(section, &row, error);
}

typedef struct plain_call {
    xncc_plan *plan;
    xncc_filter *filter;
    const bench_case *c;
} plain_call;

static xncc_status call_plain(void *state, app_error *error)
{
    const plain_call *p = state;
    xncc_error why;
    const xncc_status status = xncc_plan_convolve(p->plan, &p->c->image, p->filter, &p->c->map,
                                                  NULL, &why);
    return app_pass_on(error, status, "reference", &why);
}

/* Plain loops on one thread, like the CPU column of published tables. */
static xncc_status time_plain(bench_run *run, filtering *f, app_error *error)
{
    const bench_case *c = &f->c;
    plain_call call = { .c = c };
    xncc_context_options options = XNCC_CONTEXT_OPTIONS_INIT;
    xncc_context *one = NULL;
    xncc_error why;
    memset(c->map.data, 0xff, (size_t)c->map.width * (size_t)c->map.height * sizeof(float));
    options.device = XNCC_DEVICE_CPU;
    options.threads = 1;
    xncc_status status = xncc_context_create(&options, &one, &why);
    if (!status)
        status = bench_plan(one, &c->problem, "reference", &call.plan, &why);
    if (!status)
        status = xncc_filter_create(one, c->coefficients, c->problem.templ_width,
                                    c->problem.templ_height, NULL, &call.filter, &why);
    app_pass_on(error, status, "reference", &why);
    if (!status)
        status = bench_wall(run, call_plain, &call, &f->plain_ms, error);
    f->exact = !status && bench_check(c);
    run->wrong += !status && !f->exact;
    xncc_plan_destroy(call.plan);
    xncc_filter_destroy(call.filter);
    xncc_context_destroy(one);
    return status;
}

static xncc_status time_cpu(bench_run *run, filtering *f, app_error *error)
{
    bench_time time = { 0 };
    bench_choose(run, &f->c.problem, BENCH_BEST_CPU, &f->cpu_kernel);
    xncc_status status = bench_measure(run, &f->c, f->cpu_kernel, &time, error);
    f->cpu_ms = time.ms;
    if (!status)
        status = time_plain(run, f, error);
    f->exact = f->exact && time.exact;
    return status;
}

/* Adds a row per CUDA kernel, or one without a device. */
static xncc_status add_rows(bench_run *run, bench_section *section, filtering *f, app_error *error)
{
    const char *kernel[BENCH_KERNELS];
    xncc_status status = time_cpu(run, f, error);
    if (status || !run->cuda)
        return status ? status : add_row(run, section, f, "", NULL, error);
    const device_copy copy = { &f->c.image, &f->c.map, 0, run->options->common.device.cuda_index,
                               run->options->repeat };
    status = device_copy_time(&copy, &f->transfer_ms, error);
    const size_t count = bench_choose(run, &f->c.problem, BENCH_CUDA, kernel);
    for (size_t i = 0; i < count && !status; i++) {
        bench_time time;
        status = bench_measure(run, &f->c, kernel[i], &time, error);
        if (!status)
            status = add_row(run, section, f, kernel[i], &time, error);
    }
    return status;
}

static xncc_status add_filter(bench_run *run, bench_section *section, const char *name,
                              const app_filter *filter, app_error *error)
{
    const app_size size = bench_image_size(run, 1920, 1080);
    xncc_problem problem = XNCC_PROBLEM_INIT;
    filtering f = { .name = name };
    problem.task = XNCC_TASK_CONVOLVE;
    problem.pixel = XNCC_F32;
    problem.image_width = size.width;
    problem.image_height = size.height;
    problem.templ_width = filter->width;
    problem.templ_height = filter->height;
    xncc_status status = bench_case_open(&problem, &f.c, error);
    if (!status) {
        memcpy(f.c.coefficients, filter->value,
               (size_t)filter->width * (size_t)filter->height * sizeof(float));
        status = add_rows(run, section, &f, error);
    }
    bench_case_close(&f.c);
    return status;
}

xncc_status bench_filters(bench_run *run, app_error *error)
{
    static app_filter filter;
    bench_section *section = bench_section_add(
        &run->report, "filters", "Convolution of f32; speedup: over plain loops on one thread",
        columns);
    app_filter_gradient('x', 3, &filter);
    xncc_status status = add_filter(run, section, "gradient", &filter, error);
    app_filter_gradient('x', 5, &filter);
    if (!status)
        status = add_filter(run, section, "gradient", &filter, error);
    if (!status)
        status = app_filter_gaussian(3.2, &filter, error);
    if (!status)
        status = add_filter(run, section, "gaussian", &filter, error);
    return status;
}
