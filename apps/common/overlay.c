/* SPDX-License-Identifier: BSD-2-Clause */
/* The image as a colour picture with every match framed and labelled. */
#include "overlay.h"

#include "draw/labels.h"
#include "draw/legend.h"
#include "draw/sheet.h"
#include "rgb_out.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COLOURS = 7, NAME_IN_LABEL = 20, NAME_IN_LEGEND = 48, LABEL_TEXT = 96, LISTED = 60 };

/* Colours that people with any colour vision can tell apart (Okabe and Ito, "Color universal
 * design", 2008). */
static const unsigned char palette[COLOURS][3] = {
    { 240, 228, 66 },  { 86, 180, 233 }, { 230, 159, 0 }, { 0, 158, 115 },
    { 204, 121, 167 }, { 213, 94, 0 },   { 0, 114, 178 },
};

const unsigned char *app_overlay_colour(int templ, int64_t thickness, int64_t *on, int64_t *off)
{
    const int style = templ / COLOURS % 3;
    *on = style == 1 ? 4 * thickness : thickness;
    *off = style == 0 ? 0 : style == 1 ? 2 * thickness : thickness;
    return palette[templ % COLOURS];
}

static void print_score(char *text, size_t size, double score)
{
    const int plain = fabs(score) < 10 && fabs(score) >= 0.0005;
    snprintf(text, size, plain || score == 0 ? "%.3f" : "%.4g", score);
}

/* The text of a label, the longest form first. */
static void print_label(const app_overlay *o, const app_frame *f, int form, char *text)
{
    char name[NAME_IN_LABEL + 4], score[32];
    app_legend_name(o->templs[f->templ], NAME_IN_LABEL, name, sizeof name);
    print_score(score, sizeof score, f->score);
    if (form == 0)
        snprintf(text, LABEL_TEXT, "%d  %s  %s", f->number, score, name);
    else if (form == 1)
        snprintf(text, LABEL_TEXT, "%d  %s", f->number, score);
    else
        snprintf(text, LABEL_TEXT, "%d", f->number);
}

/* The sizes that everything on a sheet follows. */
typedef struct measures {
    app_sheet_plan sheet;
    int64_t line;   /* thickness of frames */
    int64_t pad;    /* around the text of a label */
    int64_t height; /* of a label */
} measures;

static measures measure(const app_overlay *o)
{
    measures m = { .sheet = app_sheet_make(o->scene, o->plain) };
    m.line = (int64_t)(m.sheet.text / 5);
    m.pad = (int64_t)(m.sheet.text * 0.4);
    m.height = (int64_t)ceil(m.sheet.text) + 2 * m.pad + 1;
    return m;
}

static app_box frame_box(const app_frame *f, int64_t zoom)
{
    return (app_box){ f->x * zoom, f->y * zoom, f->width * zoom, f->height * zoom };
}

/* Decides where the labels go. NULL if there is no memory. */
static app_label *place_labels(const app_overlay *o, const measures *m)
{
    char text[LABEL_TEXT];
    app_label *labels = calloc(o->count + 1, sizeof *labels);
    for (size_t i = 0; labels && i < o->count; i++) {
        labels[i].frame = frame_box(&o->frames[i], m->sheet.zoom);
        for (int form = 0; form < APP_LABEL_FORMS; form++) {
            print_label(o, &o->frames[i], form, text);
            labels[i].width[form] = (int64_t)ceil(app_text_width(text, m->sheet.text)) + 2 * m->pad;
        }
    }
    if (labels && app_labels_place(m->sheet.scene.width, m->sheet.scene.height, m->height,
                                   m->line + 1, labels, o->count))
        return labels;
    free(labels);
    return NULL;
}

/* A view of the scene's part of the sheet: nothing is drawn outside of it. */
static app_canvas scene_part(const app_canvas *sheet, const measures *m)
{
    return (app_canvas){ sheet->rgb, sheet->width, m->sheet.scene.height };
}

