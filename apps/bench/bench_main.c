/* exactncc-bench: Times exactncc's kernels and checks every result..
 * SPDX-License-Identifier: BSD-2-Clause */
#include "bench_run.h"
#include "option_help.h"

#include <signal.h>
#include <string.h>

static const app_manual manual = {
    "",
    "",
    "Times every kernel that can serve, with pseudo-random pixels, and checks every result bit for "
    "bit.",
    "",
    { "exactncc-bench --size 1920x1080 --template 16x16,64x64 --device cpu" }
};

static const app_exit exits[] = {
    { 0, "done" },
    { 1, "the work failed or a result was wrong" },
    { 2, "wrong usage" },
};
enum { EXITS = sizeof exits / sizeof exits[0] };

static void print_help(void)
{
    app_help_print(&manual, bench_options_list(), stdout);
    app_exits_print(exits, EXITS, stdout);
}

/* Everything that --help says, for programs: man pages and completions are made from it. */
static void print_json(void)
{
    printf("{\n  \"program\": \"exactncc-bench\",\n  \"version\": \"%s\",\n  \"purpose\": "
           "\"Times exactncc's kernels and checks every result.\",\n  \"exits\": ",
           xncc_version());
    app_exits_json(exits, EXITS, stdout);
    fputs(",\n  \"commands\": [\n", stdout);
    app_help_json(&manual, bench_options_list(), stdout);
    fputs("\n  ]\n}\n", stdout);
}

/* The tables that the options ask for. */
static xncc_status make_tables(bench_run *run, app_error *error)
{
    static xncc_status (*const make[])(bench_run *, app_error *) = {
        bench_sizes, bench_kinds, bench_filters, bench_throughput, bench_find,
        bench_batch, bench_mixed, bench_devices, bench_images
    };
    const unsigned tables = run->options->tables;
    xncc_status status = XNCC_OK;
    if (!tables)
        return bench_kernels(run, error);
    for (size_t i = 0; i < sizeof make / sizeof make[0] && !status; i++)
        if (tables >> i & 1)
            status = make[i](run, error);
    return status;
}

static xncc_status run_bench(const bench_options *o, app_error *error)
{
    const char *kernel = o->common.kernel;
    bench_run run;
    xncc_status status = bench_open(o, &run, error);
    if (!status)
        status = make_tables(&run, error);
    bench_note_stop(&run.note);
    if (!status && bench_report_rows(&run.report) == 0)
        status = app_fail(error, app_blame_usage(error, XNCC_ERROR_ARGUMENT),
                          "nothing to time: no kernel%s%s can serve these sizes",
                          kernel ? " with the name " : "", kernel ? kernel : "");
    if (!status)
        status = bench_print(&run, error);
    if (!status && run.wrong)
        status = app_fail(error, XNCC_ERROR_INTERNAL,
                          "%d results differ from what another kernel computed; please report this",
                          run.wrong);
    bench_close(&run);
    return status;
}

/* Prints one line, whatever the names in the text contain. */
static int complain(const char *text, int status)
{
    char line[APP_ERROR_SIZE];
    fprintf(stderr, "exactncc-bench: %s\n", app_printable(text, line, sizeof line));
    return status;
}

/* The exit status of what only prints. */
static int printed(void)
{
    app_error error = { .text = "" };
    return app_finish_stdout(&error) == XNCC_OK ? 0 : complain(error.text, 1);
}

int main(int argc, char **argv)
{
    static bench_options options;
    app_error error = { .text = "" };
    signal(SIGPIPE, SIG_IGN); /* a closed pipe is reported as an error */
    if (argc == 2 && strcmp(argv[1], "--help-json") == 0) {
        print_json();
        return printed();
    }
    switch (bench_options_parse(argc, argv, &options, &error)) {
    case APP_WRONG: return complain(error.text, 2);
    case APP_FAILED: return complain(error.text, 1);
    case APP_HELP: print_help(); return printed();
    case APP_VERSION: printf("exactncc-bench %s\n", xncc_version()); return printed();
    case APP_RUN: break;
    }
    if (options.common.file_count) {
        app_fail(&error, XNCC_ERROR_ARGUMENT, "%s: takes no files; see exactncc-bench --help",
                 options.common.files[0]);
        return complain(error.text, 2);
    }
    if (run_bench(&options, &error) == XNCC_OK)
        return 0;
    return complain(error.text, error.usage ? 2 : 1);
}
