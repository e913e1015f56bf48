/* SPDX-License-Identifier: BSD-2-Clause */
/* A run of exactncc-bench: its contexts and rates, the choice of kernels, and timing. */
#include "bench_run.h"

#include "bench_clock.h"
#include "device_timer.h"
#include "pixels.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_REPEAT = 10000 };

static const double long_run_ms = 1000.0; /* a longer run is not repeated */

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
        double start = bench_now_ms();
        memcpy(to, from, BYTES);
        took[i] = bench_now_ms() - start;
        from[i] = to[BYTES - 1 - i]; /* so that no copy is optimized away */
    }
    free(from);
    free(to);
    return 2.0 * BYTES / (bench_median(took, RUNS) * 1e-3);
}

/* Whether a kernel has a name or belongs to the family of that name, which is the first `length`
 * characters of a text. */
static int has_name(const char *kernel, const char *name, size_t length)
{
    return strncmp(kernel, name, length) == 0 && (kernel[length] == 0 || kernel[length] == '-');
}

/* Fails if --kernel has a name that no kernel of the library has. */
static xncc_status check_names(const char *name, app_error *error)
{
    while (name) {
        const size_t length = strcspn(name, ",");
        xncc_kernel_info k = XNCC_KERNEL_INFO_INIT;
        int known = 0;
        for (size_t i = 0; !known && i < xncc_kernel_count(); i++) {
            xncc_kernel_describe(i, &k, NULL);
            known = has_name(k.name, name, length);
        }
        if (!known)
            return app_fail(error, app_blame_usage(error, XNCC_ERROR_ARGUMENT),
                            "nothing to time: no kernel with the name %.*s can serve these sizes, "
                            "because none has it; exactncc info --kernels lists them",
                            (int)length, name);
        name = name[length] ? name + length + 1 : NULL;
    }
    return XNCC_OK;
}

xncc_status bench_open(const bench_options *options, bench_run *run, app_error *error)
{
    const app_options *common = &options->common;
    xncc_context_options cpu = XNCC_CONTEXT_OPTIONS_INIT;
    xncc_error why;
    memset(run, 0, sizeof *run);
    run->options = options;
    xncc_status status = check_names(common->kernel, error);
    if (status)
        return status;
    if (!common->quiet)
        bench_note_start(&run->note);
    status = app_session_open(common, &run->session, error);
    if (status)
        return status;
    bench_note_set(&run->note, "measuring copy rates");
    run->cuda = run->report.cuda = strcmp(run->session.device, "cpu") != 0;
    cpu.device = XNCC_DEVICE_CPU;
    cpu.threads = common->device.threads;
    status = xncc_context_create(&cpu, &run->checker, &why);
    if (status)
        return app_pass_on(error, status, "cannot start the CPU engine", &why);
    run->host_rate = host_copy_rate();
    if (run->cuda)
        status = device_copy_rate(common->device.cuda_index, &run->device_rate, error);
    if (!status && run->cuda)
        status = device_mac_rate(common->device.cuda_index, &run->mac_rate, error);
    return status;
}

void bench_close(bench_run *run)
{
    bench_note_stop(&run->note);
    bench_report_free(&run->report);
    xncc_context_destroy(run->checker);
    app_session_close(&run->session);
}

xncc_status bench_print(const bench_run *run, app_error *error)
{
    const app_format format = run->options->common.format;
    if (format == APP_JSON) {
        printf("{\n  \"device\": ");
        app_json_string(stdout, run->session.device);
        printf(",\n  \"version\": \"%s\",\n  \"host_copy_gb_s\": %.6g,\n"
               "  \"device_copy_gb_s\": %.6g,\n  \"device_tmac_s\": %.6g",
               xncc_version(), run->host_rate * 1e-9, run->device_rate * 1e-9,
               run->mac_rate * 1e-12);
        bench_report_print_json(&run->report);
        printf("\n}\n");
        return app_finish_stdout(error);
    }
    if (format == APP_MARKDOWN)
        printf("exactncc %s on %s. Copy rate in host memory %.1f GB/s, in device memory %.0f GB/s; "
               "8-bit tensor cores %.0f T multiply-adds per second.\n\n",
               xncc_version(), run->session.device, run->host_rate * 1e-9, run->device_rate * 1e-9,
               run->mac_rate * 1e-12);
    if (!run->cuda &&
        (format == APP_MARKDOWN || (format == APP_TABLE && run->report.section[0].title)))
        printf("No CUDA device is used: the CPU's figures only.\n%s",
               format == APP_MARKDOWN ? "\n" : "");
    bench_report_print(&run->report, format);
    return app_finish_stdout(error);
}

