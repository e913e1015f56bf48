/* SPDX-License-Identifier: BSD-2-Clause */
/* The table and the bands of exactncc track. */
#include "track_out.h"

#include "common/inputs.h"
#include "common/named_files.h"
#include "common/output.h"
#include "npy_write.h"
#include "save.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum {
    X,
    Y,
    DX,
    DY,
    SCORE,
    WHOLE_DX,
    WHOLE_DY,
    SECOND,
    RATIO,
    SNR,
    CURVE_XX,
    CURVE_XY,
    CURVE_YY,
    COV_XX,
    COV_XY,
    COV_YY,
    VALID,
    LOOP,
    RESIDUAL,
    MAP_X,
    MAP_Y,
    MAP_DX,
    MAP_DY,
    STATE,
    COLUMNS
};

static const app_column columns[COLUMNS] = {
    [X] = { "x", APP_REAL, 17, 1 },
    [Y] = { "y", APP_REAL, 17, 1 },
    [DX] = { "dx", APP_REAL, 17, 3 },
    [DY] = { "dy", APP_REAL, 17, 3 },
    [SCORE] = { "score", APP_REAL, 9, 6 },
    [WHOLE_DX] = { "whole_dx", APP_INTEGER, 0, 0 },
    [WHOLE_DY] = { "whole_dy", APP_INTEGER, 0, 0 },
    [SECOND] = { "second", APP_REAL, 9, 6 },
    [RATIO] = { "ratio", APP_REAL, 17, 3 },
    [SNR] = { "snr", APP_REAL, 17, 2 },
    [CURVE_XX] = { "curve_xx", APP_REAL, 17, 5 },
    [CURVE_XY] = { "curve_xy", APP_REAL, 17, 5 },
    [CURVE_YY] = { "curve_yy", APP_REAL, 17, 5 },
    [COV_XX] = { "cov_xx", APP_REAL, 17, 8 },
    [COV_XY] = { "cov_xy", APP_REAL, 17, 8 },
    [COV_YY] = { "cov_yy", APP_REAL, 17, 8 },
    [VALID] = { "valid", APP_REAL, 17, 3 },
    [LOOP] = { "loop", APP_REAL, 17, 3 },
    [RESIDUAL] = { "residual", APP_REAL, 17, 3 },
    [MAP_X] = { "map_x", APP_REAL, 17, 3 },
    [MAP_Y] = { "map_y", APP_REAL, 17, 3 },
    [MAP_DX] = { "map_dx", APP_REAL, 17, 3 },
    [MAP_DY] = { "map_dy", APP_REAL, 17, 3 },
    [STATE] = { "state", APP_TEXT, 0, 0 },
};

static xncc_status check_table(const app_options *o, app_format *format, app_error *error)
{
    static const char *const endings[] = { ".csv", ".json", ".jsonl", ".txt" };
    static const app_format formats[] = { APP_CSV, APP_JSON, APP_JSONL, APP_TABLE };
    const char *dot = o->output ? strrchr(o->output, '.') : NULL;
    *format = o->format;
    if (o->has_format || !o->output || app_output_is_standard(o->output))
        return XNCC_OK;
    for (int i = 0; i < 4; i++)
        if (dot && strcasecmp(dot, endings[i]) == 0) {
            *format = formats[i];
            return XNCC_OK;
        }
    return app_fail(error, app_blame_usage(error, XNCC_ERROR_ARGUMENT),
                    "-o %s: its ending says no format; let it end in .csv, .json, .jsonl or .txt, "
                    "or give --format",
                    o->output);
}

static int ends_in_npy(const char *name)
{
    const size_t length = strlen(name);
    return length >= 4 && strcasecmp(name + length - 4, ".npy") == 0;
}

static xncc_status check_bands(const app_options *o, app_error *error)
{
    app_form form;
    if (o->track_points)
        return app_fail(error, app_blame_usage(error, XNCC_ERROR_ARGUMENT),
                        "--bands: is for grids; leave out --points");
    if (app_output_is_standard(o->track_bands))
        return app_fail(error, app_blame_usage(error, XNCC_ERROR_ARGUMENT),
                        "--bands %s: standard output is for the table; name a file",
                        o->track_bands);
    if (!strstr(o->track_bands, "{band}") && !ends_in_npy(o->track_bands))
        return app_fail(error, app_blame_usage(error, XNCC_ERROR_ARGUMENT),
                        "--bands %s: is one name for several bands; write {band} into it, or let "
                        "it end in .npy for one array",
                        o->track_bands);
    return app_save_form(o->track_bands, &form, error);
}

