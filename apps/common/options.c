/* SPDX-License-Identifier: BSD-2-Clause */
/* Parsing of the command line, and the options that several commands share. */
#include "options.h"

#include "guess.h"
#include "numbers.h"
#include "pixels.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* In the order of xncc_mode, xncc_border and xncc_task. */
static const char *const modes[] = { "valid", "same", "full", NULL };
static const char *const borders[] = { "clamp", "zero", "mirror", "wrap", "overlap", NULL };
const char *const app_tasks[] = { "match", "convolve", NULL };

static const char *const pixels[] = { "u8", "u16", "f32", "s8", "s16", "u32", "f64", NULL };
static const char *const devices[] = { "auto", "cpu", "cuda", NULL };

/* The names of the library's methods and kernels. */
static const char *methods[16], *kernels[64];

static void list_names(void)
{
    enum { MOST_METHODS = sizeof methods / sizeof methods[0] - 1 };
    enum { MOST = sizeof kernels / sizeof kernels[0] - 1 };
    for (int i = 0; i < MOST_METHODS && strcmp(xncc_method_name((xncc_method)i), "?") != 0; i++)
        methods[i] = xncc_method_name((xncc_method)i);
    xncc_kernel_info info = XNCC_KERNEL_INFO_INIT;
    for (size_t i = 0; i < MOST && xncc_kernel_describe(i, &info, NULL) == XNCC_OK; i++)
        kernels[i] = info.name;
}

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
                        .track = XNCC_TRACK_OPTIONS_INIT,
                        .track_check = XNCC_TRACK_CHECK_OPTIONS_INIT,
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

/* Numbers with commas between them, each once. */
static int set_device_list(app_options *o, const char *text)
{
    int32_t count = 0;
    for (const char *at = text; at; count++) {
        char number[8];
        int64_t index = 0;
        const size_t length = strcspn(at, ",");
        if (length >= sizeof number || count == XNCC_MAX_DEVICES)
            return 0;
        memcpy(number, at, length);
        number[length] = '\0';
        if (!app_parse_integer(number, 0, 1023, &index))
            return 0;
        for (int32_t i = 0; i < count; i++)
            if (o->device_list[i] == index)
                return 0;
        o->device_list[count] = (int32_t)index;
        at = at[length] ? at + length + 1 : NULL;
    }
    o->device.cuda_count = count;
    return 1;
}

