/* The command line. */
#ifndef APP_OPTIONS_H
#define APP_OPTIONS_H

#include "exactncc/merge.h"
#include "exactncc/plan.h"
#include "report.h"
#include "tiff_read.h"

/* Sub-commands, as bits, so that an option says where it belongs. */
enum { APP_FIND = 1, APP_CORRELATE = 2, APP_CONVOLVE = 4, APP_BENCH = 8, APP_INFO = 16 };

enum { APP_ALL_PAGES = -1, APP_MAX_SIZES = 16 };

typedef struct app_size {
    int32_t width, height;
} app_size;

typedef struct app_sizes {
    app_size size[APP_MAX_SIZES];
    int count;
} app_sizes;

/* WxH, or WxH,WxH,...: 1 when the text is that. */
int app_parse_sizes(const char *text, app_sizes *sizes);

/* A rectangle of pixels; (x, y) is its top-left pixel. */
typedef struct app_area {
    int32_t x, y, width, height;
} app_area;

typedef enum app_task { APP_TASK_ALL, APP_TASK_MATCH, APP_TASK_CONVOLVE } app_task;

typedef struct app_options {
    const char *command; /* "find", ... */
    xncc_context_options device;
    const char *kernel;
    xncc_method method;
    xncc_mode mode;
    xncc_border border;
    xncc_flat flat;
    double min_valid;   /* as in xncc_options */
    const char **masks; /* of the templates, in their order; "-": none */
    int mask_count;
    const char *image_mask;
    int64_t page; /* or APP_ALL_PAGES */
    app_format format;
    int quiet;
    int64_t top;
    int has_min_score, has_max_score;
    float min_score, max_score;
    int32_t min_distance; /* 0: the library's default */
    app_area roi;         /* width 0: the whole image */
    int subpixel, has_merge;
    xncc_merge_options merge;
    const char *overlay, *output, *heatmap, *coverage;
    app_reading reading;
    double gaussian; /* 0: not given */
    char gradient;   /* 'x', 'y' or 0 */
    int gradient_size;
    const char *filter;
    int correlate;
    app_sizes sizes, templates;
    xncc_pixel pixel;
    int32_t channels;            /* bench and info: samples a pixel; 0: 1 */
    int with_mask, image_masked; /* bench and info: a masked template; info: a masked image */
    app_task task;
    int32_t repeat;
    int bench_tables, bench_find;
    int32_t batch;
    char **files;
    int file_count;
} app_options;

typedef enum app_parsed { APP_RUN, APP_HELP, APP_WRONG } app_parsed;

/* Reads the arguments after the sub-command (argv[0] is its name). On APP_WRONG the text names the
 * option, the value and what would be right. files points into argv, whose order getopt may change.
 * To be closed whatever is returned. */
app_parsed app_options_parse(int argc, char **argv, unsigned command, app_options *options,
                             app_error *error);
void app_options_close(app_options *options);

/* "valid", ... and "clamp", ..., as the options take them. */
const char *app_mode_name(xncc_mode mode);
const char *app_border_name(xncc_border border);

/* The problem that the options of bench and info speak of, for these sizes. */
xncc_problem app_options_problem(const app_options *options, xncc_task task, app_size image,
                                 app_size templ);

/* The list of a sub-command's options, for --help. */
void app_options_print(unsigned command, FILE *out);

#endif
