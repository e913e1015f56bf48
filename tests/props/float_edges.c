/* SPDX-License-Identifier: BSD-2-Clause */
/* Windows of floats whose score is at the edge of two floats. A sample of the window is searched
 * by halving until its neighbour among the doubles leads to another float. There, every error of a
 * sum shows that a kernel takes for smaller than it is. */
#include "kit/oracle_general.h"

#include <math.h>
#include <string.h>

enum { MOST_KERNELS = 64 };

static xncc_context *context;
static const kit_room room = { 3, KIT_AFTER };

/* A template, and images that repeat a rectangle of `width` x `height` samples. */
typedef struct scene {
    kit_image templ, image;
    int32_t width, height, channels;
    xncc_method method;
} scene;

static void set_sample_of(scene *s, int32_t x, int32_t y, int32_t channel, double v)
{
    for (int32_t j = y; j < s->image.view.height; j += s->height)
        for (int32_t i = x; i < s->image.view.width; i += s->width)
            kit_sample_set(&s->image.view, i, j, channel, v);
}

static void set_sample(scene *s, int32_t x, int32_t y, double v)
{
    set_sample_of(s, x, y, 0, v);
}

/* Widths and heights: of the template, of what is repeated, and of the image. */
typedef struct sizes {
    int32_t templ[2], part[2], image[2];
} sizes;

static scene scene_of(xncc_method method, int32_t channels, sizes size)
{
    return (scene){
        .templ = kit_image_create_channels(XNCC_F64, channels, size.templ[0], size.templ[1], room),
        .image = kit_image_create_channels(XNCC_F64, channels, size.image[0], size.image[1], room),
        .width = size.part[0],
        .height = size.part[1],
        .channels = channels,
        .method = method
    };
}

static void scene_destroy(scene *s)
{
    kit_image_destroy(&s->templ);
    kit_image_destroy(&s->image);
}

/* A number within 0 .. 1 with all bits of a double. */
static double unit_number(kit_random *random)
{
    return ldexp((double)kit_below(random, UINT64_C(1) << 53), -53);
}

static void fill(scene *s, kit_random *random)
{
    for (int32_t c = 0; c < s->channels; c++) {
        for (int32_t y = 0; y < s->templ.view.height; y++)
            for (int32_t x = 0; x < s->templ.view.width; x++)
                kit_sample_set(&s->templ.view, x, y, c, unit_number(random));
        for (int32_t y = 0; y < s->height; y++)
            for (int32_t x = 0; x < s->width; x++)
                set_sample_of(s, x, y, c, unit_number(random));
    }
}

/* The score of the window at (x, y) by the oracle. */
static float score_at(const scene *s, int32_t x, int32_t y)
{
    const kit_options options = { .method = s->method };
    kit_image window = kit_image_create_channels(XNCC_F64, s->channels, s->templ.view.width,
                                                 s->templ.view.height, room);
    kit_image_copy(&window.view, &s->image.view, x, y);
    oracle_general oracle = oracle_general_make(&window.view, &s->templ.view, XNCC_VALID,
                                                XNCC_BORDER_CLAMP);
    const float score = oracle_exact(&oracle, &options, 0, 0);
    oracle_general_free(&oracle);
    kit_image_destroy(&window);
    return score;
}

/* Looks for the edge between two values of sample (0, 0), by the window at (0, 0). Leaves `edge[0]`
 * and `edge[1]`, neighbours among the doubles, on both sides of it. */
static void find_edge(scene *s, double from, double to, double edge[2])
{
    set_sample(s, 0, 0, from);
    const float first = score_at(s, 0, 0);
    edge[0] = from;
    edge[1] = to;
    set_sample(s, 0, 0, to);
    if (!CHECK(first != score_at(s, 0, 0)))
        return;
    while (nextafter(edge[0], edge[1]) != edge[1]) {
        const double middle = edge[0] + (edge[1] - edge[0]) / 2;
        set_sample(s, 0, 0, middle);
        edge[score_at(s, 0, 0) != first] = middle;
    }
}

/* Does the image repeat its rectangle whole times? */
static int goes_on(const scene *s)
{
    return s->image.view.width % s->width == 0 && s->image.view.height % s->height == 0;
}

