/* SPDX-License-Identifier: BSD-2-Clause */
/* Convolution: compares every kernel with the definition, one fused multiply-add per step in the
 * documented order. */
#include "check/check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_TAPS = XNCC_MAX_FILTER * XNCC_MAX_FILTER };

typedef struct filtering {
    check_run *run;
    kit_image image;
    const float *tap;
    int32_t width, height;
    const kit_filter_options *options; /* NULL: the defaults */
    xncc_border border;
    char name[200];
} filtering;

static void check_kernel(const filtering *f, const char *kernel, const xncc_map *want)
{
    check_run *run = f->run;
    uint64_t slot = run->turn % CHECK_THREAD_COUNTS;
    xncc_context *context = run->context[slot];
    kit_map got = kit_map_create(want->width, want->height, (int32_t)(run->turn / 2 % 4),
                                 run->turn & 1 ? KIT_AFTER : KIT_BEFORE);
    xncc_filter *filter = NULL;
    char what[256];
    snprintf(what, sizeof what, "%s %s (context %d)", f->name, kernel, (int)slot);
    kit_convolve_options options = { .border = f->border, .kernel = kernel };
    if (check_ok(kit_filter_create(context, f->tap, f->width, f->height, f->options, &filter),
                 what) &&
        check_ok(kit_convolve(context, &f->image.view, filter, &options, &got.view), what)) {
        check_same(&got.view, want, what);
        CHECK(kit_map_padding_intact(&got));
    }
    check_count(run, kernel);
    xncc_filter_destroy(filter);
    kit_map_destroy(&got);
}

static void check_filtering(const filtering *f)
{
    const xncc_image *image = &f->image.view;
    xncc_problem problem = check_problem(image, f->width, f->height);
    problem.task = XNCC_TASK_CONVOLVE;
    problem.rule.border = f->border;
    const char *kernel[CHECK_KERNELS];
    size_t kernels = check_kernels(f->run, &problem, kernel);
    if (!kernels)
        return;
    kit_map want = kit_map_create(image->width, image->height, 0, KIT_AFTER);
    for (int32_t y = 0; y < image->height; y++)
        for (int32_t x = 0; x < image->width; x++)
            kit_map_row(&want.view, y)[x] = oracle_convolve(image, f->tap, f->width, f->height,
                                                            f->options, f->border, x, y);
    for (size_t k = 0; k < kernels; k++)
        check_kernel(f, kernel[k], &want.view);
    kit_map_destroy(&want);
}

typedef struct extents {
    int32_t width, height;
} extents;

static void check_case(check_run *run, xncc_pixel pixel, extents image, extents taps,
                       uint64_t number)
{
    static const kit_fill fills[] = { KIT_NOISE, KIT_CHECKER, KIT_NEAR_FLAT, KIT_GRADIENT };
    static float tap[MOST_TAPS];
    kit_random random = kit_stream(4000 + number);
    check_taps_fill kind = (check_taps_fill)(number % CHECK_TAPS_FILLS);
    filtering f = { .run = run, .tap = tap, .width = taps.width, .height = taps.height };
    f.image = kit_image_create(pixel, image.width, image.height, (int32_t)(number % 4),
                               number & 1 ? KIT_AFTER : KIT_BEFORE);
    kit_image_fill(&f.image.view, fills[number / 2 % 4], &random);
    if (pixel == XNCC_F32 && kind == CHECK_TAPS_TINY)
        for (int32_t y = 0; y < image.height; y++)
            for (int32_t x = 0; x < image.width; x++)
                kit_pixel_set(&f.image.view, x, y, kit_pixel(&f.image.view, x, y) * 1e-9);
    kit_image_freeze(&f.image);
    check_taps(tap, taps.width, taps.height, kind, &random);
    kit_filter_options options = { .correlate = kit_between(&random, 0, 1),
                                   .anchored = kit_between(&random, 0, 1) };
    if (options.anchored) {
        int corner = kit_between(&random, 0,
                                 3); /* 0, 1: anywhere; 2: the first coefficient; 3: the last one */
        options.anchor_x = corner < 2    ? kit_between(&random, 0, taps.width - 1)
                           : corner == 2 ? 0
                                         : taps.width - 1;
        options.anchor_y = corner < 2    ? kit_between(&random, 0, taps.height - 1)
                           : corner == 2 ? 0
                                         : taps.height - 1;
    }
    f.options = options.correlate || options.anchored ? &options : NULL;
    for (int border = XNCC_BORDER_CLAMP; border <= XNCC_BORDER_ZERO; border++) {
        f.border = (xncc_border)border;
        snprintf(f.name, sizeof f.name,
                 "%s %dx%d with filter %dx%d anchor %s (%d, %d)%s border %s taps %d",
                 xncc_pixel_name(pixel), image.width, image.height, taps.width, taps.height,
                 options.anchored ? "set" : "middle", options.anchor_x, options.anchor_y,
                 options.correlate ? " correlate" : "", border ? "zero" : "clamp", (int)kind);
        check_filtering(&f);
    }
    kit_image_destroy(&f.image);
}

void check_convolve(check_run *run)
{
    static const extents taps[] = { { 1, 1 },   { 2, 1 },   { 1, 2 },   { 2, 2 },   { 3, 3 },
                                    { 4, 4 },   { 5, 5 },   { 5, 3 },   { 6, 9 },   { 7, 7 },
                                    { 8, 8 },   { 9, 13 },  { 11, 2 },  { 16, 16 }, { 17, 15 },
                                    { 27, 27 }, { 31, 1 },  { 1, 64 },  { 33, 20 }, { 64, 64 },
                                    { 127, 1 }, { 1, 127 }, { 126, 3 }, { 90, 77 }, { 127, 127 } };
    static const extents image[] = { { 1, 1 },    { 7, 5 },    { 67, 33 },
                                     { 130, 41 }, { 33, 129 }, { 128, 19 } };
    uint64_t number = 0;
    for (size_t t = 0; t < sizeof taps / sizeof *taps; t++)
        for (size_t i = 0; i < sizeof image / sizeof *image; i++)
            for (int p = XNCC_U8; p <= XNCC_F32; p++, number++) {
                double macs = (double)taps[t].width * taps[t].height * image[i].width *
                              image[i].height;
                if (check_is_brief(run) && (i != 3 || t < 4 || taps[t].width > 33))
                    continue;
                if (check_is_threads(run) && (i != 4 || t % 5 || taps[t].width > 33))
                    continue; /* the highest image has several rectangles */
                if (check_wants(run, (xncc_pixel)p) &&
                    (run->full || macs < 8e6 || number % 11 == 0))
                    check_case(run, (xncc_pixel)p, image[i], taps[t], number);
            }
}
