/* The float picture that correlate and convolve compute, write and report. */
#include "map_out.h"

#include "heatmap.h"
#include "inputs.h"
#include "output.h"
#include "save.h"

#include <math.h>
#include <stdlib.h>

xncc_status app_map_check(const app_options *o, app_error *error)
{
    if (!o->output)
        return app_fail(error, app_blame_usage(error, XNCC_ERROR_ARGUMENT),
                        "-o: is missing; give the name of the file to write");
    app_form form;
    xncc_status status = app_check_output(o, "-o", o->output, error);
    return status ? status : app_save_form(o->output, &form, error);
}

xncc_status app_map_open(const char *path, const xncc_extent *extent, xncc_map *map,
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

static void print_rows(const app_options *o, const app_rows *rows, const char *description)
{
    if (o->format != APP_JSON) {
        app_rows_print(stdout, rows, 0, o->format);
        return;
    }
    printf("{\n  \"outputs\": ");
    app_rows_print(stdout, rows, 0, APP_JSON);
    printf(",\n  \"description\": %s\n}\n", description);
}

xncc_status app_map_report(const app_options *o, const app_map_out *outs, size_t count,
                           const char *description, app_error *error)
{
    static const app_column columns[] = {
        { "output", APP_TEXT, 0, 0 },    { "width", APP_INTEGER, 0, 0 },
        { "height", APP_INTEGER, 0, 0 }, { "min", APP_REAL, 9, 6 },
        { "max", APP_REAL, 9, 6 },       { "kernel", APP_TEXT, 0, 0 },
        { "device", APP_TEXT, 0, 0 },
    };
    app_rows rows = { .columns = columns, .width = sizeof columns / sizeof columns[0] };
    int ok = 1, quiet = o->quiet;
    for (size_t i = 0; i < count; i++)
        quiet |= app_output_is_standard(outs[i].path); /* the map is there */
    for (size_t i = 0; i < count && !quiet && ok; i++) {
        const xncc_map *map = &outs[i].map;
        double low, high;
        find_range(map, &low, &high);
        const app_value row[] = { { .text = outs[i].path },   { .integer = map->width },
                                  { .integer = map->height }, { .real = low },
                                  { .real = high },           { .text = outs[i].kernel },
                                  { .text = outs[i].device } };
        ok = app_rows_add(&rows, row);
    }
    if (ok && !quiet)
        print_rows(o, &rows, description);
    app_rows_free(&rows);
    return ok ? app_finish_stdout(error) : app_fail(error, XNCC_ERROR_MEMORY, "out of memory");
}

xncc_status app_map_write(const app_map_out *out, const char *description, app_error *error)
{
    const app_tiff_out picture = { .pixels = out->map.data,
                                   .width = out->map.width,
                                   .height = out->map.height,
                                   .description = description,
                                   .place = out->place,
                                   .has_nan = out->has_nan };
    return app_save(out->path, &picture, error);
}

xncc_status app_map_heatmap(const app_options *o, const app_search *search, const app_source *scene,
                            const app_source *templ, const xncc_map *map, app_error *error)
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
    return app_heatmap_write(o->heatmap, &heat, error);
}
