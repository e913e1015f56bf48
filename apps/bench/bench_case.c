/* SPDX-License-Identifier: BSD-2-Clause */
/* One problem to be timed: its data, and the check of its results. */
#include "bench_case.h"

#include "pixels.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KERNELS = 64 };

const double bench_reference_macs = 2e9;
static const double region_macs = 2e8; /* multiply-adds to check one region of a larger map */

/* xorshift64* (Vigna, 2014). */
static uint64_t next_random(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * 2685821657736338717u;
}

void bench_fill(void *data, xncc_pixel pixel, size_t count, uint64_t seed)
{
    for (size_t i = 0; i < count; i++) {
        const uint64_t r = next_random(&seed) >> 32;
        const double unit = (double)(r >> 8) / 16777216.0;
        switch (pixel) {
#define CASE(pixel, name, type)                                                                    \
    case pixel:                                                                                    \
        ((type *)data)[i] = app_pixel_kind(pixel) == APP_FLOAT ? (type)unit                        \
                            : sizeof(type) < 4                 ? (type)(r >> 8)                    \
                                                               : (type)r;                                          \
        break;
            XNCC_EACH_PIXEL(CASE)
#undef CASE
        }
    }
}

/* Leaves out 30 percent of the template's pixels, at least one, chosen uniformly at random. */
static xncc_status make_mask(bench_case *c, size_t count, app_error *error)
{
    size_t out = count * 3 / 10 > 1 ? count * 3 / 10 : 1;
    uint64_t seed = 5;
    if (count < 2)
        return app_fail(error, XNCC_ERROR_ARGUMENT,
                        "--mask: a template of one pixel has none to leave out; give a larger one");
    c->mask = calloc(count, 1);
    if (!c->mask)
        return app_fail(error, XNCC_ERROR_MEMORY, "out of memory for a mask of %zu pixels", count);
    for (size_t i = 0; i < count; i++) {
        c->mask[i] = (next_random(&seed) >> 33) % (count - i) >= out;
        out -= !c->mask[i];
    }
    c->pixels.mask = c->mask;
    return XNCC_OK;
}

/* The extents of a problem's results. */
static xncc_status measure(const xncc_problem *p, xncc_extent *extent, xncc_error *why)
{
    *extent = (xncc_extent){ p->image_width, p->image_height, 0, 0 };
    return p->task == XNCC_TASK_CONVOLVE
               ? XNCC_OK
               : xncc_map_measure(p->rule.mode, p->image_width, p->image_height, p->templ_width,
                                  p->templ_height, extent, why);
}

xncc_status bench_case_open(const xncc_problem *problem, bench_case *c, app_error *error)
{
    const size_t pixels = (size_t)problem->image_width * (size_t)problem->image_height;
    const size_t templ = (size_t)problem->templ_width * (size_t)problem->templ_height,
                 channels = (size_t)problem->channels;
    const size_t size = channels * xncc_pixel_size(problem->pixel);
    memset(c, 0, sizeof *c);
    c->problem = *problem;
    if (measure(problem, &c->extent, NULL) != XNCC_OK)
        return app_fail(error, XNCC_ERROR_ARGUMENT,
                        "the template (%d x %d) exceeds the image (%d x %d); give other sizes",
                        problem->templ_width, problem->templ_height, problem->image_width,
                        problem->image_height);
    c->map = (xncc_map){ .width = c->extent.width, .height = c->extent.height };
    void *image = calloc(pixels, size), *templ_pixels = calloc(templ, size);
    c->image = (xncc_image){ .data = image,
                             .width = problem->image_width,
                             .height = problem->image_height,
                             .pixel = problem->pixel,
                             .channels = problem->channels };
    c->pixels = c->image;
    c->pixels.data = templ_pixels;
    c->pixels.width = problem->templ_width;
    c->pixels.height = problem->templ_height;
    c->coefficients = calloc(templ, sizeof(float));
    c->map.data = calloc((size_t)c->map.width * (size_t)c->map.height, sizeof(float));
    if (!image || !templ_pixels || !c->coefficients || !c->map.data)
        return app_fail(error, XNCC_ERROR_MEMORY,
                        "out of memory for an image of %d x %d; give a smaller --size",
                        problem->image_width, problem->image_height);
    bench_fill(image, problem->pixel, pixels * channels, 1);
    bench_fill(templ_pixels, problem->pixel, templ * channels, 2);
    bench_fill(c->coefficients, XNCC_F32, templ, 3);
    return problem->templ_masked ? make_mask(c, templ, error) : XNCC_OK;
}

