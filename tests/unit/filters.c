/* SPDX-License-Identifier: BSD-2-Clause */
/* The geometry of filters, checked with impulses: where the anchor is, what is flipped, and how the
 * borders behave. */
#include "kit/pixels.h"

#include <stdio.h>
#include <string.h>

enum { WIDTH = 17, HEIGHT = 13 };

static xncc_context *context;
static kit_image image;

static float pixel_or_border(int32_t x, int32_t y, xncc_border border)
{
    if (border == XNCC_BORDER_ZERO && (x < 0 || y < 0 || x >= WIDTH || y >= HEIGHT))
        return 0.0f;
    x = x < 0 ? 0 : x >= WIDTH ? WIDTH - 1 : x;
    y = y < 0 ? 0 : y >= HEIGHT ? HEIGHT - 1 : y;
    return (float)kit_pixel(&image.view, x, y);
}

/* With a filter that is 1 at (i, j) and 0 elsewhere, the result is the image shifted by the
 * anchor. */
static void check_delta(int32_t width, int32_t height, int32_t i, int32_t j,
                        const kit_filter_options *o, xncc_border border)
{
    float tap[49] = { 0 };
    tap[j * width + i] = 1.0f;
    int32_t a = o && o->anchored ? o->anchor_x : width / 2,
            b = o && o->anchored ? o->anchor_y : height / 2;
    int32_t dx = o && o->correlate ? i - a : a - i, dy = o && o->correlate ? j - b : b - j;
    kit_map map = kit_map_create(WIDTH, HEIGHT, 2, KIT_AFTER);
    xncc_filter *filter = NULL;
    CHECK_STATUS(kit_filter_create(context, tap, width, height, o, &filter), XNCC_OK);
    CHECK_STATUS(kit_convolve(context, &image.view, filter,
                              &(kit_convolve_options){ .border = border }, &map.view),
                 XNCC_OK);
    int same = 1;
    for (int32_t y = 0; y < HEIGHT; y++)
        for (int32_t x = 0; x < WIDTH; x++)
            same &= kit_map_row(&map.view, y)[x] == pixel_or_border(x + dx, y + dy, border);
    if (!CHECK(same))
        kit_fail(__FILE__, __LINE__, "delta at (%d, %d) of %dx%d, anchor (%d, %d)%s, border %d", i,
                 j, width, height, a, b, o && o->correlate ? ", correlate" : "", (int)border);
    xncc_filter_destroy(filter);
    kit_map_destroy(&map);
}

/* An impulse in the image yields the filter itself (convolution) or the flipped filter
 * (correlation). */
static void check_impulse(int correlate)
{
    static const float tap[] = { 1, 2, 3, 4, 5, 6 }; /* 3 x 2 */
    uint8_t pixel[7 * 5] = { 0 };
    pixel[2 * 7 + 3] = 1;
    xncc_image one = { .data = pixel, .width = 7, .height = 5 };
    kit_map map = kit_map_create(7, 5, 0, KIT_AFTER);
    xncc_filter *filter = NULL;
    kit_filter_options options = { .correlate = correlate };
    CHECK_STATUS(kit_filter_create(context, tap, 3, 2, &options, &filter), XNCC_OK);
    CHECK_STATUS(kit_convolve(context, &one, filter, NULL, &map.view), XNCC_OK);
    for (int32_t j = 0; j < 2; j++)
        for (int32_t i = 0; i < 3; i++) {
            /* anchor (1, 1): tap (i, j) is at (3 + i - 1, 2 + j - 1); flipped, at (3 - i + 1, 2 - j
             * + 1) */
            int32_t x = correlate ? 4 - i : 2 + i, y = correlate ? 3 - j : 1 + j;
            CHECK_FLOAT(kit_map_row(&map.view, y)[x], tap[j * 3 + i]);
        }
    xncc_filter_destroy(filter);
    kit_map_destroy(&map);
}

int main(int argc, char **argv)
{
    static const int32_t side[][2] = { { 1, 1 }, { 2, 1 }, { 1, 2 }, { 3, 3 },
                                       { 4, 2 }, { 5, 4 }, { 7, 7 } };
    kit_start(argc, argv);
    context = kit_context(XNCC_DEVICE_CPU, 2);
    kit_random random = kit_stream(1);
    for (int pixel = XNCC_U8; pixel <= XNCC_F32; pixel++) {
        image = kit_image_create((xncc_pixel)pixel, WIDTH, HEIGHT, 1, KIT_AFTER);
        kit_image_fill(&image.view, KIT_NOISE, &random);
        for (size_t s = 0; s < sizeof side / sizeof *side; s++)
            for (int32_t j = 0; j < side[s][1]; j++)
                for (int32_t i = 0; i < side[s][0]; i++)
                    for (int border = XNCC_BORDER_CLAMP; border <= XNCC_BORDER_ZERO; border++) {
                        kit_filter_options anchored = { .anchored = 1 };
                        anchored.correlate = (i + j + border) & 1;
                        anchored.anchor_x = kit_between(&random, 0, side[s][0] - 1);
                        anchored.anchor_y = kit_between(&random, 0, side[s][1] - 1);
                        check_delta(side[s][0], side[s][1], i, j, NULL, (xncc_border)border);
                        check_delta(side[s][0], side[s][1], i, j,
                                    &(kit_filter_options){ .correlate = 1 }, (xncc_border)border);
                        check_delta(side[s][0], side[s][1], i, j, &anchored, (xncc_border)border);
                    }
        kit_image_destroy(&image);
    }
    check_impulse(0);
    check_impulse(1);
    xncc_context_destroy(context);
    return kit_finish("filters");
}
