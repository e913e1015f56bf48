/* Parsing of the command line, and the options that several commands share. */
#include "options.h"

#include "numbers.h"

#include <getopt.h>
#include <stdio.h>
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

void app_options_init(app_options *o)
{
    *o = (app_options){ .device = XNCC_CONTEXT_OPTIONS_INIT,
                        .rule = XNCC_MATCH_RULE_INIT,
                        .peaks = XNCC_PEAK_RULE_INIT,
                        .merge = XNCC_SUPPRESS_RULE_INIT,
                        .channels = 1 };
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
    return xncc_method_parse(text, &o->rule.method, NULL) == XNCC_OK;
}

static int set_mode(app_options *o, const char *text)
{
    const int i = app_word_index(modes, text);
    o->rule.mode = i < 0 ? XNCC_VALID : (xncc_mode)i;
    return i >= 0;
}

int app_set_border(app_options *o, const char *text)
{
    const int i = app_word_index(borders, text);
    o->rule.border = i < 0 ? XNCC_BORDER_CLAMP : (xncc_border)i;
    return i >= 0;
}

int app_set_sizes(app_options *o, const char *text)
{
    return app_parse_sizes(text, &o->sizes);
}

int app_set_templates(app_options *o, const char *text)
{
    return app_parse_sizes(text, &o->templates);
}

static int set_pixel(app_options *o, const char *text)
{
    for (int pixel = XNCC_U8; pixel <= XNCC_F64; pixel++)
        if (strcmp(xncc_pixel_name((xncc_pixel)pixel), text) == 0) {
            o->pixel = (xncc_pixel)pixel;
            return 1;
        }
    return 0;
}

static int set_channel_count(app_options *o, const char *text)
{
    return app_set_count(text, 1, XNCC_MAX_CHANNELS, &o->channels);
}

