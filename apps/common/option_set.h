/* How the text after an option gets into the options: 1 when it may be so. Only options.c, which
 * has the table, needs these. */
#ifndef APP_OPTION_SET_H
#define APP_OPTION_SET_H

#include "options.h"

/* The index of a word in a list that ends with NULL, or -1. */
int app_word_index(const char *const *words, const char *text);
/* A whole number least .. most. */
int app_set_count(const char *text, int32_t least, int32_t most, int32_t *count);

typedef int app_setter(app_options *options, const char *text);

/* find and correlate */
app_setter app_set_subpixel, app_set_merge, app_set_heatmap, app_set_roi, app_set_mode,
    app_set_border;
app_setter app_set_mask, app_set_image_mask, app_set_no_data, app_set_min_valid, app_set_coverage,
    app_set_channels;

/* convolve */
app_setter app_set_filter_border, app_set_gaussian, app_set_gradient, app_set_gradient_size,
    app_set_filter;
app_setter app_set_correlate;

/* what reads pictures */
app_setter app_set_memory;

/* bench and info */
app_setter app_set_sizes, app_set_size, app_set_templates, app_set_template, app_set_pixel;
app_setter app_set_channel_count, app_set_with_mask, app_set_image_masked;
app_setter app_set_task, app_set_repeat, app_set_bench_tables, app_set_bench_find, app_set_batch;

#endif
