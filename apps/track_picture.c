/* SPDX-License-Identifier: BSD-2-Clause */
/* Image 1 with an arrow per displacement. */
#include "track_picture.h"

#include "common/rgb_out.h"
#include "draw/colour_scale.h"
#include "draw/legend.h"
#include "draw/sheet.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { ITEMS = 5, NAME = 48 };

/* The sizes that everything on the sheet follows. */
typedef struct measures {
    app_sheet_plan sheet;
    double line;    /* thickness */
    double longest; /* the 95th percentile of the lengths of displacements, in pixels */
    double factor;  /* pixels of the image per pixel of displacement */
    size_t found, marked;
} measures;

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static int is_found(const xncc_displacement *d)
{
    return d->state == 0 || (d->state & XNCC_TRACK_REPLACED);
}

/* Chooses the factor so that most arrows are not longer than the distance of the points. Returns 0
 * if there is no memory. */
static int measure(const track_result *r, const app_picture *scene, measures *m)
{
    const size_t count = r->points->count;
    const app_options *o = r->options;
    double *length = calloc(count + 1, sizeof *length);
    if (!length)
        return 0;
    *m = (measures){ .sheet = app_sheet_make(scene, 0) };
    for (size_t i = 0; i < count; i++)
        if (is_found(&r->found[i]))
            length[m->found++] = hypot(r->found[i].dx, r->found[i].dy);
    m->marked = count - m->found;
    qsort(length, m->found, sizeof *length, ascending);
    m->longest = m->found ? length[(m->found - 1) * 19 / 20] : 0;
    free(length);
    const double room = r->points->grid.width
                            ? fmin(o->track_step.width, o->track_step.height)
                            : sqrt((double)scene->width * (double)scene->height / (double)count);
    m->factor = o->track_arrows > 0 ? o->track_arrows
                : m->longest > 0    ? 0.9 * room / m->longest
                                    : 1;
    m->line = m->sheet.text / 8 > 1.2 ? m->sheet.text / 8 : 1.2;
    return 1;
}

/* A line from (x, y) to (x + dx, y + dy). */
static void draw_stroke(const app_canvas *c, double x, double y, double dx, double dy, double line,
                        const unsigned char *colour)
{
    const double from[2] = { x, y }, to[2] = { x + dx, y + dy };
    app_canvas_line(c, from, to, line, colour, 1, 0);
}

/* An arrow from (x, y), in pixels of the sheet. */
static void draw_arrow(const app_canvas *c, double x, double y, double dx, double dy, double line,
                       const unsigned char *colour)
{
    const double length = hypot(dx, dy), head = fmin(0.35 * length, 5 * line);
    draw_stroke(c, x, y, dx, dy, line, colour);
    if (length < 2 * line)
        return;
    const double ux = dx / length, uy = dy / length;
    for (int side = -1; side <= 1; side += 2)
        draw_stroke(c, x + dx, y + dy, -head * (ux + side * 0.5 * uy),
                    -head * (uy - side * 0.5 * ux), line, colour);
}

static void draw_vectors(const app_canvas *c, const track_result *r, const measures *m)
{
    static const unsigned char red[3] = { 255, 64, 64 };
    unsigned char scale[APP_SCALE_STEPS][3];
    const double zoom = (double)m->sheet.zoom, cross = 2 * m->line;
    app_scale_fill(scale);
    for (size_t i = 0; i < r->points->count; i++) {
        const xncc_displacement *d = &r->found[i];
        const double x = (d->x + 0.5) * zoom, y = (d->y + 0.5) * zoom;
        if (!is_found(d)) {
            draw_stroke(c, x - cross, y - cross, 2 * cross, 2 * cross, m->line, red);
            draw_stroke(c, x - cross, y + cross, 2 * cross, -2 * cross, m->line, red);
            continue;
        }
        const double part = m->longest > 0 ? hypot(d->dx, d->dy) / m->longest : 0;
        const int step = 64 + (int)(fmin(part, 1) * (APP_SCALE_STEPS - 65)); /* not the dark ones */
        draw_arrow(c, x, y, d->dx * m->factor * zoom, d->dy * m->factor * zoom, m->line,
                   scale[step]);
    }
}

/* Fills the items of the legend, and returns their number. */
static size_t make_legend(const track_result *r, const app_picture *scene, const measures *m,
                          const app_stretch *stretch, app_legend_item *items)
{
    char name[NAME + 4], second[NAME + 4];
    const track_image *image = r->images->image;
    size_t n = 0;
    app_legend_name(image[0].image.path, NAME, name, sizeof name);
    app_legend_name(image[1].image.path, NAME, second, sizeof second);
    for (int i = 0; i < ITEMS; i++)
        items[i] = (app_legend_item){ .starts_line = 1 };
    snprintf(items[n++].text, APP_LEGEND_TEXT, "%s to %s: %d x %d %s", name, second, scene->width,
             scene->height, xncc_pixel_name(scene->pixel));
    snprintf(items[n++].text, APP_LEGEND_TEXT, "%zu displacement%s, 95 %% up to %.3g pixels",
             m->found, m->found == 1 ? "" : "s", m->longest);
    snprintf(items[n++].text, APP_LEGEND_TEXT, "arrows are %.3g times as long", m->factor);
    if (m->marked)
        snprintf(items[n++].text, APP_LEGEND_TEXT,
                 "crosses: %zu missing, outliers, or at the edge of the search", m->marked);
    if (stretch->stretched)
        snprintf(items[n++].text, APP_LEGEND_TEXT, "black is %.6g, white is %.6g", stretch->low,
                 stretch->high);
    return n;
}

/* Draws the whole sheet. canvas->rgb is NULL if there is no memory. */
static void draw(const track_result *r, const app_picture *scene, app_canvas *canvas)
{
    app_legend_item items[ITEMS];
    app_stretch stretch;
    measures m;
    *canvas = (app_canvas){ NULL, 0, 0 };
    if (!app_stretch_find(scene, &stretch) || !measure(r, scene, &m))
        return;
    const app_canvas nothing = { NULL, m.sheet.width, 0 };
    const size_t count = make_legend(r, scene, &m, &stretch, items);
    app_sheet_open(&m.sheet, app_legend_draw(&nothing, 0, m.sheet.text, items, count), canvas);
    if (!canvas->rgb)
        return;
    app_sheet_scene(&m.sheet, scene, 1, &stretch, canvas);
    const app_canvas part = { canvas->rgb, canvas->width, m.sheet.scene.height };
    draw_vectors(&part, r, &m);
    app_legend_draw(canvas, m.sheet.scene.height, m.sheet.text, items, count);
}

xncc_status track_picture_write(const track_result *r, app_error *error)
{
    const char *path = r->options->track_vectors;
    app_picture scene;
    app_canvas canvas;
    xncc_status status = app_picture_load(r->images->image[0].image.path, 0, &r->options->reading,
                                          &scene, error);
    if (status)
        return status;
    draw(r, &scene, &canvas);
    if (canvas.rgb)
        status = app_rgb_write(
            path,
            &(app_rgb){
                canvas.rgb, (int32_t)canvas.width, (int32_t)canvas.height, { &scene.geo, 0, 0 } },
            error);
    else
        status = app_fail(error, XNCC_ERROR_MEMORY, "%s: out of memory for a picture of %d x %d",
                          path, scene.width, scene.height);
    free(canvas.rgb);
    app_picture_free(&scene);
    return status;
}
