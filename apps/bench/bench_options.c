/* SPDX-License-Identifier: BSD-2-Clause */
/* The options of exactncc-bench; those that the tool has, too, are in common/options.c. */
#include "bench_options.h"

#include <string.h>

static const char *const tasks[] = { "all", "match", "convolve", NULL };
static const char *const table_names[] = { "sizes", "kinds", "filters", "templates", "find",
                                           "batch", "mixed", "devices", "images",    NULL };
static const char *const format_names[] = { "table", "csv", "json", "markdown", NULL };

/* The options that a setter is given are the first member of these. */
static bench_options *whole(app_options *o)
{
    return (bench_options *)(void *)o;
}

static int set_task(app_options *o, const char *text)
{
    const int i = app_word_index(tasks, text);
    whole(o)->task = i == 2 ? BENCH_TASK_CONVOLVE : i == 1 ? BENCH_TASK_MATCH : BENCH_TASK_ALL;
    return i >= 0;
}

static int set_repeat(app_options *o, const char *text)
{
    return app_set_count(text, 1, 10000, &whole(o)->repeat);
}

static int set_batch(app_options *o, const char *text)
{
    return app_set_count(text, 1, 10000, &whole(o)->batch);
}

static int set_tables(app_options *o, const char *text)
{
    (void)text;
    whole(o)->tables = BENCH_TABLE_ALL;
    return 1;
}

static int set_find(app_options *o, const char *text)
{
    (void)text;
    whole(o)->tables |= BENCH_TABLE_FIND | BENCH_TABLE_BATCH | BENCH_TABLE_MIXED;
    return 1;
}

/* Names with commas between. */
static int set_table(app_options *o, const char *text)
{
    char name[16];
    for (;;) {
        const size_t length = strcspn(text, ",");
        if (length >= sizeof name)
            return 0;
        memcpy(name, text, length);
        name[length] = '\0';
        const int i = app_word_index(table_names, name);
        if (i < 0)
            return 0;
        whole(o)->tables |= 1u << i;
        if (text[length] == '\0')
            return 1;
        text += length + 1;
    }
}

static int set_format(app_options *o, const char *text)
{
    static const app_format formats[] = { APP_TABLE, APP_CSV, APP_JSON, APP_MARKDOWN };
    const int i = app_word_index(format_names, text);
    whole(o)->has_format = 1;
    o->format = i < 0 ? APP_TABLE : formats[i];
    return i >= 0;
}

static const app_option table[] = {
    { "size", 0, "WxH,...", APP_GROUP_PROBLEM, APP_BENCH, app_set_sizes, NULL, "1920x1080",
      "up to 16 sizes such as 1920x1080, with commas between", "image sizes" },
    { "template", 0, "WxH,...", APP_GROUP_PROBLEM, APP_BENCH, app_set_templates, NULL,
      "8x8,16x16,32x32,64x64; filters: 3x3,5x5,27x27",
      "up to 16 sizes such as 16x16, with commas between", "template and filter sizes" },
    { "task", 0, "NAME", APP_GROUP_PROBLEM, APP_BENCH, set_task, tasks, "all", NULL,
      "what to time" },
    { "repeat", 0, "N", APP_GROUP_RUN, APP_BENCH, set_repeat, NULL, "5",
      "a whole number 1 .. 10000", "number of timed runs; the median is printed" },
    { "tables", 0, NULL, APP_GROUP_OUTPUT, APP_BENCH, set_tables, NULL, NULL, NULL,
      "instead: every table of the performance page, in Markdown" },
    { "find", 0, NULL, APP_GROUP_OUTPUT, APP_BENCH, set_find, NULL, NULL, NULL,
      "instead: searches without a map, and searches for many templates" },
    { "table", 0, "NAME,...", APP_GROUP_OUTPUT, APP_BENCH, set_table, table_names, NULL,
      "sizes, kinds, filters, templates, find, batch, mixed, devices or images, with commas "
      "between",
      "instead: these of the tables" },
    { "batch", 0, "N", APP_GROUP_PROBLEM, APP_BENCH, set_batch, NULL, "360",
      "a whole number 1 .. 10000", "number of templates in the table of many templates" },
    { "format", 0, "NAME", APP_GROUP_OUTPUT, APP_BENCH, set_format, format_names,
      "table; with --tables: markdown", NULL, "how the tables are printed" },
};

static const app_option_list list = { table,     sizeof table / sizeof table[0],
                                      APP_BENCH, "exactncc-bench",
                                      NULL,      0 };

/* Fails if the table of several devices is asked for by name and --device names only one. */
static app_parsed check_devices(const bench_options *o, app_error *error)
{
    if (o->tables == BENCH_TABLE_ALL || !(o->tables & BENCH_TABLE_DEVICES) ||
        o->common.device.cuda_count != 0)
        return APP_RUN;
    app_fail(error, XNCC_ERROR_ARGUMENT,
             "--table devices: needs several devices, as --device cuda:all or cuda:0,1 names them");
    return APP_WRONG;
}

app_parsed bench_options_parse(int argc, char **argv, bench_options *options, app_error *error)
{
    memset(options, 0, sizeof *options);
    app_options_init(&options->common);
    options->repeat = 5;
    options->batch = 360;
    const app_parsed parsed = app_options_parse(&list, argc, argv, &options->common, error);
    if (options->tables == BENCH_TABLE_ALL && !options->has_format)
        options->common.format = APP_MARKDOWN;
    return parsed == APP_RUN ? check_devices(options, error) : parsed;
}

const app_option_list *bench_options_list(void)
{
    return &list;
}
