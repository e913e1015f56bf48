#include "options.h"

#include "numbers.h"
#include "option_set.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An option: where it belongs, what it takes, and how its text gets into the options (1 when it may
 * be so). */
typedef struct entry {
    const char *name;
    char letter;
    const char *argument; /* NULL: none */
    unsigned commands;
    int (*set)(app_options *options, const char *text);
    const char *expected; /* what the text must be */
    const char *help;
} entry;

static int set_device(app_options *o, const char *text)
{
    int64_t index = 0;
    if (strcmp(text, "auto") == 0)
        o->device.device = XNCC_DEVICE_AUTO;
    else if (strcmp(text, "cpu") == 0)
        o->device.device = XNCC_DEVICE_CPU;
    else if (strcmp(text, "cuda") == 0)
        o->device.device = XNCC_DEVICE_CUDA;
    else if (strncmp(text, "cuda:", 5) == 0 && app_parse_integer(text + 5, 0, 1023, &index))
        o->device.device = XNCC_DEVICE_CUDA;
    else
        return 0;
    o->device.cuda_index = (int32_t)index;
    return 1;
}

static int set_kernel(app_options *o, const char *text)
{
    o->kernel = text;
    return *text != 0;
}

static int set_method(app_options *o, const char *text)
{
    return xncc_method_parse(text, &o->method) == XNCC_OK;
}

static int set_flat(app_options *o, const char *text)
{
    static const char *const words[] = { "zero", "nan", NULL };
    int i = app_word_index(words, text);
    o->flat = i == 1 ? XNCC_FLAT_NAN : XNCC_FLAT_ZERO;
    return i >= 0;
}

static int set_page(app_options *o, const char *text)
{
    return app_parse_integer(text, 0, UINT32_MAX - 1, &o->page);
}

static int set_pages(app_options *o, const char *text)
{
    if (strcmp(text, "all") != 0)
        return set_page(o, text);
    o->page = APP_ALL_PAGES;
    return 1;
}

static int set_format(app_options *o, const char *text)
{
    static const char *const words[] = { "table", "csv", "json", NULL };
    int i = app_word_index(words, text);
    o->format = i == 2 ? APP_JSON : i == 1 ? APP_CSV : APP_TABLE;
    return i >= 0;
}

static int set_text_format(app_options *o, const char *text)
{
    return set_format(o, text) && o->format != APP_CSV;
}

static int set_threads(app_options *o, const char *text)
{
    return app_set_count(text, 0, 1024, &o->device.threads);
}

static int set_quiet(app_options *o, const char *text)
{
    (void)text;
    o->quiet = 1;
    return 1;
}

static int set_top(app_options *o, const char *text)
{
    return app_parse_integer(text, 1, 1000000000, &o->top);
}

static int set_min_score(app_options *o, const char *text)
{
    o->has_min_score = 1;
    return app_parse_float(text, 1, &o->min_score);
}

static int set_max_score(app_options *o, const char *text)
{
    o->has_max_score = 1;
    return app_parse_float(text, 0, &o->max_score) && o->max_score >= 0.0f;
}

static int set_min_distance(app_options *o, const char *text)
{
    return app_set_count(text, 1, XNCC_MAX_SIDE, &o->min_distance);
}

static int set_overlay(app_options *o, const char *text)
{
    o->overlay = text;
    return *text != 0;
}

static int set_output(app_options *o, const char *text)
{
    o->output = text;
    return *text != 0;
}

enum {
    MATCHING = APP_FIND | APP_CORRELATE,
    WORKING = MATCHING | APP_CONVOLVE,
    EVERY = WORKING | APP_BENCH | APP_INFO
};

