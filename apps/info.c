/* SPDX-License-Identifier: BSD-2-Clause */
/* exactncc info: prints what this build and machine can do, and which kernel would be chosen and
 * why. */
#include "commands.h"
#include "common/session.h"
#include "files/kinds.h"
#include "files/save.h"
#include "files/tiff_read.h"
#include "info_kernels.h"

#include <math.h>
#include <string.h>

enum { KERNELS = 64, EXPLANATION = 2048 };

/* Which kernel would serve the problem. */
typedef struct choice {
    xncc_problem problem;
    const char *kernel;            /* the chosen one */
    const char *feasible[KERNELS]; /* best first */
    size_t feasible_count;
    char explanation[EXPLANATION];
    app_auto_choice alone; /* what --device auto does for one such image */
    double pages;          /* from this number on it starts CUDA; 0: always */
} choice;

/* A convolution has no use for some options. */
static xncc_status check_usage(const app_options *o, app_error *error)
{
    if (o->task == XNCC_TASK_CONVOLVE &&
        (o->rule.method != XNCC_CCOEFF_NORMED || o->rule.mode != XNCC_VALID || o->with_mask ||
         o->rule.min_valid != 0.5))
        return app_fail(error, app_blame_usage(error, XNCC_ERROR_ARGUMENT),
                        "--task convolve: takes no --method, --mode, --mask and --min-valid");
    if (o->kernels && o->kernel)
        return app_fail(error, app_blame_usage(error, XNCC_ERROR_ARGUMENT),
                        "--kernel %s: is not for --kernels, which asks every kernel", o->kernel);
    return XNCC_OK;
}

static xncc_problem asked_problem(const app_options *o)
{
    const int filter = o->task == XNCC_TASK_CONVOLVE;
    const app_size image = o->sizes.count ? o->sizes.size[0] : (app_size){ 1920, 1080 };
    const app_size templ = o->templates.count ? o->templates.size[0]
                           : filter           ? (app_size){ 5, 5 }
                                              : (app_size){ 64, 64 };
    xncc_problem problem = app_options_problem(o, o->task, image, templ);
    problem.rule.border = o->rule.border;
    problem.channels = o->channels;
    problem.image_masked = o->image_masked;
    return problem;
}

/* What --device auto does: asks for the time on the CPU. */
static void ask_auto(const app_options *o, xncc_context *context, choice *c)
{
    xncc_preference cpu = XNCC_PREFERENCE_INIT;
    xncc_plan_info info = XNCC_PLAN_INFO_INIT;
    xncc_plan *plan = NULL;
    app_auto_job job = { .page_ms = -1.0, .pages = 1.0 };
    cpu.device = XNCC_DEVICE_CPU;
    cpu.kernel = o->kernel;
    if (xncc_plan_create(context, &c->problem, &cpu, &plan, NULL) == XNCC_OK &&
        xncc_plan_describe(plan, &info, NULL) == XNCC_OK)
        job.page_ms = info.estimate_ms;
    xncc_plan_destroy(plan);
    c->alone = app_auto_choose(&job);
    c->pages = job.page_ms > 0.0 ? floor(APP_CUDA_START_MS / job.page_ms) + 1.0 : 0.0;
}

static xncc_status choose(const app_options *o, choice *c, app_error *error)
{
    app_session session;
    xncc_preference preference = XNCC_PREFERENCE_INIT;
    xncc_plan_info info = XNCC_PLAN_INFO_INIT;
    xncc_plan *plan = NULL;
    xncc_error why;
    memset(c, 0, sizeof *c);
    c->problem = asked_problem(o);
    xncc_status status = app_session_open(o, &session, error);
    if (status)
        return status;
    size_t count = xncc_kernel_list(session.context, &c->problem, c->feasible, KERNELS);
    c->feasible_count = count < KERNELS ? count : KERNELS;
    preference.kernel = o->kernel;
    status = xncc_plan_create(session.context, &c->problem, &preference, &plan, &why);
    if (status) {
        app_pass_on(error, status, "no kernel can be chosen", &why);
        /* All sizes, types and names come from the command line. */
        if (status == XNCC_ERROR_ARGUMENT || status == XNCC_ERROR_UNSUPPORTED)
            app_blame_usage(error, status);
    } else {
        xncc_plan_describe(plan, &info, NULL);
        c->kernel = info.kernel;
        xncc_plan_explain(plan, c->explanation, sizeof c->explanation);
        ask_auto(o, session.context, c);
    }
    xncc_plan_destroy(plan);
    app_session_close(&session);
    return status;
}

