/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks, the seeded random generator and the options of test programs (kit.h). */
#include "kit/kit.h"

#include "kit/sanitized.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PRINTED_FAILURES = 20, EXIT_SKIPPED = 77 };

static atomic_long checks, failures;
static uint64_t run_seed = 20240229;
static int stop_at_first;

void kit_fail(const char *file, int line, const char *format, ...)
{
    if (atomic_fetch_add(&failures, 1) >= PRINTED_FAILURES)
        return;
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fprintf(stderr, "%s:%d: %s\n", file, line, text);
    if (stop_at_first)
        exit(kit_finish("stopped at the first failure"));
}

int kit_check(int holds, const char *file, int line, const char *what)
{
    atomic_fetch_add(&checks, 1);
    if (!holds)
        kit_fail(file, line, "check failed: %s", what);
    return holds;
}

int kit_check_int(long long got, long long want, const char *file, int line, const char *what)
{
    atomic_fetch_add(&checks, 1);
    if (got != want)
        kit_fail(file, line, "%s is %lld, want %lld", what, got, want);
    return got == want;
}

int kit_check_text(const char *got, const char *want, const char *file, int line, const char *what)
{
    int same = got && want ? strcmp(got, want) == 0 : got == want;
    atomic_fetch_add(&checks, 1);
    if (!same)
        kit_fail(file, line, "%s is \"%s\", want \"%s\"", what, got ? got : "(null)",
                 want ? want : "(null)");
    return same;
}

int kit_check_status(xncc_status got, xncc_status want, const char *file, int line,
                     const char *what)
{
    atomic_fetch_add(&checks, 1);
    if (got != want)
        kit_fail(file, line, "%s is %d (%s), want %d (%s)", what, (int)got, xncc_status_string(got),
                 (int)want, xncc_status_string(want));
    return got == want;
}

int kit_check_float(float got, float want, const char *file, int line, const char *what)
{
    int same = (got != got && want != want) || memcmp(&got, &want, sizeof got) == 0;
    atomic_fetch_add(&checks, 1);
    if (!same)
        kit_fail(file, line, "%s is %.9g, want %.9g", what, (double)got, (double)want);
    return same;
}

long kit_failures(void)
{
    return atomic_load(&failures);
}

const char *kit_option(int argc, char **argv, const char *name, const char *fallback)
{
    for (int i = 1; i + 1 < argc; i++)
        if (strncmp(argv[i], "--", 2) == 0 && strcmp(argv[i] + 2, name) == 0)
            return argv[i + 1];
    return fallback;
}

int kit_flag(int argc, char **argv, const char *name)
{
    for (int i = 1; i < argc; i++)
        if (strncmp(argv[i], "--", 2) == 0 && strcmp(argv[i] + 2, name) == 0)
            return 1;
    return 0;
}

int kit_short(void)
{
    const char *text = getenv("EXACTNCC_TEST_SHORT");
    return text && *text;
}

int kit_shortest(void)
{
    return KIT_SANITIZED && kit_short();
}

void kit_start(int argc, char **argv)
{
    const char *text = kit_option(argc, argv, "seed", getenv("EXACTNCC_TEST_SEED"));
    if (text)
        run_seed = strtoull(text, NULL, 0);
    stop_at_first = kit_flag(argc, argv, "stop");
    setvbuf(stdout, NULL, _IOLBF, 0);
}

int kit_finish(const char *name)
{
    long done = atomic_load(&checks), bad = atomic_load(&failures);
    printf("%s: %ld checks, %ld failed\n", name, done ? done : bad, bad);
    if (bad)
        fprintf(stderr, "%s: repeat with --seed %llu\n", name, (unsigned long long)run_seed);
    if (!done && !bad)
        fprintf(stderr, "%s: nothing was checked\n", name);
    return bad || !done;
}

void kit_skip(const char *why)
{
    printf("skipped: %s\n", why);
    fflush(stdout);
    exit(EXIT_SKIPPED);
}

void kit_give_up(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fprintf(stderr, "\n(seed %llu)\n", (unsigned long long)run_seed);
    exit(1);
}

kit_random kit_stream(uint64_t number)
{
    kit_random random = { run_seed ^ (number * UINT64_C(0xd1342543de82ef95)) };
    kit_next(&random);
    return random;
}

uint64_t kit_next(kit_random *random)
{
    uint64_t z = random->state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

uint64_t kit_below(kit_random *random, uint64_t limit)
{
    return kit_next(random) % limit;
}

int32_t kit_between(kit_random *random, int32_t low, int32_t high)
{
    return low + (int32_t)kit_below(random, (uint64_t)(high - low) + 1);
}

xncc_context *kit_context(xncc_device device, int32_t threads)
{
    xncc_context *context = NULL;
    xncc_context_options options = { .size = sizeof(xncc_context_options),
                                     .device = device,
                                     .threads = threads };
    xncc_status status = xncc_context_create(&options, &context, &kit_error);
    if (status == XNCC_ERROR_DEVICE && device == XNCC_DEVICE_CUDA) {
        printf("no CUDA device: %s\n", kit_error.text);
        kit_skip("no usable CUDA device");
    }
    if (status != XNCC_OK)
        kit_give_up("xncc_context_create gives %d (%s)", (int)status, xncc_status_string(status));
    return context;
}

xncc_device kit_device_option(int argc, char **argv)
{
    const char *name = kit_option(argc, argv, "device", "cpu");
    if (strcmp(name, "cpu") == 0)
        return XNCC_DEVICE_CPU;
    if (strcmp(name, "cuda") == 0)
        return XNCC_DEVICE_CUDA;
    kit_give_up("--device %s: use cpu or cuda", name);
}

size_t kit_kernels(xncc_context *context, const xncc_image *image, const xncc_image *templ,
                   const kit_options *o, const char **name, size_t room)
{
    xncc_template *template = NULL;
    if (xncc_template_create(context, templ, &template, &kit_error) != XNCC_OK)
        kit_give_up("no template: %s", kit_error.text);
    const xncc_problem problem = kit_problem(
        (xncc_problem){ .pixel = image->pixel,
                        .image_width = image->width,
                        .image_height = image->height,
                        .templ_width = templ->width,
                        .templ_height = templ->height,
                        .rule.method = o->method,
                        .rule.mode = o->mode,
                        .rule.border = o->border,
                        .rule.flat = o->flat,
                        .channels = image->channels,
                        .image_masked = image->mask || image->has_no_data,
                        .templ_masked = xncc_template_is_masked(template),
                        .rule.min_valid = o->min_valid });
    xncc_template_destroy(template);
    const size_t count = xncc_kernel_list(context, &problem, name, room);
    CHECK(count > 0 && count <= room);
    return count;
}