void bench_case_close(bench_case *c)
{
    free((void *)(uintptr_t)c->image.data);
    free((void *)(uintptr_t)c->pixels.data);
    free(c->mask);
    free(c->coefficients);
    free(c->map.data);
    free(c->whole);
    for (int i = 0; i < BENCH_REGIONS; i++)
        free(c->scores[i]);
    memset(c, 0, sizeof *c);
}

double bench_pixels(const bench_case *c)
{
    return (double)c->map.width * (double)c->map.height;
}

double bench_macs(const bench_case *c)
{
    return bench_pixels(c) * (double)c->problem.templ_width * (double)c->problem.templ_height *
           (double)c->problem.channels;
}

typedef struct engine {
    xncc_context *context;
    const char *kernel;
} engine;

/* Runs a kernel on an image, which may be a crop of the case's. Allocates out->data, which the
 * caller frees. */
static xncc_status run_kernel(engine by, const bench_case *c, const xncc_problem *problem,
                              const xncc_image *image, xncc_map *out, app_error *error)
{
    xncc_plan *plan = NULL;
    xncc_template *templ = NULL;
    xncc_filter *filter = NULL;
    xncc_preference preference = XNCC_PREFERENCE_INIT;
    xncc_extent extent;
    xncc_error why;
    char about[80];
    xncc_status status = measure(problem, &extent, &why);
    *out = (xncc_map){ .width = extent.width, .height = extent.height };
    out->data = calloc((size_t)out->width * (size_t)out->height, sizeof(float));
    if (!out->data)
        return app_fail(error, XNCC_ERROR_MEMORY,
                        "out of memory for a map of %d x %d; give a smaller --size", out->width,
                        out->height);
    preference.kernel = by.kernel;
    if (!status)
        status = xncc_plan_create(by.context, problem, &preference, &plan, &why);
    if (!status && problem->task == XNCC_TASK_MATCH) {
        status = xncc_template_create(by.context, &c->pixels, &templ, &why);
        if (!status)
            status = xncc_plan_correlate(plan, image, templ, out, NULL, &why);
    } else if (!status) {
        status = xncc_filter_create(by.context, c->coefficients, problem->templ_width,
                                    problem->templ_height, NULL, &filter, &why);
        if (!status)
            status = xncc_plan_convolve(plan, image, filter, out, NULL, &why);
    }
    xncc_plan_destroy(plan);
    xncc_template_destroy(templ);
    xncc_filter_destroy(filter);
    snprintf(about, sizeof about, "the check by %s", by.kernel);
    return app_pass_on(error, status, about, &why);
}

/* Computes the reference kernel's scores in a region. The caller frees *scores. */
static xncc_status expect_region(xncc_context *checker, const bench_case *c, const bench_region *r,
                                 float **scores, app_error *error)
{
    const int convolve = c->problem.task == XNCC_TASK_CONVOLVE;
    /* A window reads w - 1 pixels to the right of a region; a filter, whatever its anchor, reads
     * less than w pixels on both sides. */
    const int32_t left = convolve ? c->problem.templ_width : 0,
                  top = convolve ? c->problem.templ_height : 0;
    xncc_image view;
    xncc_map map;
    xncc_error why;
    xncc_problem problem = c->problem;
    /* With the border `overlap`, sums are formed as for a masked image even if all pixels count. */
    problem.image_masked = problem.rule.mode != XNCC_VALID &&
                           problem.rule.border == XNCC_BORDER_OVERLAP;
    problem.rule.mode = XNCC_VALID;
    problem.image_width = r->width + (convolve ? 2 * left : problem.templ_width - 1);
    problem.image_height = r->height + (convolve ? 2 * top : problem.templ_height - 1);
    xncc_status status = xncc_image_crop(&c->image, r->x - left, r->y - top, problem.image_width,
                                         problem.image_height, &view, &why);
    if (status)
        return app_pass_on(error, status, "a region to check", &why);
    status = run_kernel((engine){ checker, "reference" }, c, &problem, &view, &map, error);
    /* Removes the margin in place: rows only move towards the start. */
    for (int32_t y = 0; y < r->height && !status; y++)
        memmove(map.data + (size_t)y * (size_t)r->width,
                map.data + (size_t)(y + top) * (size_t)map.width + left,
                (size_t)r->width * sizeof(float));
    *scores = map.data;
    return status;
}

