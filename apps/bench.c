/* exactncc bench: times every feasible kernel, and checks what it computed. The other tables stand
 * in bench_tables.c and bench_find.c. */
#include "commands.h"
#include "common/bench_run.h"

#include <string.h>

static const double reference_macs =
    2e10; /* the reference kernel is left out above, unless it is asked for */

enum {
    DEVICE,
    KERNEL,
    METHOD,
    PIXEL,
    WIDTH,
    HEIGHT,
    TEMPL_WIDTH,
    TEMPL_HEIGHT,
    MS,
    GMAC,
    TMAC,
    GPIXEL,
    END_TO_END,
    FLOOR,
    FLOOR_BY,
    RATIO,
    CHECKED,
    MODE,
    BORDER,
    CHANNELS,
    MASKED,
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
    [MS] = { "ms", APP_REAL, 6, 4 },
    [GMAC] = { "gmac_s", APP_REAL, 6, 1 },
    [TMAC] = { "tmac_s", APP_REAL, 6, 3 },
    [GPIXEL] = { "gpixel_s", APP_REAL, 6, 3 },
    [END_TO_END] = { "end_to_end_ms", APP_REAL, 6, 3 },
    [FLOOR] = { "floor_ms", APP_REAL, 6, 4 },
    [FLOOR_BY] = { "floor_by", APP_TEXT, 0, 0 },
    [RATIO] = { "ratio", APP_REAL, 6, 2 },
    [CHECKED] = { "checked", APP_TEXT, 0, 0 },
    [MODE] = { "mode", APP_TEXT, 0, 0 },
    [BORDER] = { "border", APP_TEXT, 0, 0 },
    [CHANNELS] = { "channels", APP_INTEGER, 0, 0 },
    [MASKED] = { "mask", APP_TEXT, 0, 0 },
};

static xncc_status bench_kernel(app_bench_run *run, app_bench_case *c, const char *kernel,
                                app_error *error)
{
    app_bench_time time;
    const char *by = NULL;
    xncc_status status = app_bench_measure(run, c, kernel, &time, error);
    if (status)
        return status;
    const double least = app_bench_floor(run, c, kernel, &by);
    const int match = c->problem.task == XNCC_TASK_MATCH;
    const app_value row[COLUMNS] = {
        [DEVICE].text = app_session_device(&run->session, kernel),
        [KERNEL].text = kernel,
        [METHOD].text = match ? xncc_method_name(c->problem.method) : "convolve",
        [PIXEL].text = xncc_pixel_name(c->problem.pixel),
        [WIDTH].integer = c->image.width,
        [HEIGHT].integer = c->image.height,
        [TEMPL_WIDTH].integer = c->problem.width,
        [TEMPL_HEIGHT].integer = c->problem.height,
        [MS].real = time.ms,
        [GMAC].real = app_bench_macs(c) / time.ms * 1e-6,
        [TMAC].real = app_bench_macs(c) / time.ms * 1e-9,
        [GPIXEL].real = app_bench_pixels(c) / time.ms * 1e-6,
        [END_TO_END].real = time.end_to_end,
        [FLOOR].real = least,
        [FLOOR_BY].text = by,
        [RATIO].real = time.ms / least,
        [CHECKED].text = time.exact ? "exact" : "WRONG",
        [MODE].text = match ? app_mode_name(c->problem.mode) : "same",
        [BORDER].text = app_border_name(c->problem.border),
        [CHANNELS].integer = (int64_t)app_bench_channels(&c->problem),
        [MASKED].text = c->problem.templ_masked ? "yes" : "no",
    };
    return app_bench_row(&run->section[0], row, error);
}

static int is_timed(const app_options *o, const char *kernel, double macs)
{
    return o->kernel ? app_bench_is_wanted(o, kernel)
                     : macs <= reference_macs || strcmp(kernel, "reference") != 0;
}

