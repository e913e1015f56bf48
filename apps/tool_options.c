/* The options of the tool's commands; those that exactncc-bench has, too, are in common/options.c.
 */
#include "tool_options.h"

#include "tool_setters.h"

#include <stdlib.h>
#include <string.h>

enum { MATCHING = APP_FIND | APP_CORRELATE, WORKING = MATCHING | APP_CONVOLVE };

static const app_option table[] = {
    { "top", 0, "N", APP_FIND, tool_set_top, "a whole number 1 .. 1000000000",
      "at most N matches per template and page (default 10)" },
    { "min-score", 0, "S", APP_FIND, tool_set_min_score, "a number, or -inf for no limit",
      "lowest score of a match (default 0); not for the sqdiff methods" },
    { "max-score", 0, "S", APP_FIND, tool_set_max_score, "a number that is not negative",
      "highest score of a match (default: no limit); only for the sqdiff methods" },
    { "min-distance", 0, "N", APP_FIND, tool_set_min_distance, "a whole number 1 .. 1073741824",
      "pixels in x or y between matches (default: half the template's shorter side)" },
    { "subpixel", 0, NULL, APP_FIND, tool_set_subpixel, "",
      "also fit each match's position to fractions of a pixel (columns subpixel_x, subpixel_y)" },
    { "merge", 0, "RULE", APP_FIND, tool_set_merge,
      "distance:N with N 0 .. 1073741824, or iou:F with F 0 .. 1",
      "one list for all templates: of matches closer than N pixels, or with an intersection over "
      "union above F, only the best is kept" },
    { "overlay", 0, "FILE", APP_FIND, tool_set_overlay, "a file name",
      "write the image with every match framed and numbered: RGB TIFF, or PNG if FILE ends in "
      ".png" },
    { "heatmap", 0, "FILE", MATCHING, tool_set_heatmap, "a file name",
      "write the map of scores in colours: RGB TIFF, or PNG if FILE ends in .png" },
    { "output", 'o', "FILE", APP_CORRELATE | APP_CONVOLVE, tool_set_output, "a file name",
      "the float32 TIFF to write (BigTIFF when needed)" },
    { "gaussian", 0, "SIGMA", APP_CONVOLVE, tool_set_gaussian,
      "a number above 0 and up to 15.75 (a filter has at most 127 x 127 coefficients)",
      "smooth with a Gaussian of 2*ceil(4*SIGMA)+1 coefficients per side, whose sum is 1" },
    { "gradient", 0, "x|y", APP_CONVOLVE, tool_set_gradient, "x or y",
      "Sobel derivative; positive where brightness increases to the right (x) or downwards (y)" },
    { "size", 0, "3|5", APP_CONVOLVE, tool_set_gradient_size, "3 or 5",
      "coefficients per side of the gradient's filter (default 3)" },
    { "filter", 0, "FILE", APP_CONVOLVE, tool_set_filter, "a file name",
      "read the coefficients from a text file: rows of numbers; # starts a comment" },
    { "correlate", 0, NULL, APP_CONVOLVE, tool_set_correlate, "",
      "with --filter: do not rotate the filter by 180 degrees" },
    { "border", 0, "clamp|zero", APP_CONVOLVE, tool_set_filter_border, "clamp or zero",
      "pixels outside the image: the nearest pixel inside (default), or 0" },
    { "mask", 0, "FILE", MATCHING, tool_set_mask, "a file name, or - for none",
      "use only the template pixels that are not 0 in FILE; give one --mask per template, in the "
      "same order" },
    { "image-mask", 0, "FILE", MATCHING, tool_set_image_mask, "a file name",
      "use only the pixels of IMAGE that are not 0 in FILE" },
    { "no-data", 0, "VALUE", MATCHING, tool_set_no_data, "a number, nan or none",
      "ignore pixels of IMAGE and templates that have this value (default: the value in GDAL's "
      "tag; none: use every pixel)" },
    { "min-valid", 0, "F", MATCHING | APP_INFO, tool_set_min_valid, "a number 0 .. 1",
      "a window scores NaN if less than this fraction of the template's pixels counts (default "
      "0.5)" },
    { "coverage", 0, "FILE", APP_CORRELATE, tool_set_coverage, "a file name",
      "also write, as a float32 TIFF, the fraction of the template's pixels that counts in each "
      "window" },
    { "channels", 0, "luma|sum", MATCHING, tool_set_channels, "luma or sum",
      "one channel (default: luma of RGB, otherwise the first), or all samples of a pixel in one "
      "score" },
    { "roi", 0, "X,Y,W,H", MATCHING, tool_set_roi,
      "X,Y,W,H: whole numbers, X and Y from 0, W and H from 1",
      "search only this rectangle of IMAGE; coordinates remain those of IMAGE" },
    { "flat", 0, "zero|nan", MATCHING, tool_set_flat, "zero or nan",
      "score of a window without contrast (default zero); NaN is never a match" },
    { "page", 0, "N|all", APP_FIND, tool_set_pages, "a page number, counted from 0, or all",
      "page of IMAGE (default 0); all: every page except reduced copies and masks" },
    { "page", 0, "N", APP_CORRELATE | APP_CONVOLVE, tool_set_page, "a page number, counted from 0",
      "page of IMAGE (default 0)" },
    { "kernels", 0, NULL, APP_INFO, tool_set_kernels, "",
      "list every kernel: its task and engine, which memory holds what, and whether it can serve" },
    { "task", 0, "NAME", APP_INFO, tool_set_task, "match or convolve",
      "explain the choice for a match (default) or a convolution" },
    { "size", 0, "WxH", APP_INFO, tool_set_size, "a size such as 1920x1080",
      "explain the choice for this image size (default 1920x1080)" },
    { "template", 0, "WxH", APP_INFO, tool_set_template, "a size such as 64x64",
      "explain the choice for this size of the template (default 64x64) or filter (5x5)" },
    { "image-mask", 0, NULL, APP_INFO, tool_set_image_masked, "",
      "explain the choice for an image in which some pixels do not count" },
    { "format", 0, "NAME", WORKING, tool_set_format, "table, csv or json",
      "table (default), csv or json" },
    { "format", 0, "NAME", APP_INFO, tool_set_text_format, "table or json",
      "table (default) or json" },
    { "max-memory", 0, "SIZE", WORKING, tool_set_memory,
      "a number of bytes, with K, M, G or T at its end for powers of 1024",
      "most memory for one picture (default 8G); also accepts files that seem too small for their "
      "pixels" },
};

static app_option_list list_of(unsigned command, const char *program)
{
    return (app_option_list){ table, sizeof table / sizeof table[0], command, program };
}

app_parsed tool_options_parse(unsigned command, const char *program, int argc, char **argv,
                              app_options *options, app_error *error)
{
    const app_option_list list = list_of(command, program);
    app_options_init(options);
    options->peaks.top = 10;
    options->reading = app_default_reading;
    options->masks = calloc((size_t)argc, sizeof *options->masks);
    if (!options->masks) {
        app_fail(error, XNCC_ERROR_MEMORY, "out of memory");
        return APP_WRONG;
    }
    return app_options_parse(&list, argc, argv, options, error);
}

void tool_options_close(app_options *options)
{
    free(options->masks);
    options->masks = NULL;
}

void tool_options_print(unsigned command, FILE *out)
{
    const app_option_list list = list_of(command, "exactncc");
    app_options_print(&list, out);
}