int bench_on_cpu(const bench_run *run, const xncc_problem *problem, const char *kernel)
{
    const char *name[BENCH_KERNELS];
    const size_t count = xncc_kernel_list(run->checker, problem, name, BENCH_KERNELS);
    for (size_t i = 0; i < count && i < BENCH_KERNELS; i++)
        if (strcmp(name[i], kernel) == 0)
            return 1;
    return 0;
}

/* Keeps those kernels that --kernel asks for: of several names, the first that any of them has.
 * Returns their number. */
static size_t keep_wanted(const bench_run *run, const char **kernel, size_t count)
{
    const char *name = run->options->common.kernel;
    size_t kept = 0;
    if (!name)
        return count;
    for (;; name++) {
        const size_t length = strcspn(name, ",");
        for (size_t i = 0; i < count; i++)
            if (has_name(kernel[i], name, length))
                kernel[kept++] = kernel[i];
        name += length;
        if (kept || *name == 0)
            return kept;
    }
}

/* The fastest kernel of the CPU or of the device by the decision's estimate; NULL: there is none.
 */
static const char *best_kernel(const bench_run *run, const xncc_problem *problem, int cpu)
{
    const char *kernel[BENCH_KERNELS];
    const size_t count = xncc_kernel_list(cpu ? run->checker : run->session.context, problem,
                                          kernel, BENCH_KERNELS);
    for (size_t i = 0; i < count && i < BENCH_KERNELS; i++)
        if (bench_on_cpu(run, problem, kernel[i]) == cpu)
            return kernel[i];
    return NULL;
}

size_t bench_choose(const bench_run *run, const xncc_problem *problem, bench_pick pick,
                    const char **kernel)
{
    const char *name[BENCH_KERNELS];
    size_t count = 0;
    if (pick == BENCH_BEST_CPU ||
        (pick <= BENCH_BOTH && pick != BENCH_ALL && !run->options->common.kernel)) {
        const char *cuda = pick != BENCH_BEST_CPU && run->cuda ? best_kernel(run, problem, 0)
                                                               : NULL;
        const char *cpu = cuda && pick == BENCH_BEST ? NULL : best_kernel(run, problem, 1);
        if (cuda)
            kernel[count++] = cuda;
        if (cpu)
            kernel[count++] = cpu;
        return count;
    }
    const size_t all = xncc_kernel_list(run->session.context, problem, name, BENCH_KERNELS);
    for (size_t i = 0; i < all && i < BENCH_KERNELS; i++)
        if (!(pick == BENCH_CUDA && bench_on_cpu(run, problem, name[i])))
            kernel[count++] = name[i];
    return keep_wanted(run, kernel, count);
}

xncc_status bench_visit_kernels(bench_run *run, bench_section *section, const xncc_problem *problem,
                                bench_pick pick, bench_visit *visit, app_error *error)
{
    const char *kernel[BENCH_KERNELS];
    bench_case c;
    xncc_status status = bench_case_open(problem, &c, error);
    const size_t count = status ? 0 : bench_choose(run, problem, pick, kernel);
    for (size_t i = 0; i < count && !status; i++)
        status = visit(run, section, &c, kernel[i], error);
    bench_case_close(&c);
    return status;
}

