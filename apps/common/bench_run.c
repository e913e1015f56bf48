#include "bench_run.h"

#include "device_bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MAX_REPEAT = 10000 };

static const double long_run_ms = 1000.0; /* a run that takes longer is not repeated */

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double host_copy_rate(void)
{
    enum { BYTES = 128 << 20, RUNS = 5 };
    double took[RUNS];
    char *from = malloc(BYTES), *to = malloc(BYTES);
    if (!from || !to) {
        free(from);
        free(to);
        return 0.0;
    }
    memset(from, 1, BYTES);
    memset(to, 2, BYTES);
    for (int i = 0; i < RUNS; i++) {
        double start = now_ms();
        memcpy(to, from, BYTES);
        took[i] = now_ms() - start;
        from[i] = to[BYTES - 1 - i]; /* the copies are used */
    }
    qsort(took, RUNS, sizeof took[0], by_value);
    free(from);
    free(to);
    return 2.0 * BYTES / (took[RUNS / 2] * 1e-3);
}

xncc_status app_bench_open(const app_options *options, app_bench_run *run, app_error *error)
{
    memset(run, 0, sizeof *run);
    run->options = options;
    xncc_status status = app_session_open(options, &run->session, error);
    if (status)
        return status;
    run->cuda = strcmp(run->session.device, "cpu") != 0;
    status = xncc_context_create(
        &(xncc_context_options){ .device = XNCC_DEVICE_CPU, .threads = options->device.threads },
        &run->checker);
    if (status)
        return app_fail(error, status, "cannot start the CPU engine: %s",
                        xncc_status_string(status));
    run->host_rate = host_copy_rate();
    if (run->cuda)
        status = app_device_copy_rate(options->device.cuda_index, &run->device_rate, error);
    if (!status && run->cuda)
        status = app_device_mac_rate(options->device.cuda_index, &run->mac_rate, error);
    return status;
}

void app_bench_close(app_bench_run *run)
{
    for (int i = 0; i < run->sections; i++)
        app_rows_free(&run->section[i].rows);
    xncc_context_destroy(run->checker);
    app_session_close(&run->session);
}

app_bench_section *app_bench_section_add(app_bench_run *run, const char *name, const char *title,
                                         const app_column *columns, int width)
{
    app_bench_section *section = &run->section[run->sections++];
    *section = (app_bench_section){ .name = name,
                                    .title = title,
                                    .rows = { .columns = columns, .width = width } };
    return section;
}

xncc_status app_bench_row(app_bench_section *section, const app_value *row, app_error *error)
{
    return app_rows_add(&section->rows, row) ? XNCC_OK
                                             : app_fail(error, XNCC_ERROR_MEMORY, "out of memory");
}

static void print_json(const app_bench_run *run)
{
    printf("{\n  \"device\": ");
    app_json_string(stdout, run->session.device);
    printf(",\n  \"version\": \"%s\",\n  \"host_copy_gb_s\": %.6g,\n  \"device_copy_gb_s\": %.6g,\n"
           "  \"device_tmac_s\": %.6g",
           xncc_version(), run->host_rate * 1e-9, run->device_rate * 1e-9, run->mac_rate * 1e-12);
    for (int i = 0; i < run->sections; i++) {
        printf(",\n  \"%s\": ", run->section[i].name);
        app_rows_print(stdout, &run->section[i].rows, run->section[i].skip, APP_JSON);
    }
    printf("\n}\n");
}

void app_bench_print(const app_bench_run *run)
{
    const app_format format = run->options->format;
    if (format == APP_JSON) {
        print_json(run);
        return;
    }
    for (int i = 0; i < run->sections; i++) {
        const app_bench_section *s = &run->section[i];
        if (i)
            putchar('\n');
        if (s->title && format == APP_TABLE)
            printf("%s\n", s->title);
        if (s->title && format == APP_TABLE && i == 0 && !run->cuda)
            printf("No CUDA device is used: the CPU's figures only.\n");
        app_rows_print(stdout, &s->rows, s->skip | (format == APP_TABLE ? s->hide : 0), format);
    }
}