static xncc_status bench_case(app_bench_run *run, const xncc_problem *problem, app_error *error)
{
    const char *kernel[APP_BENCH_KERNELS];
    app_bench_case c;
    xncc_status status = app_bench_case_open(problem, &c, error);
    size_t count = status ? 0
                          : xncc_kernels(run->session.context, problem, kernel, APP_BENCH_KERNELS);
    for (size_t i = 0; i < count && i < APP_BENCH_KERNELS && !status; i++)
        if (is_timed(run->options, kernel[i], app_bench_macs(&c)))
            status = bench_kernel(run, &c, kernel[i], error);
    app_bench_case_close(&c);
    return status;
}

static xncc_status bench_sizes(app_bench_run *run, xncc_task task, app_error *error)
{
    static const app_sizes images = { { { 1920, 1080 } }, 1 };
    static const app_sizes templs = { { { 8, 8 }, { 16, 16 }, { 32, 32 }, { 64, 64 } }, 4 };
    static const app_sizes filters = { { { 3, 3 }, { 5, 5 }, { 27, 27 } }, 3 };
    const app_options *o = run->options;
    const app_sizes *image = o->sizes.count ? &o->sizes : &images;
    const app_sizes *templ = o->templates.count        ? &o->templates
                             : task == XNCC_TASK_MATCH ? &templs
                                                       : &filters;
    xncc_status status = XNCC_OK;
    for (int i = 0; i < image->count * templ->count && !status; i++) {
        const app_size s = image->size[i / templ->count], p = templ->size[i % templ->count];
        if (task == XNCC_TASK_CONVOLVE && (p.width > XNCC_MAX_FILTER || p.height > XNCC_MAX_FILTER))
            continue;
        const xncc_problem problem = app_options_problem(o, task, s, p);
        status = bench_case(run, &problem, error);
    }
    return status;
}

/* The table of every kernel. */
static xncc_status bench_kernels(app_bench_run *run, app_error *error)
{
    const app_options *o = run->options;
    app_bench_section *section = app_bench_section_add(run, "rows", NULL, columns, COLUMNS);
    section->hide = 1u << GMAC;
    if (o->border == XNCC_BORDER_CLAMP && o->channels <= 1 && !o->with_mask)
        section->skip = 1u << MODE | 1u << BORDER | 1u << CHANNELS | 1u << MASKED;
    xncc_status status = XNCC_OK;
    if (o->task != APP_TASK_CONVOLVE)
        status = bench_sizes(run, XNCC_TASK_MATCH, error);
    if (!status && o->task != APP_TASK_MATCH)
        status = bench_sizes(run, XNCC_TASK_CONVOLVE, error);
    return status;
}

xncc_status app_bench(const app_options *o, app_error *error)
{
    app_bench_run run;
    size_t rows = 0;
    xncc_status status = app_bench_open(o, &run, error);
    if (!status && !o->bench_tables && !o->bench_find)
        status = bench_kernels(&run, error);
    if (!status && o->bench_tables)
        status = app_bench_filters(&run, error);
    if (!status && o->bench_tables)
        status = app_bench_templates(&run, error);
    if (!status && o->bench_find)
        status = app_bench_find(&run, error);
    if (!status && o->bench_find)
        status = app_bench_batch(&run, error);
    for (int i = 0; i < run.sections; i++)
        rows += run.section[i].rows.count;
    if (!status && rows == 0)
        status = app_blame_usage(
            error, app_fail(error, XNCC_ERROR_ARGUMENT,
                            "no kernel to time: none can serve these sizes%s%s",
                            o->kernel ? ", or none is called " : "", o->kernel ? o->kernel : ""));
    if (!status) {
        app_bench_print(&run);
        status = app_finish_stdout(error);
    }
    if (!status && run.wrong)
        status = app_fail(error, XNCC_ERROR_INTERNAL,
                          "%d results are not what another kernel computed; please report this",
                          run.wrong);
    app_bench_close(&run);
    return status;
}