static const entry table[] = {
    { "top", 0, "N", APP_FIND, set_top, "a whole number 1 .. 1000000000",
      "at most N matches a template and page (default 10)" },
    { "min-score", 0, "S", APP_FIND, set_min_score, "a number, or -inf for no limit",
      "a match scores at least S (default 0); not for the sqdiff methods" },
    { "max-score", 0, "S", APP_FIND, set_max_score, "a number that is not negative",
      "a match scores at most S (default: no limit); for the sqdiff methods" },
    { "min-distance", 0, "N", APP_FIND, set_min_distance, "a whole number 1 .. 1073741824",
      "pixels in x or y between matches (default: half the template's shorter side)" },
    { "subpixel", 0, NULL, APP_FIND, app_set_subpixel, "",
      "also fit each match's position to fractions of a pixel (columns subpixel_x, subpixel_y)" },
    { "merge", 0, "RULE", APP_FIND, app_set_merge,
      "distance:N with N 0 .. 1073741824, or iou:F with F 0 .. 1",
      "one list for all templates: of matches closer than N pixels, or overlapping by more than F, "
      "the best" },
    { "overlay", 0, "FILE", APP_FIND, set_overlay, "a file name",
      "write the scene with every match framed and numbered: RGB TIFF, or PNG when FILE ends in "
      ".png" },
    { "heatmap", 0, "FILE", MATCHING, app_set_heatmap, "a file name",
      "write the map of scores in colours: RGB TIFF, or PNG when FILE ends in .png" },
    { "output", 'o', "FILE", APP_CORRELATE | APP_CONVOLVE, set_output, "a file name",
      "the float32 TIFF to write (BigTIFF when needed)" },
    { "gaussian", 0, "SIGMA", APP_CONVOLVE, app_set_gaussian,
      "a number above 0 and up to 15.75 (a filter has at most 127 x 127 coefficients)",
      "smooth with a Gaussian; the filter has 2*ceil(4*SIGMA)+1 coefficients a side, their sum is "
      "1" },
    { "gradient", 0, "x|y", APP_CONVOLVE, app_set_gradient, "x or y",
      "Sobel derivative, positive where brightness grows to the right (x) or down (y)" },
    { "size", 0, "3|5", APP_CONVOLVE, app_set_gradient_size, "3 or 5",
      "side of the gradient's filter (default 3)" },
    { "filter", 0, "FILE", APP_CONVOLVE, app_set_filter, "a file name",
      "coefficients from a text file: rows of numbers, # starts a comment" },
    { "correlate", 0, NULL, APP_CONVOLVE, app_set_correlate, "",
      "with --filter: do not turn the filter by 180 degrees" },
    { "method", 0, "NAME", MATCHING | APP_BENCH | APP_INFO, set_method,
      "ccoeff_normed, ccoeff, ccorr, ccorr_normed, sqdiff, sqdiff_normed or coverage",
      "how windows are scored (default ccoeff_normed, which is NCC)" },
    { "mode", 0, "NAME", MATCHING | APP_BENCH | APP_INFO, app_set_mode, "valid, same or full",
      "windows inside the image (default), one centred on every pixel, or all that share a pixel "
      "with it" },
    { "border", 0, "NAME", MATCHING | APP_BENCH | APP_INFO, app_set_border,
      "clamp, zero, mirror, wrap or overlap",
      "modes same and full: what is outside (default clamp); overlap: only the pixels inside "
      "count" },
    { "border", 0, "clamp|zero", APP_CONVOLVE, app_set_filter_border, "clamp or zero",
      "the pixels outside: the nearest repeated (default), or 0" },
    { "mask", 0, "FILE", MATCHING, app_set_mask, "a file name, or - for none",
      "the template's pixels that count: those that are not 0 in FILE; one --mask for each "
      "template, in order" },
    { "image-mask", 0, "FILE", MATCHING, app_set_image_mask, "a file name", "the same for IMAGE" },
    { "no-data", 0, "VALUE", MATCHING, app_set_no_data, "a number, nan or none",
      "pixels of IMAGE and templates that hold VALUE do not count (default: GDAL's tag; none: all "
      "count)" },
    { "min-valid", 0, "F", MATCHING | APP_INFO, app_set_min_valid, "a number 0 .. 1",
      "a window scores NaN where fewer than F of the template's pixels count (default 0.5)" },
    { "coverage", 0, "FILE", APP_CORRELATE, app_set_coverage, "a file name",
      "also write the fraction of the template's pixels that count in each window, as a float32 "
      "TIFF" },
    { "channels", 0, "luma|sum", MATCHING, app_set_channels, "luma or sum",
      "one channel (default: RGB to luma, else the first), or all samples of a pixel in one "
      "score" },
    { "roi", 0, "X,Y,W,H", MATCHING, app_set_roi,
      "X,Y,W,H: whole numbers, X and Y from 0, W and H from 1",
      "match this rectangle of IMAGE alone; coordinates stay those of IMAGE" },
    { "flat", 0, "zero|nan", MATCHING, set_flat, "zero or nan",
      "what a window without contrast scores (default zero); NaN is never a match" },
    { "page", 0, "N|all", APP_FIND, set_pages, "a page number, counted from 0, or all",
      "the page of IMAGE (default 0); all leaves out reduced copies and masks" },
    { "page", 0, "N", APP_CORRELATE | APP_CONVOLVE, set_page, "a page number, counted from 0",
      "the page of IMAGE (default 0)" },
    { "size", 0, "WxH,...", APP_BENCH, app_set_sizes,
      "up to 16 sizes such as 1920x1080, with commas between", "image sizes (default 1920x1080)" },
    { "template", 0, "WxH,...", APP_BENCH, app_set_templates,
      "up to 16 sizes such as 16x16, with commas between",
      "template and filter sizes (default 8x8,16x16,32x32,64x64, and 3x3,5x5,27x27 for filters)" },
    { "size", 0, "WxH", APP_INFO, app_set_size, "a size such as 1920x1080",
      "explain the choice for this image size (default 1920x1080)" },
    { "template", 0, "WxH", APP_INFO, app_set_template, "a size such as 64x64",
      "and this template size (default 64x64)" },
    { "pixel", 0, "NAME", APP_BENCH | APP_INFO, app_set_pixel, "u8, u16, f32, s8, s16, u32 or f64",
      "pixel type (default u8)" },
    { "channels", 0, "N", APP_BENCH | APP_INFO, app_set_channel_count, "a whole number 1 .. 64",
      "samples a pixel (default 1)" },
    { "mask", 0, NULL, APP_BENCH | APP_INFO, app_set_with_mask, "",
      "with a template of which 30 percent do not count" },
    { "image-mask", 0, NULL, APP_INFO, app_set_image_masked, "",
      "with an image of which not every pixel counts" },
    { "task", 0, "NAME", APP_BENCH, app_set_task, "all, match or convolve",
      "what to time (default all)" },
    { "repeat", 0, "N", APP_BENCH, app_set_repeat, "a whole number 1 .. 10000",
      "timed runs, of which the median counts (default 5)" },
    { "tables", 0, NULL, APP_BENCH, app_set_bench_tables, "",
      "instead: filters on CPU and GPU with the transfer, and template pixels a second" },
    { "find", 0, NULL, APP_BENCH, app_set_bench_find, "",
      "instead: searches without a map, and a bank of templates" },
    { "batch", 0, "N", APP_BENCH, app_set_batch, "a whole number 1 .. 10000",
      "templates in that bank (default 360)" },
    { "device", 0, "NAME", EVERY, set_device, "auto, cpu, cuda or cuda:N",
      "which engine (default auto: the fastest)" },
    { "kernel", 0, "NAME", EVERY, set_kernel, "a name; exactncc info lists them",
      "force a kernel (default: the fastest)" },
    { "threads", 0, "N", EVERY, set_threads, "a whole number 0 .. 1024",
      "CPU threads (default 0: one a processor)" },
    { "format", 0, "NAME", WORKING | APP_BENCH, set_format, "table, csv or json",
      "table (default), csv or json" },
    { "format", 0, "NAME", APP_INFO, set_text_format, "table or json", "table (default) or json" },
    { "max-memory", 0, "SIZE", WORKING, app_set_memory,
      "a number of bytes, with K, M, G or T at its end for powers of 1024",
      "the most memory for a picture (default 8G); giving it also admits files that look too small "
      "for their pixels" },
    { "quiet", 'q', NULL, EVERY, set_quiet, "", "no progress on stderr, no summary on stdout" },
    { "help", 'h', NULL, EVERY, NULL, "", "this text" },
};
enum { ENTRIES = sizeof table / sizeof table[0], FIRST_KEY = 1000 };

