/* exactncc bench --tables: the tables that others published for the same work, on this machine.
 * Convolution of a 1920 x 1080 float image on one thread, on the CPU at its best, and on the device
 * with and without the transfer; and template pixels times map pixels a second of the ways to
 * match. */
#include "common/bench_run.h"
#include "common/device_bench.h"
#include "common/filters.h"

#include <math.h>
#include <string.h>

enum {
    F_FILTER,
    F_WIDTH,
    F_HEIGHT,
    F_SIDE,
    F_KERNEL,
    F_PLAIN,
    F_CPU_KERNEL,
    F_CPU,
    F_GPU,
    F_TRANSFER,
    F_SPEEDUP,
    F_OVERALL,
    F_CPU_SPEEDUP,
    F_CPU_OVERALL,
    F_CHECKED,
    F_COLUMNS
};

/* Bits of the columns that need a device. */
static const unsigned filter_device = 1u << F_KERNEL | 1u << F_GPU | 1u << F_TRANSFER |
                                      1u << F_SPEEDUP | 1u << F_OVERALL | 1u << F_CPU_SPEEDUP |
                                      1u << F_CPU_OVERALL;

static const app_column filter_columns[F_COLUMNS] = {
    [F_FILTER] = { "filter", APP_TEXT, 0, 0 },
    [F_WIDTH] = { "width", APP_INTEGER, 0, 0 },
    [F_HEIGHT] = { "height", APP_INTEGER, 0, 0 },
    [F_SIDE] = { "side", APP_INTEGER, 0, 0 },
    [F_KERNEL] = { "kernel", APP_TEXT, 0, 0 },
    [F_PLAIN] = { "cpu_1_thread_ms", APP_REAL, 6, 2 },
    [F_CPU_KERNEL] = { "cpu_kernel", APP_TEXT, 0, 0 },
    [F_CPU] = { "cpu_ms", APP_REAL, 6, 3 },
    [F_GPU] = { "gpu_ms", APP_REAL, 6, 4 },
    [F_TRANSFER] = { "transfer_ms", APP_REAL, 6, 3 },
    [F_SPEEDUP] = { "speedup", APP_REAL, 6, 0 },
    [F_OVERALL] = { "speedup_overall", APP_REAL, 6, 1 },
    [F_CPU_SPEEDUP] = { "over_cpu", APP_REAL, 6, 1 },
    [F_CPU_OVERALL] = { "over_cpu_overall", APP_REAL, 6, 2 },
    [F_CHECKED] = { "checked", APP_TEXT, 0, 0 },
};

/* One filter of the table: its CPU figures, which every row of it repeats. */
typedef struct filtering {
    const char *name;
    app_bench_case c;
    xncc_context *plain; /* one thread */
    const char *cpu_kernel;
    double plain_ms, cpu_ms, transfer_ms;
    int exact; /* the CPU's maps */
} filtering;

static xncc_status filtering_row(app_bench_section *section, const filtering *f, const char *kernel,
                                 const app_bench_time *gpu, app_error *error)
{
    const double nan = (double)NAN, gpu_ms = gpu ? gpu->ms : nan, overall = gpu_ms + f->transfer_ms;
    const app_value row[F_COLUMNS] = {
        [F_FILTER].text = f->name,
        [F_WIDTH].integer = f->c.image.width,
        [F_HEIGHT].integer = f->c.image.height,
        [F_SIDE].integer = f->c.problem.width,
        [F_KERNEL].text = kernel,
        [F_PLAIN].real = f->plain_ms,
        [F_CPU_KERNEL].text = f->cpu_kernel,
        [F_CPU].real = f->cpu_ms,
        [F_GPU].real = gpu_ms,
        [F_TRANSFER].real = gpu ? f->transfer_ms : nan,
        [F_SPEEDUP].real = f->plain_ms / gpu_ms,
        [F_OVERALL].real = f->plain_ms / overall,
        [F_CPU_SPEEDUP].real = f->cpu_ms / gpu_ms,
        [F_CPU_OVERALL].real = f->cpu_ms / overall,
        [F_CHECKED].text = f->exact && (!gpu || gpu->exact) ? "exact" : "WRONG",
    };
    return app_bench_row(section, row, error);
}

typedef struct plain_call {
    xncc_plan *plan;
    xncc_filter *filter;
    const app_bench_case *c;
} plain_call;

static xncc_status call_plain(void *state)
{
    const plain_call *p = state;
    return xncc_plan_convolve(p->plan, &p->c->image, p->filter, &p->c->map, NULL);
}

