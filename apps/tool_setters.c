/* SPDX-License-Identifier: BSD-2-Clause */
/* How the text after an option of the tool is stored. */
#include "tool_setters.h"

#include "common/geo.h"
#include "common/numbers.h"

#include <string.h>

const char *const tool_axes[] = { "x", "y", NULL };
const char *const tool_gradient_sizes[] = { "3", "5", NULL };
const char *const tool_filter_borders[] = { "clamp", "zero", NULL };
const char *const tool_no_data_words[] = { "nan", "none", NULL };
const char *const tool_channel_words[] = { "luma", "sum", NULL };
const char *const tool_flat_words[] = { "zero", "nan", NULL };
const char *const tool_pose_searches[] = { "auto", "exhaustive", "pyramid", NULL };
const char *const tool_supports[] = { "whole", "disc", NULL };
const char *const tool_polarities[] = { "same", "any", NULL };
const char *const tool_page_words[] = { "all", NULL };
const char *const tool_formats[] = { "table", "csv", "json", NULL };
const char *const tool_find_formats[] = { "table", "csv", "json", "jsonl", "geojson", NULL };
const char *const tool_text_formats[] = { "table", "json", NULL };

/* Stores a name; an empty one is not allowed. */
static int set_name(const char **name, const char *text)
{
    *name = text;
    return *text != 0;
}

int tool_set_top(app_options *o, const char *text)
{
    int32_t top;
    const int ok = app_set_count(text, 1, 1000000000, &top);
    o->peaks.top = (size_t)top;
    o->has_top = 1;
    return ok;
}

int tool_set_min_score(app_options *o, const char *text)
{
    o->has_min_score = 1;
    return app_parse_float(text, 1, &o->peaks.min_score);
}

int tool_set_max_score(app_options *o, const char *text)
{
    o->has_max_score = 1;
    return app_parse_float(text, 0, &o->peaks.max_score) && o->peaks.max_score >= 0.0f;
}

int tool_set_min_distance(app_options *o, const char *text)
{
    return app_set_count(text, 1, XNCC_MAX_SIDE, &o->peaks.min_distance);
}

int tool_set_subpixel(app_options *o, const char *text)
{
    (void)text;
    o->subpixel = 1;
    return 1;
}

int tool_set_merge(app_options *o, const char *text)
{
    const int distance = strncmp(text, "distance:", 9) == 0;
    const double most = distance ? XNCC_MAX_SIDE : 1.0;
    if (!distance && strncmp(text, "iou:", 4) != 0)
        return 0;
    o->has_merge = 1;
    o->merge.kind = distance ? XNCC_SUPPRESS_DISTANCE : XNCC_SUPPRESS_OVERLAP;
    return app_parse_double(text + (distance ? 9 : 4), &o->merge.limit) && o->merge.limit >= 0.0 &&
           o->merge.limit <= most;
}

/* "A:B" or "A:B:STEP". */
static int set_range(const char *text, xncc_pose_range *range)
{
    char part[3][64];
    int parts = 0;
    for (const char *from = text; parts < 3; parts++) {
        const size_t length = strcspn(from, ":");
        if (length >= sizeof part[0])
            return 0;
        memcpy(part[parts], from, length);
        part[parts][length] = 0;
        from += length;
        if (!*from++) {
            parts++;
            break;
        }
        if (parts == 2)
            return 0;
    }
    range->step = XNCC_AUTO;
    return parts >= 2 && app_parse_double(part[0], &range->first) &&
           app_parse_double(part[1], &range->last) && range->last >= range->first &&
           (parts == 2 || (app_parse_double(part[2], &range->step) && range->step > 0.0));
}

int tool_set_angles(app_options *o, const char *text)
{
    o->turns = 1;
    return set_range(text, &o->poses.angles) &&
           o->poses.angles.last - o->poses.angles.first <= 360.0;
}

int tool_set_scales(app_options *o, const char *text)
{
    o->scales = 1;
    return set_range(text, &o->poses.scales) && o->poses.scales.first >= XNCC_MIN_SCALE &&
           o->poses.scales.last <= XNCC_MAX_SCALE;
}

/* Stores which word of a list was given with an option of poses. */
static int set_pose_word(app_options *o, const char *option, const char *const *words,
                         const char *text, int *index)
{
    o->pose_option = option;
    *index = app_word_index(words, text);
    return *index >= 0;
}

