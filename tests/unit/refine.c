/* Sub-pixel positions: the fit on surfaces that are known, the scores around a match against the whole map, shifts with
 * known truth. */
#include "peaks/fit.h"

#include "unit/refine_all.h"

#include <math.h>
#include <stdio.h>

static int near(double got, double want, double slack)
{
    if (fabs(got - want) <= slack)
        return CHECK(1);
    kit_fail(__FILE__, __LINE__, "%.12g, not %.12g within %g", got, want, slack);
    return 0;
}

/* top - (a x^2 + b y^2 + 2 m x y) / 2 around (px, py); exact in a float for the values used. */
static cm_fit_scores surface(double a, double b, double m, double px, double py)
{
    cm_fit_scores s;
    for (int i = 0; i < 9; i++) {
        const double x = i % 3 - 1 - px, y = i / 3 - 1 - py;
        s.s[i / 3][i % 3] = (float)(4.0 - (a * x * x + b * y * y + 2 * m * x * y) / 2);
    }
    return s;
}

static cm_fit_scores negated(cm_fit_scores s)
{
    for (int i = 0; i < 9; i++)
        s.s[i / 3][i % 3] = -s.s[i / 3][i % 3];
    return s;
}

static void check_fit(const cm_fit_scores *s, double dx, double dy, double score)
{
    const cm_fit up = cm_fit_peak(s, 0);
    near(up.dx, dx, 1e-12);
    near(up.dy, dy, 1e-12);
    near(up.score, score, 1e-12);
    const cm_fit_scores turned = negated(*s);
    const cm_fit down = cm_fit_peak(&turned, 1);
    CHECK(down.dx == up.dx && down.dy == up.dy && down.score == -up.score);
}

static void check_surfaces(void)
{
    static const double bend[][3] = { { 1, 1, 0 }, { 1, 2, 0.5 }, { 2, 1, -0.75 }, { 1, 0.5, 0.25 } };
    for (int k = 0; k < 4; k++)
        for (int i = 0; i < 81; i++) {
            const double px = (i % 9 - 4) / 32.0, py = (i / 9 - 4) / 32.0;
            const cm_fit_scores s = surface(bend[k][0], bend[k][1], bend[k][2], px, py);
            check_fit(&s, px, py, 4.0);
        }
}

/* Where the surface is not to be had, each axis by itself. */
static void check_fallbacks(void)
{
    cm_fit_scores s = surface(1, 1, 0.5, 0.25, -0.125), t = s;
    const double dx = -((double)s.s[1][2] - (double)s.s[1][0]) / 2 / -1.0;
    const double dy = -((double)s.s[2][1] - (double)s.s[0][1]) / 2 / -1.0;
    s.s[0][2] = NAN; /* a corner: both axes are left, without their cross term */
    check_fit(&s, dx, dy, (double)s.s[1][1] + (dx * dx + dy * dy) / 2);
    for (int i = 0; i < 3; i++)
        s.s[i][0] = NAN; /* the map's left edge */
    check_fit(&s, 0, dy, (double)s.s[1][1] + dy * dy / 2);
    for (int i = 0; i < 3; i++)
        s.s[2][i] = NAN; /* its corner */
    check_fit(&s, 0, 0, (double)s.s[1][1]);
    t.s[2][2] = 5.0f; /* a better neighbour at a corner */
    check_fit(&t, dx, dy, (double)t.s[1][1] + (dx * dx + dy * dy) / 2);
    t.s[1][2] = 5.0f; /* no peak along x */
    check_fit(&t, 0, dy, (double)t.s[1][1] + dy * dy / 2);
    t.s[1][2] = INFINITY;
    check_fit(&t, 0, dy, (double)t.s[1][1] + dy * dy / 2);
    /* A saddle between the axes, and a ridge whose peak lies far away. */
    const cm_fit_scores saddle = { { { 0, 3, 4 }, { 3, 4, 3 }, { 4, 3, 0 } } };
    check_fit(&saddle, 0, 0, 4);
    const cm_fit_scores ridge = { { { 0, 3, 3.875f }, { 3, 4, 3.125f }, { 3.9375f, 2.9375f, 0 } } };
    const cm_fit fit = cm_fit_peak(&ridge, 0);
    CHECK(fabs(fit.dx) <= 0.5 && fabs(fit.dy) <= 0.5);
}