xncc_status track_out_check(const app_options *o, app_format *format, app_error *error)
{
    app_named in;
    xncc_status status = app_named_open(o, 0, &in, error);
    if (!status)
        status = check_table(o, format, error);
    if (!status && o->output && !app_output_is_standard(o->output))
        status = app_check_output(&in, "-o", o->output, error);
    if (!status && o->track_bands)
        status = check_bands(o, error);
    if (!status && o->track_bands && !strchr(o->track_bands, '{'))
        status = app_check_output(&in, "--bands", o->track_bands, error);
    if (!status && o->track_vectors)
        status = app_check_output(&in, "--vectors", o->track_vectors, error);
    app_named_close(&in);
    return status;
}

void track_out_ground(const track_result *r, const xncc_displacement *d, double ground[4])
{
    const app_geo *a = &r->images->image[0].geo, *b = &r->images->image[1].geo;
    double x, y;
    for (int i = 0; i < 4; i++)
        ground[i] = (double)NAN;
    if (!r->placed || !app_geo_ground(a, d->x, d->y, &ground[0], &ground[1]) ||
        !app_geo_ground(b, d->x + d->dx, d->y + d->dy, &x, &y))
        return;
    ground[2] = x - ground[0];
    ground[3] = y - ground[1];
}

/* The bits of a state in words. */
static const char *state_text(uint32_t state)
{
    static const char *const found[4] = { "", "outlier", "", "outlier replaced" },
                             *const edge[4] = { "edge", "edge outlier", "edge",
                                                "edge outlier replaced" };
    const unsigned rest = (state & XNCC_TRACK_OUTLIER ? 1u : 0u) |
                          (state & XNCC_TRACK_REPLACED ? 2u : 0u);
    if (state & XNCC_TRACK_MISSING)
        return rest ? "missing replaced" : "missing";
    return state & XNCC_TRACK_EDGE ? edge[rest] : found[rest];
}

static void fill_row(const track_result *r, const xncc_displacement *d, app_value *row)
{
    double ground[4];
    track_out_ground(r, d, ground);
    const double real[COLUMNS] = {
        [X] = d->x,
        [Y] = d->y,
        [DX] = d->dx,
        [DY] = d->dy,
        [SCORE] = (double)d->score,
        [SECOND] = (double)d->second,
        [RATIO] = d->ratio,
        [SNR] = d->snr,
        [CURVE_XX] = d->curve_xx,
        [CURVE_XY] = d->curve_xy,
        [CURVE_YY] = d->curve_yy,
        [COV_XX] = d->cov_xx,
        [COV_XY] = d->cov_xy,
        [COV_YY] = d->cov_yy,
        [VALID] = d->valid,
        [LOOP] = d->loop,
        [RESIDUAL] = d->residual,
        [MAP_X] = ground[0],
        [MAP_Y] = ground[1],
        [MAP_DX] = ground[2],
        [MAP_DY] = ground[3],
    };
    for (int i = 0; i < COLUMNS; i++)
        row[i].real = real[i];
    row[WHOLE_DX].integer = d->whole_dx;
    row[WHOLE_DY].integer = d->whole_dy;
    row[STATE].text = state_text(d->state);
}

/* The columns that this run does not have, as bits. */
static unsigned skipped(const track_result *r)
{
    const unsigned map = 1u << MAP_X | 1u << MAP_Y | 1u << MAP_DX | 1u << MAP_DY;
    return (r->options->track.back ? 0 : 1u << LOOP) |
           (r->options->track_checked ? 0 : 1u << RESIDUAL) | (r->placed ? 0 : map);
}

static void print_rows(const track_result *r, app_format format, FILE *out)
{
    app_value value[COLUMNS];
    app_rows one = { .columns = columns, .width = COLUMNS, .value = value, .count = 1, .room = 1 };
    if (format == APP_CSV)
        app_header_print(out, &one, skipped(r));
    for (size_t i = 0; i < r->points->count; i++) {
        fill_row(r, &r->found[i], value);
        app_row_print(out, &one, 0, skipped(r), format);
        if (format == APP_JSONL)
            fputc('\n', out);
    }
}

/* Prints the table, which the formats that align or enclose it need as a whole. */
static xncc_status print_table(const track_result *r, app_format format, FILE *out,
                               app_error *error)
{
    app_rows rows = { .columns = columns, .width = COLUMNS };
    app_value value[COLUMNS];
    if (format == APP_CSV || format == APP_JSONL) {
        print_rows(r, format, out);
        return XNCC_OK;
    }
    for (size_t i = 0; i < r->points->count; i++) {
        fill_row(r, &r->found[i], value);
        if (!app_rows_add(&rows, value)) {
            app_rows_free(&rows);
            return app_fail(error, XNCC_ERROR_MEMORY,
                            "out of memory for the table; give --format csv or jsonl");
        }
    }
    if (format == APP_JSON)
        fputs("{\"displacements\": ", out);
    app_rows_print(out, &rows, skipped(r), format);
    if (format == APP_JSON)
        fputs("}\n", out);
    app_rows_free(&rows);
    return XNCC_OK;
}

