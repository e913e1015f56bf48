/* What exactncc find collects and prints: a row per match, and a row per search. */
#include "find_report.h"

#include "common/overlay.h"

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

enum {
    S_PAGE,
    S_TEMPLATE,
    S_WIDTH,
    S_HEIGHT,
    S_PIXEL,
    S_CHANNELS,
    S_DEVICE,
    S_KERNEL,
    S_FOUND,
    S_COLUMNS
};

static const app_column search_columns[S_COLUMNS] = {
    [S_PAGE] = { "page", APP_INTEGER, 0, 0 },   [S_TEMPLATE] = { "template", APP_TEXT, 0, 0 },
    [S_WIDTH] = { "width", APP_INTEGER, 0, 0 }, [S_HEIGHT] = { "height", APP_INTEGER, 0, 0 },
    [S_PIXEL] = { "pixel", APP_TEXT, 0, 0 },    [S_CHANNELS] = { "channels", APP_INTEGER, 0, 0 },
    [S_DEVICE] = { "device", APP_TEXT, 0, 0 },  [S_KERNEL] = { "kernel", APP_TEXT, 0, 0 },
    [S_FOUND] = { "found", APP_INTEGER, 0, 0 },
};

void app_find_report_open(app_find_job *j)
{
    j->matches = (app_rows){ .columns = match_columns, .width = COLUMNS };
    j->searches = (app_rows){ .columns = search_columns, .width = S_COLUMNS };
}

void app_find_report_close(app_find_job *j)
{
    app_rows_free(&j->matches);
    app_rows_free(&j->searches);
}

static xncc_status report_matches(app_find_job *j, const app_source *scene, const app_source *templ,
                                  const app_hunt *h, app_error *error)
{
    const xncc_match *match = h->match;
    for (size_t i = 0; i < h->found; i++) {
        const app_value row[COLUMNS] = {
            [NUMBER].integer = (int64_t)j->matches.count + 1,
            [IMAGE].text = j->image,
            [PAGE].integer = scene->page,
            [TEMPLATE].text = templ->path,
            [X].integer = h->search.area.x + match[i].x,
            [Y].integer = h->search.area.y + match[i].y,
            [WIDTH].integer = templ->picture.width,
            [HEIGHT].integer = templ->picture.height,
            [SCORE].real = (double)match[i].score,
            [SUBPIXEL_X].real = h->refined ? h->search.area.x + h->refined[i].x : 0,
            [SUBPIXEL_Y].real = h->refined ? h->search.area.y + h->refined[i].y : 0,
        };
        if (!app_rows_add(&j->matches, row))
            return app_fail(error, XNCC_ERROR_MEMORY,
                            "%s: out of memory for %zu matches; give a smaller --top", j->image,
                            h->found);
    }
    return XNCC_OK;
}

xncc_status app_find_report(app_find_job *j, const app_source *scene, const app_source *templ,
                            const app_hunt *h, app_error *error)
{
    const app_value row[S_COLUMNS] = {
        [S_PAGE].integer = scene->page,
        [S_TEMPLATE].text = templ->path,
        [S_WIDTH].integer = h->search.area.width,
        [S_HEIGHT].integer = h->search.area.height,
        [S_PIXEL].text = xncc_pixel_name(h->search.scene.pixel),
        [S_CHANNELS].integer = h->search.problem.channels,
        [S_DEVICE].text = app_session_engine(&j->session, &h->plan),
        [S_KERNEL].text = h->plan.kernel,
        [S_FOUND].integer = (int64_t)h->found,
    };
    if (!app_rows_add(&j->searches, row))
        return app_fail(error, XNCC_ERROR_MEMORY, "%s: out of memory", j->image);
    return report_matches(j, scene, templ, h, error);
}