static void check_plateaus(void)
{
    cm_fit_scores s;
    for (int i = 0; i < 9; i++)
        s.s[i / 3][i % 3] = 0.75f;
    check_fit(&s, 0, 0, 0.75);
    for (int i = 0; i < 3; i++)
        s.s[2][i] = 0.5f; /* two rows share the peak: it lies between them */
    check_fit(&s, 0, -0.5, 0.75 + 0.0625 / 2);
    s.s[1][1] = NAN;
    const cm_fit none = cm_fit_peak(&s, 0);
    CHECK(none.dx == 0 && none.dy == 0 && isnan(none.score));
}

static void check_one(const cm_map *map, const cm_match *match, int32_t x, int32_t y, const cm_refined *got,
                      const cm_find_options *o)
{
    cm_fit_scores s;
    for (int i = 0; i < 9; i++) {
        const int32_t mx = x + i % 3 - 1, my = y + i / 3 - 1;
        const int there = mx >= 0 && mx < map->width && my >= 0 && my < map->height;
        s.s[i / 3][i % 3] = there ? kit_map_row(map, my)[mx] : NAN;
    }
    const cm_fit want = cm_fit_peak(&s, cm_method_is_distance(o->method));
    const double score = isnan(want.score) ? (double)match->score : want.score;
    if (!CHECK(got->x == match->x + want.dx && got->y == match->y + want.dy && got->score == score))
        kit_fail(__FILE__, __LINE__, "%s mode %d border %d at (%d, %d): %.9g %.9g %.9g, not %.9g %.9g %.9g",
                 cm_method_name(o->method), (int)o->mode, (int)o->border, match->x, match->y, got->x, got->y, got->score,
                 match->x + want.dx, match->y + want.dy, score);
}

/* The whole map is that of `context` itself, so that it need not be the CPU's; a kernel has the same bits everywhere. */
void check_against_map(cm_context *context, const cm_image *scene, const cm_image *part, const cm_find_options *o)
{
    enum { MOST = 512 };
    cm_template *prepared = NULL;
    int32_t width, height, x0, y0;
    cm_match match[MOST];
    cm_refined got[MOST];
    CHECK_STATUS(cm_template_create(context, part, &prepared), CM_OK);
    CHECK_STATUS(cm_map_extent(o->mode, scene->width, scene->height, part->width, part->height, &width, &height, &x0,
                               &y0),
                 CM_OK);
    const int32_t count = width * height;
    kit_map map = kit_map_create(width, height, 0, KIT_AFTER);
    const cm_options whole = { .method = o->method, .mode = o->mode, .border = o->border, .flat = CM_FLAT_NAN,
                               .min_valid = o->min_valid };
    CHECK_STATUS(cm_correlate(context, scene, prepared, &whole, &map.view), CM_OK);
    if (count > MOST)
        kit_give_up("a map of %d", count);
    for (int32_t i = 0; i < count; i++)
        match[i] = (cm_match){ i % width + x0, i / width + y0, 0.25f };
    CHECK_STATUS(cm_refine(context, scene, prepared, o, match, (size_t)count, got), CM_OK);
    for (int32_t i = 0; i < count; i++)
        check_one(&map.view, &match[i], i % width, i / width, &got[i], o);
    kit_map_destroy(&map);
    cm_template_destroy(prepared);
}

