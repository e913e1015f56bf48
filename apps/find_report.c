/* SPDX-License-Identifier: BSD-2-Clause */
/* What exactncc find prints. */
#include "find_report.h"

#include "find_geojson.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    NUMBER,
    IMAGE,
    PAGE,
    TEMPLATE,
    X,
    Y,
    WIDTH,
    HEIGHT,
    CENTER_X,
    CENTER_Y,
    ANGLE,
    SCALE,
    SCORE,
    SUBPIXEL_X,
    SUBPIXEL_Y,
    SUBPIXEL_SCORE,
    MAP_X,
    MAP_Y,
    COLUMNS
};

static const app_column match_columns[COLUMNS] = {
    [NUMBER] = { "#", APP_INTEGER, 0, 0 },
    [IMAGE] = { "image", APP_TEXT, 0, 0 },
    [PAGE] = { "page", APP_INTEGER, 0, 0 },
    [TEMPLATE] = { "template", APP_TEXT, 0, 0 },
    [X] = { "x", APP_INTEGER, 0, 0 },
    [Y] = { "y", APP_INTEGER, 0, 0 },
    [WIDTH] = { "width", APP_INTEGER, 0, 0 },
    [HEIGHT] = { "height", APP_INTEGER, 0, 0 },
    [CENTER_X] = { "center_x", APP_REAL, 12, 1 },
    [CENTER_Y] = { "center_y", APP_REAL, 12, 1 },
    [ANGLE] = { "angle", APP_REAL, 9, 3 },
    [SCALE] = { "scale", APP_REAL, 9, 4 },
    [SCORE] = { "score", APP_REAL, 9, 6 },
    [SUBPIXEL_X] = { "subpixel_x", APP_REAL, 9, 3 },
    [SUBPIXEL_Y] = { "subpixel_y", APP_REAL, 9, 3 },
    [SUBPIXEL_SCORE] = { "subpixel_score", APP_REAL, 9, 6 },
    [MAP_X] = { "map_x", APP_REAL, 15, 3 },
    [MAP_Y] = { "map_y", APP_REAL, 15, 3 },
};

enum {
    POSE = 1u << ANGLE | 1u << SCALE,
    FINE = 1u << SUBPIXEL_X | 1u << SUBPIXEL_Y | 1u << SUBPIXEL_SCORE,
    GROUND = 1u << MAP_X | 1u << MAP_Y
};

enum { C_IMAGE, C_PAGE, C_TEMPLATE, C_COUNT, C_COLUMNS };

static const app_column count_columns[C_COLUMNS] = {
    [C_IMAGE] = { "image", APP_TEXT, 0, 0 },
    [C_PAGE] = { "page", APP_INTEGER, 0, 0 },
    [C_TEMPLATE] = { "template", APP_TEXT, 0, 0 },
    [C_COUNT] = { "count", APP_INTEGER, 0, 0 },
};

enum {
    S_IMAGE,
    S_PAGE,
    S_TEMPLATE,
    S_WIDTH,
    S_HEIGHT,
    S_PIXEL,
    S_CHANNELS,
    S_DEVICE,
    S_KERNEL,
    S_FOUND,
    S_CRS,
    S_COLUMNS
};

static const app_column search_columns[S_COLUMNS] = {
    [S_IMAGE] = { "image", APP_TEXT, 0, 0 },
    [S_PAGE] = { "page", APP_INTEGER, 0, 0 },
    [S_TEMPLATE] = { "template", APP_TEXT, 0, 0 },
    [S_WIDTH] = { "width", APP_INTEGER, 0, 0 },
    [S_HEIGHT] = { "height", APP_INTEGER, 0, 0 },
    [S_PIXEL] = { "pixel", APP_TEXT, 0, 0 },
    [S_CHANNELS] = { "channels", APP_INTEGER, 0, 0 },
    [S_DEVICE] = { "device", APP_TEXT, 0, 0 },
    [S_KERNEL] = { "kernel", APP_TEXT, 0, 0 },
    [S_FOUND] = { "found", APP_INTEGER, 0, 0 },
    [S_CRS] = { "crs", APP_TEXT, 0, 0 },
};

enum { F_IMAGE, F_PAGE, F_ERROR, F_COLUMNS };