static void set_defaults(app_options *o, const char *command)
{
    memset(o, 0, sizeof *o);
    o->command = command;
    o->top = 10;
    o->reading = app_default_reading;
    o->repeat = 5;
    o->batch = 360;
}

/* The entry for what getopt_long returned: a key, or a letter. */
static const entry *find_entry(int key, unsigned command)
{
    if (key >= FIRST_KEY)
        return &table[key - FIRST_KEY];
    for (int i = 0; i < ENTRIES; i++)
        if (table[i].letter == key && (table[i].commands & command))
            return &table[i];
    return NULL;
}

app_parsed app_options_parse(int argc, char **argv, unsigned command, app_options *options,
                             app_error *error)
{
    struct option longs[ENTRIES + 1] = { { NULL, 0, NULL, 0 } };
    int count = 0, key;
    set_defaults(options, argv[0]);
    options->masks = calloc((size_t)argc, sizeof *options->masks);
    if (!options->masks) {
        app_fail(error, XNCC_ERROR_MEMORY, "out of memory");
        return APP_WRONG;
    }
    for (int i = 0; i < ENTRIES; i++)
        if (table[i].commands & command)
            longs[count++] = (struct option){ table[i].name,
                                              table[i].argument ? required_argument : no_argument,
                                              NULL, FIRST_KEY + i };
    const char *shorts = command & (APP_CORRELATE | APP_CONVOLVE) ? ":o:qh" : ":qh";
    opterr = 0;
    optind = 1;
    while ((key = getopt_long(argc, argv, shorts, longs, NULL)) != -1) {
        const char *at = argv[optind - 1];
        if (key == ':') {
            app_fail(error, XNCC_ERROR_ARGUMENT, "%s: needs a value; see exactncc %s --help", at,
                     argv[0]);
            return APP_WRONG;
        }
        const entry *e = key == '?' ? NULL : find_entry(key, command);
        if (!e) {
            app_fail(error, XNCC_ERROR_ARGUMENT,
                     "%s: no such option, or not so; see exactncc %s --help", at, argv[0]);
            return APP_WRONG;
        }
        if (!e->set)
            return APP_HELP;
        if (!e->set(options, optarg)) {
            app_fail(error, XNCC_ERROR_ARGUMENT, "--%s %s: must be %s", e->name, optarg,
                     e->expected);
            return APP_WRONG;
        }
    }
    options->files = argv + optind;
    options->file_count = argc - optind;
    return APP_RUN;
}

void app_options_close(app_options *options)
{
    free(options->masks);
    options->masks = NULL;
}

void app_options_print(unsigned command, FILE *out)
{
    fputs("Options:\n", out);
    for (int i = 0; i < ENTRIES; i++) {
        const entry *e = &table[i];
        char left[64];
        if (!(e->commands & command))
            continue;
        snprintf(left, sizeof left, "%c%c --%s %s", e->letter ? '-' : ' ',
                 e->letter ? e->letter : ' ', e->name, e->argument ? e->argument : "");
        fprintf(out, "  %-24s %s\n", left, e->help);
    }
}
