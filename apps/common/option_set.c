#include "option_set.h"

#include "numbers.h"

#include <float.h>
#include <string.h>

/* In the order of xncc_mode and xncc_border. */
static const char *const modes[] = { "valid", "same", "full", NULL };
static const char *const borders[] = { "clamp", "zero", "mirror", "wrap", "overlap", NULL };

const char *app_mode_name(xncc_mode mode)
{
    return modes[mode];
}

const char *app_border_name(xncc_border border)
{
    return borders[border];
}

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
    const double most = distance ? XNCC_MAX_SIDE : 1.0;
    if (!distance && strncmp(text, "iou:", 4) != 0)
        return 0;
    o->has_merge = 1;
    o->merge.rule = distance ? XNCC_MERGE_DISTANCE : XNCC_MERGE_OVERLAP;
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
    int32_t *const templ[4] = { &o->roi.x, &o->roi.y, &o->roi.width, &o->roi.height };
    for (int i = 0; i < 4; i++) {
        char number[16];
        const char *comma = strchr(text, ',');
        const size_t length = comma ? (size_t)(comma - text) : strlen(text);
        if ((comma != NULL) != (i < 3) || length >= sizeof number)
            return 0;
        memcpy(number, text, length);
        number[length] = 0;
        if (!app_set_count(number, i < 2 ? 0 : 1, XNCC_MAX_SIDE, templ[i]))
            return 0;
        text += length + 1;
    }
    return 1;
}

int app_set_mode(app_options *o, const char *text)
{
    const int i = app_word_index(modes, text);
    o->mode = i < 0 ? XNCC_VALID : (xncc_mode)i;
    return i >= 0;
}

int app_set_border(app_options *o, const char *text)
{
    const int i = app_word_index(borders, text);
    o->border = i < 0 ? XNCC_BORDER_CLAMP : (xncc_border)i;
    return i >= 0;
}

int app_set_filter_border(app_options *o, const char *text)
{
    return app_set_border(o, text) &&
           (o->border == XNCC_BORDER_CLAMP || o->border == XNCC_BORDER_ZERO);
}

int app_set_mask(app_options *o, const char *text)
{
    o->masks[o->mask_count++] = text;
    return *text != 0;
}

int app_set_image_mask(app_options *o, const char *text)
{
    o->image_mask = text;
    return *text != 0;
}

int app_set_no_data(app_options *o, const char *text)
{
    o->reading.no_data = strcmp(text, "none") == 0 ? APP_NO_DATA_NONE : APP_NO_DATA_GIVEN;
    return o->reading.no_data == APP_NO_DATA_NONE ||
           app_no_data_parse(text, &o->reading.no_data_value);
}

/* The library's 0 means its default; with the smallest number a window needs one pixel. */
int app_set_min_valid(app_options *o, const char *text)
{
    const int ok = app_parse_double(text, &o->min_valid) && o->min_valid >= 0.0 &&
                   o->min_valid <= 1.0;
    o->min_valid = o->min_valid == 0.0 ? DBL_MIN : o->min_valid;
    return ok;
}

int app_set_coverage(app_options *o, const char *text)
{
    o->coverage = text;
    return *text != 0;
}

int app_set_channels(app_options *o, const char *text)
{
    o->reading.channels = strcmp(text, "sum") == 0 ? APP_SUM : APP_LUMA;
    return o->reading.channels == APP_SUM || strcmp(text, "luma") == 0;
}

int app_set_gaussian(app_options *o, const char *text)
{
    return app_parse_double(text, &o->gaussian) && o->gaussian > 0.0 && o->gaussian <= 15.75;
}

int app_set_gradient(app_options *o, const char *text)
{
    o->gradient = text[0];
    return strcmp(text, "x") == 0 || strcmp(text, "y") == 0;
}

int app_set_gradient_size(app_options *o, const char *text)
{
    o->gradient_size = text[0] - '0';
    return strcmp(text, "3") == 0 || strcmp(text, "5") == 0;
}

int app_set_filter(app_options *o, const char *text)
{
    o->filter = text;
    return *text != 0;
}

int app_set_correlate(app_options *o, const char *text)
{
    (void)text;
    o->correlate = 1;
    return 1;
}

int app_set_memory(app_options *o, const char *text)
{
    o->reading.trusted = 1;
    return app_parse_bytes(text, &o->reading.max_memory) && o->reading.max_memory >= 1;
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
    for (int pixel = XNCC_U8; pixel <= XNCC_F64; pixel++)
        if (strcmp(xncc_pixel_name((xncc_pixel)pixel), text) == 0) {
            o->pixel = (xncc_pixel)pixel;
            return 1;
        }
    return 0;
}

int app_set_channel_count(app_options *o, const char *text)
{
    return app_set_count(text, 1, XNCC_MAX_CHANNELS, &o->channels);
}

int app_set_with_mask(app_options *o, const char *text)
{
    (void)text;
    o->with_mask = 1;
    return 1;
}

int app_set_image_masked(app_options *o, const char *text)
{
    (void)text;
    o->image_masked = 1;
    return 1;
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

int app_set_batch(app_options *o, const char *text)
{
    return app_set_count(text, 1, 10000, &o->batch);
}

xncc_problem app_options_problem(const app_options *o, xncc_task task, app_size image,
                                 app_size templ)
{
    xncc_problem problem = { .task = task,
                             .pixel = o->pixel,
                             .image_width = image.width,
                             .image_height = image.height,
                             .width = templ.width,
                             .height = templ.height };
    if (task == XNCC_TASK_CONVOLVE)
        return problem;
    problem.method = o->method;
    problem.mode = o->mode;
    problem.border = o->border;
    problem.channels = o->channels;
    problem.templ_masked = o->with_mask;
    problem.image_masked = o->image_masked;
    problem.min_valid = o->min_valid;
    return problem;
}