xncc_status app_find_merge(app_find_job *j, size_t first, app_error *error)
{
    const size_t count = j->matches.count - first;
    app_value *rows = j->matches.value + first * COLUMNS;
    xncc_candidate *candidate = calloc(count + 1, sizeof *candidate);
    app_value *kept_rows = malloc((count + 1) * COLUMNS * sizeof *kept_rows);
    xncc_error why;
    size_t kept = 0;
    xncc_status status = XNCC_OK;
    if (!candidate || !kept_rows)
        status = app_fail(error, XNCC_ERROR_MEMORY,
                          "--merge: out of memory for %zu matches; give a smaller --top", count);
    /* Ties go to the smaller template number. Rows are in template order, so their numbers serve.
     */
    for (size_t i = 0; i < count && !status; i++) {
        const app_value *v = rows + i * COLUMNS;
        candidate[i] = (xncc_candidate){ .match = { (int32_t)v[X].integer, (int32_t)v[Y].integer,
                                                    (float)v[SCORE].real },
                                         .templ = (int32_t)i,
                                         .width = (int32_t)v[WIDTH].integer,
                                         .height = (int32_t)v[HEIGHT].integer };
    }
    if (!status)
        status = app_pass_on(error,
                             xncc_suppress(j->options->rule.method, candidate, count,
                                           &j->options->merge, &kept, &why),
                             "--merge", &why);
    for (size_t i = 0; i < kept; i++) {
        app_value *row = kept_rows + i * COLUMNS;
        memcpy(row, rows + (size_t)candidate[i].templ * COLUMNS, COLUMNS * sizeof *row);
        row[NUMBER].integer = (int64_t)(first + i) + 1;
    }
    if (!status) {
        memcpy(rows, kept_rows, kept * COLUMNS * sizeof *rows);
        j->matches.count = first + kept;
    }
    free(candidate);
    free(kept_rows);
    return status;
}

/* The index of the template with this name. */
static int templ_index(const app_find_job *j, const char *name)
{
    int i = 0;
    while (i + 1 < j->templ_count && j->templs[i].path != name)
        i++;
    return i;
}

/* The frames of the match rows from `first` on. NULL if there is no memory. */
static app_frame *make_frames(const app_find_job *j, size_t first)
{
    const size_t count = j->matches.count - first;
    app_frame *frames = calloc(count + 1, sizeof *frames);
    for (size_t i = 0; i < count && frames; i++) {
        const app_value *v = j->matches.value + (first + i) * COLUMNS;
        frames[i] = (app_frame){ (int32_t)v[X].integer,
                                 (int32_t)v[Y].integer,
                                 (int32_t)v[WIDTH].integer,
                                 (int32_t)v[HEIGHT].integer,
                                 (int)v[NUMBER].integer,
                                 templ_index(j, v[TEMPLATE].text),
                                 v[SCORE].real };
    }
    return frames;
}

xncc_status app_find_overlay(const app_find_job *j, const app_source *scene, app_error *error)
{
    const app_options *o = j->options;
    app_frame *frames = make_frames(j, 0);
    const char **names = calloc((size_t)j->templ_count, sizeof *names);
    xncc_status status = XNCC_OK;
    if (!frames || !names)
        status = app_fail(error, XNCC_ERROR_MEMORY, "%s: out of memory", o->overlay);
    for (int i = 0; i < j->templ_count && !status; i++)
        names[i] = j->templs[i].path;
    const app_overlay overlay = { .name = j->image,
                                  .page = scene->page,
                                  .scene = &scene->picture,
                                  .method = xncc_method_name(o->rule.method),
                                  .frames = frames,
                                  .count = j->matches.count,
                                  .templs = names,
                                  .templ_count = j->templ_count,
                                  .small_is_good = xncc_method_is_distance(o->rule.method),
                                  .plain = o->heat.plain };
    if (!status)
        status = app_overlay_write(o->overlay, &overlay, error);
    free(frames);
    free(names);
    return status;
}

