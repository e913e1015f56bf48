/* exactncc bench --find: the best 16 matches, at least 8 pixels apart: on the device, and from the
 * image in pageable host memory, next to what copying that image alone takes and to the whole map.
 * The matches are compared with the CPU engine's. */
#include "common/bench_run.h"
#include "common/device_bench.h"

#include <math.h>
#include <string.h>

enum { TOP = 16, DISTANCE = 8 };

enum {
    DEVICE,
    KERNEL,
    METHOD,
    PIXEL,
    WIDTH,
    HEIGHT,
    TEMPL_WIDTH,
    TEMPL_HEIGHT,
    FOUND,
    MAP,
    MS,
    CALL,
    END_TO_END,
    COPY,
    PINNED,
    REST,
    OVER_COPY,
    CHECKED,
    COLUMNS
};

/* Bits of the columns that need a device. */
static const unsigned device_columns = 1u << CALL | 1u << COPY | 1u << PINNED | 1u << REST |
                                       1u << OVER_COPY;

static const app_column columns[COLUMNS] = {
    [DEVICE] = { "device", APP_TEXT, 0, 0 },
    [KERNEL] = { "kernel", APP_TEXT, 0, 0 },
    [METHOD] = { "method", APP_TEXT, 0, 0 },
    [PIXEL] = { "pixel", APP_TEXT, 0, 0 },
    [WIDTH] = { "width", APP_INTEGER, 0, 0 },
    [HEIGHT] = { "height", APP_INTEGER, 0, 0 },
    [TEMPL_WIDTH] = { "template_width", APP_INTEGER, 0, 0 },
    [TEMPL_HEIGHT] = { "template_height", APP_INTEGER, 0, 0 },
    [FOUND] = { "found", APP_INTEGER, 0, 0 },
    [MAP] = { "map_ms", APP_REAL, 6, 4 },
    [MS] = { "ms", APP_REAL, 6, 4 },
    [CALL] = { "call_ms", APP_REAL, 6, 4 },
    [END_TO_END] = { "end_to_end_ms", APP_REAL, 6, 3 },
    [COPY] = { "copy_ms", APP_REAL, 6, 3 },
    [PINNED] = { "pinned_copy_ms", APP_REAL, 6, 3 },
    [REST] = { "rest_ms", APP_REAL, 6, 3 },
    [OVER_COPY] = { "over_copy", APP_REAL, 6, 2 },
    [CHECKED] = { "checked", APP_TEXT, 0, 0 },
};

typedef struct result {
    xncc_match match[TOP];
    size_t found;
} result;

/* One search, by one kernel. */
typedef struct search {
    const app_bench_case *c;
    const char *kernel;
    xncc_find_options find;
    xncc_plan *plan;
    xncc_template *templ;
    const xncc_image *image; /* where call_search looks */
    result got;
} search;

static xncc_status open_search(const app_bench_run *run, const app_bench_case *c,
                               const char *kernel, search *s)
{
    xncc_context *context = app_bench_context(run, kernel);
    *s = (search){ .c = c,
                   .kernel = kernel,
                   .find = { .top = TOP, .min_distance = DISTANCE, .min_score = -INFINITY },
                   .image = &c->image };
    xncc_status status = xncc_plan_create(context, &c->problem,
                                          &(xncc_preference){ .kernel = kernel }, &s->plan);
    return status ? status : xncc_template_create(context, &c->pixels, &s->templ);
}

static void close_search(search *s)
{
    xncc_plan_destroy(s->plan);
    xncc_template_destroy(s->templ);
}