/* The plain loops on one thread, as the published tables' CPU column has them. */
static xncc_status time_plain(app_bench_run *run, filtering *f, app_error *error)
{
    const app_bench_case *c = &f->c;
    plain_call call = { .c = c };
    xncc_context *one = NULL;
    memset(c->map.data, 0xff, (size_t)c->map.width * (size_t)c->map.height * sizeof(float));
    xncc_status status = xncc_context_create(
        &(xncc_context_options){ .device = XNCC_DEVICE_CPU, .threads = 1 }, &one);
    if (!status)
        status = xncc_plan_create(one, &c->problem, &(xncc_preference){ .kernel = "reference" },
                                  &call.plan);
    if (!status)
        status = xncc_filter_create(one, c->coefficients, c->problem.width, c->problem.height, NULL,
                                    &call.filter);
    if (!status)
        status = app_bench_wall(run->options, call_plain, &call, &f->plain_ms);
    f->exact = !status && app_bench_check(c);
    run->wrong += !status && !f->exact;
    xncc_plan_destroy(call.plan);
    xncc_filter_destroy(call.filter);
    xncc_context_destroy(one);
    return status ? app_fail(error, status, "reference: %s", xncc_status_string(status)) : XNCC_OK;
}

static xncc_status time_cpu(app_bench_run *run, filtering *f, app_error *error)
{
    app_bench_time time = { 0 };
    f->cpu_kernel = app_bench_best(run, &f->c.problem, 1);
    xncc_status status = app_bench_measure(run, &f->c, f->cpu_kernel, &time, error);
    f->cpu_ms = time.ms;
    if (!status)
        status = time_plain(run, f, error);
    f->exact = f->exact && time.exact;
    return status;
}

/* The rows of one filter: one for every CUDA kernel, or one without. */
static xncc_status filtering_rows(app_bench_run *run, app_bench_section *section, filtering *f,
                                  app_error *error)
{
    const char *kernel[APP_BENCH_KERNELS];
    xncc_status status = time_cpu(run, f, error);
    if (status || !run->cuda)
        return status ? status : filtering_row(section, f, "", NULL, error);
    const app_device_copy copy = { &f->c.image, &f->c.map, 0, run->options->device.cuda_index,
                                   run->options->repeat };
    status = app_device_copy_time(&copy, &f->transfer_ms, error);
    const size_t count = xncc_kernels(run->session.context, &f->c.problem, kernel,
                                      APP_BENCH_KERNELS);
    for (size_t i = 0; i < count && i < APP_BENCH_KERNELS && !status; i++) {
        app_bench_time time;
        if (app_bench_on_cpu(run, kernel[i]) || !app_bench_is_wanted(run->options, kernel[i]))
            continue;
        status = app_bench_measure(run, &f->c, kernel[i], &time, error);
        if (!status)
            status = filtering_row(section, f, kernel[i], &time, error);
    }
    return status;
}

static xncc_status filtering_table(app_bench_run *run, app_bench_section *section, const char *name,
                                   const app_filter *filter, app_error *error)
{
    const app_options *o = run->options;
    const app_size size = o->sizes.count ? o->sizes.size[0] : (app_size){ 1920, 1080 };
    const xncc_problem problem = { .task = XNCC_TASK_CONVOLVE,
                                   .pixel = XNCC_F32,
                                   .image_width = size.width,
                                   .image_height = size.height,
                                   .width = filter->width,
                                   .height = filter->height };
    filtering f = { .name = name };
    xncc_status status = app_bench_case_open(&problem, &f.c, error);
    if (!status) {
        memcpy(f.c.coefficients, filter->value,
               (size_t)filter->width * (size_t)filter->height * sizeof(float));
        status = filtering_rows(run, section, &f, error);
    }
    app_bench_case_close(&f.c);
    return status;
}

xncc_status app_bench_filters(app_bench_run *run, app_error *error)
{
    static app_filter filter;
    app_bench_section *section = app_bench_section_add(
        run, "filters", "Convolution, f32 in and out; speedup: over the plain loops on one thread",
        filter_columns, F_COLUMNS);
    section->skip = run->cuda ? 0 : filter_device;
    app_filter_gradient('x', 3, &filter);
    xncc_status status = filtering_table(run, section, "gradient", &filter, error);
    app_filter_gradient('x', 5, &filter);
    if (!status)
        status = filtering_table(run, section, "gradient", &filter, error);
    if (!status)
        status = app_filter_gaussian(3.2, &filter, error);
    if (!status)
        status = filtering_table(run, section, "gaussian", &filter, error);
    return status;
}

