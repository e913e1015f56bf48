/* exactncc bench --find, second table: the best match of each of many templates on one image
 * (xncc_plan_find_batch), compared with what the CPU engine finds for each by itself. */
#include "common/bench_run.h"
#include "common/device_bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* So many templates of a bank that the CPU searched are checked by another kind of kernel, the
 * others one by one by the same kind. */
enum { OTHER_KIND = 8 };

enum {
    DEVICE,
    KERNEL,
    METHOD,
    PIXEL,
    WIDTH,
    HEIGHT,
    TEMPL_WIDTH,
    TEMPL_HEIGHT,
    TEMPLATES,
    MS,
    END_TO_END,
    EACH,
    TMAC,
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
    [TEMPL_WIDTH] = { "template_width", APP_INTEGER, 0, 0 },
    [TEMPL_HEIGHT] = { "template_height", APP_INTEGER, 0, 0 },
    [TEMPLATES] = { "templates", APP_INTEGER, 0, 0 },
    [MS] = { "ms", APP_REAL, 6, 3 },
    [END_TO_END] = { "end_to_end_ms", APP_REAL, 6, 3 },
    [EACH] = { "ms_each", APP_REAL, 6, 4 },
    [TMAC] = { "tmac_s", APP_REAL, 6, 3 },
    [CHECKED] = { "checked", APP_TEXT, 0, 0 },
};

typedef struct batch {
    app_bench_case c;
    size_t count;
    void *pixels; /* of all templates, one after the other */
    xncc_match *match, *expected;
    size_t *found, *expected_found;
    int is_expected; /* expected has been computed */
    /* for the kernel that is timed */
    const char *kernel;
    xncc_plan *plan;
    xncc_template **templ;
    xncc_image image;
    xncc_find_options find;
} batch;

static xncc_image batch_pixels(const batch *b, size_t i)
{
    xncc_image view = b->c.pixels;
    const size_t size = (size_t)view.width * (size_t)view.height *
                        app_bench_channels(&b->c.problem) * xncc_pixel_size(view.pixel);
    view.data = (const char *)b->pixels + i * size;
    return view;
}

static xncc_status open_batch(const xncc_problem *problem, size_t count, batch *b, app_error *error)
{
    const size_t templ = (size_t)problem->width * (size_t)problem->height *
                         app_bench_channels(problem);
    *b = (batch){ .count = count, .find = { .top = 1, .min_score = -INFINITY } };
    xncc_status status = app_bench_case_open(problem, &b->c, error);
    if (status)
        return status;
    b->pixels = calloc(count * templ, xncc_pixel_size(problem->pixel));
    b->match = calloc(count, sizeof *b->match);
    b->expected = calloc(count, sizeof *b->expected);
    b->found = calloc(count, sizeof *b->found);
    b->expected_found = calloc(count, sizeof *b->expected_found);
    b->templ = calloc(count, sizeof *b->templ);
    if (!b->pixels || !b->match || !b->expected || !b->found || !b->expected_found || !b->templ)
        return app_fail(error, XNCC_ERROR_MEMORY,
                        "out of memory for %zu templates of %d x %d; give a smaller --batch", count,
                        problem->width, problem->height);
    app_bench_fill(b->pixels, problem->pixel, count * templ, 4);
    return XNCC_OK;
}

static void close_kernel(batch *b)
{
    xncc_plan_destroy(b->plan);
    b->plan = NULL;
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
    free(b->found);
    free(b->expected_found);
    free(b->templ);
    app_bench_case_close(&b->c);
}

static xncc_status open_kernel(const app_bench_run *run, batch *b, const char *kernel,
                               app_error *error)
{
    xncc_context *context = app_bench_context(run, kernel);
    b->kernel = kernel;
    xncc_status status = xncc_plan_create(context, &b->c.problem,
                                          &(xncc_preference){ .kernel = kernel }, &b->plan);
    for (size_t i = 0; i < b->count && !status; i++) {
        const xncc_image pixels = batch_pixels(b, i);
        status = xncc_template_create(context, &pixels, &b->templ[i]);
    }
    return status ? app_bench_fail(run, status, kernel, error) : XNCC_OK;
}

/* Every stride-th template's best match, from the first on, by a kernel of the CPU engine and a
 * call for each. */
static xncc_status expect_each(const app_bench_run *run, batch *b, const char *kernel,
                               size_t stride, app_error *error)
{
    xncc_plan *plan = NULL;
    xncc_status status = xncc_plan_create(run->checker, &b->c.problem,
                                          &(xncc_preference){ .kernel = kernel }, &plan);
    for (size_t i = 0; i < b->count && !status; i += stride) {
        const xncc_image pixels = batch_pixels(b, i);
        xncc_template *templ = NULL;
        status = xncc_template_create(run->checker, &pixels, &templ);
        if (!status)
            status = xncc_plan_find(plan, &b->c.image, templ, &b->find, &b->expected[i], 1,
                                    &b->expected_found[i], NULL);
        xncc_template_destroy(templ);
    }
    xncc_plan_destroy(plan);
    return status ? app_bench_fail(run, status, kernel, error) : XNCC_OK;
}

