/* SPDX-License-Identifier: BSD-2-Clause */
/* Where the labels of frames go. */
#include "labels.h"

#include <stdlib.h>
#include <string.h>

enum { FRAMED = 1, LABELLED = 2, PLACES = 10 };

/* What each pixel of the picture is taken by. */
typedef struct ground {
    unsigned char *taken;
    int64_t width, height, label_height, gap;
} ground;

static app_box inside(const ground *g, app_box b)
{
    const int64_t x = b.x < 0 ? 0 : b.x, y = b.y < 0 ? 0 : b.y;
    const int64_t right = b.x + b.width < g->width ? b.x + b.width : g->width,
                  bottom = b.y + b.height < g->height ? b.y + b.height : g->height;
    return (app_box){ x, y, right > x ? right - x : 0, bottom > y ? bottom - y : 0 };
}

static void take(const ground *g, app_box box, unsigned char by)
{
    const app_box b = inside(g, box);
    for (int64_t y = b.y; y < b.y + b.height; y++)
        for (int64_t x = b.x; x < b.x + b.width; x++)
            g->taken[y * g->width + x] |= by;
}

/* 1 if the box is inside the picture and nothing of these kinds is in it. */
static int is_free(const ground *g, app_box b, unsigned char kinds)
{
    if (b.x < 0 || b.y < 0 || b.x + b.width > g->width || b.y + b.height > g->height)
        return 0;
    for (int64_t y = b.y; y < b.y + b.height; y++)
        for (int64_t x = b.x; x < b.x + b.width; x++)
            if (g->taken[y * g->width + x] & kinds)
                return 0;
    return 1;
}

static app_box grown(app_box b, int64_t by)
{
    return (app_box){ b.x - by, b.y - by, b.width + 2 * by, b.height + 2 * by };
}

/* Tries the places around a frame in their order: above and below it, to its right and left, then
 * inside. Returns 1 if one is free. */
static int try_places(const ground *g, app_label *label, int form, unsigned char kinds)
{
    const app_box f = inside(g, grown(label->frame, g->gap)), in = inside(g, label->frame);
    const int64_t w = label->width[form], h = g->label_height;
    const app_box place[PLACES] = {
        { f.x, f.y - h, w, h },
        { f.x, f.y + f.height, w, h },
        { f.x + f.width - w, f.y - h, w, h },
        { f.x + f.width - w, f.y + f.height, w, h },
        { f.x + f.width, f.y, w, h },
        { f.x + f.width, f.y + f.height - h, w, h },
        { f.x - w, f.y, w, h },
        { f.x - w, f.y + f.height - h, w, h },
        { in.x, in.y, w, h },
        { in.x, in.y + in.height - h, w, h },
    };
    for (int i = 0; i < PLACES; i++)
        if (is_free(g, place[i], kinds)) {
            label->form = form;
            label->x = place[i].x;
            label->y = place[i].y;
            take(g, place[i], LABELLED);
            return 1;
        }
    return 0;
}

static void start(const ground *g, app_label *labels, size_t count)
{
    memset(g->taken, 0, (size_t)(g->width * g->height));
    for (size_t i = 0; i < count; i++) {
        labels[i].form = -1;
        take(g, grown(labels[i].frame, g->gap), FRAMED);
    }
}

/* Gives labels this form, and a shorter one where it has no room. Returns how many have it. */
static size_t place_all(const ground *g, app_label *labels, size_t count, int form)
{
    size_t placed = 0;
    start(g, labels, count);
    for (size_t i = 0; i < count; i++)
        for (int f = form; f < APP_LABEL_FORMS && labels[i].form < 0; f++)
            placed += try_places(g, &labels[i], f, FRAMED | LABELLED) && f == form;
    return placed;
}

int app_labels_place(int64_t width, int64_t height, int64_t label_height, int64_t gap,
                     app_label *labels, size_t count)
{
    const ground g = { malloc((size_t)(width * height)), width, height, label_height, gap };
    if (!g.taken)
        return 0;
    for (int form = 0; form < APP_LABEL_FORMS; form++)
        if (place_all(&g, labels, count, form) * 4 >= count * 3)
            break;
    for (size_t i = 0; i < count; i++)
        if (labels[i].form < 0)
            try_places(&g, &labels[i], APP_LABEL_FORMS - 1, LABELLED);
    free(g.taken);
    return 1;
}
