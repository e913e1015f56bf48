/* SPDX-License-Identifier: BSD-2-Clause */
/* Sub-pixel positions: the fit on known surfaces, the scores around a match against those of the
 * whole map, and known shifts. */
#include "peaks/subpixel.h"

#include "unit/refine_all.h"

#include <math.h>
#include <stdio.h>

static int near(double got, double want, double bound_margin)
{
    if (fabs(got - want) <= bound_margin)
        return CHECK(1);
    kit_fail(__FILE__, __LINE__, "%.12g, not %.12g within %g", got, want, bound_margin);
    return 0;
}

/* top - (a x^2 + b y^2 + 2 m x y) / 2 around (px, py); exact in a float for the values used. */
static xncc_fit_scores surface(double a, double b, double m, double px, double py)
{
    xncc_fit_scores s;
    for (int i = 0; i < 9; i++) {
        const double x = i % 3 - 1 - px, y = i / 3 - 1 - py;
        s.s[i / 3][i % 3] = (float)(4.0 - (a * x * x + b * y * y + 2 * m * x * y) / 2);
    }
    return s;
}

static xncc_fit_scores negated(xncc_fit_scores s)
{
    for (int i = 0; i < 9; i++)
        s.s[i / 3][i % 3] = -s.s[i / 3][i % 3];
    return s;
}

static void check_fit(const xncc_fit_scores *s, double dx, double dy, double score)
{
    const xncc_fit up = xncc_fit_peak(s, 0);
    near(up.dx, dx, 1e-12);
    near(up.dy, dy, 1e-12);
    near(up.score, score, 1e-12);
    const xncc_fit_scores turned = negated(*s);
    const xncc_fit down = xncc_fit_peak(&turned, 1);
    CHECK(down.dx == up.dx && down.dy == up.dy && down.score == -up.score);
}

static void check_surfaces(void)
{
    static const double bend[][3] = {
        { 1, 1, 0 }, { 1, 2, 0.5 }, { 2, 1, -0.75 }, { 1, 0.5, 0.25 }
    };
    for (int k = 0; k < 4; k++)
        for (int i = 0; i < 81; i++) {
            const double px = (i % 9 - 4) / 32.0, py = (i / 9 - 4) / 32.0;
            const xncc_fit_scores s = surface(bend[k][0], bend[k][1], bend[k][2], px, py);
            check_fit(&s, px, py, 4.0);
        }
}

/* Where the surface cannot be fitted, each axis is fitted by itself. */
static void check_fallbacks(void)
{
    xncc_fit_scores s = surface(1, 1, 0.5, 0.25, -0.125), t = s;
    const double dx = -((double)s.s[1][2] - (double)s.s[1][0]) / 2 / -1.0;
    const double dy = -((double)s.s[2][1] - (double)s.s[0][1]) / 2 / -1.0;
    s.s[0][2] = NAN; /* a missing corner: both axes remain, without their cross term */
    check_fit(&s, dx, dy, (double)s.s[1][1] + (dx * dx + dy * dy) / 2);
    for (int i = 0; i < 3; i++)
        s.s[i][0] = NAN; /* the map's left edge */
    check_fit(&s, 0, dy, (double)s.s[1][1] + dy * dy / 2);
    for (int i = 0; i < 3; i++)
        s.s[2][i] = NAN; /* the map's corner */
    check_fit(&s, 0, 0, (double)s.s[1][1]);
    t.s[2][2] = 5.0f; /* a better neighbour at a corner */
    check_fit(&t, dx, dy, (double)t.s[1][1] + (dx * dx + dy * dy) / 2);
    t.s[1][2] = 5.0f; /* no peak along x */
    check_fit(&t, 0, dy, (double)t.s[1][1] + dy * dy / 2);
    t.s[1][2] = INFINITY;
    check_fit(&t, 0, dy, (double)t.s[1][1] + dy * dy / 2);
    /* A saddle between the axes, and a ridge whose peak is far away. */
    const xncc_fit_scores saddle = { { { 0, 3, 4 }, { 3, 4, 3 }, { 4, 3, 0 } } };
    check_fit(&saddle, 0, 0, 4);
    const xncc_fit_scores ridge = {
        { { 0, 3, 3.875f }, { 3, 4, 3.125f }, { 3.9375f, 2.9375f, 0 } }
    };
    const xncc_fit fit = xncc_fit_peak(&ridge, 0);
    CHECK(fabs(fit.dx) <= 0.5 && fabs(fit.dy) <= 0.5);
}

