/* SPDX-License-Identifier: BSD-2-Clause */
/* The tables that exactncc-bench prints. */
#include "bench_report.h"

typedef struct catalogue_entry {
    app_column column;
    int needs_cuda;
} catalogue_entry;

static const catalogue_entry catalogue[BENCH_COLUMNS] = {
    [BENCH_FILTER] = { { "filter", APP_TEXT, 0, 0 }, 0 },
    [BENCH_KIND] = { { "problem", APP_TEXT, 0, 0 }, 0 },
    [BENCH_DEVICE] = { { "device", APP_TEXT, 0, 0 }, 0 },
    [BENCH_KERNEL] = { { "kernel", APP_TEXT, 0, 0 }, 0 },
    [BENCH_CUDA_KERNEL] = { { "kernel", APP_TEXT, 0, 0 }, 1 },
    [BENCH_METHOD] = { { "method", APP_TEXT, 0, 0 }, 0 },
    [BENCH_PIXEL] = { { "pixel", APP_TEXT, 0, 0 }, 0 },
    [BENCH_WIDTH] = { { "width", APP_INTEGER, 0, 0 }, 0 },
    [BENCH_HEIGHT] = { { "height", APP_INTEGER, 0, 0 }, 0 },
    [BENCH_TEMPL_WIDTH] = { { "template_width", APP_INTEGER, 0, 0 }, 0 },
    [BENCH_TEMPL_HEIGHT] = { { "template_height", APP_INTEGER, 0, 0 }, 0 },
    [BENCH_SIDE] = { { "side", APP_INTEGER, 0, 0 }, 0 },
    [BENCH_FOUND] = { { "found", APP_INTEGER, 0, 0 }, 0 },
    [BENCH_TEMPLATES] = { { "templates", APP_INTEGER, 0, 0 }, 0 },
    [BENCH_IMAGES] = { { "images", APP_INTEGER, 0, 0 }, 0 },
    [BENCH_THREADS] = { { "threads", APP_INTEGER, 0, 0 }, 0 },
    [BENCH_MEMORY] = { { "memory", APP_TEXT, 0, 0 }, 0 },
    [BENCH_MAP_MS] = { { "map_ms", APP_REAL, 6, 4 }, 0 },
    [BENCH_ALONE_MS] = { { "alone_ms", APP_REAL, 6, 3 }, 0 },
    [BENCH_APART_MS] = { { "apart_ms", APP_REAL, 6, 3 }, 0 },
    [BENCH_MS] = { { "ms", APP_REAL, 6, 4 }, 0 },
    [BENCH_CALL_MS] = { { "call_ms", APP_REAL, 6, 4 }, 1 },
    [BENCH_END_TO_END_MS] = { { "end_to_end_ms", APP_REAL, 6, 3 }, 0 },
    [BENCH_COPY_MS] = { { "copy_ms", APP_REAL, 6, 3 }, 1 },
    [BENCH_PINNED_COPY_MS] = { { "pinned_copy_ms", APP_REAL, 6, 3 }, 1 },
    [BENCH_REST_MS] = { { "rest_ms", APP_REAL, 6, 3 }, 1 },
    [BENCH_OVER_COPY] = { { "over_copy", APP_REAL, 6, 2 }, 1 },
    [BENCH_MS_EACH] = { { "ms_each", APP_REAL, 6, 4 }, 0 },
    [BENCH_SHARE] = { { "share", APP_REAL, 6, 2 }, 0 },
    [BENCH_OVER_APART] = { { "over_apart", APP_REAL, 6, 2 }, 0 },
    [BENCH_TIMES_U8] = { { "times_u8", APP_REAL, 6, 1 }, 0 },
    [BENCH_CPU_1_THREAD_MS] = { { "cpu_1_thread_ms", APP_REAL, 6, 2 }, 0 },
    [BENCH_CPU_KERNEL] = { { "cpu_kernel", APP_TEXT, 0, 0 }, 0 },
    [BENCH_CPU_MS] = { { "cpu_ms", APP_REAL, 6, 3 }, 0 },
    [BENCH_GPU_MS] = { { "gpu_ms", APP_REAL, 6, 4 }, 1 },
    [BENCH_TRANSFER_MS] = { { "transfer_ms", APP_REAL, 6, 3 }, 1 },
    [BENCH_SPEEDUP] = { { "speedup", APP_REAL, 6, 0 }, 1 },
    [BENCH_SPEEDUP_OVERALL] = { { "speedup_overall", APP_REAL, 6, 1 }, 1 },
    [BENCH_OVER_CPU] = { { "over_cpu", APP_REAL, 6, 1 }, 1 },
    [BENCH_OVER_CPU_OVERALL] = { { "over_cpu_overall", APP_REAL, 6, 2 }, 1 },
    [BENCH_GMAC_S] = { { "gmac_s", APP_REAL, 6, 1 }, 0 },
    [BENCH_TMAC_S] = { { "tmac_s", APP_REAL, 6, 3 }, 0 },
    [BENCH_TTAPS_S] = { { "ttaps_s", APP_REAL, 6, 3 }, 0 },
    [BENCH_GPIXEL_S] = { { "gpixel_s", APP_REAL, 6, 3 }, 0 },
    [BENCH_FLOOR_MS] = { { "floor_ms", APP_REAL, 6, 4 }, 0 },
    [BENCH_FLOOR_BY] = { { "floor_by", APP_TEXT, 0, 0 }, 0 },
    [BENCH_RATIO] = { { "ratio", APP_REAL, 6, 2 }, 0 },
    [BENCH_CHECKED] = { { "checked", APP_TEXT, 0, 0 }, 0 },
    [BENCH_MODE] = { { "mode", APP_TEXT, 0, 0 }, 0 },
    [BENCH_BORDER] = { { "border", APP_TEXT, 0, 0 }, 0 },
    [BENCH_CHANNELS] = { { "channels", APP_INTEGER, 0, 0 }, 0 },
    [BENCH_MASK] = { { "mask", APP_TEXT, 0, 0 }, 0 },
};