int tool_set_pose_search(app_options *o, const char *text)
{
    int i;
    const int ok = set_pose_word(o, "--pose-search", tool_pose_searches, text, &i);
    o->poses.search = (xncc_pose_search)i;
    return ok;
}

int tool_set_support(app_options *o, const char *text)
{
    int i;
    const int ok = set_pose_word(o, "--support", tool_supports, text, &i);
    o->poses.support = (xncc_support)i;
    return ok;
}

int tool_set_polarity(app_options *o, const char *text)
{
    return set_pose_word(o, "--polarity", tool_polarities, text, &o->poses.any_polarity);
}

int tool_set_overlap(app_options *o, const char *text)
{
    o->pose_option = "--overlap";
    return app_parse_double(text, &o->poses.overlap) && o->poses.overlap >= 0.0 &&
           o->poses.overlap <= 1.0;
}

int tool_set_fail_if_none(app_options *o, const char *text)
{
    (void)text;
    o->fail_if_none = 1;
    return 1;
}

int tool_set_overlay(app_options *o, const char *text)
{
    return set_name(&o->overlay, text);
}

/* "N", "A-B" or "all". */
int tool_set_pages(app_options *o, const char *text)
{
    app_pages *const p = &o->pages;
    const char *dash = strchr(text, '-');
    char first[32];
    p->many = 1;
    if (strcmp(text, "all") == 0) {
        p->first = 0;
        p->last = INT64_MAX;
        return 1;
    }
    if (dash && dash > text && dash - text < (int)sizeof first) {
        memcpy(first, text, (size_t)(dash - text));
        first[dash - text] = 0;
        return app_parse_integer(first, 0, UINT32_MAX - 1, &p->first) &&
               app_parse_integer(dash + 1, p->first, UINT32_MAX - 1, &p->last);
    }
    p->many = 0;
    const int ok = app_parse_integer(text, 0, UINT32_MAX - 1, &p->first);
    p->last = p->first;
    return ok;
}

int tool_set_templ(app_options *o, const char *text)
{
    return set_name(&o->templs[o->templ_count++], text);
}

int tool_set_recursive(app_options *o, const char *text)
{
    (void)text;
    o->recursive = 1;
    return 1;
}

int tool_set_resume(app_options *o, const char *text)
{
    (void)text;
    o->resume = 1;
    return 1;
}

int tool_set_shard(app_options *o, const char *text)
{
    char first[16], *slash;
    snprintf(first, sizeof first, "%s", text);
    slash = strchr(first, '/');
    if (strlen(text) >= sizeof first || !slash)
        return 0;
    *slash = 0;
    return app_set_count(slash + 1, 1, 1000000, &o->shards) &&
           app_set_count(first, 1, o->shards, &o->shard);
}

int tool_set_manifest(app_options *o, const char *text)
{
    o->manifest = text;
    return 1;
}

int tool_set_tile(app_options *o, const char *text)
{
    return app_set_count(text, 16, 16384, &o->tile) && o->tile % 16 == 0;
}

int tool_set_strict(app_options *o, const char *text)
{
    (void)text;
    o->strict = 1;
    return 1;
}

int tool_set_count_only(app_options *o, const char *text)
{
    (void)text;
    o->count_only = 1;
    return 1;
}

int tool_set_heatmap(app_options *o, const char *text)
{
    return set_name(&o->heatmap, text);
}

int tool_set_report(app_options *o, const char *text)
{
    return set_name(&o->report, text);
}

int tool_set_report_side(app_options *o, const char *text)
{
    return app_set_count(text, 64, 32768, &o->report_side);
}

int tool_set_blend(app_options *o, const char *text)
{
    return app_parse_double(text, &o->heat.blend) && o->heat.blend >= 0 && o->heat.blend <= 1;
}

int tool_set_heat_range(app_options *o, const char *text)
{
    char low[64];
    const char *comma = strchr(text, ',');
    app_heat_look *h = &o->heat;
    if (!comma || (size_t)(comma - text) >= sizeof low)
        return 0;
    memcpy(low, text, (size_t)(comma - text));
    low[comma - text] = 0;
    h->has_range = 1;
    return app_parse_double(low, &h->low) && app_parse_double(comma + 1, &h->high) &&
           h->low < h->high;
}

int tool_set_plain(app_options *o, const char *text)
{
    (void)text;
    o->heat.plain = 1;
    return 1;
}