/* Draws a turned frame, and a line from its centre to the middle of the template's upper side. */
static void draw_turned(const app_canvas *c, const app_frame *f, const measures *m,
                        const unsigned char *colour, int64_t on, int64_t off)
{
    static const unsigned char black[3] = { 0, 0, 0 };
    const double zoom = (double)m->sheet.zoom, line = (double)(m->line > 0 ? m->line : 1);
    double p[6][2];
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < 4; i++)
            p[i][k] = (f->corner[i][k] + 0.5) * zoom;
        p[4][k] = 0.25 * (p[0][k] + p[1][k] + p[2][k] + p[3][k]);
        p[5][k] = 0.5 * (p[0][k] + p[1][k]);
    }
    for (int dark = 1; dark >= 0; dark--) {
        for (int i = 0; i < 4; i++)
            app_canvas_line(c, p[i], p[(i + 1) % 4], dark ? line + 2.0 : line,
                            dark ? black : colour, on, dark ? 0 : off);
        app_canvas_line(c, p[4], p[5], dark ? line + 2.0 : line, dark ? black : colour, on,
                        dark ? 0 : off);
    }
}

/* Draws from the last to the first, so that the best match is on top. */
static void draw_frames(const app_canvas *c, const app_overlay *o, const measures *m)
{
    static const unsigned char black[3] = { 0, 0, 0 };
    int64_t on, off;
    for (size_t i = o->count; i-- > 0;) {
        const app_box box = frame_box(&o->frames[i], m->sheet.zoom),
                      around = { box.x - m->line, box.y - m->line, box.width + 2 * m->line,
                                 box.height + 2 * m->line };
        const unsigned char *colour = app_overlay_colour(o->frames[i].templ, m->line, &on, &off);
        if (o->frames[i].turned) {
            draw_turned(c, &o->frames[i], m, colour, on, off);
            continue;
        }
        /* A dark line outside, and dark gaps, so that the frame is seen on any ground. */
        app_canvas_frame(c, around, 1, black, 1, 0);
        if (off)
            app_canvas_frame(c, box, m->line, black, 1, 0);
        app_canvas_frame(c, box, m->line, colour, on, off);
    }
}

/* A lighter colour, which is easy to read on black. */
static void lighten(const unsigned char *colour, unsigned char *lighter)
{
    for (int c = 0; c < 3; c++)
        lighter[c] = (unsigned char)(colour[c] + (255 - colour[c]) / 3);
}

static void draw_labels(const app_canvas *c, const app_overlay *o, const measures *m,
                        const app_label *labels)
{
    static const unsigned char black[3] = { 0, 0, 0 };
    unsigned char ink[3];
    char text[LABEL_TEXT];
    int64_t on, off;
    for (size_t i = 0; i < o->count; i++) {
        const app_label *l = &labels[i];
        if (l->form < 0)
            continue;
        print_label(o, &o->frames[i], l->form, text);
        const app_box box = { l->x, l->y, l->width[l->form], m->height };
        lighten(app_overlay_colour(o->frames[i].templ, m->line, &on, &off), ink);
        app_canvas_tint(c, box, black, 0.82);
        app_canvas_text(c, (double)(l->x + m->pad), (double)(l->y + m->pad), m->sheet.text, text,
                        ink);
    }
}

/* One line per template: its name, number of matches and best score. */
static void describe_templ(const app_overlay *o, int templ, app_legend_item *item)
{
    char name[NAME_IN_LEGEND + 4], score[32] = "";
    size_t matches = 0;
    double best = 0;
    for (size_t i = 0; i < o->count; i++)
        if (o->frames[i].templ == templ) {
            const double s = o->frames[i].score;
            best = matches++ == 0 || (o->small_is_good ? s < best : s > best) ? s : best;
        }
    app_legend_name(o->templs[templ], NAME_IN_LEGEND, name, sizeof name);
    print_score(score, sizeof score, best);
    *item = (app_legend_item){ .sample = APP_SAMPLE_FRAME, .starts_line = templ == 0 };
    item->colour = app_overlay_colour(templ, 2, &item->on, &item->off);
    if (matches == 0)
        snprintf(item->text, sizeof item->text, "%s: no match", name);
    else
        snprintf(item->text, sizeof item->text, "%s: %zu match%s, best %s", name, matches,
                 matches == 1 ? "" : "es", score);
}