static void check_maps(cm_context *context)
{
    static const int32_t size[][4] = {
        { 12, 9, 4, 3 }, { 9, 12, 5, 6 }, { 6, 6, 6, 5 }, { 5, 5, 5, 5 }, { 3, 2, 1, 1 }
    };
    kit_random random = kit_stream(1);
    for (int k = 0; k < 5 * 6 * 2 * 2; k++) {
        const int32_t *z = size[k % 5];
        const cm_pixel pixel = k / 60 ? CM_U16 : CM_U8;
        const cm_find_options o = { .method = (cm_method)(k / 5 % 6), .mode = k / 30 % 2 ? CM_SAME : CM_VALID };
        kit_image scene = kit_image_create(pixel, z[0], z[1], 3, KIT_AFTER);
        kit_image part = kit_image_create(pixel, z[2], z[3], 0, KIT_BEFORE);
        kit_image_fill(&scene.view, k % 7 ? KIT_NOISE : KIT_BLOCKS, &random); /* blocks have flat windows */
        kit_image_fill(&part.view, KIT_NOISE, &random);
        check_against_map(context, &scene.view, &part.view, &o);
        kit_image_destroy(&scene);
        kit_image_destroy(&part);
    }
    /* A template larger than its scene, which mode same allows. */
    kit_image scene = kit_image_create(CM_U8, 4, 5, 0, KIT_AFTER), part = kit_image_create(CM_U8, 9, 8, 0, KIT_AFTER);
    kit_image_fill(&scene.view, KIT_NOISE, &random);
    kit_image_fill(&part.view, KIT_NOISE, &random);
    check_against_map(context, &scene.view, &part.view, &(cm_find_options){ .mode = CM_SAME });
    kit_image_destroy(&scene);
    kit_image_destroy(&part);
}

/* Two slanted blobs, wide enough for the pixels, sampled at a shift: what the scene is made of is known everywhere. */
static void blobs(const cm_image *image, double shift_x, double shift_y)
{
    for (int32_t y = 0; y < image->height; y++)
        for (int32_t x = 0; x < image->width; x++) {
            const double u = x - 29.0 - shift_x, v = y - 28.0 - shift_y, w = u - 7.0, z = v + 6.0;
            const double one = exp(-(u * u + v * v + u * v) / 18.0), two = exp(-(w * w + z * z - w * z) / 14.0);
            kit_pixel_set(image, x, y, floor(20.0 + 130.0 * one + 90.0 * two + 0.5));
        }
}

static void check_shifts(cm_context *context, cm_method method, double most)
{
    enum { SIDE = 64, PART = 32, SHIFTS = 100 };
    kit_random random = kit_stream(2);
    kit_image scene = kit_image_create(CM_U8, SIDE, SIDE, 0, KIT_AFTER), part = { .view = { .data = NULL } };
    cm_template *prepared = NULL;
    double sum = 0, worst = 0;
    blobs(&scene.view, 0, 0);
    CHECK_STATUS(cm_image_crop(&scene.view, 14, 12, PART, PART, &part.view), CM_OK);
    CHECK_STATUS(cm_template_create(context, &part.view, &prepared), CM_OK);
    for (int i = 0; i < SHIFTS; i++) {
        const double dx = (double)kit_below(&random, 4001) / 1000.0 - 2.0,
                     dy = (double)kit_below(&random, 4001) / 1000.0 - 2.0;
        const cm_find_options o = { .method = method, .min_score = -INFINITY, .top = 1 };
        cm_match match;
        cm_refined refined = { 0, 0, 0 };
        size_t found = 0;
        blobs(&scene.view, dx, dy);
        CHECK_STATUS(cm_find(context, &scene.view, prepared, &o, &match, 1, &found), CM_OK);
        CHECK_INT(found, 1);
        CHECK_STATUS(cm_refine(context, &scene.view, prepared, &o, &match, found, &refined), CM_OK);
        const double error = hypot(refined.x - 14 - dx, refined.y - 12 - dy);
        sum += error;
        worst = error > worst ? error : worst;
    }
    printf("%s: %d shifts, mean error %.4f pixels, worst %.4f\n", cm_method_name(method), SHIFTS, sum / SHIFTS, worst);
    if (!CHECK(worst <= most))
        kit_fail(__FILE__, __LINE__, "%s: the worst error is %.4f pixels, more than %.4f", cm_method_name(method),
                 worst, most);
    cm_template_destroy(prepared);
    kit_image_destroy(&scene);
}