static void print_device(size_t number)
{
    const double gib = 1073741824.0;
    xncc_device_info info = XNCC_DEVICE_INFO_INIT, *d = &info;
    xncc_device_describe(number, d, NULL);
    if (d->device == XNCC_DEVICE_CPU) {
        printf("cpu     %s, %d processors%s%s\n", d->name, d->processors, d->text[0] ? ", " : "",
               d->text);
        return;
    }
    if (!d->usable) {
        if (d->index >= 0)
            printf("cuda:%d  %s: not usable: %s\n", d->index, d->name, d->text);
        else
            printf("cuda    not usable: %s\n", d->text);
        return;
    }
    printf("cuda:%d  %s, compute capability %d.%d, %d multiprocessors, %.1f GiB, shared memory per "
           "block %lld bytes (opt-in %lld)\n",
           d->index, d->name, d->major, d->minor, d->processors, (double)d->memory / gib,
           (long long)d->shared_memory, (long long)d->shared_optin);
    printf("        constant memory %lld bytes, second-level cache %lld bytes, registers per block "
           "%d, per multiprocessor %d, 2-D linear textures up to %lld x %lld with a pitch of %lld "
           "bytes\n",
           (long long)d->constant_memory, (long long)d->l2_cache, d->registers_per_block,
           d->registers_per_processor, (long long)d->texture_width, (long long)d->texture_height,
           (long long)d->texture_pitch);
}

static void print_codec(void *data, const char *name)
{
    int *count = data;
    printf("%s%s", (*count)++ ? ", " : "", name);
}

/* "a 1920 x 1080 u8 image, a 64 x 64 template, ccoeff_normed, valid" */
static void print_problem(const app_options *o, const xncc_problem *p)
{
    printf("a %d x %d %s%s image, ", p->image_width, p->image_height,
           p->image_masked ? "masked " : "", xncc_pixel_name(p->pixel));
    if (p->task == XNCC_TASK_CONVOLVE) {
        printf("a %d x %d filter, %s\n", p->templ_width, p->templ_height,
               app_border_name(p->rule.border));
        return;
    }
    printf("a %d x %d%s template, ", p->templ_width, p->templ_height,
           o->with_mask ? " masked" : "");
    if (o->channels > 1)
        printf("%d channels, ", o->channels);
    printf("%s, %s%s%s\n", xncc_method_name(p->rule.method), app_mode_name(p->rule.mode),
           p->rule.mode == XNCC_VALID ? "" : ", ",
           p->rule.mode == XNCC_VALID ? "" : app_border_name(p->rule.border));
}

static void print_text(const app_options *o, const choice *c)
{
    const size_t devices = xncc_device_count();
    int codecs = 0;
    printf("exactncc %s\n\nDevices\n", xncc_version());
    for (size_t i = 0; i < devices; i++)
        print_device(i);
    const char *version = app_tiff_version();
    printf("\nPictures\nread    ");
    for (size_t i = 0; app_kind_read(i); i++)
        printf("%s%s", i ? ", " : "", app_kind_read(i));
    printf("\ntiff    %.*s; codecs: ", (int)strcspn(version, "\n"), version);
    app_tiff_codecs(print_codec, &codecs);
    printf("\npng     %s\n", app_save_has_png() ? "for --overlay" : "not built in");
    printf(
        "\nLimits\nimage   %d pixels per side; %.0f GiB of memory per picture, unless --max-memory "
        "says otherwise\n"
        "filter  %d coefficients per side\n",
        XNCC_MAX_SIDE, (double)app_default_reading.max_memory / 1073741824.0, XNCC_MAX_FILTER);
    printf("\nChoice for ");
    print_problem(o, &c->problem);
    fputs(c->explanation, stdout);
    if (o->device.device == XNCC_DEVICE_AUTO && !c->alone.cuda)
        printf("--device auto: one such image does not start CUDA, because %s; %.0f do\n",
               c->alone.why, c->pages);
    else if (o->device.device == XNCC_DEVICE_AUTO)
        printf("--device auto: one such image starts CUDA, because %s\n", c->alone.why);
    printf("feasible kernels, best first:");
    for (size_t i = 0; i < c->feasible_count; i++)
        printf(" %s", c->feasible[i]);
    putchar('\n');
}

static void print_json_pair(const char *key, const char *text, const char *end)
{
    printf("\"%s\": ", key);
    app_json_string(stdout, text);
    fputs(end, stdout);
}

static void take_json_codec(void *data, const char *name)
{
    int *count = data;
    fputs((*count)++ ? ", " : "", stdout);
    app_json_string(stdout, name);
}

