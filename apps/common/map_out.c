/* SPDX-License-Identifier: BSD-2-Clause */
/* The float pictures that correlate and convolve compute, write and report. */
#include "map_out.h"

#include "band_rules.h"
#include "heatmap.h"
#include "input_digest.h"
#include "inputs.h"
#include "output.h"
#include "save.h"
#include "spread.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { OUTPUT, WIDTH, HEIGHT, LOW, HIGH, KERNEL, DEVICE, DESCRIPTION, COLUMNS };

static const app_column columns[COLUMNS] = {
    [OUTPUT] = { "output", APP_TEXT, 0, 0 },    [WIDTH] = { "width", APP_INTEGER, 0, 0 },
    [HEIGHT] = { "height", APP_INTEGER, 0, 0 }, [LOW] = { "min", APP_REAL, 9, 6 },
    [HIGH] = { "max", APP_REAL, 9, 6 },         [KERNEL] = { "kernel", APP_TEXT, 0, 0 },
    [DEVICE] = { "device", APP_TEXT, 0, 0 },    [DESCRIPTION] = { "description", APP_TEXT, 0, 0 },
};

/* Fails if an option cannot be combined with the format of the output. */
static xncc_status check_form(const app_options *o, app_form form, app_error *error)
{
    if (o->tile && form != APP_FORM_TIFF)
        return app_fail(error, app_blame_usage(error, XNCC_ERROR_ARGUMENT),
                        "--tile: is only for TIFF; give -o a name that ends in .tif");
    if (o->resume && (form == APP_FORM_PNG || app_output_is_standard(o->output)))
        return app_fail(error, app_blame_usage(error, XNCC_ERROR_ARGUMENT),
                        "--resume: needs a file that is written row by row; give -o a name that "
                        "ends in .tif or .npy");
    if (o->resume && o->heatmap)
        return app_fail(error, app_blame_usage(error, XNCC_ERROR_ARGUMENT),
                        "--resume: cannot be combined with --heatmap, which needs the whole map");
    return XNCC_OK;
}

/* 1 if the maps of several pages become one file. Journals and parts are per file, and a file of
 * several pages is written by one process at a stretch. */
static int is_book(const app_options *o, const char *name)
{
    app_form form;
    app_error unused;
    return o->pages.many && !strstr(name, "{page}") && !o->resume && !o->shards && !o->maker &&
           app_save_form(name, &form, &unused) == XNCC_OK && form == APP_FORM_TIFF;
}

xncc_status app_map_name_check(const app_options *o, const app_named *in, const char *option,
                               const char *name, app_error *error)
{
    app_options one = *o;
    if (is_book(o, name))
        one.pages.many = 0;
    return app_out_name_check(&one, in, option, name, 1, error);
}

xncc_status app_map_check(const app_options *o, const app_named *in, app_error *error)
{
    if (!o->output)
        return app_fail(error, app_blame_usage(error, XNCC_ERROR_ARGUMENT),
                        "-o: is missing; give the name of the file to write");
    app_form form;
    xncc_status status = app_map_name_check(o, in, "-o", o->output, error);
    if (!status && !strchr(o->output, '{'))
        status = app_check_output(in, "-o", o->output, error);
    if (!status)
        status = app_save_form(o->output, &form, error);
    return status ? status : check_form(o, form, error);
}

xncc_status app_map_spread(app_options *o, const app_named *in, app_error *error)
{
    app_form form;
    app_spread_maker *maker = o->maker ? o->maker : o->shards ? app_spread_shard : NULL;
    if (!maker)
        return XNCC_OK;
    const xncc_status status = app_save_form(o->output, &form, error);
    if (status)
        return status;
    if (form == APP_FORM_PNG || app_output_is_standard(o->output))
        return app_fail(error, app_blame_usage(error, XNCC_ERROR_ARGUMENT),
                        "-o %s: work that is shared needs a file that is written row by row; give "
                        "a name that ends in .tif or .npy",
                        o->output);
    if (o->resume)
        return app_fail(error, app_blame_usage(error, XNCC_ERROR_ARGUMENT),
                        "--resume: parts of work that is shared are journals; leave it out");
    const xncc_status refused = app_bands_refuse_shared(o, error);
    return refused ? refused : maker(o, app_input_digest(o, in), &o->spread, error);
}