static void check_refusals(cm_context *context)
{
    kit_random random = kit_stream(3);
    kit_image scene = kit_image_create(CM_U8, 20, 10, 0, KIT_AFTER),
              deep = kit_image_create(CM_U16, 20, 10, 0, KIT_AFTER);
    kit_image_fill(&scene.view, KIT_NOISE, &random);
    cm_image pixels;
    cm_template *part = NULL;
    cm_refined refined;
    char text[CM_ERROR_SIZE];
    CHECK_STATUS(cm_image_crop(&scene.view, 0, 0, 8, 4, &pixels), CM_OK);
    CHECK_STATUS(cm_template_create(context, &pixels, &part), CM_OK);
    const cm_match good = { 12, 6, 1 }, right = { 13, 6, 1 }, above = { 0, -1, 1 };
    CHECK_STATUS(cm_refine(context, &scene.view, part, NULL, &good, 1, &refined), CM_OK);
    CHECK_STATUS(cm_refine(context, &scene.view, part, NULL, NULL, 0, NULL), CM_OK);
    CHECK_STATUS(cm_refine(context, &scene.view, part, NULL, &right, 1, &refined), CM_ERROR_ARGUMENT);
    CHECK_TEXT(cm_context_error(context, text, sizeof text),
               "refine: (13, 6) is no position of a 8 x 4 template in a 20 x 10 image; give matches of this image, "
               "template and mode");
    CHECK_STATUS(cm_refine(context, &scene.view, part, NULL, &above, 1, &refined), CM_ERROR_ARGUMENT);
    CHECK_STATUS(cm_refine(context, &deep.view, part, NULL, &good, 1, &refined), CM_ERROR_ARGUMENT);
    CHECK_STATUS(cm_refine(context, &scene.view, part, NULL, &good, 1, NULL), CM_ERROR_ARGUMENT);
    CHECK_STATUS(cm_refine(context, &scene.view, NULL, NULL, &good, 1, &refined), CM_ERROR_ARGUMENT);
    CHECK_STATUS(cm_refine(context, NULL, part, NULL, &good, 1, &refined), CM_ERROR_ARGUMENT);
    CHECK_STATUS(cm_refine(NULL, &scene.view, part, NULL, &good, 1, &refined), CM_ERROR_ARGUMENT);
    CHECK_STATUS(cm_refine(context, &scene.view, part, &(cm_find_options){ .mode = (cm_mode)99 }, &good, 1, &refined),
                 CM_ERROR_ARGUMENT);
    CHECK_STATUS(
        cm_refine(context, &scene.view, part, &(cm_find_options){ .method = (cm_method)99 }, &good, 1, &refined),
        CM_ERROR_ARGUMENT);
    CHECK(cm_context_error(context, text, sizeof text)[0] != 0);
    cm_template_destroy(part);
    kit_image_destroy(&scene);
    kit_image_destroy(&deep);
}

int main(int argc, char **argv)
{
    kit_start(argc, argv);
    cm_context *context = kit_context(kit_device_option(argc, argv), 0);
    check_surfaces();
    check_fallbacks();
    check_plateaus();
    check_maps(context);
    check_every_problem(context, kit_device_option(argc, argv) == CM_DEVICE_CUDA);
    check_shifts(context, CM_CCOEFF_NORMED, 0.02);
    check_shifts(context, CM_SQDIFF, 0.02);
    check_refusals(context);
    cm_context_destroy(context);
    return kit_finish("refine");
}
