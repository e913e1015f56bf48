/* Sizes such as 1920x1080, and lists of them. */
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