xncc_status app_find_html_open(app_find_job *j, app_error *error)
{
    const app_options *o = j->options;
    const app_html_about about = { .command = o->command,
                                   .method = xncc_method_name(o->rule.method),
                                   .small_is_good = xncc_method_is_distance(o->rule.method),
                                   .side = o->report_side,
                                   .templs = j->templs,
                                   .templ_count = j->templ_count };
    return app_html_open(o->report, &about, &j->html, error);
}

xncc_status app_find_html(app_find_job *j, const app_source *scene, size_t first, app_error *error)
{
    const size_t count = j->matches.count - first;
    const app_value *last = j->searches.value + (j->searches.count - 1) * S_COLUMNS;
    app_frame *frames = make_frames(j, first);
    double(*subpixel)[2] = calloc(count + 1, sizeof *subpixel);
    xncc_status status = XNCC_OK;
    for (size_t i = 0; i < count && subpixel; i++) {
        const app_value *v = j->matches.value + (first + i) * COLUMNS;
        subpixel[i][0] = v[SUBPIXEL_X].real;
        subpixel[i][1] = v[SUBPIXEL_Y].real;
    }
    const app_html_scene page = { .name = j->image,
                                  .page = scene->page,
                                  .picture = &scene->picture,
                                  .kernel = last[S_KERNEL].text,
                                  .device = last[S_DEVICE].text,
                                  .frames = frames,
                                  .count = count,
                                  .subpixel = j->options->subpixel ? subpixel : NULL };
    if (frames && subpixel)
        status = app_html_add(j->html, &page, error);
    else
        status = app_fail(error, XNCC_ERROR_MEMORY, "%s: out of memory", j->options->report);
    free(frames);
    free(subpixel);
    return status;
}

/* The columns to leave out: those given and, without --subpixel, its columns. */
static unsigned hidden(const app_find_job *j, unsigned columns)
{
    return j->options->subpixel ? columns : columns | 1u << SUBPIXEL_X | 1u << SUBPIXEL_Y;
}

static void print_json(const app_find_job *j)
{
    const app_value *last = j->searches.count
                                ? j->searches.value + (j->searches.count - 1) * S_COLUMNS
                                : NULL;
    printf("{\n  \"image\": ");
    app_json_string(stdout, j->image);
    printf(",\n  \"device\": ");
    app_json_string(stdout, last ? last[S_DEVICE].text : j->session.device);
    printf(",\n  \"kernel\": ");
    app_json_string(stdout, last ? last[S_KERNEL].text : "");
    printf(",\n  \"method\": \"%s\",\n  \"mode\": \"%s\",\n  \"border\": \"%s\"",
           xncc_method_name(j->options->rule.method), app_mode_name(j->options->rule.mode),
           app_border_name(j->options->rule.border));
    printf(",\n  \"searches\": ");
    app_rows_print(stdout, &j->searches, 0, APP_JSON);
    printf(",\n  \"matches\": ");
    app_rows_print(stdout, &j->matches, hidden(j, 1u << NUMBER | 1u << IMAGE), APP_JSON);
    printf("\n}\n");
}

static void print_table(const app_find_job *j)
{
    char name[256];
    if (!j->options->quiet) {
        const app_value *last = j->searches.count
                                    ? j->searches.value + (j->searches.count - 1) * S_COLUMNS
                                    : NULL;
        printf("%s: %d x %d %s, %s, kernel %s on %s\n", app_printable(j->image, name, sizeof name),
               j->width, j->height, last ? last[S_PIXEL].text : "",
               xncc_method_name(j->options->rule.method), last ? last[S_KERNEL].text : "none",
               last ? last[S_DEVICE].text : j->session.device);
    }
    if (j->matches.count)
        app_rows_print(stdout, &j->matches, hidden(j, 1u << IMAGE), APP_TABLE);
    else
        printf("no match\n");
}

void app_find_print(const app_find_job *j)
{
    if (j->options->format == APP_JSON)
        print_json(j);
    else if (j->options->format == APP_CSV)
        app_rows_print(stdout, &j->matches, hidden(j, 1u << NUMBER), APP_CSV);
    else
        print_table(j);
}