const char *bench_checker(const bench_run *run, const xncc_problem *problem, const char *timed)
{
    const char *name[BENCH_KERNELS];
    const double macs = (double)problem->image_width * (double)problem->image_height *
                        (double)problem->templ_width * (double)problem->templ_height *
                        (double)problem->channels;
    const size_t count = xncc_kernel_list(run->checker, problem, name, BENCH_KERNELS);
    for (size_t i = 0; i < count && i < BENCH_KERNELS; i++)
        if (!bench_same_kind(timed, name[i]) && strcmp(name[i], "reference") != 0 &&
            (macs > bench_reference_macs || strcmp(timed, "reference") == 0))
            return name[i];
    return "reference";
}

xncc_status bench_wall(const bench_run *run, bench_call *call, void *state, double *ms,
                       app_error *error)
{
    static double took[MAX_REPEAT + 1]; /* one thread measures */
    int count = 0;
    for (int i = 0; i <= run->options->repeat; i++) {
        double start = bench_now_ms();
        xncc_status status = call(state, error);
        if (status)
            return status;
        took[count] = bench_now_ms() - start;
        if (i == 0 && took[0] < long_run_ms)
            continue;
        count++;
        if (took[count - 1] >= long_run_ms)
            break;
    }
    *ms = bench_median(took, count);
    return XNCC_OK;
}

xncc_context *bench_context(const bench_run *run, const xncc_problem *problem, const char *kernel)
{
    return bench_on_cpu(run, problem, kernel) ? run->checker : run->session.context;
}

xncc_status bench_plan(xncc_context *context, const xncc_problem *problem, const char *kernel,
                       xncc_plan **plan, xncc_error *why)
{
    xncc_preference preference = XNCC_PREFERENCE_INIT;
    preference.kernel = kernel;
    return xncc_plan_create(context, problem, &preference, plan, why);
}

/* A case bound to one kernel. */
typedef struct trial {
    bench_case *c;
    const char *kernel;
    xncc_plan *plan;
    xncc_template *templ;
    xncc_filter *filter;
} trial;

static xncc_status open_trial(const bench_run *run, bench_case *c, const char *kernel, trial *t,
                              app_error *error)
{
    xncc_context *context = bench_context(run, &c->problem, kernel);
    xncc_error why;
    *t = (trial){ .c = c, .kernel = kernel };
    xncc_status status = bench_plan(context, &c->problem, kernel, &t->plan, &why);
    if (!status && c->problem.task == XNCC_TASK_MATCH)
        status = xncc_template_create(context, &c->pixels, &t->templ, &why);
    else if (!status)
        status = xncc_filter_create(context, c->coefficients, c->problem.templ_width,
                                    c->problem.templ_height, NULL, &t->filter, &why);
    return app_pass_on(error, status, kernel, &why);
}

static void close_trial(trial *t)
{
    xncc_plan_destroy(t->plan);
    xncc_template_destroy(t->templ);
    xncc_filter_destroy(t->filter);
}

static xncc_status call_trial(void *state, app_error *error)
{
    const trial *t = state;
    const bench_case *c = t->c;
    xncc_error why;
    const xncc_status status = t->templ ? xncc_plan_correlate(t->plan, &c->image, t->templ, &c->map,
                                                              NULL, &why)
                                        : xncc_plan_convolve(t->plan, &c->image, t->filter, &c->map,
                                                             NULL, &why);
    return app_pass_on(error, status, t->kernel, &why);
}

/* Times a map in device memory, and checks it. */
static xncc_status measure_device(bench_run *run, const trial *t, bench_time *time,
                                  app_error *error)
{
    bench_case *c = t->c;
    const device_job job = { .plan = t->plan,
                             .image = &c->image,
                             .templ = t->templ,
                             .filter = t->filter,
                             .map = &c->map,
                             .cuda_index = run->options->common.device.cuda_index,
                             .repeat = run->options->repeat };
    int exact = 0;
    /* So that a run that writes nothing is not taken for a right one. */
    memset(c->map.data, 0xff, (size_t)c->map.width * (size_t)c->map.height * sizeof(float));
    xncc_status status = device_time(&job, &time->ms, error);
    if (!status)
        exact = bench_check(c);
    time->exact = time->exact && exact;
    return status;
}

