/* SPDX-License-Identifier: BSD-2-Clause */
/* The table `find`: the best 16 matches, at least 8 pixels apart. Timed in device memory, and from
 * an image in pageable host memory, next to the copy of that image alone and to the whole map. The
 * matches are compared with those of the CPU engine. */
#include "bench_run.h"
#include "device_timer.h"

#include <math.h>
#include <string.h>

enum { TOP = 16, DISTANCE = 8 };

static const bench_column columns[] = {
    BENCH_DEVICE,  BENCH_KERNEL,      BENCH_METHOD,        BENCH_PIXEL,   BENCH_WIDTH,
    BENCH_HEIGHT,  BENCH_TEMPL_WIDTH, BENCH_TEMPL_HEIGHT,  BENCH_FOUND,   BENCH_MAP_MS,
    BENCH_MS,      BENCH_CALL_MS,     BENCH_END_TO_END_MS, BENCH_COPY_MS, BENCH_PINNED_COPY_MS,
    BENCH_REST_MS, BENCH_OVER_COPY,   BENCH_CHECKED,       BENCH_COLUMNS,
};

typedef struct result {
    xncc_match match[TOP];
    size_t found;
} result;

/* One search, by one kernel. */
typedef struct search {
    const bench_case *c;
    const char *kernel;
    xncc_peak_rule peaks;
    xncc_plan *plan;
    xncc_template *templ;
    const xncc_image *image; /* the image that call_search uses */
    result got;
} search;

static xncc_status open_search(const bench_run *run, const bench_case *c, const char *kernel,
                               search *s, app_error *error)
{
    xncc_context *context = bench_context(run, &c->problem, kernel);
    xncc_error why;
    *s = (search){ .c = c, .kernel = kernel, .peaks = XNCC_PEAK_RULE_INIT, .image = &c->image };
    s->peaks.top = TOP;
    s->peaks.min_distance = DISTANCE;
    s->peaks.min_score = -INFINITY;
    xncc_status status = bench_plan(context, &c->problem, kernel, &s->plan, &why);
    if (!status)
        status = xncc_template_create(context, &c->pixels, &s->templ, &why);
    return app_pass_on(error, status, kernel, &why);
}

static void close_search(search *s)
{
    xncc_plan_destroy(s->plan);
    xncc_template_destroy(s->templ);
}

static xncc_status call_search(void *state, app_error *error)
{
    search *s = state;
    xncc_error why;
    memset(&s->got, 0xff, sizeof s->got);
    const xncc_status status = xncc_plan_find(s->plan, s->image, s->templ, &s->peaks, s->got.match,
                                              TOP, &s->got.found, NULL, &why);
    return app_pass_on(error, status, s->kernel, &why);
}

static int same_result(const result *a, const result *b)
{
    if (a->found != b->found || a->found > TOP)
        return 0;
    for (size_t i = 0; i < a->found; i++)
        if (a->match[i].x != b->match[i].x || a->match[i].y != b->match[i].y ||
            memcmp(&a->match[i].score, &b->match[i].score, sizeof(float)) != 0)
            return 0;
    return 1;
}

/* Computes the expected matches on the CPU, with another kind of kernel than the one to be timed.
 */
static xncc_status expect(const bench_run *run, const bench_case *c, const char *timed,
                          result *expected, app_error *error)
{
    search s;
    const char *kernel = bench_checker(run, &c->problem, timed);
    xncc_status status = open_search(run, c, kernel, &s, error);
    if (!status)
        status = call_search(&s, error);
    *expected = s.got;
    close_search(&s);
    return status;
}

typedef struct times {
    double map, ms, call, end_to_end, copy, pinned;
    size_t found;
    int exact;
} times;

