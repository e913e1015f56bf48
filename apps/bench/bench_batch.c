/* SPDX-License-Identifier: BSD-2-Clause */
/* The table `batch`: the best match of each of many templates of one size on one image
 * (xncc_batch). The matches are compared with what the CPU engine finds for each template
 * alone. */
#include "bench_run.h"
#include "device_timer.h"
#include "exactncc/batch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* How many templates are also checked with another kind of CPU kernel. */
enum { OTHER_KIND = 8 };

static const bench_column columns[] = {
    BENCH_DEVICE,        BENCH_KERNEL,      BENCH_METHOD,       BENCH_PIXEL,     BENCH_WIDTH,
    BENCH_HEIGHT,        BENCH_TEMPL_WIDTH, BENCH_TEMPL_HEIGHT, BENCH_TEMPLATES, BENCH_MS,
    BENCH_END_TO_END_MS, BENCH_MS_EACH,     BENCH_TMAC_S,       BENCH_CHECKED,   BENCH_COLUMNS,
};

typedef struct batch {
    bench_case c;
    size_t count;
    void *pixels; /* of all templates, one after the other */
    xncc_peak_rule peaks;
    xncc_match *expected;
    size_t *expected_found;
    int is_expected; /* 1: expected and expected_found are valid */
    /* For the kernel that is timed: */
    const char *kernel;
    xncc_batch *together;
    xncc_template **templ;
    xncc_image image;
    xncc_candidate *match;
    size_t found;
} batch;

static xncc_image batch_pixels(const batch *b, size_t i)
{
    xncc_image view = b->c.pixels;
    const size_t size = (size_t)view.width * (size_t)view.height * (size_t)b->c.problem.channels *
                        xncc_pixel_size(view.pixel);
    view.data = (const char *)b->pixels + i * size;
    return view;
}

static xncc_status open_batch(const xncc_problem *problem, size_t count, batch *b, app_error *error)
{
    const size_t templ = (size_t)problem->templ_width * (size_t)problem->templ_height *
                         (size_t)problem->channels;
    *b = (batch){ .count = count, .peaks = XNCC_PEAK_RULE_INIT };
    b->peaks.top = 1;
    b->peaks.min_score = -INFINITY;
    xncc_status status = bench_case_open(problem, &b->c, error);
    if (status)
        return status;
    b->pixels = calloc(count * templ, xncc_pixel_size(problem->pixel));
    b->match = calloc(count, sizeof *b->match);
    b->expected = calloc(count, sizeof *b->expected);
    b->expected_found = calloc(count, sizeof *b->expected_found);
    b->templ = calloc(count, sizeof *b->templ);
    if (!b->pixels || !b->match || !b->expected || !b->expected_found || !b->templ)
        return app_fail(error, XNCC_ERROR_MEMORY,
                        "out of memory for %zu templates of %d x %d; give a smaller --batch", count,
                        problem->templ_width, problem->templ_height);
    bench_fill(b->pixels, problem->pixel, count * templ, 4);
    return XNCC_OK;
}

static void close_kernel(batch *b)
{
    xncc_batch_destroy(b->together);
    b->together = NULL;
    for (size_t i = 0; b->templ && i < b->count; i++) {
        xncc_template_destroy(b->templ[i]);
        b->templ[i] = NULL;
    }
}

static void close_batch(batch *b)
{
    close_kernel(b);
    free(b->pixels);
    free(b->match);
    free(b->expected);
    free(b->expected_found);
    free(b->templ);
    bench_case_close(&b->c);
}

static xncc_status open_kernel(const bench_run *run, batch *b, const char *kernel, app_error *error)
{
    xncc_context *context = bench_context(run, &b->c.problem, kernel);
    xncc_problem problem = b->c.problem;
    xncc_preference preference = XNCC_PREFERENCE_INIT;
    xncc_batch_options options = XNCC_BATCH_OPTIONS_INIT;
    xncc_error why;
    xncc_status status = XNCC_OK;
    b->kernel = kernel;
    for (size_t i = 0; i < b->count && !status; i++) {
        const xncc_image pixels = batch_pixels(b, i);
        status = xncc_template_create(context, &pixels, &b->templ[i], &why);
    }
    problem.templ_width = problem.templ_height = problem.templ_masked = 0;
    preference.kernel = kernel;
    options.peaks = b->peaks;
    options.capacity = b->count;
    if (!status)
        status = xncc_batch_create(context, &problem, &preference,
                                   (const xncc_template *const *)b->templ, b->count, &options,
                                   &b->together, &why);
    return app_pass_on(error, status, kernel, &why);
}

/* Finds the best match of every stride-th template, from the first on, with a kernel of the CPU
 * engine and one call per template. */