static void check_plateaus(void)
{
    xncc_fit_scores s;
    for (int i = 0; i < 9; i++)
        s.s[i / 3][i % 3] = 0.75f;
    check_fit(&s, 0, 0, 0.75);
    for (int i = 0; i < 3; i++)
        s.s[2][i] = 0.5f; /* two rows share the peak: it is between them */
    check_fit(&s, 0, -0.5, 0.75 + 0.0625 / 2);
    s.s[1][1] = NAN;
    const xncc_fit none = xncc_fit_peak(&s, 0);
    CHECK(none.dx == 0 && none.dy == 0 && isnan(none.score));
}

static void check_one(const xncc_map *map, const xncc_match *match, int32_t x, int32_t y,
                      const xncc_refined *got, const kit_find_options *o)
{
    xncc_fit_scores s;
    for (int i = 0; i < 9; i++) {
        const int32_t mx = x + i % 3 - 1, my = y + i / 3 - 1;
        const int there = mx >= 0 && mx < map->width && my >= 0 && my < map->height;
        s.s[i / 3][i % 3] = there ? kit_map_row(map, my)[mx] : NAN;
    }
    const xncc_fit want = xncc_fit_peak(&s, xncc_method_is_distance(o->method));
    const double score = isnan(want.score) ? (double)match->score : want.score;
    if (!CHECK(got->x == match->x + want.dx && got->y == match->y + want.dy && got->score == score))
        kit_fail(__FILE__, __LINE__,
                 "%s mode %d border %d at (%d, %d): %.9g %.9g %.9g, not %.9g %.9g %.9g",
                 xncc_method_name(o->method), (int)o->mode, (int)o->border, match->x, match->y,
                 got->x, got->y, got->score, match->x + want.dx, match->y + want.dy, score);
}

/* The whole map is computed by `context` itself, not necessarily by the CPU; every kernel has the
 * same bits. */
void check_against_map(xncc_context *context, const xncc_image *scene, const xncc_image *templ,
                       const kit_find_options *o)
{
    enum { MOST = 512 };
    xncc_template *prepared = NULL;
    int32_t width, height, x0, y0;
    xncc_match match[MOST];
    xncc_refined got[MOST];
    CHECK_STATUS(xncc_template_create(context, templ, &prepared, &kit_error), XNCC_OK);
    CHECK_STATUS(kit_map_extent(o->mode, scene->width, scene->height, templ->width, templ->height,
                                &width, &height, &x0, &y0),
                 XNCC_OK);
    const int32_t count = width * height;
    kit_map map = kit_map_create(width, height, 0, KIT_AFTER);
    const kit_options whole = { .method = o->method,
                                .mode = o->mode,
                                .border = o->border,
                                .flat = XNCC_FLAT_NAN,
                                .min_valid = o->min_valid };
    CHECK_STATUS(kit_correlate(context, scene, prepared, &whole, &map.view), XNCC_OK);
    if (count > MOST)
        kit_give_up("a map of %d", count);
    for (int32_t i = 0; i < count; i++)
        match[i] = (xncc_match){ i % width + x0, i / width + y0, 0.25f };
    CHECK_STATUS(kit_refine(context, scene, prepared, o, match, (size_t)count, got), XNCC_OK);
    for (int32_t i = 0; i < count; i++)
        check_one(&map.view, &match[i], i % width, i / width, &got[i], o);
    kit_map_destroy(&map);
    xncc_template_destroy(prepared);
}