/* Times the search with image and matches in device memory, and the copies of the image. */
static xncc_status time_device(const bench_run *run, search *s, const result *expected, times *t,
                               app_error *error)
{
    const int32_t index = run->options->common.device.cuda_index;
    result got = { .found = TOP + 1 };
    xncc_image view;
    const device_job job = { .plan = s->plan,
                             .image = &s->c->image,
                             .templ = s->templ,
                             .peaks = &s->peaks,
                             .match = got.match,
                             .found = &got.found,
                             .cuda_index = index,
                             .repeat = run->options->repeat };
    device_copy copy = { &s->c->image, NULL, 0, index, run->options->repeat };
    xncc_status status = device_time(&job, &t->ms, error);
    t->exact = t->exact && !status && same_result(&got, expected);
    if (!status)
        status = device_copy_time(&copy, &t->copy, error);
    copy.pinned = 1;
    if (!status)
        status = device_copy_time(&copy, &t->pinned, error);
    if (status)
        return status;
    status = device_image(&s->c->image, index, &view, error);
    if (!status) {
        s->image = &view;
        status = bench_wall(run, call_search, s, &t->call, error);
        t->exact = t->exact && !status && same_result(&s->got, expected);
    }
    s->image = &s->c->image;
    device_free(view.data);
    return status;
}

static xncc_status time_search(bench_run *run, bench_case *c, const char *kernel, times *t,
                               app_error *error)
{
    search s;
    result expected;
    bench_time map;
    xncc_status status = bench_measure(run, c, kernel, &map, error);
    if (!status)
        status = expect(run, c, kernel, &expected, error);
    if (status)
        return status;
    *t = (times){ .map = map.ms, .call = NAN, .copy = NAN, .pinned = NAN };
    status = open_search(run, c, kernel, &s, error);
    if (!status)
        status = bench_wall(run, call_search, &s, &t->end_to_end, error);
    t->exact = !status && same_result(&s.got, &expected);
    t->found = s.got.found;
    t->ms = t->end_to_end;
    if (!status && !bench_on_cpu(run, &c->problem, kernel))
        status = time_device(run, &s, &expected, t, error);
    close_search(&s);
    run->wrong += !status && !t->exact;
    t->exact = t->exact && map.exact;
    return status;
}

static xncc_status add_search(bench_run *run, bench_section *section, bench_case *c,
                              const char *kernel, app_error *error)
{
    times t;
    xncc_status status = time_search(run, c, kernel, &t, error);
    if (status)
        return status;
    bench_row row = bench_row_of(run, c, kernel, t.exact);
    app_value *v = row.value;
    v[BENCH_FOUND].integer = (int64_t)t.found;
    v[BENCH_MAP_MS].real = t.map;
    v[BENCH_MS].real = t.ms;
    v[BENCH_CALL_MS].real = t.call;
    v[BENCH_END_TO_END_MS].real = t.end_to_end;
    v[BENCH_COPY_MS].real = t.copy;
    v[BENCH_PINNED_COPY_MS].real = t.pinned;
    v[BENCH_REST_MS].real = t.end_to_end - t.copy - t.ms;
    v[BENCH_OVER_COPY].real = t.end_to_end / t.copy;
    return bench_section_row(section, &row, error);
}

static xncc_status find_case(bench_run *run, bench_section *section, app_size image, app_size templ,
                             app_error *error)
{
    const xncc_problem problem = app_options_problem(&run->options->common, XNCC_TASK_MATCH, image,
                                                     templ);
    return bench_visit_kernels(run, section, &problem, BENCH_BOTH, add_search, error);
}

xncc_status bench_find(bench_run *run, app_error *error)
{
    static const app_size images[] = { { 1920, 1080 }, { 8192, 8192 } },
                          templs[] = { { 32, 32 }, { 64, 64 } };
    const app_options *o = &run->options->common;
    const app_sizes *size = &o->sizes, *templ = &o->templates;
    bench_section *section = bench_section_add(
        &run->report, "find", "The best 16 matches, at least 8 pixels apart", columns);
    xncc_status status = XNCC_OK;
    if (size->count == 0 && templ->count == 0) {
        for (int i = 0; i < 2 && !status; i++)
            status = find_case(run, section, images[i], templs[i], error);
        return status;
    }
    const int wide = size->count ? size->count : 1, deep = templ->count ? templ->count : 1;
    for (int i = 0; i < wide * deep && !status; i++)
        status = find_case(run, section, size->count ? size->size[i / deep] : images[0],
                           templ->count ? templ->size[i % deep] : templs[1], error);
    return status;
}