static int set_with_mask(app_options *o, const char *text)
{
    (void)text;
    o->with_mask = 1;
    return 1;
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

enum {
    SIZED = APP_BENCH | APP_INFO,
    SCORED = APP_FIND | APP_CORRELATE | SIZED,
    EVERY = SCORED | APP_CONVOLVE
};

static const app_option shared[] = {
    { "method", 0, "NAME", SCORED, set_method,
      "ccoeff_normed, ccoeff, ccorr, ccorr_normed, sqdiff, sqdiff_normed or coverage",
      "how windows are scored (default ccoeff_normed, which is NCC)" },
    { "mode", 0, "NAME", SCORED, set_mode, "valid, same or full",
      "windows inside the image (default), one centred on every pixel, or every window that "
      "touches the image" },
    { "border", 0, "NAME", SCORED, app_set_border, "clamp, zero, mirror, wrap or overlap",
      "pixels outside the image in modes same and full (default clamp); overlap: they do not "
      "count" },
    { "pixel", 0, "NAME", SIZED, set_pixel, "u8, u16, f32, s8, s16, u32 or f64",
      "pixel type (default u8)" },
    { "channels", 0, "N", SIZED, set_channel_count, "a whole number 1 .. 64",
      "samples per pixel (default 1)" },
    { "mask", 0, NULL, SIZED, set_with_mask, "",
      "use a template mask that leaves out 30 percent of the pixels" },
    { "device", 0, "NAME", EVERY, set_device, "auto, cpu, cuda or cuda:N",
      "engine to use (default auto: the fastest)" },
    { "kernel", 0, "NAME,...", EVERY, set_kernel,
      "a name, or several with commas between; exactncc info --kernels lists them",
      "force a kernel, or the first of several that can serve (default: the fastest)" },
    { "threads", 0, "N", EVERY, set_threads, "a whole number 0 .. 1024",
      "number of CPU threads (default 0: one per processor)" },
    { "quiet", 'q', NULL, EVERY, set_quiet, "", "no progress on stderr, no summary on stdout" },
    { "help", 'h', NULL, EVERY, NULL, "", "print this text" },
};

enum { SHARED = sizeof shared / sizeof shared[0], MOST = 64, FIRST_KEY = 1000 };

/* The i-th option of own and shared together; NULL after the last. */
static const app_option *option_at(const app_option_list *list, int i)
{
    if (i < list->own_count)
        return &list->own[i];
    return i - list->own_count < SHARED ? &shared[i - list->own_count] : NULL;
}

/* The option for what getopt_long returned: a key, or a letter. */
static const app_option *find_option(const app_option_list *list, int key)
{
    const app_option *o;
    if (key >= FIRST_KEY)
        return option_at(list, key - FIRST_KEY);
    for (int i = 0; (o = option_at(list, i)); i++)
        if (o->letter == key && (o->commands & list->command))
            return o;
    return NULL;
}

/* Fills getopt's tables. shorts begins with ':' so that getopt tells a missing value apart. */
static void fill_getopt(const app_option_list *list, struct option *longs, char *shorts)
{
    const app_option *o;
    int count = 0;
    *shorts++ = ':';
    for (int i = 0; (o = option_at(list, i)) && count < MOST; i++) {
        if (!(o->commands & list->command))
            continue;
        longs[count++] = (struct option){ o->name, o->argument ? required_argument : no_argument,
                                          NULL, FIRST_KEY + i };
        if (o->letter)
            *shorts++ = o->letter;
        if (o->letter && o->argument)
            *shorts++ = ':';
    }
    longs[count] = (struct option){ NULL, 0, NULL, 0 };
    *shorts = 0;
}

app_parsed app_options_parse(const app_option_list *list, int argc, char **argv,
                             app_options *options, app_error *error)
{
    struct option longs[MOST + 1];
    char shorts[2 * MOST + 2];
    int key;
    fill_getopt(list, longs, shorts);
    opterr = 0;
    optind = 1;
    while ((key = getopt_long(argc, argv, shorts, longs, NULL)) != -1) {
        const char *at = argv[optind - 1];
        if (key == ':') {
            app_fail(error, XNCC_ERROR_ARGUMENT, "%s: needs a value; see %s --help", at,
                     list->program);
            return APP_WRONG;
        }
        const app_option *o = key == '?' ? NULL : find_option(list, key);
        if (!o) {
            app_fail(error, XNCC_ERROR_ARGUMENT,
                     "%s: no such option, or not used like this; see %s --help", at, list->program);
            return APP_WRONG;
        }
        if (!o->set)
            return APP_HELP;
        if (!o->set(options, optarg)) {
            app_fail(error, XNCC_ERROR_ARGUMENT, "--%s %s: must be %s", o->name, optarg,
                     o->expected);
            return APP_WRONG;
        }
    }
    options->files = argv + optind;
    options->file_count = argc - optind;
    return APP_RUN;
}

void app_options_print(const app_option_list *list, FILE *out)
{
    const app_option *o;
    fputs("Options:\n", out);
    for (int i = 0; (o = option_at(list, i)); i++) {
        char left[64];
        if (!(o->commands & list->command))
            continue;
        snprintf(left, sizeof left, "%c%c --%s %s", o->letter ? '-' : ' ',
                 o->letter ? o->letter : ' ', o->name, o->argument ? o->argument : "");
        fprintf(out, "  %-24s %s\n", left, o->help);
    }
}

xncc_problem app_options_problem(const app_options *o, xncc_task task, app_size image,
                                 app_size templ)
{
    xncc_problem problem = XNCC_PROBLEM_INIT;
    problem.task = task;
    problem.pixel = o->pixel;
    problem.image_width = image.width;
    problem.image_height = image.height;
    problem.templ_width = templ.width;
    problem.templ_height = templ.height;
    if (task == XNCC_TASK_CONVOLVE)
        return problem;
    problem.rule = o->rule;
    problem.channels = o->channels;
    problem.templ_masked = o->with_mask;
    problem.image_masked = o->image_masked;
    return problem;
}