void app_maps_open(const app_options *o, const app_named *in, const app_session *session,
                   app_maps *maps)
{
    *maps = (app_maps){ .options = o,
                        .inputs = in,
                        .session = session,
                        .rows = { .columns = columns, .width = COLUMNS } };
}

xncc_status app_map_name(app_maps *maps, const char *option, const char *name, const app_out_of *of,
                         char path[APP_OUT_NAME_SIZE], app_error *error)
{
    const xncc_status status = app_out_name(option, name, of, maps->inputs, path, error);
    return status ? status : app_written_add(&maps->written, option, path, error);
}

/* Ends the books of an image. */
static xncc_status close_books(app_maps *maps, xncc_status status, app_error *error)
{
    while (maps->books) {
        app_map_book *b = maps->books;
        maps->books = b->next;
        status = app_map_book_close(b, status, error);
    }
    return status;
}

xncc_status app_map_place(app_maps *maps, const char *option, const char *name,
                          const app_out_of *of, app_map_out *out, app_error *error)
{
    xncc_status status = XNCC_OK;
    if (!is_book(maps->options, name))
        return app_map_name(maps, option, name, of, out->path, error);
    if (maps->item != of->number)
        status = close_books(maps, XNCC_OK, error);
    maps->item = of->number;
    if (!status)
        status = app_out_name(option, name, of, maps->inputs, out->path, error);
    for (app_map_book *b = maps->books; b && !status && !out->book; b = b->next)
        if (strcmp(b->path, out->path) == 0)
            out->book = b;
    if (status || out->book)
        return status;
    status = app_written_add(&maps->written, option, out->path, error);
    out->book = status ? NULL : app_map_book_new(out->path);
    if (!status && !out->book)
        return app_fail(error, XNCC_ERROR_MEMORY, "%s: out of memory", out->path);
    if (out->book) {
        out->book->next = maps->books;
        maps->books = out->book;
    }
    return status;
}

xncc_status app_map_reserve(const char *path, const xncc_extent *extent, xncc_map *map,
                            app_error *error)
{
    app_form form;
    xncc_status status = app_save_form(path, &form, error);
    *map = (xncc_map){ .width = extent->width, .height = extent->height };
    if (status)
        return status;
    if (app_inputs_has(path))
        return app_fail(error, app_blame_usage(error, XNCC_ERROR_ARGUMENT),
                        "%s: would overwrite an input; give another name", path);
    return XNCC_OK;
}

xncc_status app_map_open(const char *path, const xncc_extent *extent, xncc_map *map,
                         app_error *error)
{
    const xncc_status status = app_map_reserve(path, extent, map, error);
    if (status)
        return status;
    map->data = calloc((size_t)map->width * (size_t)map->height, sizeof *map->data);
    if (!map->data)
        return app_fail(error, XNCC_ERROR_MEMORY,
                        "%s: out of memory for a map of %d x %d; free some memory", path,
                        map->width, map->height);
    return XNCC_OK;
}

/* Smallest and largest value other than NaN; NaN if there is none. */
static void find_range(const xncc_map *map, double *low, double *high)
{
    *low = *high = (double)NAN;
    for (size_t i = 0; i < (size_t)map->width * (size_t)map->height; i++) {
        double v = (double)map->data[i];
        if (!(v >= *low))
            *low = isnan(v) ? *low : v;
        if (!(v <= *high))
            *high = isnan(v) ? *high : v;
    }
}

/* A copy of a text that lives as long as the maps; NULL: no memory. */
static const char *keep(app_maps *maps, const char *text)
{
    char **more = realloc(maps->text, (maps->texts + 1) * sizeof *more);
    if (!more)
        return NULL;
    maps->text = more;
    more[maps->texts] = strdup(text);
    return more[maps->texts] ? more[maps->texts++] : NULL;
}

