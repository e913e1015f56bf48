/* corrmatch bench: times every feasible kernel, and checks what it computed. */
#include "commands.h"
#include "common/bench_case.h"
#include "common/device_bench.h"
#include "common/session.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { KERNELS = 64, MAX_REPEAT = 10000 };

static const double long_run_ms = 1000.0;  /* a run that takes longer is not repeated */
static const double reference_macs = 2e10; /* the reference kernel is left out above, unless it is asked for */

enum {
    DEVICE,
    KERNEL,
    METHOD,
    PIXEL,
    WIDTH,
    HEIGHT,
    PART_WIDTH,
    PART_HEIGHT,
    MS,
    GMAC,
    GPIXEL,
    END_TO_END,
    FLOOR,
    RATIO,
    CHECKED,
    COLUMNS
};

static const app_column columns[COLUMNS] = {
    [DEVICE] = { "device", APP_TEXT, 0, 0 },
    [KERNEL] = { "kernel", APP_TEXT, 0, 0 },
    [METHOD] = { "method", APP_TEXT, 0, 0 },
    [PIXEL] = { "pixel", APP_TEXT, 0, 0 },
    [WIDTH] = { "width", APP_INTEGER, 0, 0 },
    [HEIGHT] = { "height", APP_INTEGER, 0, 0 },
    [PART_WIDTH] = { "template_width", APP_INTEGER, 0, 0 },
    [PART_HEIGHT] = { "template_height", APP_INTEGER, 0, 0 },
    [MS] = { "ms", APP_REAL, 6, 3 },
    [GMAC] = { "gmac_s", APP_REAL, 6, 1 },
    [GPIXEL] = { "gpixel_s", APP_REAL, 6, 3 },
    [END_TO_END] = { "end_to_end_ms", APP_REAL, 6, 3 },
    [FLOOR] = { "floor_ms", APP_REAL, 6, 3 },
    [RATIO] = { "ratio", APP_REAL, 6, 1 },
    [CHECKED] = { "checked", APP_TEXT, 0, 0 },
};

typedef struct bench {
    const app_options *options;
    app_session session;
    cm_context *checker; /* CPU engine, for the reference kernel */
    double host_rate;    /* bytes a second, read and written, of a copy */
    double device_rate;  /* 0 without a CUDA device */
    int wrong;
    app_rows rows;
} bench;

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

/* What one kernel works with. */
typedef struct trial {
    cm_plan *plan;
    cm_template *part;
    cm_filter *filter;
} trial;

static cm_status open_trial(const bench *b, const app_bench_case *c, const char *kernel, trial *t, app_error *error)
{
    memset(t, 0, sizeof *t);
    cm_status status = cm_plan_create(b->session.context, &c->problem, &(cm_preference){ .kernel = kernel }, &t->plan);
    if (!status && c->problem.task == CM_TASK_MATCH)
        status = cm_template_create(b->session.context, &c->pixels, &t->part);
    else if (!status)
        status = cm_filter_create(b->session.context, c->coefficients, c->problem.width, c->problem.height, NULL,
                                  &t->filter);
    return status ? app_session_fail(&b->session, status, kernel, error) : CM_OK;
}

static void close_trial(trial *t)
{
    cm_plan_destroy(t->plan);
    cm_template_destroy(t->part);
    cm_filter_destroy(t->filter);
}

/* The whole call, from the host's image to the host's map: the median after one run that is not counted (unless it was
 * long). */
static cm_status time_host(const bench *b, const app_bench_case *c, const trial *t, const char *kernel, double *ms,
                           app_error *error)
{
    static double took[MAX_REPEAT + 1];
    int count = 0;
    for (int i = 0; i <= b->options->repeat; i++) {
        double start = now_ms();
        cm_status status = t->part ? cm_plan_correlate(t->plan, &c->image, t->part, &c->map, NULL)
                                   : cm_plan_convolve(t->plan, &c->image, t->filter, &c->map, NULL);
        if (status)
            return app_session_fail(&b->session, status, kernel, error);
        took[count] = now_ms() - start;
        if (i == 0 && took[0] < long_run_ms)
            continue;
        count++;
        if (took[count - 1] >= long_run_ms)
            break;
    }
    qsort(took, (size_t)count, sizeof took[0], by_value);
    *ms = took[count / 2];
    return CM_OK;
}

