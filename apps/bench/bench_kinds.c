/* SPDX-License-Identifier: BSD-2-Clause */
/* The table `kinds`: the map of one image for pixel types, channels, masks, borders and methods,
 * next to that of u8. */
#include "bench_run.h"

#include <math.h>

static const bench_column columns[] = {
    BENCH_WIDTH,  BENCH_HEIGHT, BENCH_TEMPL_WIDTH, BENCH_TEMPL_HEIGHT, BENCH_KIND,    BENCH_DEVICE,
    BENCH_KERNEL, BENCH_MS,     BENCH_TIMES_U8,    BENCH_CHECKED,      BENCH_COLUMNS,
};

typedef struct kind {
    const char *name;
    xncc_pixel pixel;
    int32_t channels, templ_masked;
    xncc_mode mode;
    xncc_border border;
    int method; /* an xncc_method, or ASKED: that of the options */
} kind;

enum { ASKED = -1 };

/* u8 is first: the others are compared with it. */
static const kind kinds[] = {
#define ROW(pixel, name, type) { #name, pixel, 1, 0, XNCC_VALID, XNCC_BORDER_CLAMP, ASKED },
    XNCC_EACH_PIXEL(ROW)
#undef ROW
        { "u8, three channels", XNCC_U8, 3, 0, XNCC_VALID, XNCC_BORDER_CLAMP, ASKED },
    { "u8, four channels", XNCC_U8, 4, 0, XNCC_VALID, XNCC_BORDER_CLAMP, ASKED },
    { "u16, three channels", XNCC_U16, 3, 0, XNCC_VALID, XNCC_BORDER_CLAMP, ASKED },
    { "u8, border zero", XNCC_U8, 1, 0, XNCC_SAME, XNCC_BORDER_ZERO, ASKED },
    { "u8, border overlap", XNCC_U8, 1, 0, XNCC_SAME, XNCC_BORDER_OVERLAP, ASKED },
    { "u8, template mask", XNCC_U8, 1, 1, XNCC_VALID, XNCC_BORDER_CLAMP, ASKED },
    { "u8, template mask, border overlap", XNCC_U8, 1, 1, XNCC_SAME, XNCC_BORDER_OVERLAP, ASKED },
    { "f32, template mask", XNCC_F32, 1, 1, XNCC_VALID, XNCC_BORDER_CLAMP, ASKED },
    { "u8, ccoeff", XNCC_U8, 1, 0, XNCC_VALID, XNCC_BORDER_CLAMP, XNCC_CCOEFF },
    { "u8, ccorr", XNCC_U8, 1, 0, XNCC_VALID, XNCC_BORDER_CLAMP, XNCC_CCORR },
    { "u8, ccorr_normed", XNCC_U8, 1, 0, XNCC_VALID, XNCC_BORDER_CLAMP, XNCC_CCORR_NORMED },
    { "u8, sqdiff", XNCC_U8, 1, 0, XNCC_VALID, XNCC_BORDER_CLAMP, XNCC_SQDIFF },
    { "u8, sqdiff_normed", XNCC_U8, 1, 0, XNCC_VALID, XNCC_BORDER_CLAMP, XNCC_SQDIFF_NORMED },
};

/* Times one kind of the problem `like` by the fastest kernel and adds its row. *u8_ms: the time of
 * u8, which is set if it is NaN. */
static xncc_status add_kind(bench_run *run, bench_section *section, const kind *k,
                            const xncc_problem *like, double *u8_ms, app_error *error)
{
    xncc_problem problem = *like;
    const char *kernel[BENCH_KERNELS];
    bench_case c;
    bench_time time;
    problem.pixel = k->pixel;
    problem.channels = k->channels;
    problem.templ_masked = k->templ_masked;
    problem.rule.mode = k->mode;
    problem.rule.border = k->border;
    if (k->method != ASKED)
        problem.rule.method = (xncc_method)k->method;
    xncc_status status = bench_case_open(&problem, &c, error);
    if (!status && bench_choose(run, &problem, BENCH_BEST, kernel) > 0) {
        status = bench_measure(run, &c, kernel[0], &time, error);
        if (!status) {
            bench_row row = bench_row_of(run, &c, kernel[0], time.exact);
            *u8_ms = isnan(*u8_ms) ? time.ms : *u8_ms;
            row.value[BENCH_KIND].text = k->name;
            row.value[BENCH_MS].real = time.ms;
            row.value[BENCH_TIMES_U8].real = time.ms / *u8_ms;
            status = bench_section_row(section, &row, error);
        }
    }
    bench_case_close(&c);
    return status;
}

xncc_status bench_kinds(bench_run *run, app_error *error)
{
    static const app_sizes templs = { { { 16, 16 }, { 32, 32 }, { 64, 64 } }, 3 };
    const app_sizes *templ = run->options->common.templates.count ? &run->options->common.templates
                                                                  : &templs;
    const app_size size = run->cuda ? bench_image_size(run, 4096, 4096)
                                    : bench_image_size(run, 1920, 1080);
    bench_section *section = bench_section_add(
        &run->report, "kinds",
        "Pixel types, channels, borders, masks and methods, by the fastest kernel", columns);
    xncc_status status = XNCC_OK;
    for (int i = 0; i < templ->count; i++) {
        const xncc_problem problem = app_options_problem(&run->options->common, XNCC_TASK_MATCH,
                                                         size, templ->size[i]);
        double u8_ms = (double)NAN;
        for (size_t k = 0; k < sizeof kinds / sizeof kinds[0] && !status; k++)
            status = add_kind(run, section, &kinds[k], &problem, &u8_ms, error);
    }
    return status;
}