/* With a border, a window within the image has the same score. Where the image goes on beyond its
 * edges, so have all windows like (0, 0): those, too, whose rows the border completes. */
static void check_border(const scene *s, const xncc_template *templ, const char *kernel,
                         const kit_map *valid, float want)
{
    const kit_options options = {
        .method = s->method, .mode = XNCC_SAME, .border = XNCC_BORDER_WRAP, .kernel = kernel
    };
    const int32_t x = s->templ.view.width / 2, y = s->templ.view.height / 2;
    kit_map same = kit_map_create(s->image.view.width, s->image.view.height, 1, KIT_AFTER);
    if (kit_correlate(context, &s->image.view, templ, &options, &same.view) != XNCC_OK)
        kit_give_up("%s: %s", kernel, kit_error.text);
    int equal = 1;
    for (int32_t j = 0; j < valid->view.height; j++)
        equal &= memcmp(kit_map_row(&same.view, j + y) + x, kit_map_row(&valid->view, j),
                        (size_t)valid->view.width * sizeof(float)) == 0;
    for (int32_t j = y % s->height; j < same.view.height && goes_on(s); j += s->height)
        for (int32_t i = x % s->width; i < same.view.width; i += s->width)
            equal &= memcmp(&kit_map_row(&same.view, j)[i], &want, sizeof want) == 0;
    if (!CHECK(equal))
        kit_fail(__FILE__, __LINE__, "border: %s, %s", xncc_method_name(s->method), kernel);
    kit_map_destroy(&same);
}

/* Every kernel must score the windows that are like (0, 0) as the oracle does, and all others as
 * the first kernel does. */
static void check_kernels(const scene *s, const char *what)
{
    xncc_template *templ = NULL;
    if (xncc_template_create(context, &s->templ.view, &templ, &kit_error) != XNCC_OK)
        kit_give_up("no template: %s", kit_error.text);
    const xncc_problem problem = kit_problem((xncc_problem){ .pixel = XNCC_F64,
                                                             .image_width = s->image.view.width,
                                                             .image_height = s->image.view.height,
                                                             .templ_width = s->templ.view.width,
                                                             .templ_height = s->templ.view.height,
                                                             .rule.method = s->method,
                                                             .channels = s->channels });
    const char *kernel[MOST_KERNELS];
    const size_t kernels = xncc_kernel_list(context, &problem, kernel, MOST_KERNELS);
    const float want = score_at(s, 0, 0);
    const int32_t width = s->image.view.width - s->templ.view.width + 1,
                  height = s->image.view.height - s->templ.view.height + 1;
    kit_map first = kit_map_create(width, height, 1, KIT_AFTER),
            map = kit_map_create(width, height, 1, KIT_AFTER);
    CHECK(kernels > 0);
    for (size_t k = 0, compared = 0; k < kernels; k++) {
        const kit_options options = { .method = s->method, .kernel = kernel[k] };
        kit_map *to = compared ? &map : &first;
        if (strcmp(kernel[k], "reference") == 0) /* slow, and no kernel of bounds */
            continue;
        if (kit_correlate(context, &s->image.view, templ, &options, &to->view) != XNCC_OK)
            kit_give_up("%s: %s", kernel[k], kit_error.text);
        int same = 1;
        for (int32_t y = 0; y < height; y++)
            for (int32_t x = 0; x < width; x++) {
                const float *got = &kit_map_row(&to->view, y)[x],
                            *expected = &kit_map_row(&first.view, y)[x];
                if (x % s->width == 0 && y % s->height == 0)
                    expected = &want;
                same &= memcmp(got, expected, sizeof want) == 0;
            }
        if (!CHECK(same))
            kit_fail(__FILE__, __LINE__, "%s: %s, %s", what, xncc_method_name(s->method),
                     kernel[k]);
        if (s->channels == 3 || goes_on(s))
            check_border(s, templ, kernel[k], to, want);
        compared++;
    }
    kit_map_destroy(&first);
    kit_map_destroy(&map);
    xncc_template_destroy(templ);
}

