/* corrmatch find: the best matches of one or more templates on one or all pages of an image. */
#include "commands.h"
#include "common/output.h"
#include "common/overlay.h"
#include "common/progress.h"
#include "common/reader.h"
#include "common/session.h"
#include "corrmatch/refine.h"
#include "corrmatch/scan.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBER, IMAGE, PAGE, TEMPLATE, X, Y, WIDTH, HEIGHT, SCORE, SUBPIXEL_X, SUBPIXEL_Y, COLUMNS };

static const app_column match_columns[COLUMNS] = {
    [NUMBER] = { "#", APP_INTEGER, 0, 0 },
    [IMAGE] = { "image", APP_TEXT, 0, 0 },
    [PAGE] = { "page", APP_INTEGER, 0, 0 },
    [TEMPLATE] = { "template", APP_TEXT, 0, 0 },
    [X] = { "x", APP_INTEGER, 0, 0 },
    [Y] = { "y", APP_INTEGER, 0, 0 },
    [WIDTH] = { "width", APP_INTEGER, 0, 0 },
    [HEIGHT] = { "height", APP_INTEGER, 0, 0 },
    [SCORE] = { "score", APP_REAL, 9, 6 },
    [SUBPIXEL_X] = { "subpixel_x", APP_REAL, 9, 3 },
    [SUBPIXEL_Y] = { "subpixel_y", APP_REAL, 9, 3 },
};

enum { S_PAGE, S_TEMPLATE, S_WIDTH, S_HEIGHT, S_PIXEL, S_DEVICE, S_KERNEL, S_FOUND, S_COLUMNS };

static const app_column search_columns[S_COLUMNS] = {
    [S_PAGE] = { "page", APP_INTEGER, 0, 0 },   [S_TEMPLATE] = { "template", APP_TEXT, 0, 0 },
    [S_WIDTH] = { "width", APP_INTEGER, 0, 0 }, [S_HEIGHT] = { "height", APP_INTEGER, 0, 0 },
    [S_PIXEL] = { "pixel", APP_TEXT, 0, 0 },    [S_DEVICE] = { "device", APP_TEXT, 0, 0 },
    [S_KERNEL] = { "kernel", APP_TEXT, 0, 0 },  [S_FOUND] = { "found", APP_INTEGER, 0, 0 },
};

typedef struct job {
    const app_options *options;
    app_session session;
    const char *image;
    app_source *parts;
    int part_count;
    int32_t width, height; /* of the last page */
    app_rows matches, searches;
} job;

static cm_find_options find_options(const app_options *o)
{
    cm_find_options f = { .method = o->method,
                          .mode = o->mode,
                          .border = o->border,
                          .kernel = o->kernel,
                          .top = (size_t)o->top,
                          .min_score = o->min_score,
                          .max_score = o->max_score,
                          .min_distance = o->min_distance };
    /* The library's 0 means no limit; a limit of 0 keeps perfect matches, and so does the smallest float. */
    if (o->has_max_score && o->max_score == 0.0f)
        f.max_score = FLT_TRUE_MIN;
    return f;
}

/* A search under way. */
typedef struct hunt {
    app_search search;
    cm_match *match;
    cm_refined *refined; /* NULL: not asked for */
    size_t room, found;
} hunt;

static cm_status report_matches(job *j, const app_source *scene, const app_source *part, const hunt *h,
                                app_error *error)
{
    const cm_match *match = h->match;
    for (size_t i = 0; i < h->found; i++) {
        const app_value row[COLUMNS] = {
            [NUMBER].integer = (int64_t)j->matches.count + 1,
            [IMAGE].text = j->image,
            [PAGE].integer = scene->page,
            [TEMPLATE].text = part->path,
            [X].integer = match[i].x,
            [Y].integer = match[i].y,
            [WIDTH].integer = part->picture.width,
            [HEIGHT].integer = part->picture.height,
            [SCORE].real = (double)match[i].score,
            [SUBPIXEL_X].real = h->refined ? h->refined[i].x : 0,
            [SUBPIXEL_Y].real = h->refined ? h->refined[i].y : 0,
        };
        if (!app_rows_add(&j->matches, row))
            return app_fail(error, CM_ERROR_MEMORY, "%s: out of memory for %zu matches; give a smaller --top", j->image,
                            h->found);
    }
    return CM_OK;
}

