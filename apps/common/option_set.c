#include "option_set.h"

#include "numbers.h"

#include <string.h>

int app_word_index(const char *const *words, const char *text)
{
    for (int i = 0; words[i]; i++)
        if (strcmp(words[i], text) == 0)
            return i;
    return -1;
}

int app_set_count(const char *text, int32_t least, int32_t most, int32_t *count)
{
    int64_t value = 0;
    int ok = app_parse_integer(text, least, most, &value);
    *count = (int32_t)value;
    return ok;
}

int app_set_subpixel(app_options *o, const char *text)
{
    (void)text;
    o->subpixel = 1;
    return 1;
}

int app_set_merge(app_options *o, const char *text)
{
    const int distance = strncmp(text, "distance:", 9) == 0;
    const double most = distance ? CM_MAX_SIDE : 1.0;
    if (!distance && strncmp(text, "iou:", 4) != 0)
        return 0;
    o->has_merge = 1;
    o->merge.rule = distance ? CM_MERGE_DISTANCE : CM_MERGE_OVERLAP;
    return app_parse_double(text + (distance ? 9 : 4), &o->merge.limit) && o->merge.limit >= 0.0 &&
           o->merge.limit <= most;
}

int app_set_heatmap(app_options *o, const char *text)
{
    o->heatmap = text;
    return *text != 0;
}

int app_set_roi(app_options *o, const char *text)
{
    int32_t *const part[4] = { &o->roi.x, &o->roi.y, &o->roi.width, &o->roi.height };
    for (int i = 0; i < 4; i++) {
        char number[16];
        const char *comma = strchr(text, ',');
        const size_t length = comma ? (size_t)(comma - text) : strlen(text);
        if ((comma != NULL) != (i < 3) || length >= sizeof number)
            return 0;
        memcpy(number, text, length);
        number[length] = 0;
        if (!app_set_count(number, i < 2 ? 0 : 1, CM_MAX_SIDE, part[i]))
            return 0;
        text += length + 1;
    }
    return 1;
}

int app_set_sizes(app_options *o, const char *text)
{
    return app_parse_sizes(text, &o->sizes);
}

int app_set_size(app_options *o, const char *text)
{
    return app_parse_sizes(text, &o->sizes) && o->sizes.count == 1;
}

int app_set_templates(app_options *o, const char *text)
{
    return app_parse_sizes(text, &o->templates);
}

int app_set_template(app_options *o, const char *text)
{
    return app_parse_sizes(text, &o->templates) && o->templates.count == 1;
}

int app_set_pixel(app_options *o, const char *text)
{
    static const char *const words[] = { "u8", "u16", "f32", NULL };
    int i = app_word_index(words, text);
    o->pixel = i == 2 ? CM_F32 : i == 1 ? CM_U16 : CM_U8;
    return i >= 0;
}

int app_set_task(app_options *o, const char *text)
{
    static const char *const words[] = { "all", "match", "convolve", NULL };
    int i = app_word_index(words, text);
    o->task = i == 2 ? APP_TASK_CONVOLVE : i == 1 ? APP_TASK_MATCH : APP_TASK_ALL;
    return i >= 0;
}

int app_set_repeat(app_options *o, const char *text)
{
    return app_set_count(text, 1, 10000, &o->repeat);
}

int app_set_bench_tables(app_options *o, const char *text)
{
    (void)text;
    o->bench_tables = 1;
    return 1;
}

int app_set_bench_find(app_options *o, const char *text)
{
    (void)text;
    o->bench_find = 1;
    return 1;
}

int app_set_bank(app_options *o, const char *text)
{
    return app_set_count(text, 1, 10000, &o->bank);
}
