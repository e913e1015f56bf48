/* Sizes such as 1920x1080, lists of them, and rectangles such as 10,20,64,48. */
#include "numbers.h"
#include "options.h"

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