/* Matches the rows of the scene as the reader brings them. What the reader has to complain of comes first. */
static cm_status run_hunt(job *j, hunt *h, app_reader *reader, const char *name, app_error *error)
{
    enum { STEP = 64 }; /* rows worth waking up for */
    const cm_find_options options = find_options(j->options);
    const int32_t height = h->search.scene.height;
    app_progress progress;
    cm_scan *scan = NULL;
    app_progress_start(&progress, j->session.context, name, j->options->quiet);
    cm_status status = cm_scan_create(h->search.plan, &h->search.scene, h->search.part, &options, h->room, &scan);
    int32_t rows = 0;
    while (!status && rows >= 0 && rows < height)
        if ((rows = app_reader_wait(reader, rows + STEP)) > 0)
            status = cm_scan_rows(scan, rows);
    if (!status && rows == height)
        status = cm_scan_finish(scan, h->match, &h->found, NULL);
    app_progress_stop(&progress);
    cm_scan_destroy(scan);
    if (status)
        return app_session_fail(&j->session, status, name, error);
    return app_reader_stop(reader, error);
}

static cm_status refine_matches(const job *j, hunt *h, const char *name, app_error *error)
{
    const cm_find_options options = find_options(j->options);
    h->refined = calloc(h->found + 1, sizeof *h->refined);
    if (!h->refined)
        return app_fail(error, CM_ERROR_MEMORY, "%s: out of memory for %zu matches; give a smaller --top", name,
                        h->found);
    const cm_status status =
        cm_refine(j->session.context, &h->search.scene, h->search.part, &options, h->match, h->found, h->refined);
    return status ? app_session_fail(&j->session, status, name, error) : CM_OK;
}

static cm_status report_search(job *j, const app_source *scene, const app_source *part, const hunt *h, app_error *error)
{
    const char *kernel = cm_plan_kernel(h->search.plan);
    const app_value row[S_COLUMNS] = {
        [S_PAGE].integer = scene->page,
        [S_TEMPLATE].text = part->path,
        [S_WIDTH].integer = scene->picture.width,
        [S_HEIGHT].integer = scene->picture.height,
        [S_PIXEL].text = cm_pixel_name(h->search.scene.pixel),
        [S_DEVICE].text = app_session_device(&j->session, kernel),
        [S_KERNEL].text = kernel,
        [S_FOUND].integer = (int64_t)h->found,
    };
    if (!app_rows_add(&j->searches, row))
        return app_fail(error, CM_ERROR_MEMORY, "%s: out of memory", j->image);
    return report_matches(j, scene, part, h, error);
}

static cm_status find_part(job *j, app_source *scene, app_reader *reader, app_source *part, app_error *error)
{
    hunt h = { .found = 0 };
    int32_t width, height, x0, y0;
    cm_status status = app_search_open(&j->session, scene, part, &h.search, error);
    if (!status) {
        cm_map_extent(j->options->mode, scene->picture.width, scene->picture.height, part->picture.width,
                      part->picture.height, &width, &height, &x0, &y0);
        const uint64_t positions = (uint64_t)width * (uint64_t)height, top = (uint64_t)j->options->top;
        h.room = (size_t)(positions < top ? positions : top);
        h.match = calloc(h.room, sizeof *h.match);
        status = h.match ? run_hunt(j, &h, reader, part->path, error)
                         : app_fail(error, CM_ERROR_MEMORY, "--top %lld: out of memory; give a smaller number",
                                    (long long)j->options->top);
    }
    if (!status && j->options->subpixel)
        status = refine_matches(j, &h, part->path, error);
    if (!status)
        status = report_search(j, scene, part, &h, error);
    free(h.refined);
    free(h.match);
    app_search_close(&h.search);
    return status;
}