static xncc_status expect(const app_bench_run *run, batch *b, const char *timed, app_error *error)
{
    const char *best = app_bench_best(run, &b->c.problem, 1),
               *other = app_bench_checker(run, &b->c.problem, timed);
    xncc_status status = b->is_expected ? XNCC_OK : expect_each(run, b, best, 1, error);
    b->is_expected = !status;
    const size_t stride = (b->count + OTHER_KIND - 1) / OTHER_KIND;
    return status || strcmp(best, other) == 0 ? status : expect_each(run, b, other, stride, error);
}

static xncc_status call_batch(void *state)
{
    batch *b = state;
    memset(b->match, 0xff, b->count * sizeof *b->match);
    return xncc_plan_find_batch(b->plan, &b->image, (const xncc_template *const *)b->templ,
                                b->count, &b->find, b->match, 1, b->found, NULL);
}

static int is_as_expected(const batch *b)
{
    for (size_t i = 0; i < b->count; i++) {
        const xncc_match *m = &b->match[i], *e = &b->expected[i];
        if (b->found[i] != 1 || b->expected_found[i] != 1 || m->x != e->x || m->y != e->y ||
            memcmp(&m->score, &e->score, sizeof(float)) != 0)
            return 0;
    }
    return 1;
}

/* From the image in host memory, and on a device also from its own memory; matches in host memory.
 */
static xncc_status time_batch(const app_bench_run *run, batch *b, app_bench_time *time,
                              app_error *error)
{
    const app_options *o = run->options;
    b->image = b->c.image;
    xncc_status status = app_bench_wall(o, call_batch, b, &time->end_to_end);
    time->ms = time->end_to_end;
    time->exact = !status && is_as_expected(b);
    if (status)
        return app_bench_fail(run, status, b->kernel, error);
    if (app_bench_on_cpu(run, b->kernel))
        return XNCC_OK;
    status = app_device_image(&b->c.image, o->device.cuda_index, &b->image, error);
    if (!status) {
        status = app_bench_wall(o, call_batch, b, &time->ms);
        time->exact = time->exact && !status && is_as_expected(b);
        if (status)
            app_bench_fail(run, status, b->kernel, error);
    }
    app_device_image_free(&b->image);
    return status;
}

static xncc_status add_batch(app_bench_run *run, app_bench_section *section, batch *b,
                             const char *kernel, app_error *error)
{
    app_bench_time time = { 0 };
    xncc_status status = expect(run, b, kernel, error);
    if (!status)
        status = open_kernel(run, b, kernel, error);
    if (!status)
        status = time_batch(run, b, &time, error);
    close_kernel(b);
    if (status)
        return status;
    run->wrong += !time.exact;
    const app_value row[COLUMNS] = {
        [DEVICE].text = app_session_device(&run->session, kernel),
        [KERNEL].text = kernel,
        [METHOD].text = xncc_method_name(b->c.problem.method),
        [PIXEL].text = xncc_pixel_name(b->c.problem.pixel),
        [WIDTH].integer = b->c.image.width,
        [HEIGHT].integer = b->c.image.height,
        [TEMPL_WIDTH].integer = b->c.problem.width,
        [TEMPL_HEIGHT].integer = b->c.problem.height,
        [TEMPLATES].integer = (int64_t)b->count,
        [MS].real = time.ms,
        [END_TO_END].real = time.end_to_end,
        [EACH].real = time.ms / (double)b->count,
        [TMAC].real = app_bench_macs(&b->c) * (double)b->count / time.ms * 1e-9,
        [CHECKED].text = time.exact ? "exact" : "WRONG",
    };
    return app_bench_row(section, row, error);
}

xncc_status app_bench_batch(app_bench_run *run, app_error *error)
{
    const app_options *o = run->options;
    const app_size image = o->sizes.count ? o->sizes.size[0] : (app_size){ 1920, 1080 };
    const app_size templ = o->templates.count ? o->templates.size[0] : (app_size){ 64, 64 };
    const xncc_problem problem = app_options_problem(o, XNCC_TASK_MATCH, image, templ);
    const char *kernel[APP_BENCH_KERNELS];
    app_bench_section *section = app_bench_section_add(
        run, "batch", "The best match of each of many templates on one image", columns, COLUMNS);
    batch b;
    xncc_status status = open_batch(&problem, (size_t)o->batch, &b, error);
    const size_t count = status ? 0 : app_bench_choice(run, &problem, kernel);
    for (size_t i = 0; i < count && !status; i++)
        status = add_batch(run, section, &b, kernel[i], error);
    close_batch(&b);
    return status;
}