static const app_column failure_columns[F_COLUMNS] = {
    [F_IMAGE] = { "image", APP_TEXT, 0, 0 },
    [F_PAGE] = { "page", APP_INTEGER, 0, 0 },
    [F_ERROR] = { "error", APP_TEXT, 0, 0 },
};

int find_format_of(const char *name, app_format *format)
{
    static const struct {
        const char *end;
        app_format format;
    } known[] = { { ".csv", APP_CSV },
                  { ".json", APP_JSON },
                  { ".jsonl", APP_JSONL },
                  { ".geojson", APP_GEOJSON },
                  { ".txt", APP_TABLE } };
    const char *dot = strrchr(name, '.');
    for (size_t i = 0; i < sizeof known / sizeof known[0] && dot; i++)
        if (strcmp(dot, known[i].end) == 0) {
            *format = known[i].format;
            return 1;
        }
    return 0;
}

xncc_status find_report_check(const app_options *o, const app_named *in, app_format *format,
                              app_error *error)
{
    *format = o->format;
    if (!o->output || strcmp(o->output, "-") == 0)
        return XNCC_OK;
    const int found = o->has_format || find_format_of(o->output, format);
    if (!found)
        return app_fail(error, app_blame_usage(error, XNCC_ERROR_ARGUMENT),
                        "-o %s: its ending says no format; let it end in .csv, .json, .jsonl, "
                        ".geojson or .txt, or give --format",
                        o->output);
    return app_check_output(in, "-o", o->output, error);
}

xncc_status find_report_open(const app_options *o, const app_named *in, const app_kit *kit,
                             find_report *r, app_error *error)
{
    *r = (find_report){ .options = o, .inputs = in, .kit = kit, .out = stdout };
    r->name = "standard output";
    r->file.fd = -1;
    r->rows = o->count_only ? (app_rows){ .columns = count_columns, .width = C_COLUMNS }
                            : (app_rows){ .columns = match_columns, .width = COLUMNS };
    r->searches = (app_rows){ .columns = search_columns, .width = S_COLUMNS };
    r->failures = (app_rows){ .columns = failure_columns, .width = F_COLUMNS };
    xncc_status status = find_report_check(o, in, &r->format, error);
    if (o->capture) {
        r->out = o->capture;
        r->name = "the results";
    }
    if (status || o->capture || !o->output || app_output_is_standard(o->output))
        return status;
    status = app_output_open(o->output, &r->file, error);
    if (status) {
        r->file = (app_output){ .fd = -1 };
        return status;
    }
    r->name = o->output;
    r->out = fdopen(r->file.fd, "w");
    return r->out ? XNCC_OK : app_fail(error, XNCC_ERROR_MEMORY, "%s: out of memory", o->output);
}

static xncc_status no_memory(const find_result *p, app_error *error)
{
    return app_fail(error, XNCC_ERROR_MEMORY,
                    "%s: out of memory for the table of matches; give a smaller --top", p->image);
}

static const char *templ_name(const find_report *r, int templ)
{
    return r->kit->templates.source[templ].path;
}

static int add_match(find_report *r, const find_result *p, const find_hit *h)
{
    const app_value row[COLUMNS] = {
        [NUMBER].integer = (int64_t)++r->hits,
        [IMAGE].text = p->image,
        [PAGE].integer = p->page,
        [TEMPLATE].text = templ_name(r, h->templ),
        [X].integer = h->x,
        [Y].integer = h->y,
        [WIDTH].integer = h->width,
        [HEIGHT].integer = h->height,
        [CENTER_X].real = h->center_x,
        [CENTER_Y].real = h->center_y,
        [ANGLE].real = h->angle,
        [SCALE].real = h->scale,
        [SCORE].real = h->score,
        [SUBPIXEL_X].real = h->subpixel_x,
        [SUBPIXEL_Y].real = h->subpixel_y,
        [SUBPIXEL_SCORE].real = h->subpixel_score,
        [MAP_X].real = h->map_x,
        [MAP_Y].real = h->map_y,
    };
    return app_rows_add(&r->rows, row);
}