static cm_status write_overlay(const job *j, const app_source *scene, app_error *error)
{
    app_frame *frames = calloc(j->matches.count + 1, sizeof *frames);
    if (!frames)
        return app_fail(error, CM_ERROR_MEMORY, "%s: out of memory", j->options->overlay);
    for (size_t i = 0; i < j->matches.count; i++) {
        const app_value *v = j->matches.value + i * COLUMNS;
        int colour = 0;
        while (colour < j->part_count && j->parts[colour].path != v[TEMPLATE].text)
            colour++;
        frames[i] = (app_frame){ (int32_t)v[X].integer,      (int32_t)v[Y].integer,  (int32_t)v[WIDTH].integer,
                                 (int32_t)v[HEIGHT].integer, (int)v[NUMBER].integer, colour };
    }
    cm_status status = app_overlay_write(j->options->overlay, &scene->picture, frames, j->matches.count, error);
    free(frames);
    return status;
}

/* The page is read while the first template is matched on the rows that are there, unless one thread is all that may be
 * used. */
static cm_status find_in_scene(job *j, app_tiff *tiff, app_source *scene, app_error *error)
{
    app_reader reader;
    app_error unread;
    const app_pixel_form form =
        app_pixel_form_for(scene->picture.sample, j->parts[0].picture.sample, j->options->method);
    cm_status status = app_source_expect(scene, form, error);
    if (status)
        return status;
    app_reader_start(&reader, tiff, &scene->picture, form, scene->converted, j->options->device.threads != 1);
    for (int i = 0; i < j->part_count && !status; i++)
        status = find_part(j, scene, &reader, &j->parts[i], error);
    const cm_status read = app_reader_stop(&reader, &unread);
    if (read)
        *error = unread;
    return read ? read : status;
}

static cm_status find_on_page(job *j, app_tiff *tiff, uint32_t page, app_error *error)
{
    app_tiff_page info;
    app_source scene;
    memset(&scene, 0, sizeof scene);
    cm_status status = app_tiff_select(tiff, page, &info, error);
    if (status || (info.secondary && j->options->page == APP_ALL_PAGES))
        return status;
    scene.path = j->image;
    scene.page = page;
    j->width = info.width;
    j->height = info.height;
    status = app_picture_make(&info, &scene.picture, error);
    if (!status)
        status = find_in_scene(j, tiff, &scene, error);
    if (!status && j->options->overlay)
        status = write_overlay(j, &scene, error);
    app_source_free(&scene);
    return status;
}

static cm_status find_on_pages(job *j, app_error *error)
{
    app_tiff *tiff;
    cm_status status = app_tiff_open(j->image, &j->options->limits, &tiff, error);
    if (status)
        return status;
    const int all = j->options->page == APP_ALL_PAGES;
    const uint32_t first = all ? 0 : (uint32_t)j->options->page, end = all ? app_tiff_pages(tiff) : first + 1;
    for (uint32_t page = first; page < end && !status; page++)
        status = find_on_page(j, tiff, page, error);
    app_tiff_close(tiff);
    return status;
}

/* The columns that are left out. */
static unsigned hidden(const job *j, unsigned columns)
{
    return j->options->subpixel ? columns : columns | 1u << SUBPIXEL_X | 1u << SUBPIXEL_Y;
}

