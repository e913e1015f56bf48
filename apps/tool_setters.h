/* SPDX-License-Identifier: BSD-2-Clause */
/* How the text after an option of the tool is stored: the setters of the table in tool_options.c,
 * the only file that uses them. */
#ifndef APP_TOOL_SETTERS_H
#define APP_TOOL_SETTERS_H

#include "common/options.h"

/* The words of options; each list ends with NULL. */
extern const char *const tool_axes[], *const tool_gradient_sizes[], *const tool_filter_borders[];
extern const char *const tool_no_data_words[], *const tool_channel_words[],
                                                   *const tool_flat_words[];
extern const char *const tool_pose_searches[], *const tool_supports[], *const tool_polarities[];
extern const char *const tool_page_words[], *const tool_formats[], *const tool_text_formats[];
extern const char *const tool_find_formats[];

/* find */
app_setter tool_set_top, tool_set_min_score, tool_set_max_score, tool_set_min_distance;
app_setter tool_set_subpixel, tool_set_merge, tool_set_overlay, tool_set_report,
    tool_set_report_side;
app_setter tool_set_shard, tool_set_manifest;
app_setter tool_set_angles, tool_set_scales, tool_set_pose_search, tool_set_support,
    tool_set_polarity, tool_set_overlap;
app_setter tool_set_count_only, tool_set_find_format, tool_set_fail_if_none;

/* find and correlate */
app_setter tool_set_templ;
app_setter tool_set_heatmap, tool_set_mask, tool_set_image_mask, tool_set_no_data;
app_setter tool_set_blend, tool_set_heat_range, tool_set_plain, tool_set_min_valid,
    tool_set_channels, tool_set_roi, tool_set_raw, tool_set_flat;

/* correlate and convolve */
app_setter tool_set_output, tool_set_coverage;
app_setter tool_set_gaussian, tool_set_gradient, tool_set_gradient_size;
app_setter tool_set_filter, tool_set_correlate, tool_set_filter_border;

/* info */
app_setter tool_set_size, tool_set_template, tool_set_image_masked, tool_set_text_format;
app_setter tool_set_task, tool_set_kernels;

/* track (tool_track.c) */
extern const char *const tool_track_fits[],
    *const tool_track_methods[], *const tool_oversamples[], *const tool_track_formats[];
app_setter tool_set_chip, tool_set_search, tool_set_grid, tool_set_points, tool_set_shift,
    tool_set_track_method, tool_set_fit, tool_set_oversample, tool_set_back, tool_set_deform,
    tool_set_outliers, tool_set_replace, tool_set_mask1, tool_set_mask2, tool_set_bands,
    tool_set_vectors, tool_set_arrows, tool_set_track_format;

/* every command that reads pictures */
app_setter tool_set_format, tool_set_memory;
app_setter tool_set_pages, tool_set_recursive, tool_set_strict, tool_set_resume, tool_set_tile;

#endif
