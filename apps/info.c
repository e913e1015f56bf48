/* exactncc info: prints what this build and machine can do, and which kernel would be chosen and
 * why. */
#include "commands.h"
#include "common/overlay.h"
#include "common/session.h"

#include <string.h>

enum { KERNELS = 64, EXPLANATION = 2048 };

/* Which kernel would serve the problem. */
typedef struct choice {
    xncc_problem problem;
    const char *kernel;            /* the chosen one */
    const char *feasible[KERNELS]; /* best first */
    size_t feasible_count;
    char explanation[EXPLANATION];
} choice;

static xncc_problem asked_problem(const app_options *o)
{
    const app_size image = o->sizes.count ? o->sizes.size[0] : (app_size){ 1920, 1080 };
    const app_size templ = o->templates.count ? o->templates.size[0] : (app_size){ 64, 64 };
    return app_options_problem(o, XNCC_TASK_MATCH, image, templ);
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
}

static void print_codec(void *data, const char *name)
{
    int *count = data;
    printf("%s%s", (*count)++ ? ", " : "", name);
}

static void print_text(const app_options *o, const choice *c)
{
    const xncc_match_rule *r = &o->rule;
    const size_t devices = xncc_device_count();
    int codecs = 0;
    printf("exactncc %s\n\nDevices\n", xncc_version());
    for (size_t i = 0; i < devices; i++)
        print_device(i);
    const char *version = app_tiff_version();
    printf("\nPictures\ntiff    %.*s; codecs: ", (int)strcspn(version, "\n"), version);
    app_tiff_codecs(print_codec, &codecs);
    printf("\npng     %s\n", app_overlay_has_png() ? "for --overlay" : "not built in");
    printf(
        "\nLimits\nimage   %d pixels per side; %.0f GiB of memory per picture, unless --max-memory "
        "says otherwise\n"
        "filter  %d coefficients per side\n",
        XNCC_MAX_SIDE, (double)app_default_reading.max_memory / 1073741824.0, XNCC_MAX_FILTER);
    printf("\nChoice for a %d x %d %s%s image, a %d x %d%s template, ", c->problem.image_width,
           c->problem.image_height, o->image_masked ? "masked " : "", xncc_pixel_name(o->pixel),
           c->problem.templ_width, c->problem.templ_height, o->with_mask ? " masked" : "");
    if (o->channels > 1)
        printf("%d channels, ", o->channels);
    printf("%s, %s%s%s\n%s%s", xncc_method_name(r->method), app_mode_name(r->mode),
           r->mode == XNCC_VALID ? "" : ", ",
           r->mode == XNCC_VALID ? "" : app_border_name(r->border), c->explanation,
           c->explanation[0] && c->explanation[strlen(c->explanation) - 1] != '\n' ? "\n" : "");
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
    print_json_pair("text", d->text, "}");
}

static void print_json(const app_options *o, const choice *c)
{
    const xncc_match_rule *r = &o->rule;
    const size_t devices = xncc_device_count();
    int codecs = 0;
    printf("{\n  \"version\": \"%s\",\n  \"devices\": [", xncc_version());
    for (size_t i = 0; i < devices; i++)
        print_json_device(i);
    printf("\n  ],\n  ");
    print_json_pair("tiff", app_tiff_version(), ",\n  \"codecs\": [");
    app_tiff_codecs(take_json_codec, &codecs);
    printf("],\n  \"png\": %s,\n  \"limits\": {\"side\": %d, \"filter\": %d, \"picture_bytes\": "
           "%llu},\n",
           app_overlay_has_png() ? "true" : "false", XNCC_MAX_SIDE, XNCC_MAX_FILTER,
           (unsigned long long)app_default_reading.max_memory);
    printf("  \"choice\": {\"image_width\": %d, \"image_height\": %d, \"template_width\": %d, "
           "\"template_height\": %d, ",
           c->problem.image_width, c->problem.image_height, c->problem.templ_width,
           c->problem.templ_height);
    printf("\"pixel\": \"%s\", \"method\": \"%s\", \"mode\": \"%s\", \"border\": \"%s\", ",
           xncc_pixel_name(o->pixel), xncc_method_name(r->method), app_mode_name(r->mode),
           app_border_name(r->border));
    printf("\"channels\": %d, \"template_masked\": %s, \"image_masked\": %s, ", o->channels,
           o->with_mask ? "true" : "false", o->image_masked ? "true" : "false");
    print_json_pair("kernel", c->kernel, ", ");
    print_json_pair("explanation", c->explanation, ", \"feasible\": [");
    for (size_t i = 0; i < c->feasible_count; i++)
        printf("%s\"%s\"", i ? ", " : "", c->feasible[i]);
    printf("]}\n}\n");
}

xncc_status app_info(const app_options *o, app_error *error)
{
    choice c;
    xncc_status status = choose(o, &c, error);
    if (status)
        return status;
    if (o->format == APP_JSON)
        print_json(o, &c);
    else
        print_text(o, &c);
    return app_finish_stdout(error);
}