xncc_status bench_measure(bench_run *run, bench_case *c, const char *kernel, bench_time *time,
                          app_error *error)
{
    trial t;
    *time = (bench_time){ 0 };
    bench_note_set(&run->note, "timing %s: %d x %d pixels %s, %d x %d %s", kernel, c->image.width,
                   c->image.height, xncc_pixel_name(c->problem.pixel), c->problem.templ_width,
                   c->problem.templ_height,
                   c->problem.task == XNCC_TASK_MATCH ? "template" : "filter");
    xncc_status status = bench_expect(run->checker, bench_context(run, &c->problem, kernel), c,
                                      kernel, error);
    if (status)
        return status;
    status = open_trial(run, c, kernel, &t, error);
    memset(c->map.data, 0xff, (size_t)c->map.width * (size_t)c->map.height * sizeof(float));
    if (!status)
        status = bench_wall(run, call_trial, &t, &time->end_to_end, error);
    time->ms = time->end_to_end;
    if (!status) {
        time->exact = bench_check(c);
        if (!bench_on_cpu(run, &c->problem, kernel))
            status = measure_device(run, &t, time, error);
    }
    run->wrong += !status && !time->exact;
    close_trial(&t);
    return status;
}

double bench_floor(const bench_run *run, const bench_case *c, const char *kernel, const char **by)
{
    const int cpu = bench_on_cpu(run, &c->problem, kernel);
    const double rate = cpu ? run->host_rate : run->device_rate;
    const double pixels = (double)c->image.width * (double)c->image.height;
    const double samples = pixels * (double)c->problem.channels;
    const double bytes = samples * (double)xncc_pixel_size(c->problem.pixel) +
                         4.0 * bench_pixels(c);
    const double copy = rate > 0.0 ? bytes / rate * 1e3 : (double)NAN;
    /* A product of two 16-bit pixels takes four products of bytes, of two 32-bit ones sixteen;
     * floats have no integer products. */
    const double digits = (double)xncc_pixel_size(c->problem.pixel), products = digits * digits;
    const int integer = c->problem.task == XNCC_TASK_MATCH &&
                        app_pixel_kind(c->problem.pixel) != APP_FLOAT;
    *by = "bytes";
    if (cpu || !integer || !(run->mac_rate > 0.0))
        return copy;
    const double macs = products * bench_macs(c) / run->mac_rate * 1e3;
    if (macs <= copy)
        return copy;
    *by = "macs";
    return macs;
}

bench_row bench_row_of(const bench_run *run, const bench_case *c, const char *kernel, int exact)
{
    const xncc_problem *p = &c->problem;
    const int match = p->task == XNCC_TASK_MATCH;
    return (bench_row){ {
        [BENCH_DEVICE].text = bench_on_cpu(run, p, kernel) ? "cpu" : run->session.device,
        [BENCH_KERNEL].text = kernel,
        [BENCH_METHOD].text = match ? xncc_method_name(p->rule.method) : "convolve",
        [BENCH_PIXEL].text = xncc_pixel_name(p->pixel),
        [BENCH_WIDTH].integer = c->image.width,
        [BENCH_HEIGHT].integer = c->image.height,
        [BENCH_TEMPL_WIDTH].integer = p->templ_width,
        [BENCH_TEMPL_HEIGHT].integer = p->templ_height,
        [BENCH_CHECKED].text = exact ? "exact" : "WRONG",
        [BENCH_MODE].text = match ? app_mode_name(p->rule.mode) : "same",
        [BENCH_BORDER].text = app_border_name(p->rule.border),
        [BENCH_CHANNELS].integer = p->channels,
        [BENCH_MASK].text = p->templ_masked ? "yes" : "no",
    } };
}

app_size bench_image_size(const bench_run *run, int32_t width, int32_t height)
{
    const app_sizes *sizes = &run->options->common.sizes;
    return sizes->count ? sizes->size[0] : (app_size){ width, height };
}
