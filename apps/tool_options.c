/* SPDX-License-Identifier: BSD-2-Clause */
/* The options of the tool's commands; those that exactncc-bench has, too, are in common/options.c.
 */
#include "tool_options.h"

#include "html/html_text.h"
#include "tool_setters.h"

#include <stdlib.h>
#include <string.h>

enum { MATCHING = APP_FIND | APP_CORRELATE, WORKING = MATCHING | APP_CONVOLVE };

static const app_option table[] = {
    { "template", 't', "FILE", APP_GROUP_INPUT, MATCHING, tool_set_templ, NULL, NULL, "a file name",
      "a template: FILE, FILE@X,Y,W,H or @LIST; repeat it for more. All other files are images" },
    { "top", 0, "N", APP_GROUP_MATCHES, APP_FIND, tool_set_top, NULL, "10",
      "a whole number 1 .. 1000000000", "at most N matches per template and page" },
    { "min-score", 0, "S", APP_GROUP_MATCHES, APP_FIND, tool_set_min_score, NULL, "0",
      "a number, or -inf for no limit", "lowest score of a match; not for the sqdiff methods" },
    { "max-score", 0, "S", APP_GROUP_MATCHES, APP_FIND, tool_set_max_score, NULL, "no limit",
      "a number that is not negative", "highest score of a match; only for the sqdiff methods" },
    { "min-distance", 0, "N", APP_GROUP_MATCHES, APP_FIND, tool_set_min_distance, NULL,
      "half the template's shorter side", "a whole number 1 .. 1073741824",
      "pixels in x or y between matches" },
    { "subpixel", 0, NULL, APP_GROUP_MATCHES, APP_FIND, tool_set_subpixel, NULL, NULL, NULL,
      "also fit each match's position to fractions of a pixel (columns subpixel_x, subpixel_y, "
      "subpixel_score)" },
    { "merge", 0, "RULE", APP_GROUP_MATCHES, APP_FIND, tool_set_merge, NULL, NULL,
      "distance:N with N 0 .. 1073741824, or iou:F with F 0 .. 1",
      "one list for all templates: of matches closer than N pixels, or with an intersection over "
      "union above F, only the best is kept" },
    { "angles", 0, "A:B[:STEP]", APP_GROUP_MATCHES, APP_FIND, tool_set_angles, NULL, NULL,
      "A:B or A:B:STEP: degrees, B no less than A and no more than 360 above it, STEP above 0",
      "find the templates turned by A to B degrees, counter-clockwise (columns angle, scale); "
      "without STEP, no corner moves by more than a pixel from one angle to the next" },
    { "scales", 0, "A:B[:STEP]", APP_GROUP_MATCHES, APP_FIND, tool_set_scales, NULL, "1:1",
      "A:B or A:B:STEP: numbers 0.0625 .. 16, B no less than A, STEP above 0",
      "find the templates enlarged by A to B; without STEP as above" },
    { "pose-search", 0, "auto|exhaustive|pyramid", APP_GROUP_MATCHES, APP_FIND,
      tool_set_pose_search, tool_pose_searches, "auto", NULL,
      "with --angles or --scales: every pose at every position, or from coarse to fine; auto: the "
      "latter where it can serve" },
    { "support", 0, "whole|disc", APP_GROUP_MATCHES, APP_FIND, tool_set_support, tool_supports,
      "whole", NULL,
      "with --angles or --scales: use the whole template, or the largest disc in it, which is "
      "faster" },
    { "polarity", 0, "same|any", APP_GROUP_MATCHES, APP_FIND, tool_set_polarity, tool_polarities,
      "same", NULL,
      "with --angles or --scales: any also finds reversed contrast, with negative scores" },
    { "overlap", 0, "F", APP_GROUP_MATCHES, APP_FIND, tool_set_overlap, NULL, "0.3",
      "a number 0 .. 1",
      "with --angles or --scales: of turned frames with an intersection over union above F, only "
      "the best is kept" },
    { "fail-if-none", 0, NULL, APP_GROUP_MATCHES, APP_FIND, tool_set_fail_if_none, NULL, NULL, NULL,
      "exit status 3 if there is no match at all" },
    { "overlay", 0, "FILE", APP_GROUP_OUTPUT, APP_FIND, tool_set_overlay, NULL, NULL, "a file name",
      "write the image with every match framed and labelled: RGB TIFF, or PNG if FILE ends in "
      ".png" },
    { "heatmap", 0, "FILE", APP_GROUP_OUTPUT, MATCHING, tool_set_heatmap, NULL, NULL, "a file name",
      "write the map of scores in colours: RGB TIFF, or PNG if FILE ends in .png" },
    { "blend", 0, "F", APP_GROUP_OUTPUT, MATCHING, tool_set_blend, NULL, "1", "a number 0 .. 1",
      "with --heatmap: how far the colours hide the image in grey; 1: the colours alone" },
    { "heat-range", 0, "LOW,HIGH", APP_GROUP_OUTPUT, MATCHING, tool_set_heat_range, NULL,
      "the smallest and the largest score", "LOW,HIGH: two numbers, LOW below HIGH",
      "with --heatmap: the scores at the ends of the colour scale" },
    { "plain", 0, NULL, APP_GROUP_OUTPUT, MATCHING, tool_set_plain, NULL, NULL, NULL,
      "overlay and heat map without legend and colour bar, with the extents of IMAGE" },
    { "report", 0, "FILE", APP_GROUP_OUTPUT, APP_FIND, tool_set_report, NULL, NULL, "a file name",
      "write a page for browsers, as one HTML file: pictures, matches, scores, and crops" },
    { "report-side", 0, "N", APP_GROUP_OUTPUT, APP_FIND, tool_set_report_side, NULL, "2048",
      "a whole number 64 .. 32768",
      "with --report: pictures with a longer side are reduced to at most N pixels" },
    { "output", 'o', "FILE", APP_GROUP_OUTPUT, APP_FIND, tool_set_output, NULL, "standard output",
      "a file name, or - for standard output",
      "print to FILE; without --format, .csv, .json, .jsonl, .geojson or .txt says how" },
    { "count", 0, NULL, APP_GROUP_OUTPUT, APP_FIND, tool_set_count_only, NULL, NULL, NULL,
      "print how many matches each template has on each page, without a limit unless --top is "
      "given" },
    { "output", 'o', "FILE", APP_GROUP_OUTPUT, APP_CORRELATE | APP_CONVOLVE, tool_set_output, NULL,
      NULL, "a file name",
      "the map to write, float32: .tif, .npy, or .png to look at; - is standard output" },
    { "gaussian", 0, "SIGMA", APP_GROUP_FILTER, APP_CONVOLVE, tool_set_gaussian, NULL, NULL,
      "a number above 0 and up to 15.75 (a filter has at most 127 x 127 coefficients)",
      "smooth with a Gaussian of 2*ceil(4*SIGMA)+1 coefficients per side, whose sum is 1" },
    { "gradient", 0, "x|y", APP_GROUP_FILTER, APP_CONVOLVE, tool_set_gradient, tool_axes, NULL,
      NULL,
      "Sobel derivative; positive where brightness increases to the right (x) or downwards (y)" },
    { "size", 0, "3|5", APP_GROUP_FILTER, APP_CONVOLVE, tool_set_gradient_size, tool_gradient_sizes,
      "3", NULL, "coefficients per side of the gradient's filter" },
    { "filter", 0, "FILE", APP_GROUP_FILTER, APP_CONVOLVE, tool_set_filter, NULL, NULL,
      "a file name",
      "read the coefficients from a text file: rows of numbers; # starts a comment" },
    { "correlate", 0, NULL, APP_GROUP_FILTER, APP_CONVOLVE, tool_set_correlate, NULL, NULL, NULL,
      "with --filter: do not rotate the filter by 180 degrees" },
    { "border", 0, "clamp|zero", APP_GROUP_FILTER, APP_CONVOLVE, tool_set_filter_border,
      tool_filter_borders, "clamp", NULL,
      "pixels outside the image: the nearest pixel inside, or 0" },
    { "mask", 0, "FILE", APP_GROUP_INPUT, MATCHING, tool_set_mask, NULL, NULL,
      "a file name, or - for none",
      "use only the template pixels that are not 0 in FILE; give one --mask per template, in the "
      "same order" },
    { "image-mask", 0, "FILE", APP_GROUP_INPUT, MATCHING, tool_set_image_mask, NULL, NULL,
      "a file name", "use only the pixels of IMAGE that are not 0 in FILE" },
    { "no-data", 0, "VALUE", APP_GROUP_INPUT, MATCHING, tool_set_no_data, tool_no_data_words,
      "the value in GDAL's tag", "a number, nan or none",
      "ignore pixels of IMAGE and templates that have this value; none: use every pixel" },
    { "min-valid", 0, "F", APP_GROUP_SCORE, MATCHING | APP_INFO, tool_set_min_valid, NULL, "0.5",
      "a number 0 .. 1",
      "a window scores NaN if less than this fraction of the template's pixels counts" },
    { "coverage", 0, "FILE", APP_GROUP_OUTPUT, APP_CORRELATE, tool_set_coverage, NULL, NULL,
      "a file name",
      "also write, as a float32 TIFF, the fraction of the template's pixels that counts in each "
      "window" },
    { "channels", 0, "luma|sum", APP_GROUP_INPUT, MATCHING, tool_set_channels, tool_channel_words,
      "luma", NULL,
      "one channel (luma of RGB, otherwise the first), or all samples of a pixel in one score" },
    { "roi", 0, "X,Y,W,H", APP_GROUP_INPUT, MATCHING, tool_set_roi, NULL, "the whole image",
      "X,Y,W,H: whole numbers, X and Y from 0, W and H from 1",
      "search only this rectangle of IMAGE; coordinates remain those of IMAGE" },
    { "raw", 0, "WxH:TYPE", APP_GROUP_INPUT, WORKING, tool_set_raw, NULL, NULL,
      "a size and a pixel type such as 640x480:u8, 640x480:u16be or 640x480:u8x3",
      "IMAGE is frames of W x H pixels and nothing else, one page each, as a video decoder writes "
      "them; TYPE is a pixel type, then be for big-endian, then xN for N samples per pixel" },
    { "flat", 0, "zero|nan", APP_GROUP_SCORE, MATCHING, tool_set_flat, tool_flat_words, "zero",
      NULL, "score of a window without contrast; NaN is never a match" },
    { "page", 0, "N|A-B|all", APP_GROUP_INPUT, WORKING, tool_set_pages, tool_page_words, "0",
      "a page number, counted from 0, a range such as 2-5, or all",
      "pages of IMAGE; a range and all leave out reduced copies and masks" },
    { "recursive", 'r', NULL, APP_GROUP_INPUT, WORKING, tool_set_recursive, NULL, NULL, NULL,
      "a folder as IMAGE stands for all pictures in it and in the folders below it" },
    { "tile", 0, "N", APP_GROUP_OUTPUT, APP_CORRELATE | APP_CONVOLVE, tool_set_tile, NULL, NULL,
      "a multiple of 16, 16 .. 16384",
      "write a TIFF as BigTIFF with tiles of N x N pixels instead of strips" },
    { "resume", 0, NULL, APP_GROUP_RUN, APP_CORRELATE | APP_CONVOLVE, tool_set_resume, NULL, NULL,
      NULL,
      "keep a journal beside each map, and go on where an earlier run of this command was "
      "interrupted" },
    { "shard", 0, "I/N", APP_GROUP_RUN, WORKING, tool_set_shard, NULL, NULL,
      "I/N: two whole numbers, 1 <= I <= N <= 1000000",
      "do part I of N of the work, and keep its results in FILE.I-of-N, FILE as given by -o; "
      "exactncc join makes FILE of all parts" },
    { "manifest", 0, "FILE", APP_GROUP_INPUT, APP_FIND, tool_set_manifest, NULL, NULL,
      "a file name",
      "search all items of a CSV file with the columns image, templates (separated by ;) and "
      "options" },
    { "output", 'o', "FILE", APP_GROUP_OUTPUT, APP_JOIN, tool_set_output, NULL,
      "the -o of the parts", "a file name, or - for standard output", "write the result to FILE" },
    { "strict", 0, NULL, APP_GROUP_RUN, WORKING, tool_set_strict, NULL, NULL, NULL,
      "stop at the first image that cannot be used, instead of doing the rest" },
    { "kernels", 0, NULL, APP_GROUP_OUTPUT, APP_INFO, tool_set_kernels, NULL, NULL, NULL,
      "list every kernel: its task and engine, which memory holds what, and whether it can serve" },
    { "task", 0, "NAME", APP_GROUP_PROBLEM, APP_INFO, tool_set_task, app_tasks, "match", NULL,
      "explain the choice for a match or a convolution" },
    { "size", 0, "WxH", APP_GROUP_PROBLEM, APP_INFO, tool_set_size, NULL, "1920x1080",
      "a size such as 1920x1080", "explain the choice for this image size" },
    { "template", 0, "WxH", APP_GROUP_PROBLEM, APP_INFO, tool_set_template, NULL,
      "64x64, of filters 5x5", "a size such as 64x64",
      "explain the choice for this size of the template or filter" },
    { "image-mask", 0, NULL, APP_GROUP_PROBLEM, APP_INFO, tool_set_image_masked, NULL, NULL, NULL,
      "explain the choice for an image in which some pixels do not count" },
    { "format", 0, "NAME", APP_GROUP_OUTPUT, APP_FIND, tool_set_find_format, tool_find_formats,
      "table", NULL, "how the matches are printed; jsonl: one JSON object per match and line" },
    { "format", 0, "NAME", APP_GROUP_OUTPUT, APP_CORRELATE | APP_CONVOLVE, tool_set_format,
      tool_formats, "table", NULL, "how the results are printed" },
    { "format", 0, "NAME", APP_GROUP_OUTPUT, APP_INFO, tool_set_text_format, tool_text_formats,
      "table", NULL, "how the result is printed" },
    { "chip", 0, "WxH[,...]", APP_GROUP_TRACK, APP_TRACK, tool_set_chip, NULL, "32x32",
      "a size such as 32x32, one number for both, or up to 16 of them such as 64,32",
      "the rectangles of IMAGE1 that are sought in IMAGE2; several sizes are that many passes, "
      "each "
      "of which predicts where the next one searches" },
    { "search", 0, "N[,...]", APP_GROUP_TRACK, APP_TRACK, tool_set_search, NULL,
      "16; 4 in later passes",
      "a whole number 0 .. 4096, two such as 24x8, or one of them per pass",
      "the largest distance from the predicted displacement, in pixels" },
    { "grid", 0, "N", APP_GROUP_TRACK, APP_TRACK, tool_set_grid, NULL, "half the chip",
      "a whole number from 1 on, or two such as 16x8",
      "pixels from one chip to the next; the first one is at the top-left corner" },
    { "points", 0, "FILE", APP_GROUP_TRACK, APP_TRACK, tool_set_points, NULL, NULL,
      "a file name, or - for standard input",
      "track the points of a text file instead of a grid: x and y of a chip's centre per line, and "
      "dx and dy where a displacement is predicted" },
    { "shift", 0, "DX,DY", APP_GROUP_TRACK, APP_TRACK, tool_set_shift, NULL, "0,0",
      "DX,DY: two numbers",
      "the predicted displacement in pixels; added to that of the geo tags and of --points" },
    { "fit", 0, "NAME", APP_GROUP_TRACK, APP_TRACK, tool_set_fit, tool_track_fits, "quadratic",
      NULL, "how displacements are found to fractions of a pixel" },
    { "oversample", 0, "N", APP_GROUP_TRACK, APP_TRACK, tool_set_oversample, tool_oversamples, "16",
      NULL, "with --fit oversampled: the displacement is a multiple of 1/N pixel" },
    { "deform", 0, "N", APP_GROUP_TRACK, APP_TRACK, tool_set_deform, NULL, "0",
      "a whole number 0 .. 64",
      "deform IMAGE2 N times by what was found, and track what is left; for displacements that "
      "change within a chip" },
    { "back", 0, NULL, APP_GROUP_TRACK, APP_TRACK, tool_set_back, NULL, NULL, NULL,
      "also track back from IMAGE2 to IMAGE1; the column loop is how far both displacements do not "
      "cancel" },
    { "method", 0, "NAME", APP_GROUP_SCORE, APP_TRACK, tool_set_track_method, tool_track_methods,
      "ccoeff_normed", NULL, "how windows are scored; ccoeff_normed is NCC" },
    { "outliers", 0, "LIMIT", APP_GROUP_TRACK, APP_TRACK, tool_set_outliers, NULL, NULL,
      "a number above 0, usually 2",
      "mark displacements whose residual of the normalized median test exceeds LIMIT" },
    { "replace", 0, NULL, APP_GROUP_TRACK, APP_TRACK, tool_set_replace, NULL, NULL, NULL,
      "with --outliers: replace outliers and missing displacements by the medians of those around "
      "them" },
    { "mask1", 0, "FILE", APP_GROUP_INPUT, APP_TRACK, tool_set_mask1, NULL, NULL, "a file name",
      "use only the pixels of IMAGE1 that are not 0 in FILE" },
    { "mask2", 0, "FILE", APP_GROUP_INPUT, APP_TRACK, tool_set_mask2, NULL, NULL, "a file name",
      "use only the pixels of IMAGE2 that are not 0 in FILE" },
    { "output", 'o', "FILE", APP_GROUP_OUTPUT, APP_TRACK, tool_set_output, NULL, "standard output",
      "a file name, or - for standard output",
      "print to FILE; without --format, .csv, .json, .jsonl or .txt says how" },
    { "bands", 0, "FILE", APP_GROUP_OUTPUT, APP_TRACK, tool_set_bands, NULL, NULL, "a file name",
      "also write the columns of a grid as float32 pictures with a pixel per chip, one file per "
      "{band} in FILE (dx, dy, score ...); or all as one .npy array" },
    { "vectors", 0, "FILE", APP_GROUP_OUTPUT, APP_TRACK, tool_set_vectors, NULL, NULL,
      "a file name",
      "also write IMAGE1 with an arrow per displacement: RGB TIFF, or PNG if FILE ends in .png" },
    { "arrows", 0, "F", APP_GROUP_OUTPUT, APP_TRACK, tool_set_arrows, NULL,
      "so that most arrows do not reach the next point", "a number above 0",
      "with --vectors: how many times as long as the displacements the arrows are" },
    { "format", 0, "NAME", APP_GROUP_OUTPUT, APP_TRACK, tool_set_track_format, tool_track_formats,
      "table", NULL, "how the displacements are printed" },
    { "no-data", 0, "VALUE", APP_GROUP_INPUT, APP_TRACK, tool_set_no_data, tool_no_data_words,
      "the value in GDAL's tag", "a number, nan or none",
      "ignore pixels that have this value; none: use every pixel" },
    { "min-valid", 0, "F", APP_GROUP_SCORE, APP_TRACK, tool_set_min_valid, NULL, "0.5",
      "a number 0 .. 1",
      "a chip or a window of which less than this fraction counts has no score" },
    { "channels", 0, "luma|sum", APP_GROUP_INPUT, APP_TRACK, tool_set_channels, tool_channel_words,
      "luma", NULL,
      "one channel (luma of RGB, otherwise the first), or all samples of a pixel in one score" },
    { "max-memory", 0, "SIZE", APP_GROUP_RUN, APP_TRACK, tool_set_memory, NULL, "8G",
      "a number of bytes, with K, M, G or T at its end for powers of 1024",
      "most memory for the rows of the images that are held at once; larger images are read in "
      "parts" },
    { "max-memory", 0, "SIZE", APP_GROUP_RUN, WORKING, tool_set_memory, NULL, "8G",
      "a number of bytes, with K, M, G or T at its end for powers of 1024",
      "memory to work with: a picture that needs more is read, matched and written in bands; also "
      "accepts files that seem too small for their pixels" },
};