static void check_maps(xncc_context *context)
{
    static const int32_t size[][4] = {
        { 12, 9, 4, 3 }, { 9, 12, 5, 6 }, { 6, 6, 6, 5 }, { 5, 5, 5, 5 }, { 3, 2, 1, 1 }
    };
    kit_random random = kit_stream(1);
    for (int k = 0; k < 5 * 6 * 2 * 2; k++) {
        const int32_t *z = size[k % 5];
        const xncc_pixel pixel = k / 60 ? XNCC_U16 : XNCC_U8;
        const kit_find_options o = { .method = (xncc_method)(k / 5 % 6),
                                     .mode = k / 30 % 2 ? XNCC_SAME : XNCC_VALID };
        kit_image scene = kit_image_create(pixel, z[0], z[1], 3, KIT_AFTER);
        kit_image templ = kit_image_create(pixel, z[2], z[3], 0, KIT_BEFORE);
        kit_image_fill(&scene.view, k % 7 ? KIT_NOISE : KIT_BLOCKS,
                       &random); /* blocks have flat windows */
        kit_image_fill(&templ.view, KIT_NOISE, &random);
        check_against_map(context, &scene.view, &templ.view, &o);
        kit_image_destroy(&scene);
        kit_image_destroy(&templ);
    }
    /* A template larger than its scene, which mode same allows. */
    kit_image scene = kit_image_create(XNCC_U8, 4, 5, 0, KIT_AFTER),
              templ = kit_image_create(XNCC_U8, 9, 8, 0, KIT_AFTER);
    kit_image_fill(&scene.view, KIT_NOISE, &random);
    kit_image_fill(&templ.view, KIT_NOISE, &random);
    check_against_map(context, &scene.view, &templ.view, &(kit_find_options){ .mode = XNCC_SAME });
    kit_image_destroy(&scene);
    kit_image_destroy(&templ);
}

/* Two slanted blobs, wide compared with the pixels, sampled at a shift. Since the scene is a
 * function, its true shift is known. */
static void blobs(const xncc_image *image, double shift_x, double shift_y)
{
    for (int32_t y = 0; y < image->height; y++)
        for (int32_t x = 0; x < image->width; x++) {
            const double u = x - 29.0 - shift_x, v = y - 28.0 - shift_y, w = u - 7.0, z = v + 6.0;
            const double one = exp(-(u * u + v * v + u * v) / 18.0),
                         two = exp(-(w * w + z * z - w * z) / 14.0);
            kit_pixel_set(image, x, y, floor(20.0 + 130.0 * one + 90.0 * two + 0.5));
        }
}

static void check_shifts(xncc_context *context, xncc_method method, double most)
{
    enum { SIDE = 64, PART = 32, SHIFTS = 100 };
    kit_random random = kit_stream(2);
    kit_image scene = kit_image_create(XNCC_U8, SIDE, SIDE, 0, KIT_AFTER),
              templ = { .view = { .data = NULL } };
    xncc_template *prepared = NULL;
    double sum = 0, worst = 0;
    blobs(&scene.view, 0, 0);
    CHECK_STATUS(xncc_image_crop(&scene.view, 14, 12, PART, PART, &templ.view, &kit_error),
                 XNCC_OK);
    CHECK_STATUS(xncc_template_create(context, &templ.view, &prepared, &kit_error), XNCC_OK);
    for (int i = 0; i < SHIFTS; i++) {
        const double dx = (double)kit_below(&random, 4001) / 1000.0 - 2.0,
                     dy = (double)kit_below(&random, 4001) / 1000.0 - 2.0;
        const kit_find_options o = { .method = method, .min_score = -INFINITY, .top = 1 };
        xncc_match match;
        xncc_refined refined = { 0, 0, 0 };
        size_t found = 0;
        blobs(&scene.view, dx, dy);
        CHECK_STATUS(kit_find(context, &scene.view, prepared, &o, &match, 1, &found), XNCC_OK);
        CHECK_INT(found, 1);
        CHECK_STATUS(kit_refine(context, &scene.view, prepared, &o, &match, found, &refined),
                     XNCC_OK);
        const double error = hypot(refined.x - 14 - dx, refined.y - 12 - dy);
        sum += error;
        worst = error > worst ? error : worst;
    }
    printf("%s: %d shifts, mean error %.4f pixels, worst %.4f\n", xncc_method_name(method), SHIFTS,
           sum / SHIFTS, worst);
    if (!CHECK(worst <= most))
        kit_fail(__FILE__, __LINE__, "%s: the worst error is %.4f pixels, more than %.4f",
                 xncc_method_name(method), worst, most);
    xncc_template_destroy(prepared);
    kit_image_destroy(&scene);
}