int bench_same_kind(const char *a, const char *b)
{
    const size_t length = strcspn(a, "-");
    return strcmp(a, b) == 0 || (strncmp(a, "conv-", 5) != 0 && strncmp(a, b, length) == 0 &&
                                 (b[length] == '-' || b[length] == 0));
}

/* Computes the whole map with the fastest kernel of another kind, if there is one. */
static xncc_status expect_whole(xncc_context *context, bench_case *c, const char *kernel,
                                app_error *error)
{
    const char *name[KERNELS];
    xncc_map map;
    const size_t count = xncc_kernel_list(context, &c->problem, name, KERNELS);
    for (size_t i = 0; i < count && i < KERNELS; i++) {
        if (bench_same_kind(kernel, name[i]) || strcmp(name[i], "reference") == 0)
            continue;
        xncc_status status = run_kernel((engine){ context, name[i] }, c, &c->problem, &c->image,
                                        &map, error);
        c->whole = map.data;
        return status;
    }
    return XNCC_OK;
}

xncc_status bench_expect(xncc_context *checker, xncc_context *context, bench_case *c,
                         const char *kernel, app_error *error)
{
    if (c->expected)
        return c->whole ? XNCC_OK : expect_whole(context, c, kernel, error);
    const int convolve = c->problem.task == XNCC_TASK_CONVOLVE;
    const int32_t left = convolve ? c->problem.templ_width : 0,
                  top = convolve ? c->problem.templ_height : 0;
    /* Regions may start at `wide` positions in x, from `left` on; y alike. */
    const int32_t wide = c->image.width - (convolve ? 2 * left : c->problem.templ_width - 1);
    const int32_t high = c->image.height - (convolve ? 2 * top : c->problem.templ_height - 1);
    if (bench_macs(c) <= bench_reference_macs || wide < 1 || high < 1) {
        xncc_map map;
        xncc_status status = run_kernel((engine){ checker, "reference" }, c, &c->problem, &c->image,
                                        &map, error);
        c->whole = map.data;
        c->expected = !status;
        return status;
    }
    const double fit = sqrt(region_macs /
                            ((double)c->problem.templ_width * (double)c->problem.templ_height));
    const int32_t side = fit < 8.0 ? 8 : fit > 512.0 ? 512 : (int32_t)fit;
    const int32_t width = side < wide ? side : wide, height = side < high ? side : high;
    xncc_status status = XNCC_OK;
    for (int i = 0; i < BENCH_REGIONS && !status; i++) {
        c->region[i] = (bench_region){ left + (wide - width) / 2 * i, top + (high - height) / 2 * i,
                                       width, height };
        status = expect_region(checker, c, &c->region[i], &c->scores[i], error);
    }
    c->expected = !status;
    return status ? status : expect_whole(context, c, kernel, error);
}

int bench_check(const bench_case *c)
{
    if (!c->expected ||
        (c->whole && memcmp(c->whole, c->map.data,
                            (size_t)c->map.width * (size_t)c->map.height * sizeof(float)) != 0))
        return 0;
    for (int i = 0; i < BENCH_REGIONS && c->scores[i]; i++) {
        const bench_region *r = &c->region[i];
        for (int32_t y = 0; y < r->height; y++)
            if (memcmp(c->map.data + (size_t)(r->y - c->extent.y0 + y) * (size_t)c->map.width +
                           (r->x - c->extent.x0),
                       c->scores[i] + (size_t)y * (size_t)r->width,
                       (size_t)r->width * sizeof(float)) != 0)
                return 0;
    }
    return 1;
}