bench_section *bench_section_add(bench_report *report, const char *name, const char *title,
                                 const bench_column *columns)
{
    bench_section *s = &report->section[report->sections++];
    *s = (bench_section){ .name = name, .title = title };
    s->rows.columns = s->column;
    for (; *columns != BENCH_COLUMNS; columns++) {
        if (catalogue[*columns].needs_cuda && !report->cuda)
            continue;
        s->id[s->rows.width] = *columns;
        s->column[s->rows.width++] = catalogue[*columns].column;
    }
    return s;
}

/* The bit of a column in a section; 0 if the section does not have it. */
static unsigned bit_of(const bench_section *section, bench_column column)
{
    for (int c = 0; c < section->rows.width; c++)
        if (section->id[c] == column)
            return 1u << c;
    return 0;
}

void bench_section_skip(bench_section *section, bench_column column)
{
    section->skip |= bit_of(section, column);
}

void bench_section_hide(bench_section *section, bench_column column)
{
    section->hide |= bit_of(section, column);
}

xncc_status bench_section_row(bench_section *section, const bench_row *row, app_error *error)
{
    app_value value[BENCH_SECTION_COLUMNS];
    for (int c = 0; c < section->rows.width; c++)
        value[c] = row->value[section->id[c]];
    return app_rows_add(&section->rows, value)
               ? XNCC_OK
               : app_fail(error, XNCC_ERROR_MEMORY, "out of memory");
}

size_t bench_report_rows(const bench_report *report)
{
    size_t rows = 0;
    for (int i = 0; i < report->sections; i++)
        rows += report->section[i].rows.count;
    return rows;
}

void bench_report_print(const bench_report *report, app_format format)
{
    const int readable = format == APP_TABLE || format == APP_MARKDOWN;
    for (int i = 0; i < report->sections; i++) {
        const bench_section *s = &report->section[i];
        if (i)
            putchar('\n');
        if (s->title && readable)
            printf(format == APP_MARKDOWN ? "### %s\n\n" : "%s\n", s->title);
        app_rows_print(stdout, &s->rows, s->skip | (readable ? s->hide : 0), format);
    }
}

void bench_report_print_json(const bench_report *report)
{
    for (int i = 0; i < report->sections; i++) {
        printf(",\n  \"%s\": ", report->section[i].name);
        app_rows_print(stdout, &report->section[i].rows, report->section[i].skip, APP_JSON);
    }
}

void bench_report_free(bench_report *report)
{
    for (int i = 0; i < report->sections; i++)
        app_rows_free(&report->section[i].rows);
}
