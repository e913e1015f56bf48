#include "map_out.h"

#include "output.h"
#include "tiff_write.h"

#include <math.h>
#include <stdlib.h>

cm_status app_map_check(const app_options *o, app_error *error)
{
    if (!o->output)
        return app_fail(error, app_blame_usage(error, CM_ERROR_ARGUMENT), "-o: is missing; name the TIFF to write");
    for (int i = 0; i < o->file_count; i++)
        if (app_same_file(o->output, o->files[i]))
            return app_fail(error, app_blame_usage(error, CM_ERROR_ARGUMENT),
                            "-o %s: would overwrite an input; give another name", o->output);
    return app_output_check(o->output, error);
}

cm_status app_map_open(const char *path, int32_t width, int32_t height, cm_map *map, app_error *error)
{
    *map = (cm_map){ .width = width, .height = height };
    map->data = calloc((size_t)width * (size_t)height, sizeof *map->data);
    if (!map->data)
        return app_fail(error, CM_ERROR_MEMORY, "%s: out of memory for a map of %d x %d; free some memory", path, width,
                        height);
    return CM_OK;
}

/* Smallest and largest value that is a number; NaN when there is none. */
static void find_range(const cm_map *map, double *low, double *high)
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

static cm_status print_summary(const app_options *o, const cm_map *map, const char *description, const char *device,
                               const char *kernel, app_error *error)
{
    static const app_column columns[] = {
        { "output", APP_TEXT, 0, 0 }, { "width", APP_INTEGER, 0, 0 }, { "height", APP_INTEGER, 0, 0 },
        { "min", APP_REAL, 9, 6 },    { "max", APP_REAL, 9, 6 },      { "kernel", APP_TEXT, 0, 0 },
        { "device", APP_TEXT, 0, 0 },
    };
    double low, high;
    find_range(map, &low, &high);
    app_value row[] = { { .text = o->output }, { .integer = map->width }, { .integer = map->height }, { .real = low },
                        { .real = high },      { .text = kernel },        { .text = device } };
    const app_rows rows = { .columns = columns, .width = sizeof columns / sizeof columns[0], .value = row, .count = 1 };
    if (o->format != APP_JSON) {
        app_rows_print(stdout, &rows, 0, o->format);
    } else {
        printf("{\n  \"outputs\": ");
        app_rows_print(stdout, &rows, 0, APP_JSON);
        printf(",\n  \"description\": %s\n}\n", description);
    }
    return app_finish_stdout(error);
}

cm_status app_map_write(const app_options *o, const cm_map *map, const char *description, const char *device,
                        const char *kernel, app_error *error)
{
    const app_tiff_out picture = {
        .pixels = map->data, .width = map->width, .height = map->height, .description = description
    };
    cm_status status = app_tiff_write(o->output, &picture, error);
    return status || o->quiet ? status : print_summary(o, map, description, device, kernel, error);
}