static int add_count(find_report *r, const find_result *p, int templ)
{
    const app_value row[C_COLUMNS] = {
        [C_IMAGE].text = p->image,
        [C_PAGE].integer = p->page,
        [C_TEMPLATE].text = templ_name(r, templ),
        [C_COUNT].integer = (int64_t)p->search[templ].found,
    };
    r->hits += p->search[templ].found;
    return app_rows_add(&r->rows, row);
}

/* Copies the name of the page's coordinate system; NULL if it has none. Returns 0 if there is no
 * memory. */
static int copy_crs(const find_result *p, const char **copy)
{
    char crs[256];
    app_geo_crs(&p->scene->picture.geo, crs, sizeof crs);
    *copy = crs[0] ? strdup(crs) : NULL;
    return !crs[0] || *copy;
}

static int add_search(find_report *r, const find_result *p, int templ)
{
    const find_search *s = &p->search[templ];
    const char *crs = NULL;
    if (r->format == APP_JSON && !copy_crs(p, &crs))
        return 0;
    const app_value row[S_COLUMNS] = {
        [S_IMAGE].text = p->image,
        [S_PAGE].integer = p->page,
        [S_TEMPLATE].text = templ_name(r, templ),
        [S_WIDTH].integer = s->area.width,
        [S_HEIGHT].integer = s->area.height,
        [S_PIXEL].text = xncc_pixel_name(s->pixel),
        [S_CHANNELS].integer = s->channels,
        [S_DEVICE].text = s->device,
        [S_KERNEL].text = s->plan.kernel,
        [S_FOUND].integer = (int64_t)s->found,
        [S_CRS].text = crs,
    };
    if (app_rows_add(&r->searches, row))
        return 1;
    free((char *)(uintptr_t)crs);
    return 0;
}

/* Columns that this report never has, or not in this format. Those of the ground are there if the
 * first page has them. */
static unsigned hidden_columns(const find_report *r, const find_result *first)
{
    const int many = r->inputs->images.count > 1;
    unsigned hidden = (r->options->subpixel ? 0 : FINE) |
                      (r->options->turns || r->options->scales ? 0 : POSE);
    double x, y;
    if (r->options->count_only)
        return r->format == APP_TABLE && !many ? 1u << C_IMAGE : 0;
    if (r->format != APP_TABLE)
        hidden |= 1u << NUMBER;
    else if (!many)
        hidden |= 1u << IMAGE;
    if (!app_geo_ground(&first->scene->picture.geo, 0.0, 0.0, &x, &y))
        hidden |= GROUND;
    return hidden;
}

static void begin(find_report *r, const find_result *first)
{
    const xncc_match_rule *rule = &r->options->rule;
    r->begun = 1;
    app_geo_crs(&first->scene->picture.geo, r->crs, sizeof r->crs);
    r->hidden = hidden_columns(r, first);
    if (r->format == APP_CSV)
        app_header_print(r->out, &r->rows, r->hidden);
    if (r->format == APP_GEOJSON)
        find_geojson_begin(r->out, &first->scene->picture.geo);
    if (r->format == APP_JSON)
        fprintf(r->out,
                "{\n  \"method\": \"%s\",\n  \"mode\": \"%s\",\n  \"border\": \"%s\",\n  \"%s\": [",
                xncc_method_name(rule->method), app_mode_name(rule->mode),
                app_border_name(rule->border), r->options->count_only ? "counts" : "matches");
}

/* Prints the rows of this page, and forgets them. */
static void print_rows(find_report *r, const find_result *p)
{
    unsigned hidden = r->hidden;
    double x, y;
    if (!r->options->count_only && r->format != APP_CSV)
        hidden = app_geo_ground(&p->scene->picture.geo, 0.0, 0.0, &x, &y)
                     ? hidden & ~(unsigned)GROUND
                     : hidden | GROUND;
    for (size_t i = 0; i < r->rows.count; i++) {
        if (r->format == APP_JSON)
            fputs(r->printed ? ",\n    " : "\n    ", r->out);
        if (r->format == APP_GEOJSON)
            find_geojson_feature(r->out, &r->rows, i, hidden, &p->hit[i], &p->scene->picture.geo,
                                 r->printed == 0);
        else
            app_row_print(r->out, &r->rows, i, hidden, r->format);
        if (r->format == APP_JSONL)
            putc('\n', r->out);
        r->printed++;
    }
    r->rows.count = 0;
}

