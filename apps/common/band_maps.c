/* SPDX-License-Identifier: BSD-2-Clause */
/* Maps that are computed band by band. */
#include "band_maps.h"

#include "input_digest.h"

#include <stdio.h>
#include <stdlib.h>

/* The key of a journal: the version, the command line, the input files, and which map it is. */
static void make_key(const app_options *o, const app_named *in, const app_map_out *out,
                     const char *about, char key[64])
{
    uint64_t digest = app_input_digest(o, in);
    app_digest_text(&digest, o->command);
    app_digest_text(&digest, about);
    app_digest_text(&digest, out->path);
    app_digest_bytes(&digest, &out->map.width, sizeof out->map.width);
    app_digest_bytes(&digest, &out->map.height, sizeof out->map.height);
    snprintf(key, 64, "exactncc journal 1 %016llx", (unsigned long long)digest);
}

xncc_status app_band_map_open(const app_options *o, const app_named *in, app_map_out *out,
                              const xncc_extent *extent, const char *about, app_band_map *map,
                              app_error *error)
{
    char key[64];
    const xncc_status status = app_map_reserve(out->path, extent, &out->map, error);
    *map = (app_band_map){ .out = out, .y0 = extent->y0 };
    if (status)
        return status;
    make_key(o, in, out, about, key);
    return app_map_file_open(out->path,
                             &(app_map_shape){ .width = extent->width,
                                               .height = extent->height,
                                               .tile = o->tile,
                                               .key = o->resume ? key : NULL,
                                               .book = out->book,
                                               .shared = !o->spread ? 0
                                                         : o->parts ? 2
                                                                    : 1 },
                             &map->file, error);
}

xncc_status app_band_map_put(app_band_map *map, const app_band_rows *rows, const xncc_map *part,
                             int32_t y0, unsigned flags, app_error *error)
{
    const int64_t end = (int64_t)y0 + part->height;
    const int64_t from = rows->from > y0 ? rows->from : y0, to = rows->to < end ? rows->to : end;
    if (from >= to)
        return XNCC_OK;
    return app_map_file_put(map->file, (int32_t)(from - map->y0), (int32_t)(to - from),
                            part->data + (size_t)(from - y0) * (size_t)part->width, flags, error);
}

xncc_status app_band_map_part(const app_map_out *out, xncc_map *part, app_error *error)
{
    part->data = malloc((size_t)part->width * (size_t)part->height * sizeof *part->data);
    return part->data ? XNCC_OK
                      : app_fail(error, XNCC_ERROR_MEMORY,
                                 "%s: out of memory for %d rows of the map; give a smaller "
                                 "--max-memory",
                                 out->path, part->height);
}

/* Leaves out the bands whose rows all maps have. Returns 0 if nothing is left to do. */
static int skip_done(const app_band_maps *maps, app_bands_rule *rule)
{
    int32_t least = INT32_MAX;
    int left = 0;
    for (int i = 0; i < maps->count; i++) {
        const app_band_map *map = &maps->map[i];
        const int32_t rows = app_map_file_rows(map->file);
        left |= rows < map->out->map.height;
        if (map->y0 + rows < least)
            least = map->y0 + rows;
        if (rows == 0)
            least = INT32_MIN;
    }
    rule->from = least;
    return left;
}

/* Prints what is known of the rows that were put since the last call. */
static xncc_status print_rows(app_band_map *map, FILE *out, app_error *error)
{
    app_progress_line done;
    uint64_t number = 0;
    const xncc_status status = app_map_file_slice(map->file, &done, &number, error);
    fprintf(out, "map %u %a %a %llu %d %s\n", done.flags, done.low, done.high,
            (unsigned long long)number, (int)map->engine, map->out->kernel);
    return status;
}

/* What a line of print_rows says. */
typedef struct map_line {
    app_progress_line done;
    unsigned long long number;
    char kernel[64];
    int engine;
} map_line;

static int read_line(const char **text, map_line *l)
{
    int length = 0;
    *l = (map_line){ .engine = 0 };
    if (sscanf(*text, "map %u %la %la %llu %d %63s\n%n", &l->done.flags, &l->done.low,
               &l->done.high, &l->number, &l->engine, l->kernel, &length) != 6)
        return 0;
    *text += length;
    return 1;
}

/* Takes a line of print_rows where all is known. *text: moved behind the line. */
static xncc_status take_rows(app_band_map *map, const app_session *session, const char **text,
                             app_error *error)
{
    map_line l;
    xncc_plan_info info = XNCC_PLAN_INFO_INIT;
    if (!read_line(text, &l))
        return app_fail(error, XNCC_ERROR_ARGUMENT,
                        "%s: a part of it is damaged; remove the parts and begin again",
                        map->out->path);
    info.engine = (xncc_device)l.engine;
    map->out->device = app_session_engine(session, &info);
    map->out->kernel = app_kernel_name(l.kernel);
    return app_map_file_add(map->file, &l.done, l.number, error);
}

static xncc_status compute_bands(const app_band_maps *m, const app_bands_rule *rule,
                                 app_error *error)
{
    return app_bands_each(m->kit, rule, m->count, m->compute, m->data, error);
}

static xncc_status compute_slice(void *data, uint64_t item, FILE *out, app_error *error)
{
    const app_band_maps *m = data;
    const app_bands_rule rule = app_bands_slice(&m->rule, m->page, item);
    xncc_status status = compute_bands(m, &rule, error);
    for (int i = 0; i < m->count && !status; i++)
        status = print_rows(&m->map[i], out, error);
    return status;
}

/* Does the record tell of these files, and not of earlier ones of their names? */
static int stands(void *data, const app_record *record)
{
    const app_band_maps *m = data;
    const char *text = record->text;
    map_line l;
    for (int i = 0; i < m->count; i++)
        if (!read_line(&text, &l) || !app_map_file_is(m->map[i].file, l.number))
            return 0;
    return 1;
}

static xncc_status take_slice(void *data, const app_record *record, app_error *error)
{
    const app_band_maps *m = data;
    const char *text = record->text;
    xncc_status status = XNCC_OK;
    for (int i = 0; i < m->count && !status; i++)
        status = take_rows(&m->map[i], &m->kit->session, &text, error);
    return status;
}

xncc_status app_band_maps_compute(app_band_maps *maps, app_error *error)
{
    app_spread *const spread = maps->kit->session.options->spread;
    app_work work = app_bands_work(&maps->rule, maps->page);
    work.data = maps;
    work.run = compute_slice;
    work.stands = stands;
    work.take = take_slice;
    if (spread)
        return spread->run(spread, &work, error);
    return skip_done(maps, &maps->rule) ? compute_bands(maps, &maps->rule, error) : XNCC_OK;
}

xncc_status app_band_map_close(app_band_map *map, app_maps *maps, const char *description,
                               int described, xncc_status status, app_error *error)
{
    app_map_out *const out = map->out;
    if (!map->file)
        return status;
    const app_tiff_out frame = { .description = description,
                                 .place = out->place,
                                 .has_nan = out->has_nan };
    const app_spread *spread = maps->options->spread;
    const int silent = spread && spread->silent;
    app_map_file_range(map->file, &out->low, &out->high);
    status = app_map_file_close(map->file, silent ? NULL : &frame, status, error);
    map->file = NULL;
    return status || silent ? status : app_map_report(maps, out, description, described, error);
}
