/* The calls that python/bench/overhead.py compares Python's with: each makes a template, matches,
 * and frees it, as a call with two arrays does. SPDX-License-Identifier: BSD-2-Clause */
#include <exactncc/exactncc.h>

#include <stdlib.h>
#include <time.h>

static double now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static xncc_context *context;

static int make_context(void)
{
    xncc_context_options options = XNCC_CONTEXT_OPTIONS_INIT;
    options.device = XNCC_DEVICE_CPU;
    options.threads = 1;
    return context ? XNCC_OK : (int)xncc_context_create(&options, &context, NULL);
}

/* One correlation of two square images, into new memory. */
static int correlate(const xncc_image *image, const xncc_image *pixels)
{
    xncc_template *templ = NULL;
    xncc_extent extent;
    int status = (int)xncc_map_measure(XNCC_VALID, image->width, image->height, pixels->width,
                                       pixels->height, &extent, NULL);
    xncc_map map = { NULL, extent.width, extent.height, 0, XNCC_HOST };
    map.data = malloc((size_t)extent.width * (size_t)extent.height * sizeof *map.data);
    if (!status && map.data)
        status = (int)xncc_template_create(context, pixels, &templ, NULL);
    if (!status)
        status = (int)xncc_correlate(context, image, templ, NULL, &map, NULL);
    xncc_template_destroy(templ);
    free(map.data);
    return status;
}

static int find(const xncc_image *image, const xncc_image *pixels)
{
    xncc_find_options options = XNCC_FIND_OPTIONS_INIT;
    xncc_template *templ = NULL;
    xncc_match match[10];
    size_t found;
    int status = (int)xncc_template_create(context, pixels, &templ, NULL);
    options.peaks.top = 10;
    if (!status)
        status = (int)xncc_find(context, image, templ, &options, match, 10, &found, NULL);
    xncc_template_destroy(templ);
    return status;
}

/* Seconds of processor time per call of `count` calls; negative after a failure. search: 1 find, 0
 * correlate. */
double bench_calls(const unsigned char *image, int side, const unsigned char *templ, int templ_side,
                   int search, int count);
double bench_calls(const unsigned char *image, int side, const unsigned char *templ, int templ_side,
                   int search, int count)
{
    const xncc_image scene = { .data = image, .width = side, .height = side };
    const xncc_image pixels = { .data = templ, .width = templ_side, .height = templ_side };
    if (make_context())
        return -1.0;
    const double begin = now();
    for (int i = 0; i < count; i++)
        if (search ? find(&scene, &pixels) : correlate(&scene, &pixels))
            return -1.0;
    return (now() - begin) / count;
}
