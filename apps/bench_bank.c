/* corrmatch bench --find, second table: the best match of each of many templates on one image (cm_plan_find_bank),
 * compared with what the CPU engine finds for each by itself. */
#include "common/bench_run.h"
#include "common/device_bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* So many templates of a bank that the CPU searched are checked by another kind of kernel, the others one by one by the
 * same kind. */
enum { OTHER_KIND = 8 };

enum {
    DEVICE,
    KERNEL,
    METHOD,
    PIXEL,
    WIDTH,
    HEIGHT,
    PART_WIDTH,
    PART_HEIGHT,
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
    [PART_WIDTH] = { "template_width", APP_INTEGER, 0, 0 },
    [PART_HEIGHT] = { "template_height", APP_INTEGER, 0, 0 },
    [TEMPLATES] = { "templates", APP_INTEGER, 0, 0 },
    [MS] = { "ms", APP_REAL, 6, 3 },
    [END_TO_END] = { "end_to_end_ms", APP_REAL, 6, 3 },
    [EACH] = { "ms_each", APP_REAL, 6, 4 },
    [TMAC] = { "tmac_s", APP_REAL, 6, 3 },
    [CHECKED] = { "checked", APP_TEXT, 0, 0 },
};

typedef struct bank {
    app_bench_case c;
    size_t count;
    void *pixels; /* of all templates, one after the other */
    cm_match *match, *expected;
    size_t *found, *expected_found;
    int is_expected; /* expected has been computed */
    /* for the kernel that is timed */
    const char *kernel;
    cm_plan *plan;
    cm_template **part;
    cm_image image;
    cm_find_options find;
} bank;

static cm_image bank_pixels(const bank *b, size_t i)
{
    cm_image view = b->c.pixels;
    const size_t size =
        (size_t)view.width * (size_t)view.height * app_bench_channels(&b->c.problem) * cm_pixel_size(view.pixel);
    view.data = (const char *)b->pixels + i * size;
    return view;
}

static cm_status open_bank(const cm_problem *problem, size_t count, bank *b, app_error *error)
{
    const size_t part = (size_t)problem->width * (size_t)problem->height * app_bench_channels(problem);
    *b = (bank){ .count = count, .find = { .top = 1, .min_score = -INFINITY } };
    cm_status status = app_bench_case_open(problem, &b->c, error);
    if (status)
        return status;
    b->pixels = calloc(count * part, cm_pixel_size(problem->pixel));
    b->match = calloc(count, sizeof *b->match);
    b->expected = calloc(count, sizeof *b->expected);
    b->found = calloc(count, sizeof *b->found);
    b->expected_found = calloc(count, sizeof *b->expected_found);
    b->part = calloc(count, sizeof *b->part);
    if (!b->pixels || !b->match || !b->expected || !b->found || !b->expected_found || !b->part)
        return app_fail(error, CM_ERROR_MEMORY, "out of memory for %zu templates of %d x %d; give a smaller --bank",
                        count, problem->width, problem->height);
    app_bench_fill(b->pixels, problem->pixel, count * part, 4);
    return CM_OK;
}

static void close_kernel(bank *b)
{
    cm_plan_destroy(b->plan);
    b->plan = NULL;
    for (size_t i = 0; b->part && i < b->count; i++) {
        cm_template_destroy(b->part[i]);
        b->part[i] = NULL;
    }
}

static void close_bank(bank *b)
{
    close_kernel(b);
    free(b->pixels);
    free(b->match);
    free(b->expected);
    free(b->found);
    free(b->expected_found);
    free(b->part);
    app_bench_case_close(&b->c);
}

static cm_status open_kernel(const app_bench_run *run, bank *b, const char *kernel, app_error *error)
{
    cm_context *context = app_bench_context(run, kernel);
    b->kernel = kernel;
    cm_status status = cm_plan_create(context, &b->c.problem, &(cm_preference){ .kernel = kernel }, &b->plan);
    for (size_t i = 0; i < b->count && !status; i++) {
        const cm_image pixels = bank_pixels(b, i);
        status = cm_template_create(context, &pixels, &b->part[i]);
    }
    return status ? app_bench_fail(run, status, kernel, error) : CM_OK;
}

/* Every stride-th template's best match, from the first on, by a kernel of the CPU engine and a call for each. */
static cm_status expect_each(const app_bench_run *run, bank *b, const char *kernel, size_t stride, app_error *error)
{
    cm_plan *plan = NULL;
    cm_status status = cm_plan_create(run->checker, &b->c.problem, &(cm_preference){ .kernel = kernel }, &plan);
    for (size_t i = 0; i < b->count && !status; i += stride) {
        const cm_image pixels = bank_pixels(b, i);
        cm_template *part = NULL;
        status = cm_template_create(run->checker, &pixels, &part);
        if (!status)
            status = cm_plan_find(plan, &b->c.image, part, &b->find, &b->expected[i], 1, &b->expected_found[i], NULL);
        cm_template_destroy(part);
    }
    cm_plan_destroy(plan);
    return status ? app_bench_fail(run, status, kernel, error) : CM_OK;
}

