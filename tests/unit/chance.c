/* SPDX-License-Identifier: BSD-2-Clause */
/* Scores that chance explains: random images in which the template is not, and templates of known
 * structure. */
#include "exactncc/chance.h"
#include "exactncc/find.h"
#include "kit/kit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { IMAGE = 128, MARGIN = 24, FIELD = IMAGE + 2 * MARGIN };

static uint64_t state = 20261122;

/* Roughly a normal number: the sum of twelve uniform ones. */
static float normal(void)
{
    double sum = -6.0;
    for (int i = 0; i < 12; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        sum += (double)(state >> 40) / 16777216.0;
    }
    return (float)sum;
}

/* White noise smoothed by a Gaussian, scaled to about 40 levels of standard deviation. */
static void make_field(double sigma, int32_t width, int32_t height, uint8_t *out)
{
    static float noise[FIELD * FIELD], across[FIELD * FIELD];
    float tap[2 * MARGIN + 1];
    double energy = 0.0;
    for (int k = -MARGIN; k <= MARGIN; k++) {
        tap[k + MARGIN] = sigma > 0.0 ? (float)exp(-k * k / (2.0 * sigma * sigma)) : k == 0;
        energy += (double)tap[k + MARGIN] * (double)tap[k + MARGIN];
    }
    const int32_t w = width + 2 * MARGIN, h = height + 2 * MARGIN;
    for (int32_t i = 0; i < w * h; i++)
        noise[i] = normal();
    for (int32_t y = 0; y < h; y++)
        for (int32_t x = 0; x < width; x++) {
            float sum = 0.0f;
            for (int k = 0; k <= 2 * MARGIN; k++)
                sum += tap[k] * noise[y * w + x + k];
            across[y * w + x] = sum;
        }
    for (int32_t y = 0; y < height; y++)
        for (int32_t x = 0; x < width; x++) {
            float sum = 0.0f;
            for (int k = 0; k <= 2 * MARGIN; k++)
                sum += tap[k] * across[(y + k) * w + x];
            const double v = 128.0 + 30.0 * (double)sum / energy;
            out[y * width + x] = (uint8_t)(v < 0.0 ? 0.0 : v > 255.0 ? 255.0 : v);
        }
}

static xncc_image view_of(const uint8_t *pixels, int32_t width, int32_t height)
{
    return (xncc_image){ .width = width, .height = height, .pixel = XNCC_U8, .data = pixels };
}

static xncc_chance look(const xncc_image *view)
{
    xncc_chance chance;
    CHECK_STATUS(xncc_chance_look(view, &chance, &kit_error), XNCC_OK);
    return chance;
}

static double best_score(xncc_context *context, const uint8_t *image, const uint8_t *part,
                         int32_t side)
{
    const xncc_image scene = { .data = image, .width = IMAGE, .height = IMAGE, .pixel = XNCC_U8 };
    const xncc_image pixels = { .data = part, .width = side, .height = side, .pixel = XNCC_U8 };
    xncc_find_options options = XNCC_FIND_OPTIONS_INIT;
    xncc_template *templ = NULL;
    xncc_match match;
    size_t found = 0;
    options.peaks.min_score = -1.0f;
    CHECK(xncc_template_create(context, &pixels, &templ, NULL) == XNCC_OK);
    CHECK(xncc_find(context, &scene, templ, &options, &match, 1, &found, NULL) == XNCC_OK &&
          found == 1);
    xncc_template_destroy(templ);
    return (double)match.score;
}

/* The rate of false alarms, and that the limit is not far above what chance reaches. */
static void simulate(xncc_context *context, double sigma, int32_t side, int trials)
{
    static uint8_t image[IMAGE * IMAGE], part[IMAGE * IMAGE];
    const double windows = (double)(IMAGE - side + 1) * (IMAGE - side + 1);
    int alarms = 0;
    double limits = 0.0, scores = 0.0, pixels = 0.0;
    for (int i = 0; i < trials; i++) {
        make_field(sigma, IMAGE, IMAGE, image);
        make_field(sigma, side, side, part);
        const xncc_image p = view_of(part, side, side);
        const xncc_chance chance = look(&p);
        const double limit = xncc_chance_limit(chance.pixels, windows),
                     best = best_score(context, image, part, side);
        alarms += best > limit;
        limits += limit / trials;
        scores += best / trials;
        pixels += chance.pixels / trials;
    }
    printf("smoothing %.1f, template %2d x %2d: %6.1f independent pixels, best score %.3f, limit "
           "%.3f, false alarms %d of %d\n",
           sigma, side, side, pixels, scores, limits, alarms, trials);
    /* At most 1 percent; three standard deviations more would be an accident. */
    CHECK(alarms <= 0.01 * trials + 3.0 * sqrt(0.01 * trials));
    /* Not so high that it says nothing: the distance to 1 of what chance reaches, on a scale of
     * Fisher's z, is not doubled. */
    CHECK(limits < 1.0 && atanh(limits) < 2.3 * atanh(scores));
}