static void print_json(const job *j)
{
    const app_value *last = j->searches.count ? j->searches.value + (j->searches.count - 1) * S_COLUMNS : NULL;
    printf("{\n  \"image\": ");
    app_json_string(stdout, j->image);
    printf(",\n  \"device\": ");
    app_json_string(stdout, last ? last[S_DEVICE].text : j->session.device);
    printf(",\n  \"kernel\": ");
    app_json_string(stdout, last ? last[S_KERNEL].text : "");
    printf(",\n  \"method\": \"%s\",\n  \"mode\": \"%s\"", cm_method_name(j->options->method),
           j->options->mode == CM_SAME ? "same" : "valid");
    printf(",\n  \"searches\": ");
    app_rows_print(stdout, &j->searches, 0, APP_JSON);
    printf(",\n  \"matches\": ");
    app_rows_print(stdout, &j->matches, hidden(j, 1u << NUMBER | 1u << IMAGE), APP_JSON);
    printf("\n}\n");
}

static void print_table(const job *j)
{
    char name[256];
    if (!j->options->quiet) {
        const app_value *last = j->searches.count ? j->searches.value + (j->searches.count - 1) * S_COLUMNS : NULL;
        printf("%s: %d x %d %s, %s, kernel %s on %s\n", app_printable(j->image, name, sizeof name), j->width, j->height,
               last ? last[S_PIXEL].text : "", cm_method_name(j->options->method), last ? last[S_KERNEL].text : "none",
               last ? last[S_DEVICE].text : j->session.device);
    }
    if (j->matches.count)
        app_rows_print(stdout, &j->matches, hidden(j, 1u << IMAGE), APP_TABLE);
    else
        printf("no match\n");
}

static cm_status check_usage(const app_options *o, app_error *error)
{
    const int distance = cm_method_is_distance(o->method);
    if (distance && o->has_min_score)
        return app_fail(error, app_blame_usage(error, CM_ERROR_ARGUMENT),
                        "--min-score: small scores are good with --method %s; give "
                        "--max-score",
                        cm_method_name(o->method));
    if (!distance && o->has_max_score)
        return app_fail(error, app_blame_usage(error, CM_ERROR_ARGUMENT),
                        "--max-score: large scores are good with --method %s; give "
                        "--min-score",
                        cm_method_name(o->method));
    if (o->overlay && o->page == APP_ALL_PAGES)
        return app_fail(error, app_blame_usage(error, CM_ERROR_ARGUMENT), "--overlay: shows one page; give --page N");
    for (int i = 0; o->overlay && i < o->file_count; i++)
        if (app_same_file(o->overlay, o->files[i]))
            return app_fail(error, app_blame_usage(error, CM_ERROR_ARGUMENT),
                            "--overlay %s: would overwrite an input; give another name", o->overlay);
    return o->overlay ? app_overlay_check(o->overlay, error) : CM_OK;
}

cm_status app_find(const app_options *o, app_error *error)
{
    job j = { .options = o,
              .image = o->files[0],
              .part_count = o->file_count - 1,
              .matches = { .columns = match_columns, .width = COLUMNS },
              .searches = { .columns = search_columns, .width = S_COLUMNS } };
    cm_status status = check_usage(o, error);
    if (status)
        return status;
    j.parts = calloc((size_t)j.part_count, sizeof *j.parts);
    if (!j.parts)
        return app_fail(error, CM_ERROR_MEMORY, "out of memory");
    for (int i = 0; i < j.part_count && !status; i++)
        status = app_source_load(o->files[i + 1], 0, &o->limits, &j.parts[i], error);
    if (!status)
        status = app_session_open(o, &j.session, error);
    if (!status)
        status = find_on_pages(&j, error);
    if (!status) {
        if (o->format == APP_JSON)
            print_json(&j);
        else if (o->format == APP_CSV)
            app_rows_print(stdout, &j.matches, hidden(&j, 1u << NUMBER), APP_CSV);
        else
            print_table(&j);
        status = app_finish_stdout(error);
    }
    app_session_close(&j.session);
    for (int i = 0; i < j.part_count; i++)
        app_source_free(&j.parts[i]);
    free(j.parts);
    app_rows_free(&j.matches);
    app_rows_free(&j.searches);
    return status;
}
