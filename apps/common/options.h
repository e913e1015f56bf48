/* SPDX-License-Identifier: BSD-2-Clause */
/* The command line: the options as a struct, and the tables that say how text becomes options. */
#ifndef APP_OPTIONS_H
#define APP_OPTIONS_H

#include "exactncc/plan.h"
#include "exactncc/pose.h"
#include "exactncc/suppress.h"
#include "exactncc/track.h"
#include "heat_look.h"
#include "report.h"
#include "reading.h"

#include <stdio.h>

enum { APP_MAX_SIZES = 16 };

typedef struct app_size {
    int32_t width, height;
} app_size;

typedef struct app_sizes {
    app_size size[APP_MAX_SIZES];
    int count;
} app_sizes;

/* Parses "WxH" or "WxH,WxH,...". Returns 1 on success, else 0. */
int app_parse_sizes(const char *text, app_sizes *sizes);

/* Parses "WxH:TYPE", with "be" after a type whose samples begin with the highest byte, and then
 * "xN" for N samples per pixel: "640x480:u8", "640x480:u16be", "640x480:u8x3". Returns 1 on
 * success, else 0. */
int app_parse_raw(const char *text, app_raw *raw);

/* Parses "X,Y,W,H" with X and Y from 0, W and H from 1. Returns 1 on success, else 0. */
int app_parse_area(const char *text, app_area *area);

struct app_options;
struct app_spread;

/* Makes a spread (spread.h). input_digest: changes if an input file does. */
typedef xncc_status app_spread_maker(const struct app_options *options, uint64_t input_digest,
                                     struct app_spread **spread, app_error *error);

/* What the command line asks for. APP_FAILED: it cannot be read, and nothing is wrong with it. */
typedef enum app_parsed { APP_RUN, APP_HELP, APP_VERSION, APP_WRONG, APP_FAILED } app_parsed;

/* Which pages of an image. */
typedef struct app_pages {
    int64_t first, last; /* from 0; last INT64_MAX: to the end of the file */
    int many;            /* 1: a range, without reduced copies and masks; 0: exactly page first */
} app_pages;

typedef struct app_options {
    app_parsed asked;                      /* APP_RUN, APP_HELP or APP_VERSION */
    xncc_context_options device;           /* but for cuda_list */
    int32_t device_list[XNCC_MAX_DEVICES]; /* device.cuda_count of them, if that is above 0 */
    const char *kernel; /* a name, or several with commas between; NULL: the fastest */
    xncc_match_rule rule;
    xncc_peak_rule peaks;
    const char **masks;     /* one file name per template, in their order; "-": no mask */
    int mask_count;         /* 0: no template has a mask */
    const char *image_mask; /* NULL: none */
    const char **templs;    /* the words after -t */
    int templ_count;        /* 0: the template is the second file */
    app_pages pages;
    int recursive;         /* find, correlate, convolve: a folder stands for the pictures in it */
    int32_t shard, shards; /* --shard: which of how many, from 1; shards 0: not given */
    char *const *parts;    /* exactncc join: names */
    int part_count;
    app_spread_maker *maker; /* who does which items of the work; NULL: this process does it all */
    struct app_spread *spread; /* what the maker has made */
    const char *manifest;      /* find: a list of items to do; NULL: not given */
    FILE *capture;             /* find: the results go there; NULL: to stdout or the output */
    char **words;              /* the command line, as it was given */
    int word_count;
    int resume;     /* correlate, convolve: maps have journals */
    int32_t tile;   /* correlate, convolve: side of the tiles of a TIFF; 0: strips */
    int strict;     /* the first image that fails ends the work */
    int count_only; /* find: print numbers of matches */
    app_format format;
    int has_format, has_top; /* 1: given */
    int quiet;
    int fail_if_none;                 /* find: nothing found is exit status 3 */
    int has_min_score, has_max_score; /* 1: given, so that peaks has it */
    app_area roi;                     /* width 0: the whole image */
    int subpixel, has_merge;
    int turns, scales;       /* find: --angles and --scales are given */
    const char *pose_option; /* find: another option of poses that is given; NULL: none */
    xncc_pose_options poses; /* find: for --angles and --scales */
    xncc_suppress_rule merge;
    const char *overlay, *output, *heatmap, *coverage; /* file names; NULL: not wanted */
    app_heat_look heat;
    const char *report;  /* file name; NULL: not wanted */
    int32_t report_side; /* most pixels of a picture's side in the report */
    char *command;       /* the command line, as a shell reads it */
    app_reading reading;
    double gaussian;    /* sigma in pixels; 0: not given */
    char gradient;      /* 'x', 'y' or 0 */
    int gradient_size;  /* 3 or 5; 0: not given */
    const char *filter; /* file name; NULL: none */
    int correlate;
    app_sizes sizes, templates;  /* info and exactncc-bench: sizes to explain or to time */
    xncc_pixel pixel;            /* info and exactncc-bench */
    xncc_task task;              /* info */
    int kernels;                 /* info: list every kernel */
    int32_t channels;            /* info and exactncc-bench: samples per pixel */
    int with_mask, image_masked; /* info and exactncc-bench: masked template; info: masked image */
    xncc_track_options track;    /* track: kernel and min_valid are above */
    app_sizes track_chips, track_searches;                /* track: per pass, coarse to fine */
    app_size track_step;                                  /* track: between chips */
    xncc_track_check_options track_check;                 /* track: --outliers, --replace */
    int track_checked;                                    /* 1: --outliers is given */
    int track_stepped;                                    /* 1: given */
    const char *track_points, *track_mask1, *track_mask2; /* file names; NULL: none */
    const char *track_bands, *track_vectors;              /* file names; NULL: not wanted */
    double track_arrows;                                  /* 0: chosen */
    double track_shift[2];
    char **files; /* the arguments that are not options */
    int file_count;
} app_options;

