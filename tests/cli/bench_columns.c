/* SPDX-License-Identifier: BSD-2-Clause */
/* bench_columns FORMAT: prints every table of exactncc-bench with the columns that it has on a CUDA
 * device, csv or markdown. The figures are those of the CPU; a device's own ones are empty. */
#include "bench_run.h"

#include <string.h>

int main(int argc, char **argv)
{
    static xncc_status (*const make[])(
        bench_run *, app_error *) = { bench_sizes, bench_kinds, bench_filters, bench_throughput,
                                      bench_find,  bench_batch, bench_mixed,   bench_images };
    static bench_options options;
    static bench_run run;
    char *words[] = { "exactncc-bench", "--device", "cpu",      "--quiet", "--size",  "96x80",
                      "--template",     "8x8",      "--repeat", "1",       "--batch", "3" };
    app_error error = { .text = "" };
    bench_options_parse(sizeof words / sizeof words[0], words, &options, &error);
    xncc_status status = bench_open(&options, &run, &error);
    run.report.cuda = 1;
    for (size_t i = 0; i < sizeof make / sizeof make[0] && !status; i++)
        status = make[i](&run, &error);
    bench_report_print(&run.report,
                       argc > 1 && strcmp(argv[1], "csv") == 0 ? APP_CSV : APP_MARKDOWN);
    fprintf(stderr, "%s", error.text);
    bench_close(&run);
    return status != XNCC_OK;
}