xncc_status track_out_table(const track_result *r, app_format format, app_error *error)
{
    const char *name = r->options->output;
    app_output file;
    if (!name || app_output_is_standard(name)) {
        const xncc_status status = print_table(r, format, stdout, error);
        return status ? status : app_finish_stdout(error);
    }
    xncc_status status = app_output_open(name, &file, error);
    if (status)
        return status;
    FILE *out = fdopen(file.fd, "w");
    status = out ? print_table(r, format, out, error)
                 : app_fail(error, XNCC_ERROR_MEMORY, "%s: out of memory", name);
    if (out) {
        status = app_finish_close(out, name, status, error);
        file.fd = -1;
    }
    return app_output_close(&file, status, error);
}

/* ---- bands ---- */

/* A column as a band: a band of this run, in the order of the columns. */
static int is_band(const track_result *r, int column)
{
    return column >= DX && columns[column].kind == APP_REAL && column != MAP_X && column != MAP_Y &&
           !(skipped(r) & 1u << column);
}

/* The tags of a picture with a pixel per chip. */
static int grid_geo(const track_result *r, app_geo *geo)
{
    const app_options *o = r->options;
    const double x0 = (o->track.chip_width - 1) / 2.0, y0 = (o->track.chip_height - 1) / 2.0;
    return app_geo_coarser(&r->images->image[0].geo, x0, y0, o->track_step.width,
                           o->track_step.height, geo);
}

/* The name of a band: {band} replaced by the name of the column. Returns 0 if it is too long. */
static int band_name(const char *pattern, const char *band, char *name, size_t size)
{
    const char *at = strstr(pattern, "{band}");
    if (!at)
        return snprintf(name, size, "%s", pattern) < (int)size;
    return snprintf(name, size, "%.*s%s%s", (int)(at - pattern), pattern, band,
                    at + strlen("{band}")) < (int)size;
}

static xncc_status write_band(const track_result *r, int column, float *pixels, const app_geo *geo,
                              app_error *error)
{
    char name[4096];
    app_value row[COLUMNS];
    const app_size grid = r->points->grid;
    if (!band_name(r->options->track_bands, columns[column].name, name, sizeof name))
        return app_fail(error, XNCC_ERROR_ARGUMENT, "--bands: the name is too long");
    if (app_inputs_has(name))
        return app_fail(error, app_blame_usage(error, XNCC_ERROR_ARGUMENT),
                        "%s: would overwrite an input; give another name", name);
    for (size_t i = 0; i < r->points->count; i++) {
        fill_row(r, &r->found[i], row);
        pixels[i] = (float)row[column].real;
    }
    const app_tiff_out out = { .pixels = pixels,
                               .width = grid.width,
                               .height = grid.height,
                               .place = { geo, 0, 0 },
                               .has_nan = 1 };
    return app_save(name, &out, error);
}

/* All bands as one array of shape (rows, columns, bands). */
static xncc_status write_array(const track_result *r, app_error *error)
{
    int bands = 0, band = 0;
    app_value row[COLUMNS];
    for (int c = 0; c < COLUMNS; c++)
        bands += is_band(r, c);
    float *pixels = calloc(r->points->count, (size_t)bands * sizeof *pixels);
    if (!pixels)
        return app_fail(error, XNCC_ERROR_MEMORY, "%s: out of memory", r->options->track_bands);
    for (size_t i = 0; i < r->points->count; i++) {
        fill_row(r, &r->found[i], row);
        band = 0;
        for (int c = 0; c < COLUMNS; c++)
            if (is_band(r, c))
                pixels[i * (size_t)bands + (size_t)band++] = (float)row[c].real;
    }
    const xncc_image view = { .data = pixels,
                              .width = r->points->grid.width,
                              .height = r->points->grid.height,
                              .pixel = XNCC_F32,
                              .channels = bands };
    const xncc_status status = app_npy_write(r->options->track_bands, &view, error);
    free(pixels);
    return status;
}

xncc_status track_out_bands(const track_result *r, app_error *error)
{
    app_geo geo = { .ties = 0 };
    xncc_status status = XNCC_OK;
    if (!strstr(r->options->track_bands, "{band}"))
        return write_array(r, error);
    float *pixels = calloc(r->points->count, sizeof *pixels);
    if (!pixels)
        return app_fail(error, XNCC_ERROR_MEMORY, "%s: out of memory", r->options->track_bands);
    const int placed = grid_geo(r, &geo);
    for (int c = 0; c < COLUMNS && !status; c++)
        if (is_band(r, c))
            status = write_band(r, c, pixels, placed ? &geo : NULL, error);
    app_geo_free(&geo);
    free(pixels);
    return status;
}