static xncc_status add_failure(find_report *r, const find_result *p, app_error *error)
{
    char *text = strdup(p->error.text);
    const app_value row[F_COLUMNS] = {
        [F_IMAGE].text = p->image, [F_PAGE].integer = p->page, [F_ERROR].text = text
    };
    if (text && app_rows_add(&r->failures, row))
        return XNCC_OK;
    free(text);
    return no_memory(p, error);
}

xncc_status find_report_add(find_report *r, const find_result *p, app_error *error)
{
    int ok = 1;
    if (p->status)
        return add_failure(r, p, error);
    r->pages++;
    r->width = p->scene->picture.width;
    r->height = p->scene->picture.height;
    if (r->format == APP_TABLE)
        r->searches.count = 0; /* the summary needs the last page only */
    for (int i = 0; i < p->templs && ok && (r->format == APP_JSON || r->format == APP_TABLE); i++)
        ok = add_search(r, p, i);
    if (r->options->count_only)
        for (int i = 0; i < p->templs && ok; i++)
            ok = add_count(r, p, i);
    else
        for (size_t i = 0; i < p->hits && ok; i++)
            ok = add_match(r, p, &p->hit[i]);
    if (!ok)
        return no_memory(p, error);
    if (!r->begun)
        begin(r, p);
    if (r->format != APP_TABLE)
        print_rows(r, p);
    return XNCC_OK;
}

static void end_json(find_report *r)
{
    const app_session *s = &r->kit->session;
    fputs(r->printed ? "\n  ],\n  \"searches\": " : "],\n  \"searches\": ", r->out);
    app_rows_print(r->out, &r->searches, 0, APP_JSON);
    fputs(",\n  \"failures\": ", r->out);
    app_rows_print(r->out, &r->failures, 0, APP_JSON);
    fputs(",\n  \"crs\": ", r->out);
    if (r->crs[0])
        app_json_string(r->out, r->crs);
    else
        fputs("null", r->out);
    fputs(",\n  \"device\": ", r->out);
    app_json_string(r->out, s->device);
    fputs(",\n  \"device_reason\": ", r->out);
    app_json_string(r->out, s->why);
    fputs("\n}\n", r->out);
}

static void end_table(find_report *r)
{
    char name[256];
    const app_value *last = r->searches.value + (r->searches.count - 1) * S_COLUMNS;
    const app_options *o = r->options;
    if (!o->quiet) {
        if (r->inputs->images.count > 1)
            fprintf(r->out, "%zu images", r->inputs->images.count);
        else
            fprintf(r->out, "%s: %d x %d %s",
                    app_printable(r->inputs->images.name[0], name, sizeof name), r->width,
                    r->height, last[S_PIXEL].text);
        fprintf(r->out, ", %s, kernel %s on %s\n", xncc_method_name(o->rule.method),
                last[S_KERNEL].text, last[S_DEVICE].text);
    }
    if (r->rows.count)
        app_rows_print(r->out, &r->rows, r->hidden, APP_TABLE);
    else
        fputs("no match\n", r->out);
}

/* Frees the texts of a column, which belong to the rows. */
static void free_texts(app_rows *rows, int column)
{
    for (size_t i = 0; i < rows->count; i++)
        free((char *)(uintptr_t)rows->value[i * (size_t)rows->width + (size_t)column].text);
}

xncc_status find_report_close(find_report *r, xncc_status status, app_error *error)
{
    if (r->begun && r->format == APP_JSON)
        end_json(r);
    if (r->begun && r->format == APP_GEOJSON)
        find_geojson_end(r->out);
    if (r->begun && r->format == APP_TABLE && !status)
        end_table(r);
    if (r->out) {
        const int owned = r->out != stdout && r->out != r->options->capture;
        status = (owned ? app_finish_close : app_finish)(r->out, r->name, status, error);
        if (owned)
            r->file.fd = -1;
    }
    if (r->file.name)
        status = app_output_close(&r->file, status, error);
    free_texts(&r->failures, F_ERROR);
    free_texts(&r->searches, S_CRS);
    app_rows_free(&r->rows);
    app_rows_free(&r->searches);
    app_rows_free(&r->failures);
    return status;
}
