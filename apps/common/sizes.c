/* SPDX-License-Identifier: BSD-2-Clause */
/* Sizes such as 1920x1080, lists of them, and rectangles such as 10,20,64,48. */
#include "numbers.h"
#include "options.h"
#include "pixels.h"

#include <stdlib.h>
#include <string.h>

int app_parse_sizes(const char *text, app_sizes *sizes)
{
    char *copy = strdup(text), *rest = copy;
    int ok = copy != NULL;
    sizes->count = 0;
    while (ok && rest) {
        char *item = rest, *comma = strchr(rest, ',');
        rest = comma ? comma + 1 : NULL;
        if (comma)
            *comma = 0;
        int64_t width = 0, height = 0;
        char *times = strchr(item, 'x');
        if (times)
            *times = 0;
        ok = times && sizes->count < APP_MAX_SIZES &&
             app_parse_integer(item, 1, XNCC_MAX_SIDE, &width) &&
             app_parse_integer(times + 1, 1, XNCC_MAX_SIDE, &height);
        if (ok)
            sizes->size[sizes->count++] = (app_size){ (int32_t)width, (int32_t)height };
    }
    free(copy);
    return ok;
}

int app_parse_area(const char *text, app_area *area)
{
    int32_t *const field[4] = { &area->x, &area->y, &area->width, &area->height };
    for (int i = 0; i < 4; i++) {
        char number[16];
        const char *comma = strchr(text, ',');
        const size_t length = comma ? (size_t)(comma - text) : strlen(text);
        if ((comma != NULL) != (i < 3) || length >= sizeof number)
            return 0;
        memcpy(number, text, length);
        number[length] = 0;
        if (!app_set_count(number, i < 2 ? 0 : 1, XNCC_MAX_SIDE, field[i]))
            return 0;
        text += length + 1;
    }
    return 1;
}

int app_parse_raw(const char *text, app_raw *raw)
{
    char size[32];
    app_sizes sizes;
    const char *type = strchr(text, ':');
    if (!type || (size_t)(type - text) >= sizeof size)
        return 0;
    memcpy(size, text, (size_t)(type - text));
    size[type - text] = 0;
    if (!app_parse_sizes(size, &sizes) || sizes.count != 1)
        return 0;
    *raw = (app_raw){ .width = sizes.size[0].width, .height = sizes.size[0].height, .channels = 1 };
    type++;
    for (int pixel = 0; pixel < APP_PIXELS; pixel++) {
        const char *name = xncc_pixel_name((xncc_pixel)pixel);
        const size_t length = strlen(name);
        if (strncmp(type, name, length) != 0)
            continue;
        raw->pixel = (xncc_pixel)pixel;
        type += length;
        raw->big_endian = strncmp(type, "be", 2) == 0;
        type += raw->big_endian ? 2 : 0;
        return *type == 0 ||
               (*type == 'x' && app_set_count(type + 1, 1, XNCC_MAX_CHANNELS, &raw->channels));
    }
    return 0;
}