/* Fills the items of the legend, and returns their number. */
static size_t make_legend(const app_overlay *o, const app_stretch *stretch, size_t unlabelled,
                          app_legend_item *items)
{
    char name[NAME_IN_LEGEND + 4], page[24] = "";
    const int listed = o->templ_count < LISTED ? o->templ_count : LISTED;
    size_t n = 0;
    app_legend_name(o->name, NAME_IN_LEGEND, name, sizeof name);
    if (o->page)
        snprintf(page, sizeof page, ", page %u", o->page);
    items[n] = (app_legend_item){ .starts_line = 1 };
    snprintf(items[n++].text, APP_LEGEND_TEXT, "%s%s: %d x %d %s, %s", name, page, o->scene->width,
             o->scene->height, xncc_pixel_name(o->scene->pixel), o->method);
    for (int t = 0; t < listed; t++)
        describe_templ(o, t, &items[n++]);
    items[n] = (app_legend_item){ .starts_line = 1 };
    if (listed < o->templ_count)
        snprintf(items[n++].text, APP_LEGEND_TEXT, "and %d more templates",
                 o->templ_count - listed);
    items[n] = (app_legend_item){ .starts_line = 1 };
    if (stretch->stretched)
        snprintf(items[n++].text, APP_LEGEND_TEXT, "black is %.6g, white is %.6g", stretch->low,
                 stretch->high);
    items[n] = (app_legend_item){ .starts_line = 1 };
    if (unlabelled)
        snprintf(items[n++].text, APP_LEGEND_TEXT, "%zu frame%s without room for a label",
                 unlabelled, unlabelled == 1 ? "" : "s");
    return n;
}

/* Draws the whole sheet. canvas->rgb is NULL if there is no memory. */
static void draw(const app_overlay *o, const measures *m, const app_label *labels,
                 app_legend_item *items, app_canvas *canvas)
{
    const app_canvas nothing = { NULL, m->sheet.width, 0 };
    app_stretch stretch;
    size_t unlabelled = 0;
    for (size_t i = 0; i < o->count; i++)
        unlabelled += labels[i].form < 0;
    *canvas = (app_canvas){ NULL, 0, 0 };
    if (!app_stretch_find(o->scene, &stretch))
        return;
    const size_t count = o->plain ? 0 : make_legend(o, &stretch, unlabelled, items);
    const int64_t strip = count ? app_legend_draw(&nothing, 0, m->sheet.text, items, count) : 0;
    app_sheet_open(&m->sheet, strip, canvas);
    if (!canvas->rgb)
        return;
    app_sheet_scene(&m->sheet, o->scene, 0, &stretch, canvas);
    const app_canvas part = scene_part(canvas, m);
    draw_frames(&part, o, m);
    draw_labels(&part, o, m, labels);
    if (count)
        app_legend_draw(canvas, m->sheet.scene.height, m->sheet.text, items, count);
}

xncc_status app_overlay_write(const char *path, const app_overlay *o, app_error *error)
{
    const measures m = measure(o);
    app_label *labels = place_labels(o, &m);
    app_legend_item *items = calloc(LISTED + 4, sizeof *items);
    app_canvas canvas = { NULL, 0, 0 };
    xncc_status status = XNCC_OK;
    if (labels && items)
        draw(o, &m, labels, items, &canvas);
    if (canvas.rgb)
        status = app_rgb_write(path,
                               &(app_rgb){ canvas.rgb,
                                           (int32_t)canvas.width,
                                           (int32_t)canvas.height,
                                           { &o->scene->geo, 0, 0 } },
                               error);
    else
        status = app_fail(error, XNCC_ERROR_MEMORY, "%s: out of memory for a picture of %d x %d",
                          path, o->scene->width, o->scene->height);
    free(canvas.rgb);
    free(items);
    free(labels);
    return status;
}