static int set_device(app_options *o, const char *text)
{
    int64_t index = 0;
    o->device.cuda_count = 0;
    if (strcmp(text, "auto") == 0)
        o->device.device = XNCC_DEVICE_AUTO;
    else if (strcmp(text, "cpu") == 0)
        o->device.device = XNCC_DEVICE_CPU;
    else if (strcmp(text, "cuda") == 0)
        o->device.device = XNCC_DEVICE_CUDA;
    else if (strncmp(text, "cuda:", 5) == 0 && app_parse_integer(text + 5, 0, 1023, &index))
        o->device.device = XNCC_DEVICE_CUDA;
    else if (strcmp(text, "cuda:all") == 0)
        o->device.cuda_count = XNCC_EVERY_DEVICE;
    else if (strncmp(text, "cuda:", 5) != 0 || !set_device_list(o, text + 5))
        return 0;
    if (o->device.cuda_count)
        o->device.device = XNCC_DEVICE_CUDA;
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
    for (int pixel = 0; pixel < APP_PIXELS; pixel++)
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

int32_t app_threads(const app_options *o)
{
    const long here = sysconf(_SC_NPROCESSORS_ONLN);
    return o->device.threads ? o->device.threads : here > 1 ? (int32_t)here : 2;
}

static int set_quiet(app_options *o, const char *text)
{
    (void)text;
    o->quiet = 1;
    return 1;
}

static int set_help(app_options *o, const char *text)
{
    (void)text;
    o->asked = APP_HELP;
    return 1;
}

static int set_version(app_options *o, const char *text)
{
    (void)text;
    o->asked = APP_VERSION;
    return 1;
}

enum {
    SIZED = APP_BENCH | APP_INFO,
    SCORED = APP_FIND | APP_CORRELATE | SIZED,
    EVERY = SCORED | APP_CONVOLVE | APP_TRACK
};

static const app_option shared[] = {
    { "method", 0, "NAME", APP_GROUP_SCORE, SCORED, set_method, methods, "ccoeff_normed", NULL,
      "how windows are scored; ccoeff_normed is NCC" },
    { "mode", 0, "NAME", APP_GROUP_SCORE, SCORED, set_mode, modes, "valid", NULL,
      "windows inside the image, one centred on every pixel, or every window that touches the "
      "image" },
    { "border", 0, "NAME", APP_GROUP_SCORE, SCORED, app_set_border, borders, "clamp", NULL,
      "pixels outside the image in modes same and full; overlap: they do not count" },
    { "pixel", 0, "NAME", APP_GROUP_PROBLEM, SIZED, set_pixel, pixels, "u8", NULL, "pixel type" },
    { "channels", 0, "N", APP_GROUP_PROBLEM, SIZED, set_channel_count, NULL, "1",
      "a whole number 1 .. 64", "samples per pixel" },
    { "mask", 0, NULL, APP_GROUP_PROBLEM, SIZED, set_with_mask, NULL, NULL, NULL,
      "use a template mask that leaves out 30 percent of the pixels" },
    { "device", 0, "NAME", APP_GROUP_RUN, EVERY, set_device, devices, "auto",
      "auto, cpu, cuda, cuda:N, cuda:N,N,... with each device once, or cuda:all",
      "engine to use; auto: the fastest; several devices share each call" },
    { "kernel", 0, "NAME,...", APP_GROUP_RUN, EVERY, set_kernel, kernels, "the fastest",
      "a name, or several with commas between; exactncc info --kernels lists them",
      "force a kernel, or the first of several that can serve" },
    { "threads", 0, "N", APP_GROUP_RUN, EVERY, set_threads, NULL, "0", "a whole number 0 .. 1024",
      "number of CPU threads; 0: one per processor" },
    { "quiet", 'q', NULL, APP_GROUP_RUN, EVERY | APP_JOIN, set_quiet, NULL, NULL, NULL,
      "no progress and no warnings on stderr, no summary on stdout" },
    { "help", 'h', NULL, APP_GROUP_RUN, EVERY | APP_JOIN, set_help, NULL, NULL, NULL,
      "print this text" },
    { "version", 'V', NULL, APP_GROUP_RUN, EVERY | APP_JOIN, set_version, NULL, NULL, NULL,
      "print the version" },
};

enum { SHARED = sizeof shared / sizeof shared[0], MOST = 64, FIRST_KEY = 1000 };

const char *app_command_name(unsigned command)
{
    static const char *const names[] = { "find", "correlate", "convolve", "exactncc-bench",
                                         "info", "join",      "track" };
    size_t i = 0;
    while (command > 1 && i + 1 < sizeof names / sizeof names[0]) {
        command >>= 1;
        i++;
    }
    return names[i];
}

/* The i-th option of any command, own and shared together; NULL after the last. */
static const app_option *any_option_at(const app_option_list *list, int i)
{
    if (!kernels[0])
        list_names();
    if (i < list->own_count)
        return &list->own[i];
    return i - list->own_count < SHARED ? &shared[i - list->own_count] : NULL;
}

const app_option *app_option_at(const app_option_list *list, int i)
{
    const app_option *o;
    for (int k = 0; (o = any_option_at(list, k)); k++)
        if ((o->commands & list->command) && i-- == 0)
            return o;
    return NULL;
}

const char *app_option_expected(const app_option *o, char *text, size_t size)
{
    size_t count = 0;
    if (o->expected || !o->words)
        return o->expected ? o->expected : "";
    while (o->words[count])
        count++;
    app_join_words(o->words, count, "", text, size);
    return text;
}

/* Fills getopt's tables. shorts begins with ':' so that getopt tells a missing value apart. */
static void fill_getopt(const app_option_list *list, struct option *longs, char *shorts)
{
    const app_option *o;
    int count = 0;
    *shorts++ = ':';
    for (; (o = app_option_at(list, count)) && count < MOST; count++) {
        longs[count] = (struct option){ o->name, o->argument ? required_argument : no_argument,
                                        NULL, FIRST_KEY + count };
        if (o->letter)
            *shorts++ = o->letter;
        if (o->letter && o->argument)
            *shorts++ = ':';
    }
    longs[count] = (struct option){ NULL, 0, NULL, 0 };
    *shorts = 0;
}

/* The option for what getopt_long returned: a key, or a letter. */
static const app_option *find_option(const app_option_list *list, int key)
{
    const app_option *o;
    if (key >= FIRST_KEY)
        return app_option_at(list, key - FIRST_KEY);
    for (int i = 0; (o = app_option_at(list, i)); i++)
        if (o->letter == key)
            return o;
    return NULL;
}

/* The option that is written like this, with two dashes and perhaps a value after =; else NULL. */
static const app_option *written_in_full(const app_option_list *list, const char *word)
{
    const app_option *o;
    for (int i = 0; (o = app_option_at(list, i)); i++) {
        const size_t length = strlen(o->name);
        if (strncmp(word, "--", 2) == 0 && strncmp(word + 2, o->name, length) == 0 &&
            (word[2 + length] == 0 || word[2 + length] == '='))
            return o;
    }
    return NULL;
}

static app_parsed wrong(const app_option_list *list, const char *word, const char *what,
                        const char *guess, app_error *error)
{
    app_fail(error, XNCC_ERROR_ARGUMENT, "%s: %s%s%s%s%s", word, what, guess,
             *guess ? "" : "; see ", *guess ? "" : list->program, *guess ? "" : " --help");
    return APP_WRONG;
}

/* Another command that has an option of this name; NULL: none. */
static const char *other_owner(const app_option_list *list, const char *name)
{
    const app_option *o;
    for (int i = 0; (o = any_option_at(list, i)); i++)
        if (strcmp(o->name, name) == 0)
            return app_command_name(o->commands & ~(o->commands - 1)); /* the lowest bit */
    return NULL;
}

/* Refuses an option that does not exist, or is abbreviated. word: as it is on the command line,
 * with one or two dashes, perhaps with a value after =. */
static app_parsed refuse_name(const app_option_list *list, const char *word, app_error *error)
{
    char name[64], shown[80], what[160];
    const app_option *o;
    app_guess guess;
    const char *start = word + strspn(word, "-");
    snprintf(name, sizeof name, "%.*s", (int)strcspn(start, "="), start);
    snprintf(shown, sizeof shown, "%.*s%s", (int)(start - word), word, name);
    const char *owner = other_owner(list, name);
    if (owner && start - word == 2) {
        snprintf(what, sizeof what, "no such option of %s; %s has it", list->program, owner);
        return wrong(list, shown, what, "", error);
    }
    app_guess_start(&guess, name);
    for (int i = 0; (o = app_option_at(list, i)); i++)
        app_guess_try(&guess, o->name);
    const int abbreviated = start - word == 2 && guess.count &&
                            strncmp(guess.word[0], name, strlen(name)) == 0;
    return wrong(list, shown,
                 abbreviated ? "no such option; options are written in full" : "no such option",
                 app_guess_text(&guess, "--"), error);
}

/* The word of the command line with the short option that getopt has just refused. getopt goes on
 * to the next word when it has seen a word's last letter. */
static const char *short_word(int argc, char **argv)
{
    const char *last = argv[optind - 1];
    const size_t length = strlen(last);
    const int finished = last[0] == '-' && last[1] != '-' && length && last[length - 1] == optopt;
    return finished || optind >= argc ? last : argv[optind];
}

/* Refuses what getopt_long has refused. */
static app_parsed refuse(const app_option_list *list, int key, int argc, char **argv,
                         app_error *error)
{
    char shown[80], words[512], what[600];
    const app_option *o = optopt ? find_option(list, optopt) : NULL;
    if (!o && optopt) {
        const char *word = short_word(argc, argv);
        if (strlen(word) > 2 && word[1] == optopt)
            return refuse_name(list, word, error);
        snprintf(shown, sizeof shown, "-%c", optopt);
        return wrong(list, shown, "no such option", "", error);
    }
    if (!o)
        return refuse_name(list, argv[optind - 1], error);
    if (optopt < FIRST_KEY)
        snprintf(shown, sizeof shown, "-%c", optopt);
    else
        snprintf(shown, sizeof shown, "--%s", o->name);
    if (optopt >= FIRST_KEY && !written_in_full(list, argv[optind - 1]))
        return refuse_name(list, argv[optind - 1], error);
    if (key != ':')
        return wrong(list, shown, "takes no value", "", error);
    snprintf(what, sizeof what, "needs a value: %s", app_option_expected(o, words, sizeof words));
    return wrong(list, shown, what, "", error);
}

/* Checks the option that getopt_long has found, and stores its value. */
static app_parsed take(const app_option_list *list, int key, char **argv, app_options *options,
                       app_error *error)
{
    char shown[80], words[512], what[600];
    const app_option *o = find_option(list, key);
    const int apart = optarg && optarg == argv[optind - 1]; /* the value is a word of its own */
    app_guess guess;
    if (key >= FIRST_KEY && !written_in_full(list, argv[optind - 1 - apart]))
        return refuse_name(list, argv[optind - 1 - apart], error);
    if (key >= FIRST_KEY)
        snprintf(shown, sizeof shown, "--%s", o->name);
    else
        snprintf(shown, sizeof shown, "-%c", key);
    if (apart && written_in_full(list, optarg)) {
        snprintf(what, sizeof what, "needs a value, but the option %.60s follows", optarg);
        return wrong(list, shown, what, "", error);
    }
    options->asked = APP_RUN;
    if (o->set(options, optarg))
        return options->asked;
    app_guess_start(&guess, optarg);
    if (o->words)
        app_guess_try_all(&guess, o->words);
    app_fail(error, XNCC_ERROR_ARGUMENT, "%s %s: must be %s%s", shown, optarg,
             app_option_expected(o, words, sizeof words), app_guess_text(&guess, ""));
    return APP_WRONG;
}

app_parsed app_options_parse(const app_option_list *list, int argc, char **argv,
                             app_options *options, app_error *error)
{
    struct option longs[MOST + 1];
    char shorts[2 * MOST + 2];
    int key;
    fill_getopt(list, longs, shorts);
    opterr = 0;
    optind = 0; /* from the beginning, also after a line that ended within a word */
    while ((key = getopt_long(argc, argv, shorts, longs, NULL)) != -1) {
        if (key == ':' || key == '?')
            return refuse(list, key, argc, argv, error);
        const app_parsed taken = take(list, key, argv, options, error);
        if (taken != APP_RUN)
            return taken;
    }
    options->files = argv + optind;
    options->file_count = argc - optind;
    return APP_RUN;
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