/* Both sides of the edge, or only the one with that number, so far away from it. */
static void check_sides(scene *s, double from, double to, double away, int only, const char *what)
{
    double edge[2];
    find_edge(s, from, to, edge);
    for (int side = 0; side < 2; side++) {
        if (only >= 0 && side != only)
            continue;
        set_sample(s, 0, 0, edge[side] + (edge[side] < edge[1 - side] ? -away : away));
        check_kernels(s, what);
    }
}

static void check_edge(scene *s, double from, double to, const char *what)
{
    check_sides(s, from, to, 0.0, -1, what);
}

/* The window of a large sum, and of products below half a unit in its last place that follow. If
 * they are added to it one by one, they are all lost. */
static void check_absorbed(void)
{
    enum { WIDTH = 512, HEIGHT = 16, LARGE = 32 };
    scene s = scene_of(
        XNCC_CCORR_NORMED, 1,
        (sizes){ { WIDTH, HEIGHT }, { WIDTH, HEIGHT }, { WIDTH + 200, HEIGHT + 5 } });
    for (int32_t y = 0; y < HEIGHT; y++)
        for (int32_t x = 0; x < WIDTH; x++) {
            const int large = y == 0 && x < LARGE;
            kit_sample_set(&s.templ.view, x, y, 0, large ? 1.0 : 0.98 * 0x1p-27);
            set_sample(&s, x, y, large ? 1.0 : 0x1p-26);
        }
    check_edge(&s, 2.0, 2.001, "absorbed");
    scene_destroy(&s);
}

/* Single windows, and some in a picture that repeats itself. The oracle is slow. */
static void check_pictures(xncc_method method, int32_t channels)
{
    const uint64_t seeds = channels > 3 ? 1 : channels == 1 && !kit_shortest() ? 12 : 3;
    for (uint64_t seed = 0; seed < seeds; seed++) {
        kit_random random = kit_stream(1000 + 100 * (uint64_t)method + seed);
        const sizes single = { { 24, 21 }, { 64, 64 }, { 60, 50 } },
                    some = { { 24, 21 }, { 32, 24 }, { 64, 48 } };
        scene s = scene_of(method, channels, seed % 3 == 2 || channels > 3 ? some : single);
        fill(&s, &random);
        check_edge(&s, 0.5, 1.0, "picture");
        scene_destroy(&s);
    }
}

/* So many windows of that kind, side by side, that transforms settle all at once: at the edge, and
 * where the bound of a transform does not tell, but a smaller one does. With three channels, that
 * is so at the second distance for two of the methods, and at the third one for the other. */
static void check_many(xncc_method method, int32_t channels)
{
    static const double away[2][5] = { { 0.0, 1e-13, 5e-13, 2e-12, 1.05e-12 },
                                       { 0.0, 5e-13, 8.5e-13 } };
    const int several = channels > 1;
    for (size_t i = 0; i < (several ? 3 : 5); i += kit_shortest() ? 4 : 1) {
        kit_random random = kit_stream(1900 + 100 * (uint64_t)method + (several ? 0 : i));
        scene s = scene_of(method, channels, (sizes){ { 64, 64 }, { 4, 4 }, { 260, 200 } });
        fill(&s, &random);
        /* the shortest runs take one side each, and both come up */
        const int only = kit_shortest() ? several : -1;
        check_sides(&s, 0.5, 1.0, away[several][i], only, "many");
        scene_destroy(&s);
    }
}

int main(int argc, char **argv)
{
    static const xncc_method methods[] = { XNCC_CCOEFF_NORMED, XNCC_CCORR_NORMED,
                                           XNCC_SQDIFF_NORMED };
    kit_start(argc, argv);
    context = kit_context(kit_device_option(argc, argv), 2);
    check_absorbed();
    const size_t count = kit_short() ? 1 : sizeof methods / sizeof *methods;
    for (size_t i = 0; i < count; i++) {
        for (int32_t channels = 1; channels <= 3; channels += 2) {
            check_pictures(methods[i], channels);
            check_many(methods[i], channels);
        }
        check_pictures(methods[i], 6); /* more than are transformed at a time */
    }
    xncc_context_destroy(context);
    return kit_finish("float_edges");
}