int app_bench_on_cpu(const app_bench_run *run, const char *kernel)
{
    return strcmp(app_session_device(&run->session, kernel), "cpu") == 0;
}

int app_bench_is_wanted(const app_options *options, const char *kernel)
{
    if (!options->kernel)
        return 1;
    size_t length = strlen(options->kernel);
    return strncmp(kernel, options->kernel, length) == 0 &&
           (kernel[length] == 0 || kernel[length] == '-');
}

const char *app_bench_best(const app_bench_run *run, const xncc_problem *problem, int cpu)
{
    const char *kernel[APP_BENCH_KERNELS];
    size_t count = xncc_kernels(cpu ? run->checker : run->session.context, problem, kernel,
                                APP_BENCH_KERNELS);
    for (size_t i = 0; i < count && i < APP_BENCH_KERNELS; i++)
        if (app_bench_on_cpu(run, kernel[i]) == cpu)
            return kernel[i];
    return NULL;
}

size_t app_bench_choice(const app_bench_run *run, const xncc_problem *problem, const char **kernel)
{
    size_t count = 0;
    const char *name[APP_BENCH_KERNELS];
    if (run->options->kernel) {
        const size_t all = xncc_kernels(run->session.context, problem, name, APP_BENCH_KERNELS);
        for (size_t i = 0; i < all && i < APP_BENCH_KERNELS; i++)
            if (app_bench_is_wanted(run->options, name[i]))
                kernel[count++] = name[i];
        return count;
    }
    for (int cpu = 0; cpu < 2; cpu++) {
        const char *best = cpu || run->cuda ? app_bench_best(run, problem, cpu) : NULL;
        if (best)
            kernel[count++] = best;
    }
    return count;
}

const char *app_bench_checker(const app_bench_run *run, const xncc_problem *problem,
                              const char *timed)
{
    const char *name[APP_BENCH_KERNELS];
    const double macs = (double)problem->image_width * (double)problem->image_height *
                        (double)problem->width * (double)problem->height *
                        (double)app_bench_channels(problem);
    const size_t count = xncc_kernels(run->checker, problem, name, APP_BENCH_KERNELS);
    for (size_t i = 0; i < count && i < APP_BENCH_KERNELS; i++)
        if (!app_bench_same_kind(timed, name[i]) && strcmp(name[i], "reference") != 0 &&
            (macs > app_bench_reference_macs || strcmp(timed, "reference") == 0))
            return name[i];
    return "reference";
}

xncc_status app_bench_wall(const app_options *options, xncc_status (*call)(void *state),
                           void *state, double *ms)
{
    static double took[MAX_REPEAT + 1];
    int count = 0;
    for (int i = 0; i <= options->repeat; i++) {
        double start = now_ms();
        xncc_status status = call(state);
        if (status)
            return status;
        took[count] = now_ms() - start;
        if (i == 0 && took[0] < long_run_ms)
            continue;
        count++;
        if (took[count - 1] >= long_run_ms)
            break;
    }
    qsort(took, (size_t)count, sizeof took[0], by_value);
    *ms = took[count / 2];
    return XNCC_OK;
}

xncc_context *app_bench_context(const app_bench_run *run, const char *kernel)
{
    return app_bench_on_cpu(run, kernel) ? run->checker : run->session.context;
}

xncc_status app_bench_fail(const app_bench_run *run, xncc_status status, const char *kernel,
                           app_error *error)
{
    char text[XNCC_ERROR_SIZE];
    xncc_context_error(app_bench_context(run, kernel), text, sizeof text);
    return app_fail(error, status, "%s: %s", kernel, text[0] ? text : xncc_status_string(status));
}

/* What one kernel works with. */
typedef struct trial {
    app_bench_case *c;
    xncc_plan *plan;
    xncc_template *templ;
    xncc_filter *filter;
} trial;