app_option_list tool_options_list(unsigned command, const char *program)
{
    return (app_option_list){ table, sizeof table / sizeof table[0], command, program, NULL, 0 };
}

/* Fails if standard input is to be read more than once. */
static xncc_status check_standard_input(const app_options *o, app_error *error)
{
    int count = o->image_mask && strcmp(o->image_mask, "-") == 0;
    for (int i = 0; i < o->file_count; i++)
        count += strcmp(o->files[i], "-") == 0;
    return count < 2
               ? XNCC_OK
               : app_fail(error, XNCC_ERROR_ARGUMENT,
                          "-: is given %d times, but standard input can be read only once", count);
}

app_parsed tool_options_parse(unsigned command, const char *program, int argc, char **argv,
                              app_options *options, app_error *error)
{
    const app_option_list list = tool_options_list(command, program);
    app_options_init(options);
    options->peaks.top = 10;
    options->poses = (xncc_pose_options)XNCC_POSE_OPTIONS_INIT;
    options->poses.angles.last = 0.0;
    options->reading = app_default_reading;
    options->heat.blend = 1;
    options->report_side = 2048;
    options->command = app_html_command("exactncc", argc, argv);
    options->words = calloc((size_t)argc + 1, sizeof *options->words); /* parsing reorders argv */
    for (int i = 0; i < argc && options->words; i++)
        options->words[options->word_count++] = argv[i];
    options->masks = calloc((size_t)argc, sizeof *options->masks);
    options->templs = calloc((size_t)argc, sizeof *options->templs);
    if (!options->words || !options->masks || !options->templs || !options->command) {
        app_fail(error, XNCC_ERROR_MEMORY, "out of memory");
        return APP_FAILED;
    }
    const app_parsed parsed = app_options_parse(&list, argc, argv, options, error);
    return parsed == APP_RUN && check_standard_input(options, error) ? APP_WRONG : parsed;
}

void tool_options_close(app_options *options)
{
    free(options->words);
    free(options->masks);
    free(options->templs);
    free(options->command);
    options->masks = options->templs = NULL;
    options->command = NULL;
}
