/* SPDX-License-Identifier: BSD-2-Clause */
/* The table `sizes`: the map of one image by the fastest kernel, for n x n templates. */
#include "bench_run.h"

static const bench_column columns[] = {
    BENCH_WIDTH,    BENCH_HEIGHT, BENCH_PIXEL,   BENCH_TEMPL_WIDTH, BENCH_TEMPL_HEIGHT,
    BENCH_DEVICE,   BENCH_KERNEL, BENCH_MS,      BENCH_TMAC_S,      BENCH_FLOOR_MS,
    BENCH_FLOOR_BY, BENCH_RATIO,  BENCH_CHECKED, BENCH_COLUMNS,
};

static xncc_status add_size(bench_run *run, bench_section *section, bench_case *c,
                            const char *kernel, app_error *error)
{
    bench_time time;
    xncc_status status = bench_measure(run, c, kernel, &time, error);
    if (status)
        return status;
    bench_row row = bench_row_of(run, c, kernel, time.exact);
    app_value *v = row.value;
    v[BENCH_MS].real = time.ms;
    v[BENCH_TMAC_S].real = bench_macs(c) / time.ms * 1e-9;
    v[BENCH_FLOOR_MS].real = bench_floor(run, c, kernel, &v[BENCH_FLOOR_BY].text);
    v[BENCH_RATIO].real = time.ms / v[BENCH_FLOOR_MS].real;
    return bench_section_row(section, &row, error);
}

xncc_status bench_sizes(bench_run *run, app_error *error)
{
    static const app_sizes templs = { { { 3, 3 },
                                        { 8, 8 },
                                        { 16, 16 },
                                        { 24, 24 },
                                        { 32, 32 },
                                        { 48, 48 },
                                        { 57, 57 },
                                        { 64, 64 },
                                        { 80, 80 },
                                        { 96, 96 },
                                        { 128, 128 },
                                        { 256, 256 },
                                        { 512, 512 } },
                                      13 };
    const app_options *o = &run->options->common;
    const app_sizes *templ = o->templates.count ? &o->templates : &templs;
    const app_size size = run->cuda ? bench_image_size(run, 8192, 8192)
                                    : bench_image_size(run, 1920, 1080);
    bench_section *section = bench_section_add(&run->report, "sizes",
                                               "The map of scores, by the fastest kernel", columns);
    xncc_status status = XNCC_OK;
    for (int i = 0; i < templ->count && !status; i++) {
        const xncc_problem problem = app_options_problem(o, XNCC_TASK_MATCH, size, templ->size[i]);
        status = bench_visit_kernels(run, section, &problem, BENCH_BEST, add_size, error);
    }
    return status;
}
