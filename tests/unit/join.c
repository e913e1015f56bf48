/* SPDX-License-Identifier: BSD-2-Clause */
/* xncc_join: the candidates of bands give the list of one search, wherever the bands meet. */
#include "exactncc/exactncc.h"
#include "kit/kit.h"

#include <stdlib.h>
#include <string.h>

enum { WIDTH = 83, HEIGHT = 121, W = 9, H = 7, MOST = WIDTH * HEIGHT * 2 };

static uint8_t pixels[WIDTH * HEIGHT];
static xncc_match whole[MOST], joined[MOST], candidate[2 * MOST], found_in_band[MOST];

/* values: how many different pixel values there are; few of them make many equal scores. */
static void fill(uint32_t seed, uint32_t values)
{
    for (int i = 0; i < WIDTH * HEIGHT; i++) {
        seed = seed * 1664525u + 1013904223u;
        pixels[i] = (uint8_t)((seed >> 24) % values);
    }
}

/* The candidates of the positions with y in from .. to - 1, from the rows that their windows and
 * those of their neighbours need. */
static size_t search_band(xncc_context *context, const xncc_template *templ,
                          const xncc_find_options *whole_options, int32_t from, int32_t to,
                          xncc_match *result)
{
    const xncc_image image = { .data = pixels, .width = WIDTH, .height = HEIGHT, .pixel = XNCC_U8 };
    xncc_find_options o = *whole_options;
    xncc_image crop;
    size_t found = 0, count = 0;
    int32_t first = from - 1, end = to + H;
    first = first < 0 ? 0 : first;
    end = end > HEIGHT ? HEIGHT : end;
    const int32_t d = o.peaks.min_distance == XNCC_AUTO ? H / 2 : o.peaks.min_distance;
    o.peaks.min_distance = d > 1 ? 2 : 1;
    o.peaks.top = XNCC_ALL;
    CHECK_STATUS(xncc_image_crop(&image, 0, first, WIDTH, end - first, &crop, NULL), XNCC_OK);
    CHECK_STATUS(xncc_find(context, &crop, templ, &o, found_in_band, MOST, &found, NULL), XNCC_OK);
    for (size_t i = 0; i < found; i++) {
        const int32_t y = found_in_band[i].y + first;
        if (y >= from && y < to)
            result[count++] = (xncc_match){ found_in_band[i].x, y, found_in_band[i].score };
    }
    return count;
}

static void compare(xncc_context *context, const xncc_find_options *o, int32_t band)
{
    const xncc_image image = { .data = pixels, .width = WIDTH, .height = HEIGHT, .pixel = XNCC_U8 };
    xncc_image patch;
    xncc_template *templ = NULL;
    xncc_problem problem = XNCC_PROBLEM_INIT;
    size_t want = 0, count = 0, got = 9;
    problem.rule = o->rule;
    CHECK_STATUS(xncc_image_crop(&image, 20, 30, W, H, &patch, NULL), XNCC_OK);
    CHECK_STATUS(xncc_template_create(context, &patch, &templ, NULL), XNCC_OK);
    CHECK_STATUS(xncc_problem_set(&problem, &image, templ, NULL), XNCC_OK);
    CHECK_STATUS(xncc_find(context, &image, templ, o, whole, MOST, &want, NULL), XNCC_OK);
    for (int32_t y = 0; y <= HEIGHT - H; y += band)
        count += search_band(context, templ, o, y, y + band, candidate + count);
    /* in any order */
    for (size_t i = 0; i < count / 2; i += 2) {
        const xncc_match kept = candidate[i];
        candidate[i] = candidate[count - 1 - i];
        candidate[count - 1 - i] = kept;
    }
    CHECK_STATUS(xncc_join(&problem, &o->peaks, candidate, count, joined, MOST, &got, NULL),
                 XNCC_OK);
    CHECK_INT(got, want);
    CHECK(want > 0 && memcmp(whole, joined, want * sizeof *whole) == 0);
    xncc_template_destroy(templ);
}