static cm_status expect(const app_bench_run *run, bank *b, const char *timed, app_error *error)
{
    const char *best = app_bench_best(run, &b->c.problem, 1), *other = app_bench_checker(run, &b->c.problem, timed);
    cm_status status = b->is_expected ? CM_OK : expect_each(run, b, best, 1, error);
    b->is_expected = !status;
    const size_t stride = (b->count + OTHER_KIND - 1) / OTHER_KIND;
    return status || strcmp(best, other) == 0 ? status : expect_each(run, b, other, stride, error);
}

static cm_status call_bank(void *state)
{
    bank *b = state;
    memset(b->match, 0xff, b->count * sizeof *b->match);
    return cm_plan_find_bank(b->plan, &b->image, (const cm_template *const *)b->part, b->count, &b->find, b->match, 1,
                             b->found, NULL);
}

static int is_as_expected(const bank *b)
{
    for (size_t i = 0; i < b->count; i++) {
        const cm_match *m = &b->match[i], *e = &b->expected[i];
        if (b->found[i] != 1 || b->expected_found[i] != 1 || m->x != e->x || m->y != e->y ||
            memcmp(&m->score, &e->score, sizeof(float)) != 0)
            return 0;
    }
    return 1;
}

/* From the image in host memory, and on a device also from its own memory; matches in host memory. */
static cm_status time_bank(const app_bench_run *run, bank *b, app_bench_time *time, app_error *error)
{
    const app_options *o = run->options;
    b->image = b->c.image;
    cm_status status = app_bench_wall(o, call_bank, b, &time->end_to_end);
    time->ms = time->end_to_end;
    time->exact = !status && is_as_expected(b);
    if (status)
        return app_bench_fail(run, status, b->kernel, error);
    if (app_bench_on_cpu(run, b->kernel))
        return CM_OK;
    status = app_device_image(&b->c.image, o->device.cuda_index, &b->image, error);
    if (!status) {
        status = app_bench_wall(o, call_bank, b, &time->ms);
        time->exact = time->exact && !status && is_as_expected(b);
        if (status)
            app_bench_fail(run, status, b->kernel, error);
    }
    app_device_image_free(&b->image);
    return status;
}

static cm_status add_bank(app_bench_run *run, app_bench_section *section, bank *b, const char *kernel, app_error *error)
{
    app_bench_time time = { 0 };
    cm_status status = expect(run, b, kernel, error);
    if (!status)
        status = open_kernel(run, b, kernel, error);
    if (!status)
        status = time_bank(run, b, &time, error);
    close_kernel(b);
    if (status)
        return status;
    run->wrong += !time.exact;
    const app_value row[COLUMNS] = {
        [DEVICE].text = app_session_device(&run->session, kernel),
        [KERNEL].text = kernel,
        [METHOD].text = cm_method_name(b->c.problem.method),
        [PIXEL].text = cm_pixel_name(b->c.problem.pixel),
        [WIDTH].integer = b->c.image.width,
        [HEIGHT].integer = b->c.image.height,
        [PART_WIDTH].integer = b->c.problem.width,
        [PART_HEIGHT].integer = b->c.problem.height,
        [TEMPLATES].integer = (int64_t)b->count,
        [MS].real = time.ms,
        [END_TO_END].real = time.end_to_end,
        [EACH].real = time.ms / (double)b->count,
        [TMAC].real = app_bench_macs(&b->c) * (double)b->count / time.ms * 1e-9,
        [CHECKED].text = time.exact ? "exact" : "WRONG",
    };
    return app_bench_row(section, row, error);
}

cm_status app_bench_bank(app_bench_run *run, app_error *error)
{
    const app_options *o = run->options;
    const app_size image = o->sizes.count ? o->sizes.size[0] : (app_size){ 1920, 1080 };
    const app_size part = o->templates.count ? o->templates.size[0] : (app_size){ 64, 64 };
    const cm_problem problem = app_options_problem(o, CM_TASK_MATCH, image, part);
    const char *kernel[APP_BENCH_KERNELS];
    app_bench_section *section =
        app_bench_section_add(run, "bank", "The best match of each of many templates on one image", columns, COLUMNS);
    bank b;
    cm_status status = open_bank(&problem, (size_t)o->bank, &b, error);
    const size_t count = status ? 0 : app_bench_choice(run, &problem, kernel);
    for (size_t i = 0; i < count && !status; i++)
        status = add_bank(run, section, &b, kernel[i], error);
    close_bank(&b);
    return status;
}