int tool_set_mask(app_options *o, const char *text)
{
    return set_name(&o->masks[o->mask_count++], text);
}

int tool_set_image_mask(app_options *o, const char *text)
{
    return set_name(&o->image_mask, text);
}

int tool_set_no_data(app_options *o, const char *text)
{
    o->reading.no_data = strcmp(text, "none") == 0 ? APP_NO_DATA_NONE : APP_NO_DATA_GIVEN;
    return o->reading.no_data == APP_NO_DATA_NONE ||
           app_no_data_parse(text, &o->reading.no_data_value);
}

int tool_set_min_valid(app_options *o, const char *text)
{
    double *const least = &o->rule.min_valid;
    return app_parse_double(text, least) && *least >= 0.0 && *least <= 1.0;
}

int tool_set_channels(app_options *o, const char *text)
{
    const int i = app_word_index(tool_channel_words, text);
    o->reading.channels = i == 1 ? APP_SUM : APP_LUMA;
    return i >= 0;
}

int tool_set_roi(app_options *o, const char *text)
{
    return app_parse_area(text, &o->roi);
}

int tool_set_raw(app_options *o, const char *text)
{
    return app_parse_raw(text, &o->reading.raw);
}

int tool_set_flat(app_options *o, const char *text)
{
    const int i = app_word_index(tool_flat_words, text);
    o->rule.flat = i == 1 ? XNCC_FLAT_NAN : XNCC_FLAT_ZERO;
    return i >= 0;
}

int tool_set_output(app_options *o, const char *text)
{
    return set_name(&o->output, text);
}

int tool_set_coverage(app_options *o, const char *text)
{
    return set_name(&o->coverage, text);
}

int tool_set_gaussian(app_options *o, const char *text)
{
    return app_parse_double(text, &o->gaussian) && o->gaussian > 0.0 && o->gaussian <= 15.75;
}

int tool_set_gradient(app_options *o, const char *text)
{
    o->gradient = text[0];
    return app_word_index(tool_axes, text) >= 0;
}

int tool_set_gradient_size(app_options *o, const char *text)
{
    o->gradient_size = text[0] - '0';
    return app_word_index(tool_gradient_sizes, text) >= 0;
}

int tool_set_filter(app_options *o, const char *text)
{
    return set_name(&o->filter, text);
}

int tool_set_correlate(app_options *o, const char *text)
{
    (void)text;
    o->correlate = 1;
    return 1;
}

int tool_set_filter_border(app_options *o, const char *text)
{
    return app_word_index(tool_filter_borders, text) >= 0 && app_set_border(o, text);
}

int tool_set_size(app_options *o, const char *text)
{
    return app_set_sizes(o, text) && o->sizes.count == 1;
}

int tool_set_template(app_options *o, const char *text)
{
    return app_set_templates(o, text) && o->templates.count == 1;
}

int tool_set_image_masked(app_options *o, const char *text)
{
    (void)text;
    o->image_masked = 1;
    return 1;
}

int tool_set_task(app_options *o, const char *text)
{
    const int i = app_word_index(app_tasks, text);
    o->task = i == 1 ? XNCC_TASK_CONVOLVE : XNCC_TASK_MATCH;
    return i >= 0;
}

int tool_set_kernels(app_options *o, const char *text)
{
    (void)text;
    o->kernels = 1;
    return 1;
}

int tool_set_format(app_options *o, const char *text)
{
    const int i = app_word_index(tool_formats, text);
    o->format = i == 2 ? APP_JSON : i == 1 ? APP_CSV : APP_TABLE;
    o->has_format = 1;
    return i >= 0;
}

int tool_set_text_format(app_options *o, const char *text)
{
    return tool_set_format(o, text) && o->format != APP_CSV;
}

int tool_set_find_format(app_options *o, const char *text)
{
    const int lines = strcmp(text, "jsonl") == 0, geo = strcmp(text, "geojson") == 0;
    if (!lines && !geo)
        return tool_set_format(o, text);
    o->format = lines ? APP_JSONL : APP_GEOJSON;
    o->has_format = 1;
    return 1;
}

int tool_set_memory(app_options *o, const char *text)
{
    o->reading.trusted = 1;
    return app_parse_bytes(text, &o->reading.max_memory) && o->reading.max_memory >= 1;
}