static void check_lists(xncc_context *context)
{
    static const int32_t apart[] = { XNCC_AUTO, 1, 2, 5, 40 };
    static const xncc_method methods[] = { XNCC_CCOEFF_NORMED, XNCC_SQDIFF, XNCC_CCORR };
    static const int32_t bands[] = { 1, 2, 10, 37, 500 };
    static const size_t tops[] = { 1, 7, 300, XNCC_ALL };
    for (unsigned i = 0; i < 60; i++) {
        xncc_find_options o = XNCC_FIND_OPTIONS_INIT;
        fill(i, i % 3 ? 3 : 250);
        o.rule.method = methods[i % 3];
        o.peaks.min_distance = apart[i % 5];
        o.peaks.top = tops[i % 4];
        compare(context, &o, bands[i / 3 % 5]);
    }
}

static void check_refusals(void)
{
    xncc_error error;
    xncc_problem p = XNCC_PROBLEM_INIT;
    xncc_match one[2] = { { 5, 6, 0.5f }, { 70, 6, 0.25f } };
    size_t found = 9;
    p.image_width = WIDTH;
    p.image_height = HEIGHT;
    p.templ_width = W;
    p.templ_height = H;
    CHECK_STATUS(xncc_join(&p, NULL, one, 2, joined, 2, &found, &error), XNCC_OK);
    CHECK_INT(found, 2);
    CHECK_STATUS(xncc_join(&p, NULL, NULL, 0, joined, 2, &found, &error), XNCC_OK);
    CHECK_INT(found, 0);
    CHECK_STATUS(xncc_join(&p, NULL, one, 2, NULL, 0, &found, &error), XNCC_OK);
    CHECK_INT(found, 0);
    one[0].score = 0.0f; /* at the limit */
    CHECK_STATUS(xncc_join(&p, NULL, one, 2, joined, 2, &found, &error), XNCC_OK);
    CHECK_INT(found, 2);
    one[1].x = WIDTH - W + 1; /* one beyond the map */
    found = 9;
    CHECK_STATUS(xncc_join(&p, NULL, one, 2, joined, 2, &found, &error), XNCC_ERROR_ARGUMENT);
    CHECK_TEXT(error.text, "join: candidate 1 at (75, 6) is outside of the map");
    CHECK_INT(found, 0);
    p.rule.mode = XNCC_SAME; /* there the map begins above and to the left of the image */
    one[1].x = -W / 2;
    one[1].y = -H / 2;
    CHECK_STATUS(xncc_join(&p, NULL, one, 2, joined, 2, &found, &error), XNCC_OK);
    CHECK_INT(found, 2);
    CHECK(joined[0].x == -W / 2 && joined[0].y == -H / 2);
    CHECK_STATUS(xncc_join(NULL, NULL, one, 2, joined, 2, &found, &error), XNCC_ERROR_ARGUMENT);
    CHECK_STATUS(xncc_join(&p, NULL, NULL, 2, joined, 2, &found, &error), XNCC_ERROR_ARGUMENT);
    CHECK_STATUS(xncc_join(&p, NULL, one, 2, NULL, 2, &found, &error), XNCC_ERROR_ARGUMENT);
    CHECK_STATUS(xncc_join(&p, NULL, one, 2, joined, 2, NULL, &error), XNCC_ERROR_ARGUMENT);
    p.templ_width = 0;
    CHECK_STATUS(xncc_join(&p, NULL, one, 2, joined, 2, &found, &error), XNCC_ERROR_ARGUMENT);
}

int main(int argc, char **argv)
{
    xncc_context *context = NULL;
    xncc_context_options o = XNCC_CONTEXT_OPTIONS_INIT;
    kit_start(argc, argv);
    o.device = XNCC_DEVICE_CPU;
    if (xncc_context_create(&o, &context, NULL))
        kit_give_up("no context");
    check_lists(context);
    check_refusals();
    xncc_context_destroy(context);
    return kit_finish("join");
}
