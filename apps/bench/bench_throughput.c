/* SPDX-License-Identifier: BSD-2-Clause */
/* The table `templates`: template pixels times map pixels per second, by the CPU's fastest kernel
 * and by the CUDA kernels that add up products. */
#include "bench_run.h"

#include <string.h>

static const bench_column columns[] = {
    BENCH_DEVICE,  BENCH_KERNEL,      BENCH_PIXEL,        BENCH_WIDTH,
    BENCH_HEIGHT,  BENCH_TEMPL_WIDTH, BENCH_TEMPL_HEIGHT, BENCH_MS,
    BENCH_TTAPS_S, BENCH_GPIXEL_S,    BENCH_CHECKED,      BENCH_COLUMNS,
};

static xncc_status add_row(bench_run *run, bench_section *section, bench_case *c,
                           const char *kernel, app_error *error)
{
    bench_time time;
    if (strcmp(kernel, "fft") == 0) /* a Fourier transform does not add up products */
        return XNCC_OK;
    xncc_status status = bench_measure(run, c, kernel, &time, error);
    if (status)
        return status;
    bench_row row = bench_row_of(run, c, kernel, time.exact);
    row.value[BENCH_MS].real = time.ms;
    row.value[BENCH_TTAPS_S].real = bench_macs(c) / time.ms * 1e-9;
    row.value[BENCH_GPIXEL_S].real = bench_pixels(c) / time.ms * 1e-6;
    return bench_section_row(section, &row, error);
}

xncc_status bench_throughput(bench_run *run, app_error *error)
{
    static const app_sizes templs = { { { 16, 16 }, { 32, 32 }, { 48, 48 }, { 64, 64 } }, 4 };
    const app_options *o = &run->options->common;
    const app_sizes *templ = o->templates.count ? &o->templates : &templs;
    const app_size size = bench_image_size(run, 2048, 2048);
    bench_section *section = bench_section_add(
        &run->report, "templates",
        "Matching; ttaps_s: 1e12 template pixels times map pixels per second", columns);
    xncc_status status = XNCC_OK;
    for (int i = 0; i < templ->count && !status; i++) {
        const xncc_problem problem = app_options_problem(o, XNCC_TASK_MATCH, size, templ->size[i]);
        status = bench_visit_kernels(run, section, &problem, BENCH_BEST_CPU, add_row, error);
        if (!status)
            status = bench_visit_kernels(run, section, &problem, BENCH_CUDA, add_row, error);
    }
    return status;
}
