/* SPDX-License-Identifier: BSD-2-Clause */
/* The table `rows`: every feasible kernel, for a list of sizes. */
#include "bench_run.h"

#include <string.h>

/* The reference kernel is left out above this many multiply-adds, unless --kernel names it. */
static const double reference_macs = 2e10;

static const bench_column columns[] = {
    BENCH_DEVICE, BENCH_KERNEL,      BENCH_METHOD,        BENCH_PIXEL,    BENCH_WIDTH,
    BENCH_HEIGHT, BENCH_TEMPL_WIDTH, BENCH_TEMPL_HEIGHT,  BENCH_MS,       BENCH_GMAC_S,
    BENCH_TMAC_S, BENCH_GPIXEL_S,    BENCH_END_TO_END_MS, BENCH_FLOOR_MS, BENCH_FLOOR_BY,
    BENCH_RATIO,  BENCH_CHECKED,     BENCH_MODE,          BENCH_BORDER,   BENCH_CHANNELS,
    BENCH_MASK,   BENCH_COLUMNS,
};

static xncc_status add_kernel(bench_run *run, bench_section *section, bench_case *c,
                              const char *kernel, app_error *error)
{
    bench_time time;
    if (!run->options->common.kernel && bench_macs(c) > reference_macs &&
        strcmp(kernel, "reference") == 0)
        return XNCC_OK;
    xncc_status status = bench_measure(run, c, kernel, &time, error);
    if (status)
        return status;
    bench_row row = bench_row_of(run, c, kernel, time.exact);
    app_value *v = row.value;
    v[BENCH_MS].real = time.ms;
    v[BENCH_GMAC_S].real = bench_macs(c) / time.ms * 1e-6;
    v[BENCH_TMAC_S].real = bench_macs(c) / time.ms * 1e-9;
    v[BENCH_GPIXEL_S].real = bench_pixels(c) / time.ms * 1e-6;
    v[BENCH_END_TO_END_MS].real = time.end_to_end;
    v[BENCH_FLOOR_MS].real = bench_floor(run, c, kernel, &v[BENCH_FLOOR_BY].text);
    v[BENCH_RATIO].real = time.ms / v[BENCH_FLOOR_MS].real;
    return bench_section_row(section, &row, error);
}

static xncc_status add_sizes(bench_run *run, bench_section *section, xncc_task task,
                             app_error *error)
{
    static const app_sizes images = { { { 1920, 1080 } }, 1 };
    static const app_sizes templs = { { { 8, 8 }, { 16, 16 }, { 32, 32 }, { 64, 64 } }, 4 };
    static const app_sizes filters = { { { 3, 3 }, { 5, 5 }, { 27, 27 } }, 3 };
    const app_options *o = &run->options->common;
    const app_sizes *image = o->sizes.count ? &o->sizes : &images;
    const app_sizes *templ = o->templates.count        ? &o->templates
                             : task == XNCC_TASK_MATCH ? &templs
                                                       : &filters;
    xncc_status status = XNCC_OK;
    for (int i = 0; i < image->count * templ->count && !status; i++) {
        const app_size s = image->size[i / templ->count], t = templ->size[i % templ->count];
        if (task == XNCC_TASK_CONVOLVE && (t.width > XNCC_MAX_FILTER || t.height > XNCC_MAX_FILTER))
            continue;
        const xncc_problem problem = app_options_problem(o, task, s, t);
        status = bench_visit_kernels(run, section, &problem, BENCH_ALL, add_kernel, error);
    }
    return status;
}

xncc_status bench_kernels(bench_run *run, app_error *error)
{
    const app_options *o = &run->options->common;
    const int plain = o->rule.border == XNCC_BORDER_CLAMP && o->channels == 1 && !o->with_mask;
    bench_section *section = bench_section_add(&run->report, "rows", NULL, columns);
    bench_section_hide(section, BENCH_GMAC_S);
    for (int column = BENCH_MODE; column <= BENCH_MASK && plain; column++)
        bench_section_skip(section, (bench_column)column);
    xncc_status status = XNCC_OK;
    if (run->options->task != BENCH_TASK_CONVOLVE)
        status = add_sizes(run, section, XNCC_TASK_MATCH, error);
    if (!status && run->options->task != BENCH_TASK_MATCH)
        status = add_sizes(run, section, XNCC_TASK_CONVOLVE, error);
    return status;
}