static xncc_status open_trial(const app_bench_run *run, app_bench_case *c, const char *kernel,
                              trial *t, app_error *error)
{
    xncc_context *context = app_bench_context(run, kernel);
    *t = (trial){ .c = c };
    xncc_status status = xncc_plan_create(context, &c->problem,
                                          &(xncc_preference){ .kernel = kernel }, &t->plan);
    if (!status && c->problem.task == XNCC_TASK_MATCH)
        status = xncc_template_create(context, &c->pixels, &t->templ);
    else if (!status)
        status = xncc_filter_create(context, c->coefficients, c->problem.width, c->problem.height,
                                    NULL, &t->filter);
    return status ? app_bench_fail(run, status, kernel, error) : XNCC_OK;
}

static void close_trial(trial *t)
{
    xncc_plan_destroy(t->plan);
    xncc_template_destroy(t->templ);
    xncc_filter_destroy(t->filter);
}

static xncc_status call_trial(void *state)
{
    const trial *t = state;
    return t->templ ? xncc_plan_correlate(t->plan, &t->c->image, t->templ, &t->c->map, NULL)
                    : xncc_plan_convolve(t->plan, &t->c->image, t->filter, &t->c->map, NULL);
}

/* On the device, and the check of what comes of it. */
static xncc_status measure_device(app_bench_run *run, const trial *t, app_bench_time *time,
                                  app_error *error)
{
    app_bench_case *c = t->c;
    const app_device_job job = { .plan = t->plan,
                                 .image = &c->image,
                                 .templ = t->templ,
                                 .filter = t->filter,
                                 .map = &c->map,
                                 .cuda_index = run->options->device.cuda_index,
                                 .repeat = run->options->repeat };
    int exact = 0;
    /* A run that writes nothing must not pass for one that did. */
    memset(c->map.data, 0xff, (size_t)c->map.width * (size_t)c->map.height * sizeof(float));
    xncc_status status = app_device_time(&job, &time->ms, error);
    if (!status)
        exact = app_bench_check(c);
    time->exact = time->exact && exact;
    return status;
}

xncc_status app_bench_measure(app_bench_run *run, app_bench_case *c, const char *kernel,
                              app_bench_time *time, app_error *error)
{
    trial t;
    *time = (app_bench_time){ 0 };
    xncc_status status = app_bench_expect(run->checker, app_bench_context(run, kernel), c, kernel,
                                          error);
    if (status)
        return status;
    status = open_trial(run, c, kernel, &t, error);
    memset(c->map.data, 0xff, (size_t)c->map.width * (size_t)c->map.height * sizeof(float));
    if (!status) {
        status = app_bench_wall(run->options, call_trial, &t, &time->end_to_end);
        if (status)
            app_bench_fail(run, status, kernel, error);
    }
    time->ms = time->end_to_end;
    if (!status) {
        time->exact = app_bench_check(c);
        if (!app_bench_on_cpu(run, kernel))
            status = measure_device(run, &t, time, error);
    }
    run->wrong += !status && !time->exact;
    close_trial(&t);
    return status;
}

double app_bench_floor(const app_bench_run *run, const app_bench_case *c, const char *kernel,
                       const char **by)
{
    const int cpu = app_bench_on_cpu(run, kernel);
    const double rate = cpu ? run->host_rate : run->device_rate;
    const double pixels = (double)c->image.width * (double)c->image.height;
    const double samples = pixels * (double)app_bench_channels(&c->problem);
    const double bytes = samples * (double)xncc_pixel_size(c->problem.pixel) +
                         4.0 * app_bench_pixels(c);
    const double copy = rate > 0.0 ? bytes / rate * 1e3 : (double)NAN;
    /* 16-bit pixels take the products of two bytes with two bytes; floats have no integer products.
     */
    const double digits = (double)xncc_pixel_size(c->problem.pixel), products = digits * digits;
    const int integer = c->problem.task == XNCC_TASK_MATCH && c->problem.pixel != XNCC_F32 &&
                        c->problem.pixel != XNCC_F64;
    *by = "bytes";
    if (cpu || !integer || !(run->mac_rate > 0.0))
        return copy;
    const double macs = products * app_bench_macs(c) / run->mac_rate * 1e3;
    if (macs <= copy)
        return copy;
    *by = "macs";
    return macs;
}