static cm_status add_row(bench *b, const app_bench_case *c, const char *kernel, double ms, double end_to_end,
                         const char *checked, app_error *error)
{
    const char *device = app_session_device(&b->session, kernel);
    const double rate = strcmp(device, "cpu") == 0 ? b->host_rate : b->device_rate;
    /* Every pixel is read once, every score written once. */
    const double bytes =
        (double)c->image.width * c->image.height * (double)cm_pixel_size(c->problem.pixel) + 4.0 * app_bench_pixels(c);
    const double least = rate > 0.0 ? bytes / rate * 1e3 : (double)NAN;
    const int match = c->problem.task == CM_TASK_MATCH;
    const app_value row[COLUMNS] = {
        [DEVICE].text = device,
        [KERNEL].text = kernel,
        [METHOD].text = match ? cm_method_name(c->problem.method) : "convolve",
        [PIXEL].text = cm_pixel_name(c->problem.pixel),
        [WIDTH].integer = c->image.width,
        [HEIGHT].integer = c->image.height,
        [PART_WIDTH].integer = c->problem.width,
        [PART_HEIGHT].integer = c->problem.height,
        [MS].real = ms,
        [GMAC].real = app_bench_macs(c) / ms * 1e-6,
        [GPIXEL].real = app_bench_pixels(c) / ms * 1e-6,
        [END_TO_END].real = end_to_end,
        [FLOOR].real = least,
        [RATIO].real = ms / least,
        [CHECKED].text = checked,
    };
    return app_rows_add(&b->rows, row) ? CM_OK : app_fail(error, CM_ERROR_MEMORY, "out of memory");
}

static cm_status bench_kernel(bench *b, app_bench_case *c, const char *kernel, app_error *error)
{
    trial t;
    double ms = 0.0, end_to_end = 0.0;
    int exact = 0, device_exact = 1;
    const int cpu = strcmp(app_session_device(&b->session, kernel), "cpu") == 0;
    cm_status status = open_trial(b, c, kernel, &t, error);
    if (!status)
        status = time_host(b, c, &t, kernel, &end_to_end, error);
    if (!status)
        status = app_bench_check(b->checker, c, &exact, error);
    ms = end_to_end;
    if (!status && !cpu) {
        const app_device_job job = {
            t.plan, &c->image, t.part, t.filter, &c->map, b->options->device.cuda_index, b->options->repeat
        };
        memset(c->map.data, 0xff, (size_t)c->map.width * (size_t)c->map.height * sizeof(float));
        status = app_device_time(&job, &ms, error);
        if (!status)
            status = app_bench_check(b->checker, c, &device_exact, error);
    }
    exact = exact && device_exact;
    b->wrong += !exact;
    if (!status)
        status = add_row(b, c, kernel, ms, end_to_end, exact ? "exact" : "WRONG", error);
    close_trial(&t);
    return status;
}

/* Whether --kernel, if it was given, means this one. */
static int is_wanted(const app_options *o, const char *kernel, double macs)
{
    if (!o->kernel)
        return macs <= reference_macs || strcmp(kernel, "reference") != 0;
    size_t length = strlen(o->kernel);
    return strncmp(kernel, o->kernel, length) == 0 && (kernel[length] == 0 || kernel[length] == '-');
}