/* The members of a JSON object that describe the problem. */
static void print_json_problem(const app_options *o, const xncc_problem *p)
{
    const int filter = p->task == XNCC_TASK_CONVOLVE;
    const char *what = filter ? "filter" : "template";
    printf("\"task\": \"%s\", \"image_width\": %d, \"image_height\": %d, \"%s_width\": %d, "
           "\"%s_height\": %d, \"pixel\": \"%s\", ",
           filter ? "convolve" : "match", p->image_width, p->image_height, what, p->templ_width,
           what, p->templ_height, xncc_pixel_name(p->pixel));
    if (!filter)
        printf("\"method\": \"%s\", \"mode\": \"%s\", ", xncc_method_name(p->rule.method),
               app_mode_name(p->rule.mode));
    printf("\"border\": \"%s\"", app_border_name(p->rule.border));
    if (!filter)
        printf(", \"channels\": %d, \"template_masked\": %s, \"image_masked\": %s", o->channels,
               o->with_mask ? "true" : "false", o->image_masked ? "true" : "false");
}

static void print_json_device(size_t number)
{
    xncc_device_info info = XNCC_DEVICE_INFO_INIT, *d = &info;
    xncc_device_describe(number, d, NULL);
    printf("%s\n    {\"device\": \"%s\", \"index\": %d, \"usable\": %s, ", number ? "," : "",
           d->device == XNCC_DEVICE_CPU ? "cpu" : "cuda", d->index, d->usable ? "true" : "false");
    print_json_pair("name", d->name, ", ");
    printf("\"processors\": %d, \"major\": %d, \"minor\": %d, \"memory\": %lld, "
           "\"shared_memory\": %lld, "
           "\"shared_optin\": %lld, ",
           d->processors, d->major, d->minor, (long long)d->memory, (long long)d->shared_memory,
           (long long)d->shared_optin);
    printf("\"constant_memory\": %lld, \"l2_cache\": %lld, \"registers_per_block\": %d, "
           "\"registers_per_processor\": %d, \"texture_width\": %lld, \"texture_height\": "
           "%lld, \"texture_pitch\": %lld, ",
           (long long)d->constant_memory, (long long)d->l2_cache, d->registers_per_block,
           d->registers_per_processor, (long long)d->texture_width, (long long)d->texture_height,
           (long long)d->texture_pitch);
    print_json_pair("text", d->text, "}");
}

static void print_json(const app_options *o, const choice *c)
{
    const size_t devices = xncc_device_count();
    int codecs = 0;
    printf("{\n  \"version\": \"%s\",\n  \"devices\": [", xncc_version());
    for (size_t i = 0; i < devices; i++)
        print_json_device(i);
    printf("\n  ],\n  ");
    printf("\"reads\": [");
    for (size_t i = 0; app_kind_read(i); i++)
        printf("%s\"%s\"", i ? ", " : "", app_kind_read(i));
    printf("],\n  ");
    print_json_pair("tiff", app_tiff_version(), ",\n  \"codecs\": [");
    app_tiff_codecs(take_json_codec, &codecs);
    printf("],\n  \"png\": %s,\n  \"limits\": {\"side\": %d, \"filter\": %d, \"picture_bytes\": "
           "%llu},\n",
           app_save_has_png() ? "true" : "false", XNCC_MAX_SIDE, XNCC_MAX_FILTER,
           (unsigned long long)app_default_reading.max_memory);
    printf("  \"choice\": {");
    print_json_problem(o, &c->problem);
    printf(", ");
    print_json_pair("kernel", c->kernel, ", ");
    print_json_pair("explanation", c->explanation, ", ");
    printf("\"auto_starts_cuda\": %s, ", c->alone.cuda ? "true" : "false");
    print_json_pair("auto_reason", c->alone.why, ", ");
    printf("\"auto_images\": %.0f, \"feasible\": [", c->pages);
    for (size_t i = 0; i < c->feasible_count; i++)
        printf("%s\"%s\"", i ? ", " : "", c->feasible[i]);
    printf("]}\n}\n");
}

static xncc_status list_kernels(const app_options *o, app_error *error)
{
    static info_kernels kernels; /* 32 KB */
    const xncc_problem problem = asked_problem(o);
    xncc_status status = info_kernels_open(o, &problem, &kernels, error);
    if (!status && o->format == APP_JSON) {
        printf("{\n  \"version\": \"%s\",\n  \"problem\": {", xncc_version());
        print_json_problem(o, &problem);
        printf("},\n  \"kernels\": ");
        app_rows_print(stdout, &kernels.rows, 0, APP_JSON);
        printf("\n}\n");
    } else if (!status) {
        printf("Kernels, and whether they can serve ");
        print_problem(o, &problem);
        app_rows_print(stdout, &kernels.rows, 0, APP_TABLE);
    }
    info_kernels_close(&kernels);
    return status ? status : app_finish_stdout(error);
}

xncc_status app_info(const app_options *o, app_error *error)
{
    choice c;
    xncc_status status = check_usage(o, error);
    if (status)
        return status;
    if (o->kernels)
        return list_kernels(o, error);
    status = choose(o, &c, error);
    if (status)
        return status;
    if (o->format == APP_JSON)
        print_json(o, &c);
    else
        print_text(o, &c);
    return app_finish_stdout(error);
}
