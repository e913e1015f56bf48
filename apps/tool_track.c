/* SPDX-License-Identifier: BSD-2-Clause */
/* How the text after an option of exactncc track is stored. */
#include "common/numbers.h"
#include "tool_setters.h"

#include <string.h>

const char *const tool_track_fits[] = { "whole", "quadratic", "gaussian", "oversampled", NULL };
const char *const tool_track_methods[] = { "ccoeff_normed", "ccoeff", "ccorr", "ccorr_normed",
                                           NULL };
const char *const tool_oversamples[] = { "2", "4", "8", "16", "32", "64", NULL };
const char *const tool_track_formats[] = { "table", "csv", "json", "jsonl", NULL };

/* "N" for N x N, or "WxH"; each from `least` on. */
static int set_two(const char *text, int32_t least, int32_t *width, int32_t *height)
{
    const char *by = strchr(text, 'x');
    char first[16];
    if (!by)
        by = text + strlen(text);
    if ((size_t)(by - text) >= sizeof first)
        return 0;
    memcpy(first, text, (size_t)(by - text));
    first[by - text] = 0;
    return app_set_count(first, least, XNCC_MAX_SIDE / 2, width) &&
           app_set_count(*by ? by + 1 : first, least, XNCC_MAX_SIDE / 2, height);
}

/* The same for each pass, with commas between. */
static int set_list(const char *text, int32_t least, app_sizes *list)
{
    list->count = 0;
    while (list->count < APP_MAX_SIZES) {
        char one[32];
        const size_t length = strcspn(text, ",");
        app_size *size = &list->size[list->count++];
        if (length >= sizeof one)
            return 0;
        memcpy(one, text, length);
        one[length] = 0;
        if (!set_two(one, least, &size->width, &size->height))
            return 0;
        if (!text[length])
            return 1;
        text += length + 1;
    }
    return 0;
}

int tool_set_chip(app_options *o, const char *text)
{
    return set_list(text, 1, &o->track_chips);
}

int tool_set_search(app_options *o, const char *text)
{
    int small = set_list(text, 0, &o->track_searches);
    for (int i = 0; i < o->track_searches.count; i++)
        small = small && o->track_searches.size[i].width <= 4096 &&
                o->track_searches.size[i].height <= 4096;
    return small;
}

int tool_set_grid(app_options *o, const char *text)
{
    o->track_stepped = 1;
    return set_two(text, 1, &o->track_step.width, &o->track_step.height);
}

int tool_set_points(app_options *o, const char *text)
{
    o->track_points = text;
    return *text != 0;
}

int tool_set_shift(app_options *o, const char *text)
{
    const char *comma = strchr(text, ',');
    char first[64];
    if (!comma || (size_t)(comma - text) >= sizeof first)
        return 0;
    memcpy(first, text, (size_t)(comma - text));
    first[comma - text] = 0;
    return app_parse_double(first, &o->track_shift[0]) &&
           app_parse_double(comma + 1, &o->track_shift[1]);
}

int tool_set_track_method(app_options *o, const char *text)
{
    return app_word_index(tool_track_methods, text) >= 0 &&
           xncc_method_parse(text, &o->track.method, NULL) == XNCC_OK;
}

int tool_set_fit(app_options *o, const char *text)
{
    const int i = app_word_index(tool_track_fits, text);
    o->track.fit = (xncc_track_fit)i;
    return i >= 0;
}

int tool_set_oversample(app_options *o, const char *text)
{
    return app_word_index(tool_oversamples, text) >= 0 &&
           app_set_count(text, 2, 64, &o->track.oversample);
}

int tool_set_deform(app_options *o, const char *text)
{
    return app_set_count(text, 0, 64, &o->track.deform);
}

int tool_set_back(app_options *o, const char *text)
{
    (void)text;
    o->track.back = 1;
    return 1;
}

int tool_set_outliers(app_options *o, const char *text)
{
    o->track_checked = 1;
    return app_parse_double(text, &o->track_check.limit) && o->track_check.limit > 0;
}

int tool_set_replace(app_options *o, const char *text)
{
    (void)text;
    o->track_check.replace = 1;
    return 1;
}

int tool_set_mask1(app_options *o, const char *text)
{
    o->track_mask1 = text;
    return *text != 0;
}

int tool_set_mask2(app_options *o, const char *text)
{
    o->track_mask2 = text;
    return *text != 0;
}

int tool_set_bands(app_options *o, const char *text)
{
    o->track_bands = text;
    return *text != 0;
}

int tool_set_vectors(app_options *o, const char *text)
{
    o->track_vectors = text;
    return *text != 0;
}

int tool_set_arrows(app_options *o, const char *text)
{
    return app_parse_double(text, &o->track_arrows) && o->track_arrows > 0;
}

int tool_set_track_format(app_options *o, const char *text)
{
    return app_word_index(tool_track_formats, text) >= 0 && tool_set_find_format(o, text);
}