static xncc_status add_row(app_maps *maps, const app_map_out *out, const char *description,
                           app_error *error)
{
    const app_value row[COLUMNS] = {
        [OUTPUT].text = keep(maps, out->path),
        [WIDTH].integer = out->map.width,
        [HEIGHT].integer = out->map.height,
        [LOW].real = out->low,
        [HIGH].real = out->high,
        [KERNEL].text = out->kernel,
        [DEVICE].text = out->device,
        [DESCRIPTION].text = keep(maps, description),
    };
    if (row[OUTPUT].text && row[DESCRIPTION].text && app_rows_add(&maps->rows, row))
        return XNCC_OK;
    return app_fail(error, XNCC_ERROR_MEMORY, "%s: out of memory", out->path);
}

xncc_status app_map_report(app_maps *maps, const app_map_out *out, const char *description,
                           int described, app_error *error)
{
    maps->piped |= app_output_is_standard(out->path); /* the map is there */
    if (maps->options->quiet)
        return XNCC_OK;
    return add_row(maps, out, described ? description : "", error);
}

xncc_status app_map_write(app_maps *maps, app_map_out *out, const char *description, int described,
                          app_error *error)
{
    const app_tiff_out picture = { .pixels = out->map.data,
                                   .width = out->map.width,
                                   .height = out->map.height,
                                   .tile = maps->options->tile,
                                   .description = description,
                                   .place = out->place,
                                   .has_nan = out->has_nan };
    const xncc_status status = out->book ? app_map_book_add(out->book, &picture, error)
                                         : app_save(out->path, &picture, error);
    if (status)
        return status;
    find_range(&out->map, &out->low, &out->high);
    return app_map_report(maps, out, description, described, error);
}

static void print(const app_maps *maps)
{
    const unsigned hidden = 1u << DESCRIPTION;
    const char *comma = "\n    ";
    if (maps->options->format != APP_JSON) {
        app_rows_print(stdout, &maps->rows, hidden, maps->options->format);
        return;
    }
    printf("{\n  \"outputs\": ");
    app_rows_print(stdout, &maps->rows, hidden, APP_JSON);
    printf(",\n  \"descriptions\": [");
    for (size_t i = 0; i < maps->rows.count; i++) {
        const char *text = maps->rows.value[i * COLUMNS + DESCRIPTION].text;
        if (*text) {
            printf("%s%s", comma, text);
            comma = ",\n    ";
        }
    }
    printf("\n  ],\n  \"device\": ");
    app_json_string(stdout, maps->session->device);
    printf(",\n  \"device_reason\": ");
    app_json_string(stdout, maps->session->why);
    printf("\n}\n");
}

xncc_status app_maps_close(app_maps *maps, xncc_status status, app_error *error)
{
    app_error unwritten = { .text = "" };
    /* A page that has failed does not take the others with it. */
    const xncc_status ended = close_books(maps, maps->complete ? XNCC_OK : XNCC_ERROR_CANCELLED,
                                          &unwritten);
    if (ended && maps->complete && !status) {
        *error = unwritten;
        status = ended;
    }
    if (maps->rows.count && !maps->piped)
        print(maps);
    status = app_finish(stdout, "standard output", status, error);
    for (size_t i = 0; i < maps->texts; i++)
        free(maps->text[i]);
    free(maps->text);
    app_rows_free(&maps->rows);
    app_written_free(&maps->written);
    return status;
}

xncc_status app_map_heatmap(const app_options *o, const char *path, const app_search *search,
                            const app_source *scene, const app_source *templ, const xncc_map *map,
                            app_error *error)
{
    const app_place place = app_search_place(search, scene);
    const app_heatmap heat = { .name = scene->path,
                               .templ = templ->path,
                               .scene = &scene->picture,
                               .map = map,
                               .x = place.x,
                               .y = place.y,
                               .method = o->rule.method,
                               .look = o->heat };
    return app_heatmap_write(path, &heat, error);
}