static void test_known_structures(void)
{
    static uint8_t pixels[64 * 64];
    xncc_image p = view_of(pixels, 16, 16);
    memset(pixels, 7, sizeof pixels);
    CHECK(look(&p).flat == 1 && look(&p).pixels == 0.0);
    pixels[5] = 8;
    CHECK(look(&p).flat == 0);
    /* One bright pixel is an impulse: every pixel is independent but for the mean. */
    CHECK(look(&p).pixels > 120.0 && look(&p).pixels <= 256.0);
    /* Two halves are worth a few pixels, at any size; so is a chessboard, which repeats itself. */
    for (int32_t side = 8; side <= 64; side *= 2) {
        p = view_of(pixels, side, side);
        for (int32_t i = 0; i < side * side; i++)
            pixels[i] = i % side < side / 2 ? 10 : 200;
        CHECK(look(&p).pixels < 6.0);
        for (int32_t i = 0; i < side * side; i++)
            pixels[i] = (i % side + i / side) % 2 ? 10 : 200;
        CHECK(look(&p).pixels < 12.0);
    }
    /* The number does not change with brightness and contrast. */
    p = view_of(pixels, 16, 16);
    for (int i = 0; i < 256; i++)
        pixels[i] = (uint8_t)(i * i % 61);
    const double before = look(&p).pixels;
    for (int i = 0; i < 256; i++)
        pixels[i] = (uint8_t)(3 * pixels[i] + 20);
    CHECK(fabs(look(&p).pixels - before) < 1e-3 * before);
}

/* Pixels that do not count do not matter. */
static void test_mask(void)
{
    static uint8_t pixels[256], mask[256];
    xncc_image p = view_of(pixels, 16, 16);
    p.mask = mask;
    for (int i = 0; i < 256; i++) {
        mask[i] = i % 16 < 8;
        pixels[i] = (uint8_t)(mask[i] ? 50 : i * 37 % 256);
    }
    CHECK(look(&p).flat == 1);
    for (int i = 0; i < 256; i++)
        pixels[i] = (uint8_t)(mask[i] ? i * i % 251 : 0);
    const double before = look(&p).pixels;
    for (int i = 0; i < 256; i++)
        pixels[i] = mask[i] ? pixels[i] : 255;
    CHECK(look(&p).pixels == before && before > 8.0 && before <= 128.0);
}

static void test_floats_and_channels(void)
{
    float values[64];
    xncc_image p = { .width = 8, .height = 8, .pixel = XNCC_F32, .channels = 1, .data = values };
    for (int i = 0; i < 64; i++)
        values[i] = 0.1f;
    CHECK(look(&p).flat == 1);
    values[3] = NAN;
    CHECK(look(&p).flat == 0 && look(&p).pixels == 0.0);
    values[3] = INFINITY;
    CHECK(look(&p).flat == 0 && look(&p).pixels == 0.0);
    /* Two channels: one is flat, the other has contrast. */
    uint8_t two[128];
    xncc_image q = { .width = 8, .height = 8, .pixel = XNCC_U8, .channels = 2, .data = two };
    for (int i = 0; i < 128; i++)
        two[i] = (uint8_t)(i % 2 ? 9 : i * i % 83);
    CHECK(look(&q).flat == 0 && look(&q).pixels > 4.0);
    for (int i = 0; i < 128; i++)
        two[i] = (uint8_t)(i % 2 ? 9 : 77);
    CHECK(look(&q).flat == 1);
}

static void test_limit(void)
{
    CHECK(xncc_chance_limit(NAN, 100) == 1.0 && xncc_chance_limit(50.0, NAN) == 1.0);
    CHECK(xncc_chance_limit(2.0, 100) == 1.0 && xncc_chance_limit(0.0, 100) == 1.0);
    /* The formula of docs/chance.md, for numbers that a reader can check. */
    CHECK(fabs(xncc_chance_limit(102.0, 10000) - sqrt(1.0 - pow(2e-6, 0.02))) < 1e-12);
    CHECK(xncc_chance_limit(50.0, 1000) < xncc_chance_limit(50.0, 100000));
    CHECK(xncc_chance_limit(500.0, 1000) < xncc_chance_limit(50.0, 1000));
}

static void test_refusals(void)
{
    const uint8_t pixel = 3;
    xncc_chance chance = { .pixels = 5.0 };
    xncc_image view = view_of(&pixel, 1, 1);
    CHECK_STATUS(xncc_chance_look(&view, NULL, &kit_error), XNCC_ERROR_ARGUMENT);
    CHECK_STATUS(xncc_chance_look(NULL, &chance, &kit_error), XNCC_ERROR_ARGUMENT);
    CHECK(chance.pixels == 0.0);
    view.memory = XNCC_DEVICE;
    CHECK_STATUS(xncc_chance_look(&view, &chance, &kit_error), XNCC_ERROR_ARGUMENT);
    view.memory = XNCC_HOST;
    view.width = 0;
    CHECK_STATUS(xncc_chance_look(&view, &chance, &kit_error), XNCC_ERROR_ARGUMENT);
}

int main(void)
{
    static const double sigmas[] = { 0.0, 0.8, 1.5, 3.0 };
    static const int32_t sides[] = { 8, 16, 32, 48 };
    const xncc_context_options options = { .size = sizeof options,
                                           .device = XNCC_DEVICE_CPU,
                                           .threads = 1 };
    xncc_context *context = NULL;
    test_known_structures();
    test_mask();
    test_floats_and_channels();
    test_limit();
    test_refusals();
    CHECK(xncc_context_create(&options, &context, NULL) == XNCC_OK);
    for (size_t s = 0; s < sizeof sigmas / sizeof sigmas[0]; s++)
        for (size_t n = 0; n < sizeof sides / sizeof sides[0]; n++)
            if (!kit_short() || s == n)
                simulate(context, sigmas[s], sides[n], kit_short() ? 40 : 200);
    xncc_context_destroy(context);
    return kit_finish("chance");
}
