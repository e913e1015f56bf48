/* SPDX-License-Identifier: BSD-2-Clause */
/* The tables that exactncc-bench prints. Every column of every table is defined once; a section is
 * a selection of them. */
#ifndef BENCH_REPORT_H
#define BENCH_REPORT_H

#include "report.h"

typedef enum bench_column {
    BENCH_FILTER,
    BENCH_KIND,
    BENCH_DEVICE,
    BENCH_KERNEL,
    BENCH_CUDA_KERNEL,
    BENCH_METHOD,
    BENCH_PIXEL,
    BENCH_WIDTH,
    BENCH_HEIGHT,
    BENCH_TEMPL_WIDTH,
    BENCH_TEMPL_HEIGHT,
    BENCH_SIDE,
    BENCH_FOUND,
    BENCH_TEMPLATES,
    BENCH_IMAGES,
    BENCH_THREADS,
    BENCH_MEMORY,
    BENCH_MAP_MS,
    BENCH_ALONE_MS,
    BENCH_APART_MS,
    BENCH_MS,
    BENCH_CALL_MS,
    BENCH_END_TO_END_MS,
    BENCH_COPY_MS,
    BENCH_PINNED_COPY_MS,
    BENCH_REST_MS,
    BENCH_OVER_COPY,
    BENCH_MS_EACH,
    BENCH_SHARE,
    BENCH_OVER_APART,
    BENCH_TIMES_U8,
    BENCH_CPU_1_THREAD_MS,
    BENCH_CPU_KERNEL,
    BENCH_CPU_MS,
    BENCH_GPU_MS,
    BENCH_TRANSFER_MS,
    BENCH_SPEEDUP,
    BENCH_SPEEDUP_OVERALL,
    BENCH_OVER_CPU,
    BENCH_OVER_CPU_OVERALL,
    BENCH_GMAC_S,
    BENCH_TMAC_S,
    BENCH_TTAPS_S,
    BENCH_GPIXEL_S,
    BENCH_FLOOR_MS,
    BENCH_FLOOR_BY,
    BENCH_RATIO,
    BENCH_CHECKED,
    BENCH_MODE,
    BENCH_BORDER,
    BENCH_CHANNELS,
    BENCH_MASK,
    BENCH_COLUMNS
} bench_column;

enum { BENCH_SECTIONS = 9, BENCH_SECTION_COLUMNS = 24 };

/* One table of the report. */
typedef struct bench_section {
    const char *name;  /* the array's key in JSON */
    const char *title; /* a line above the table; NULL: none */
    bench_column id[BENCH_SECTION_COLUMNS];
    app_column column[BENCH_SECTION_COLUMNS];
    app_rows rows;
    /* Bits of columns, as app_rows_print takes them: left out, and only in CSV and JSON. */
    unsigned skip, hide;
} bench_section;

/* A row under construction: a value per column of the catalogue. A section uses its own ones. */
typedef struct bench_row {
    app_value value[BENCH_COLUMNS];
} bench_row;

typedef struct bench_report {
    bench_section section[BENCH_SECTIONS];
    int sections;
    int cuda; /* 1: columns that need a device are printed */
} bench_report;

/* Adds a table (at most BENCH_SECTIONS). columns ends with BENCH_COLUMNS; without a device, columns
 * that need one are left out. */
bench_section *bench_section_add(bench_report *report, const char *name, const char *title,
                                 const bench_column *columns);

/* Leaves a column out. */
void bench_section_skip(bench_section *section, bench_column column);

/* Leaves a column out of the readable formats; CSV and JSON keep it. */
void bench_section_hide(bench_section *section, bench_column column);

xncc_status bench_section_row(bench_section *section, const bench_row *row, app_error *error);

/* Number of rows in all tables. */
size_t bench_report_rows(const bench_report *report);

/* Prints all tables in any format but JSON. */
void bench_report_print(const bench_report *report, app_format format);

/* Prints `, "name": [...]` per table, to be placed inside a JSON object. */
void bench_report_print_json(const bench_report *report);

void bench_report_free(bench_report *report);

#endif