static void check_refusals(xncc_context *context)
{
    kit_random random = kit_stream(3);
    kit_image scene = kit_image_create(XNCC_U8, 20, 10, 0, KIT_AFTER),
              deep = kit_image_create(XNCC_U16, 20, 10, 0, KIT_AFTER);
    kit_image_fill(&scene.view, KIT_NOISE, &random);
    xncc_image pixels;
    xncc_template *templ = NULL;
    xncc_refined refined;
    CHECK_STATUS(xncc_image_crop(&scene.view, 0, 0, 8, 4, &pixels, &kit_error), XNCC_OK);
    CHECK_STATUS(xncc_template_create(context, &pixels, &templ, &kit_error), XNCC_OK);
    const xncc_match good = { 12, 6, 1 }, right = { 13, 6, 1 }, above = { 0, -1, 1 };
    CHECK_STATUS(kit_refine(context, &scene.view, templ, NULL, &good, 1, &refined), XNCC_OK);
    CHECK_STATUS(kit_refine(context, &scene.view, templ, NULL, NULL, 0, NULL), XNCC_OK);
    CHECK_STATUS(kit_refine(context, &scene.view, templ, NULL, &right, 1, &refined),
                 XNCC_ERROR_ARGUMENT);
    CHECK_TEXT(kit_error.text,
               "refine: (13, 6) is not a position of a 8 x 4 template in a 20 x 10 image; pass "
               "matches of this image, "
               "template and mode");
    CHECK_STATUS(kit_refine(context, &scene.view, templ, NULL, &above, 1, &refined),
                 XNCC_ERROR_ARGUMENT);
    CHECK_STATUS(kit_refine(context, &deep.view, templ, NULL, &good, 1, &refined),
                 XNCC_ERROR_ARGUMENT);
    CHECK_STATUS(kit_refine(context, &scene.view, templ, NULL, &good, 1, NULL),
                 XNCC_ERROR_ARGUMENT);
    CHECK_STATUS(kit_refine(context, &scene.view, NULL, NULL, &good, 1, &refined),
                 XNCC_ERROR_ARGUMENT);
    CHECK_STATUS(kit_refine(context, NULL, templ, NULL, &good, 1, &refined), XNCC_ERROR_ARGUMENT);
    CHECK_STATUS(kit_refine(NULL, &scene.view, templ, NULL, &good, 1, &refined),
                 XNCC_ERROR_ARGUMENT);
    CHECK_STATUS(kit_refine(context, &scene.view, templ,
                            &(kit_find_options){ .mode = (xncc_mode)99 }, &good, 1, &refined),
                 XNCC_ERROR_ARGUMENT);
    CHECK_STATUS(kit_refine(context, &scene.view, templ,
                            &(kit_find_options){ .method = (xncc_method)99 }, &good, 1, &refined),
                 XNCC_ERROR_ARGUMENT);
    CHECK(kit_error.text[0] != 0);
    xncc_template_destroy(templ);
    kit_image_destroy(&scene);
    kit_image_destroy(&deep);
}

/* A stream orders the copies of an image in device memory. One in host memory needs none, so that
 * even an address without a stream does no harm. */
static void check_stream(xncc_context *context)
{
    kit_random random = kit_stream(4);
    kit_image scene = kit_image_create(XNCC_U8, 20, 10, 0, KIT_AFTER);
    kit_image_fill(&scene.view, KIT_NOISE, &random);
    xncc_image pixels;
    xncc_template *templ = NULL;
    xncc_refined plain = { 0, 0, 0 }, refined = { 1, 1, 1 };
    const xncc_match match = { 5, 3, 1 };
    CHECK_STATUS(xncc_image_crop(&scene.view, 5, 3, 8, 4, &pixels, &kit_error), XNCC_OK);
    CHECK_STATUS(xncc_template_create(context, &pixels, &templ, &kit_error), XNCC_OK);
    CHECK_STATUS(kit_refine(context, &scene.view, templ, NULL, &match, 1, &plain), XNCC_OK);
    CHECK_STATUS(xncc_refine_on_stream(context, &scene.view, templ, NULL, &match, 1, &refined,
                                       (xncc_stream)(void *)&scene, &kit_error),
                 XNCC_OK);
    CHECK(refined.x == plain.x && refined.y == plain.y && refined.score == plain.score);
    xncc_template_destroy(templ);
    kit_image_destroy(&scene);
}

int main(int argc, char **argv)
{
    kit_start(argc, argv);
    xncc_context *context = kit_context(kit_device_option(argc, argv), 0);
    check_surfaces();
    check_fallbacks();
    check_plateaus();
    check_maps(context);
    check_every_problem(context, kit_device_option(argc, argv) == XNCC_DEVICE_CUDA);
    check_shifts(context, XNCC_CCOEFF_NORMED, 0.02);
    check_shifts(context, XNCC_SQDIFF, 0.02);
    check_refusals(context);
    check_stream(context);
    xncc_context_destroy(context);
    return kit_finish("refine");
}