static cm_status bench_case(bench *b, const cm_problem *problem, app_error *error)
{
    const char *kernel[KERNELS];
    app_bench_case c;
    cm_status status = app_bench_case_open(problem, &c, error);
    size_t count = status ? 0 : cm_kernels(b->session.context, problem, kernel, KERNELS);
    for (size_t i = 0; i < count && i < KERNELS && !status; i++)
        if (is_wanted(b->options, kernel[i], app_bench_macs(&c)))
            status = bench_kernel(b, &c, kernel[i], error);
    app_bench_case_close(&c);
    return status;
}

static cm_status bench_sizes(bench *b, cm_task task, app_error *error)
{
    static const app_sizes images = { { { 1920, 1080 } }, 1 };
    static const app_sizes parts = { { { 8, 8 }, { 16, 16 }, { 32, 32 }, { 64, 64 } }, 4 };
    static const app_sizes filters = { { { 3, 3 }, { 5, 5 }, { 27, 27 } }, 3 };
    const app_options *o = b->options;
    const app_sizes *image = o->sizes.count ? &o->sizes : &images;
    const app_sizes *part = o->templates.count ? &o->templates : task == CM_TASK_MATCH ? &parts : &filters;
    cm_status status = CM_OK;
    for (int i = 0; i < image->count * part->count && !status; i++) {
        const app_size s = image->size[i / part->count], p = part->size[i % part->count];
        if (task == CM_TASK_CONVOLVE && (p.width > CM_MAX_FILTER || p.height > CM_MAX_FILTER))
            continue;
        const cm_problem problem = { .task = task,
                                     .pixel = o->pixel,
                                     .image_width = s.width,
                                     .image_height = s.height,
                                     .width = p.width,
                                     .height = p.height,
                                     .method = o->method,
                                     .mode = o->mode };
        status = bench_case(b, &problem, error);
    }
    return status;
}

static void print_rows(const bench *b)
{
    if (b->options->format != APP_JSON) {
        app_rows_print(stdout, &b->rows, 0, b->options->format);
        return;
    }
    printf("{\n  \"device\": ");
    app_json_string(stdout, b->session.device);
    printf(",\n  \"version\": \"%s\",\n  \"host_copy_gb_s\": %.6g,\n  \"device_copy_gb_s\": %.6g,\n  \"rows\": ",
           cm_version(), b->host_rate * 1e-9, b->device_rate * 1e-9);
    app_rows_print(stdout, &b->rows, 0, APP_JSON);
    printf("\n}\n");
}

cm_status app_bench(const app_options *o, app_error *error)
{
    bench b = { .options = o, .rows = { .columns = columns, .width = COLUMNS } };
    cm_status status = app_session_open(o, &b.session, error);
    if (status)
        return status;
    status =
        cm_context_create(&(cm_context_options){ .device = CM_DEVICE_CPU, .threads = o->device.threads }, &b.checker);
    if (status)
        app_fail(error, status, "cannot start the CPU engine: %s", cm_status_string(status));
    b.host_rate = host_copy_rate();
    if (!status && strcmp(b.session.device, "cpu") != 0)
        status = app_device_copy_rate(o->device.cuda_index, &b.device_rate, error);
    if (!status && o->task != APP_TASK_CONVOLVE)
        status = bench_sizes(&b, CM_TASK_MATCH, error);
    if (!status && o->task != APP_TASK_MATCH)
        status = bench_sizes(&b, CM_TASK_CONVOLVE, error);
    if (!status && b.rows.count == 0)
        status = app_blame_usage(error,
                                 app_fail(error, CM_ERROR_ARGUMENT, "no kernel to time: none can serve these sizes%s%s",
                                          o->kernel ? ", or none is called " : "", o->kernel ? o->kernel : ""));
    if (!status) {
        print_rows(&b);
        status = app_finish_stdout(error);
    }
    if (!status && b.wrong)
        status = app_fail(error, CM_ERROR_INTERNAL, "%d results differ from the reference kernel's; please report this",
                          b.wrong);
    cm_context_destroy(b.checker);
    app_session_close(&b.session);
    app_rows_free(&b.rows);
    return status;
}