static xncc_status expect_each(const bench_run *run, batch *b, const char *kernel, size_t stride,
                               app_error *error)
{
    xncc_plan *plan = NULL;
    xncc_error why;
    xncc_status status = bench_plan(run->checker, &b->c.problem, kernel, &plan, &why);
    for (size_t i = 0; i < b->count && !status; i += stride) {
        const xncc_image pixels = batch_pixels(b, i);
        xncc_template *templ = NULL;
        status = xncc_template_create(run->checker, &pixels, &templ, &why);
        if (!status)
            status = xncc_plan_find(plan, &b->c.image, templ, &b->peaks, &b->expected[i], 1,
                                    &b->expected_found[i], NULL, &why);
        xncc_template_destroy(templ);
    }
    xncc_plan_destroy(plan);
    return app_pass_on(error, status, kernel, &why);
}

static xncc_status expect(const bench_run *run, batch *b, const char *timed, app_error *error)
{
    const char *best = timed, *other = bench_checker(run, &b->c.problem, timed);
    bench_choose(run, &b->c.problem, BENCH_BEST_CPU, &best);
    xncc_status status = b->is_expected ? XNCC_OK : expect_each(run, b, best, 1, error);
    b->is_expected = !status;
    const size_t stride = (b->count + OTHER_KIND - 1) / OTHER_KIND;
    return status || strcmp(best, other) == 0 ? status : expect_each(run, b, other, stride, error);
}

static xncc_status call_batch(void *state, app_error *error)
{
    batch *b = state;
    xncc_error why;
    memset(b->match, 0xff, b->count * sizeof *b->match);
    const xncc_status status = xncc_batch_find(b->together, &b->image, b->match, &b->found, NULL,
                                               &why);
    return app_pass_on(error, status, b->kernel, &why);
}

static int by_template(const void *a, const void *b)
{
    return ((const xncc_candidate *)a)->templ - ((const xncc_candidate *)b)->templ;
}

/* Sorts the matches by template. */
static int is_as_expected(batch *b)
{
    if (b->found != b->count)
        return 0;
    qsort(b->match, b->count, sizeof *b->match, by_template);
    for (size_t i = 0; i < b->count; i++) {
        const xncc_match *m = &b->match[i].match, *e = &b->expected[i];
        if (b->match[i].templ != (int32_t)i || b->expected_found[i] != 1 || m->x != e->x ||
            m->y != e->y || memcmp(&m->score, &e->score, sizeof(float)) != 0)
            return 0;
    }
    return 1;
}

/* Times the call with the image in host memory, and for a CUDA kernel also in device memory. The
 * matches go to host memory. */
static xncc_status time_batch(const bench_run *run, batch *b, bench_time *time, app_error *error)
{
    b->image = b->c.image;
    xncc_status status = bench_wall(run, call_batch, b, &time->end_to_end, error);
    time->ms = time->end_to_end;
    time->exact = !status && is_as_expected(b);
    if (status || bench_on_cpu(run, &b->c.problem, b->kernel))
        return status;
    status = device_image(&b->c.image, run->options->common.device.cuda_index, &b->image, error);
    if (!status) {
        status = bench_wall(run, call_batch, b, &time->ms, error);
        time->exact = time->exact && !status && is_as_expected(b);
    }
    device_free(b->image.data);
    return status;
}

static xncc_status add_batch(bench_run *run, bench_section *section, batch *b, const char *kernel,
                             app_error *error)
{
    bench_time time = { 0 };
    bench_note_set(&run->note, "timing %s: %zu templates", kernel, b->count);
    xncc_status status = expect(run, b, kernel, error);
    if (!status)
        status = open_kernel(run, b, kernel, error);
    if (!status)
        status = time_batch(run, b, &time, error);
    close_kernel(b);
    if (status)
        return status;
    run->wrong += !time.exact;
    bench_row row = bench_row_of(run, &b->c, kernel, time.exact);
    app_value *v = row.value;
    v[BENCH_TEMPLATES].integer = (int64_t)b->count;
    v[BENCH_MS].real = time.ms;
    v[BENCH_END_TO_END_MS].real = time.end_to_end;
    v[BENCH_MS_EACH].real = time.ms / (double)b->count;
    v[BENCH_TMAC_S].real = bench_macs(&b->c) * (double)b->count / time.ms * 1e-9;
    return bench_section_row(section, &row, error);
}

xncc_status bench_batch(bench_run *run, app_error *error)
{
    const app_options *o = &run->options->common;
    const app_size templ = o->templates.count ? o->templates.size[0] : (app_size){ 64, 64 };
    const xncc_problem problem = app_options_problem(o, XNCC_TASK_MATCH,
                                                     bench_image_size(run, 1920, 1080), templ);
    const char *kernel[BENCH_KERNELS];
    bench_section *section = bench_section_add(
        &run->report, "batch", "The best match of each of many templates on one image", columns);
    batch b;
    xncc_status status = open_batch(&problem, (size_t)run->options->batch, &b, error);
    const size_t count = status ? 0 : bench_choose(run, &problem, BENCH_BOTH, kernel);
    for (size_t i = 0; i < count && !status; i++)
        status = add_batch(run, section, &b, kernel[i], error);
    close_batch(&b);
    return status;
}