enum {
    T_DEVICE,
    T_KERNEL,
    T_PIXEL,
    T_WIDTH,
    T_HEIGHT,
    T_TEMPL_WIDTH,
    T_TEMPL_HEIGHT,
    T_MS,
    T_TAPS,
    T_GPIXEL,
    T_CHECKED,
    T_COLUMNS
};

static const app_column template_columns[T_COLUMNS] = {
    [T_DEVICE] = { "device", APP_TEXT, 0, 0 },
    [T_KERNEL] = { "kernel", APP_TEXT, 0, 0 },
    [T_PIXEL] = { "pixel", APP_TEXT, 0, 0 },
    [T_WIDTH] = { "width", APP_INTEGER, 0, 0 },
    [T_HEIGHT] = { "height", APP_INTEGER, 0, 0 },
    [T_TEMPL_WIDTH] = { "template_width", APP_INTEGER, 0, 0 },
    [T_TEMPL_HEIGHT] = { "template_height", APP_INTEGER, 0, 0 },
    [T_MS] = { "ms", APP_REAL, 6, 4 },
    [T_TAPS] = { "ttaps_s", APP_REAL, 6, 3 },
    [T_GPIXEL] = { "gpixel_s", APP_REAL, 6, 3 },
    [T_CHECKED] = { "checked", APP_TEXT, 0, 0 },
};

static xncc_status template_row(app_bench_run *run, app_bench_section *section, app_bench_case *c,
                                const char *kernel, app_error *error)
{
    app_bench_time time;
    xncc_status status = app_bench_measure(run, c, kernel, &time, error);
    const app_value row[T_COLUMNS] = {
        [T_DEVICE].text = app_session_device(&run->session, kernel),
        [T_KERNEL].text = kernel,
        [T_PIXEL].text = xncc_pixel_name(c->problem.pixel),
        [T_WIDTH].integer = c->image.width,
        [T_HEIGHT].integer = c->image.height,
        [T_TEMPL_WIDTH].integer = c->problem.width,
        [T_TEMPL_HEIGHT].integer = c->problem.height,
        [T_MS].real = time.ms,
        [T_TAPS].real = app_bench_macs(c) / time.ms * 1e-9,
        [T_GPIXEL].real = app_bench_pixels(c) / time.ms * 1e-6,
        [T_CHECKED].text = time.exact ? "exact" : "WRONG",
    };
    return status ? status : app_bench_row(section, row, error);
}

/* The CPU's best kernel and the CUDA engine's ways of adding up products; its fft does not add up
 * products. */
static xncc_status template_rows(app_bench_run *run, app_bench_section *section, app_bench_case *c,
                                 app_error *error)
{
    const char *kernel[APP_BENCH_KERNELS];
    xncc_status status = template_row(run, section, c, app_bench_best(run, &c->problem, 1), error);
    const size_t count = xncc_kernels(run->session.context, &c->problem, kernel, APP_BENCH_KERNELS);
    for (size_t i = 0; i < count && i < APP_BENCH_KERNELS && !status; i++)
        if (!app_bench_on_cpu(run, kernel[i]) && app_bench_is_wanted(run->options, kernel[i]) &&
            strcmp(kernel[i], "fft") != 0)
            status = template_row(run, section, c, kernel[i], error);
    return status;
}

xncc_status app_bench_templates(app_bench_run *run, app_error *error)
{
    static const app_sizes templs = { { { 16, 16 }, { 32, 32 }, { 48, 48 }, { 64, 64 } }, 4 };
    const app_options *o = run->options;
    const app_size size = o->sizes.count ? o->sizes.size[0] : (app_size){ 2048, 2048 };
    const app_sizes *templ = o->templates.count ? &o->templates : &templs;
    app_bench_section *section = app_bench_section_add(
        run, "templates", "Matching; ttaps_s: 1e12 template pixels times map pixels a second",
        template_columns, T_COLUMNS);
    xncc_status status = XNCC_OK;
    for (int i = 0; i < templ->count && !status; i++) {
        const xncc_problem problem = app_options_problem(o, XNCC_TASK_MATCH, size, templ->size[i]);
        app_bench_case c;
        status = app_bench_case_open(&problem, &c, error);
        if (!status)
            status = template_rows(run, section, &c, error);
        app_bench_case_close(&c);
    }
    return status;
}