static xncc_status call_search(void *state)
{
    search *s = state;
    memset(&s->got, 0xff, sizeof s->got);
    return xncc_plan_find(s->plan, s->image, s->templ, &s->find, s->got.match, TOP, &s->got.found,
                          NULL);
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

/* What the search has to find: by the CPU engine, and by another kind of kernel than the one that
 * is timed. */
static xncc_status expect(const app_bench_run *run, const app_bench_case *c, const char *timed,
                          result *expected, app_error *error)
{
    search s;
    const char *kernel = app_bench_checker(run, &c->problem, timed);
    xncc_status status = open_search(run, c, kernel, &s);
    if (!status)
        status = call_search(&s);
    *expected = s.got;
    close_search(&s);
    return status ? app_bench_fail(run, status, kernel, error) : XNCC_OK;
}

typedef struct times {
    double map, ms, call, end_to_end, copy, pinned;
    size_t found;
    int exact;
} times;

/* The same search with image and matches in device memory, and the copies of the image. */
static xncc_status time_device(const app_bench_run *run, search *s, const result *expected,
                               times *t, app_error *error)
{
    const app_options *o = run->options;
    result got = { .found = TOP + 1 };
    xncc_image view;
    const app_device_job job = { .plan = s->plan,
                                 .image = &s->c->image,
                                 .templ = s->templ,
                                 .find = &s->find,
                                 .match = got.match,
                                 .found = &got.found,
                                 .cuda_index = o->device.cuda_index,
                                 .repeat = o->repeat };
    app_device_copy copy = { &s->c->image, NULL, 0, o->device.cuda_index, o->repeat };
    xncc_status status = app_device_time(&job, &t->ms, error);
    t->exact = t->exact && !status && same_result(&got, expected);
    if (!status)
        status = app_device_copy_time(&copy, &t->copy, error);
    copy.pinned = 1;
    if (!status)
        status = app_device_copy_time(&copy, &t->pinned, error);
    if (status)
        return status;
    status = app_device_image(&s->c->image, o->device.cuda_index, &view, error);
    if (!status) {
        s->image = &view;
        status = app_bench_wall(o, call_search, s, &t->call);
        t->exact = t->exact && !status && same_result(&s->got, expected);
        if (status)
            app_bench_fail(run, status, s->kernel, error);
    }
    s->image = &s->c->image;
    app_device_image_free(&view);
    return status;
}

static xncc_status time_search(app_bench_run *run, app_bench_case *c, const char *kernel, times *t,
                               app_error *error)
{
    search s;
    result expected;
    app_bench_time map;
    xncc_status status = app_bench_measure(run, c, kernel, &map, error);
    if (!status)
        status = expect(run, c, kernel, &expected, error);
    if (status)
        return status;
    *t = (times){ .map = map.ms, .call = NAN, .copy = NAN, .pinned = NAN };
    status = open_search(run, c, kernel, &s);
    if (!status)
        status = app_bench_wall(run->options, call_search, &s, &t->end_to_end);
    t->exact = !status && same_result(&s.got, &expected);
    t->found = s.got.found;
    t->ms = t->end_to_end;
    if (status)
        app_bench_fail(run, status, kernel, error);
    else if (!app_bench_on_cpu(run, kernel))
        status = time_device(run, &s, &expected, t, error);
    close_search(&s);
    run->wrong += !status && !t->exact;
    t->exact = t->exact && map.exact;
    return status;
}

static xncc_status add_search(app_bench_run *run, app_bench_section *section, app_bench_case *c,
                              const char *kernel, app_error *error)
{
    times t;
    xncc_status status = time_search(run, c, kernel, &t, error);
    if (status)
        return status;
    const app_value row[COLUMNS] = {
        [DEVICE].text = app_session_device(&run->session, kernel),
        [KERNEL].text = kernel,
        [METHOD].text = xncc_method_name(c->problem.method),
        [PIXEL].text = xncc_pixel_name(c->problem.pixel),
        [WIDTH].integer = c->image.width,
        [HEIGHT].integer = c->image.height,
        [TEMPL_WIDTH].integer = c->problem.width,
        [TEMPL_HEIGHT].integer = c->problem.height,
        [FOUND].integer = (int64_t)t.found,
        [MAP].real = t.map,
        [MS].real = t.ms,
        [CALL].real = t.call,
        [END_TO_END].real = t.end_to_end,
        [COPY].real = t.copy,
        [PINNED].real = t.pinned,
        [REST].real = t.end_to_end - t.copy - t.ms,
        [OVER_COPY].real = t.end_to_end / t.copy,
        [CHECKED].text = t.exact ? "exact" : "WRONG",
    };
    return app_bench_row(section, row, error);
}

static xncc_status find_case(app_bench_run *run, app_bench_section *section, app_size image,
                             app_size templ, app_error *error)
{
    const app_options *o = run->options;
    const xncc_problem problem = app_options_problem(o, XNCC_TASK_MATCH, image, templ);
    const char *kernel[APP_BENCH_KERNELS];
    app_bench_case c;
    xncc_status status = app_bench_case_open(&problem, &c, error);
    const size_t count = status ? 0 : app_bench_choice(run, &problem, kernel);
    for (size_t i = 0; i < count && !status; i++)
        status = add_search(run, section, &c, kernel[i], error);
    app_bench_case_close(&c);
    return status;
}

xncc_status app_bench_find(app_bench_run *run, app_error *error)
{
    static const app_size images[] = { { 1920, 1080 }, { 8192, 8192 } },
                          templs[] = { { 32, 32 }, { 64, 64 } };
    const app_options *o = run->options;
    const app_sizes *size = &o->sizes, *templ = &o->templates;
    app_bench_section *section = app_bench_section_add(
        run, "find", "The best 16 matches, at least 8 pixels apart", columns, COLUMNS);
    xncc_status status = XNCC_OK;
    section->skip = run->cuda ? 0 : device_columns;
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
