/* SPDX-License-Identifier: BSD-2-Clause */
/* The lines of text below a picture. */
#include "legend.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const unsigned char app_legend_ground[3] = { 27, 29, 33 }, app_legend_ink[3] = { 236, 236, 236 };

static double sample_width(const app_legend_item *item, double size)
{
    return item->sample == APP_SAMPLE_NONE ? 0 : 2.6 * size;
}

static void draw_item(const app_canvas *c, double x, double y, double size,
                      const app_legend_item *item)
{
    const int64_t side = (int64_t)size, line = side / 6 > 2 ? side / 6 : 2;
    const app_box box = { (int64_t)x + line, (int64_t)y, 2 * side - 2 * line, side };
    if (item->sample == APP_SAMPLE_HATCH)
        app_canvas_hatch(c, box);
    else if (item->sample == APP_SAMPLE_FRAME)
        app_canvas_frame(c, box, line, item->colour, item->on, item->off);
    app_canvas_text(c, x + sample_width(item, size), y, size, item->text, app_legend_ink);
}

int64_t app_legend_draw(const app_canvas *c, int64_t top, double size, const app_legend_item *items,
                        size_t count)
{
    const double margin = size, step = 1.9 * size;
    double x = margin, y = (double)top + margin;
    for (size_t i = 0; i < count; i++) {
        const double width = sample_width(&items[i], size) + app_text_width(items[i].text, size);
        if (x > margin && (items[i].starts_line || x + width > (double)c->width - margin)) {
            x = margin;
            y += step;
        }
        if (c->rgb)
            draw_item(c, x, y, size, &items[i]);
        x += width + 2 * size;
    }
    return (int64_t)ceil(y + step - 0.4 * size) + (int64_t)(margin / 2) - top;
}

/* The first byte of the UTF-8 sequence that byte i belongs to. */
static size_t sequence_start(const char *text, size_t i)
{
    while (i > 0 && ((unsigned char)text[i] & 0xc0) == 0x80)
        i--;
    return i;
}

void app_legend_name(const char *path, size_t most, char *text, size_t size)
{
    const char *slash = strrchr(path, '/'), *name = slash && slash[1] ? slash + 1 : path;
    const size_t length = strlen(name);
    if (length <= most) {
        snprintf(text, size, "%s", name);
        return;
    }
    const size_t head = sequence_start(name, (most - 3) / 2),
                 tail = sequence_start(name, length - (most - 3 - (most - 3) / 2));
    snprintf(text, size, "%.*s...%s", (int)head, name, name + tail);
}