/* Sets what every command starts from. */
void app_options_init(app_options *options);

/* Stores the text after an option. Returns 1 when the text is allowed, else 0. */
typedef int app_setter(app_options *options, const char *text);

/* The headings of --help, in their order there. */
typedef enum app_group {
    APP_GROUP_PROBLEM, /* info and exactncc-bench: what is asked */
    APP_GROUP_INPUT,
    APP_GROUP_FILTER,
    APP_GROUP_SCORE,
    APP_GROUP_MATCHES,
    APP_GROUP_TRACK, /* where to track, and how */
    APP_GROUP_OUTPUT,
    APP_GROUP_RUN,
    APP_GROUPS
} app_group;

/* One option of the command line. Parsing, --help and --help-json are all made from it. */
typedef struct app_option {
    const char *name;
    char letter;          /* short form; 0: none */
    const char *argument; /* how --help names the value; NULL: the option takes none */
    app_group group;
    unsigned commands; /* the commands that have this option, as bits */
    app_setter *set;
    const char *const *words; /* the words that are allowed; ends with NULL. NULL: no words */
    const char *initial;      /* the default, as --help names it; NULL: none */
    const char *expected;     /* what the value must be; NULL: one of the words */
    const char *help;
} app_option;

/* Commands, as bits, so that an option says where it belongs. */
enum {
    APP_FIND = 1,
    APP_CORRELATE = 2,
    APP_CONVOLVE = 4,
    APP_BENCH = 8,
    APP_INFO = 16,
    APP_JOIN = 32,
    APP_TRACK = 64
};

/* "find" for APP_FIND. */
const char *app_command_name(unsigned command);

/* The options of one command: its program's own table, then the shared ones (options.c). */
typedef struct app_option_list {
    const app_option *own;
    int own_count;
    unsigned command;          /* one bit */
    const char *program;       /* "exactncc find", for messages */
    const app_option *instead; /* what help says of options that the program takes in its own way,
                                  by their names; help NULL: nothing */
    int instead_count;
} app_option_list;

/* The i-th option of the command, own and shared together; NULL after the last. */
const app_option *app_option_at(const app_option_list *list, int i);

/* Reads the arguments after argv[0] into *options, which holds the defaults. Options are written in
 * full. On APP_WRONG the error text names the option, the value and what is allowed, and the
 * nearest word. options->files points into argv, whose order getopt may change. */
app_parsed app_options_parse(const app_option_list *list, int argc, char **argv,
                             app_options *options, app_error *error);

/* What the value of an option must be: `expected`, or the list of its words in text. */
const char *app_option_expected(const app_option *option, char *text, size_t size);

/* The index of a word in a list that ends with NULL, or -1. */
int app_word_index(const char *const *words, const char *text);

/* Parses a whole number least .. most. Returns 1 on success, else 0. */
int app_set_count(const char *text, int32_t least, int32_t most, int32_t *count);

/* The number of threads for the work: --threads, or one per processor, and then at least 2, because
 * threads that read and write wait a lot. */
int32_t app_threads(const app_options *options);

/* Setters and words that more than one table uses. */
app_setter app_set_border, app_set_sizes, app_set_templates;
extern const char *const app_tasks[]; /* in the order of xncc_task */

/* "valid", ... and "clamp", ..., as the options spell them. */
const char *app_mode_name(xncc_mode mode);
const char *app_border_name(xncc_border border);

/* The problem that the options of info and exactncc-bench describe, for these sizes. */
xncc_problem app_options_problem(const app_options *options, xncc_task task, app_size image,
                                 app_size templ);

#endif
