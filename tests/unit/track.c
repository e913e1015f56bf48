/* SPDX-License-Identifier: BSD-2-Clause */
/* Tracking: every kind of problem against the oracle; the same bits with any number of threads, any
 * order of the points and images that are read by rows; and what is refused. */
#include "track_oracle.h"
#include "track_outliers.h"
#include "track_scan.h"

#include "base/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 400, PAIRS = 3 };

/* Two images of a scene, the second one shifted and a bit different. */
typedef struct scene {
    kit_image image[2 * PAIRS];
    xncc_track_pair pair[PAIRS];
} scene;

/* What pixels do not count: none, those of masks, or a value. */
typedef enum holes { WHOLE, MASKED1, MASKED2, BOTH, NO_DATA, HOLES } holes;

static void punch(kit_image *image, kit_random *random, int mask)
{
    if (mask)
        kit_image_mask(image, (kit_room){ 3, KIT_AFTER });
    for (int k = 0; k < 5; k++) {
        const int32_t x = kit_between(random, 0, image->view.width - 1),
                      y = kit_between(random, 0, image->view.height - 1);
        for (int i = 0; i < 60; i++) {
            const int32_t px = x + i % 10, py = y + i / 10;
            if (px >= image->view.width || py >= image->view.height)
                continue;
            if (mask)
                kit_mask_set(&image->view, px, py, 0);
            for (int32_t c = 0; c < kit_channels(&image->view) && !mask; c++)
                kit_sample_set(&image->view, px, py, c, 7);
        }
    }
    image->view.has_no_data = !mask;
    image->view.no_data = 7;
}

static void make_scene(scene *s, xncc_pixel pixel, int32_t channels, int32_t width, int32_t height,
                       holes kind, kit_random *random)
{
    const kit_room room = { 5, KIT_AFTER };
    for (int i = 0; i < 2 * PAIRS; i++) {
        kit_image *image = &s->image[i];
        *image = kit_image_create_channels(pixel, channels, width + (i % 2) * 3,
                                           height - (i % 2) * 2, room);
        kit_image_fill(&image->view, KIT_NOISE, random);
        for (int32_t y = 0; y < image->view.height && i % 2; y++)
            for (int32_t x = 0; x < image->view.width; x++)
                for (int32_t c = 0; c < channels; c++) {
                    const int32_t ox = x - 3, oy = y + 2;
                    const xncc_image *first = &s->image[i - 1].view;
                    if (ox >= 0 && oy < first->height && ox < first->width &&
                        kit_below(random, 8) > 0)
                        kit_sample_set(&image->view, x, y, c, kit_sample(first, ox, oy, c));
                }
    }
    for (int i = 0; i < 2 * PAIRS; i++) {
        const int first = i % 2 == 0;
        if (kind == NO_DATA || kind == BOTH || kind == (first ? MASKED1 : MASKED2))
            punch(&s->image[i], random, kind != NO_DATA);
        if (first)
            s->pair[i / 2] = (xncc_track_pair){ &s->image[i].view, &s->image[i + 1].view };
    }
}

static void free_scene(scene *s)
{
    for (int i = 0; i < 2 * PAIRS; i++)
        kit_image_destroy(&s->image[i]);
}

/* Points on and off the pixels, also outside, with predictions. */
static size_t make_points(const scene *s, kit_random *random, size_t count, xncc_track_point *point)
{
    const xncc_image *first = s->pair->image1;
    for (size_t i = 0; i < count; i++)
        point[i] = (xncc_track_point){ kit_between(random, -4, 2 * first->width + 4) / 2.0,
                                       kit_between(random, -4, 4 * first->height + 4) / 4.0,
                                       kit_between(random, -12, 20) / 4.0,
                                       kit_between(random, -12, 20) / 4.0 };
    return count;
}

static void check_points(xncc_context *context, const scene *s, size_t pairs,
                         const xncc_track_options *o, kit_random *random, size_t count)
{
    xncc_track_point point[MOST];
    xncc_displacement found[MOST];
    (void)make_points(s, random, count, point);
    memset(found, 0x5a, sizeof found);
    CHECK_STATUS(xncc_track(context, s->pair, pairs, o, point, count, found, &kit_error), XNCC_OK);
    for (size_t i = 0; i < count; i++) {
        const xncc_displacement want = oracle_track(s->pair, pairs, o, &point[i]);
        check_displacement(&found[i], &want);
    }
}

/* Every pixel type, with every kind of hole. */
static void check_types(xncc_context *context, kit_random *random)
{
    static const xncc_pixel pixels[] = { XNCC_U8,  XNCC_U16, XNCC_F32, XNCC_S8,
                                         XNCC_S16, XNCC_U32, XNCC_F64 };
    for (int p = 0; p < 7; p++)
        for (int kind = 0; kind < HOLES; kind++) {
            scene s;
            make_scene(&s, pixels[p], 1 + (kind == BOTH), 60, 48, (holes)kind, random);
            xncc_track_options o = XNCC_TRACK_OPTIONS_INIT;
            o.chip_width = kit_between(random, 3, 12);
            o.chip_height = kit_between(random, 3, 12);
            o.search_x = kit_between(random, 1, 6);
            o.search_y = kit_between(random, 1, 6);
            o.back = kind % 2;
            check_points(context, &s, 1, &o, random, 14);
            free_scene(&s);
        }
}

/* Methods, fits, extents of chips and searches, limits and pairs. */
static void check_options_of(xncc_context *context, kit_random *random)
{
    for (int k = 0; k < 60; k++) {
        xncc_track_options o = XNCC_TRACK_OPTIONS_INIT;
        scene s;
        make_scene(&s, k % 5 ? XNCC_U8 : XNCC_F32, 1, 90, 70, (holes)(k % HOLES), random);
        o.method = (xncc_method)(k % 4);
        o.fit = (xncc_track_fit)(k / 4 % 4);
        o.oversample = 2 << (k % 6);
        o.chip_width = kit_between(random, 1, k % 2 ? 9 : 40);
        o.chip_height = kit_between(random, 1, k % 3 ? 9 : 40);
        o.search_x = kit_between(random, 0, 9);
        o.search_y = kit_between(random, 0, 9);
        o.min_valid = k % 7 / 6.0;
        o.back = k % 3 == 0;
        check_points(context, &s, k % 4 == 1 ? PAIRS : 1, &o, random, 6);
        free_scene(&s);
    }
}

/* Stripes, whose scores are the same in all rows. */
static void check_ties(xncc_context *context, kit_random *random)
{
    scene s;
    make_scene(&s, XNCC_U8, 1, 60, 48, WHOLE, random);
    xncc_track_options o = XNCC_TRACK_OPTIONS_INIT;
    o.chip_width = o.chip_height = 8;
    o.search_x = o.search_y = 5;
    for (int i = 0; i < 2; i++)
        for (int32_t y = 1; y < s.image[i].view.height; y++)
            for (int32_t x = 0; x < 60; x++)
                kit_pixel_set(&s.image[i].view, x, y, kit_pixel(&s.image[i].view, x, 0));
    check_points(context, &s, 1, &o, random, 8);
    free_scene(&s);
}

/* The wide search of the documentation's examples, on smooth pictures, where every fit succeeds. */
static void check_smooth(xncc_context *context)
{
    kit_image a = kit_image_create(XNCC_U8, 128, 128, 0, KIT_AFTER),
              b = kit_image_create(XNCC_U8, 128, 128, 0, KIT_AFTER);
    for (int i = 0; i < 128 * 128; i++) {
        const double x = i % 128, y = i / 128;
        kit_pixel_set(&a.view, i % 128, i / 128,
                      rint(120 + 60 * sin(x / 3.1 + y / 7) + 50 * cos(y / 2.7 - x / 11)));
        kit_pixel_set(&b.view, i % 128, i / 128,
                      rint(120 + 60 * sin((x - 2.3) / 3.1 + (y + 1.6) / 7) +
                           50 * cos((y + 1.6) / 2.7 - (x - 2.3) / 11)));
    }
    const xncc_track_pair pair = { &a.view, &b.view };
    const xncc_track_point point = { 63.5, 60.5, 0, 0 };
    for (int k = 0; k < 4; k++) {
        xncc_track_options o = XNCC_TRACK_OPTIONS_INIT;
        xncc_displacement d;
        o.fit = (xncc_track_fit)k;
        o.search_x = o.search_y = 7; /* less than half a period */
        CHECK_STATUS(xncc_track(context, &pair, 1, &o, &point, 1, &d, &kit_error), XNCC_OK);
        const xncc_displacement want = oracle_track(&pair, 1, &o, &point);
        check_displacement(&d, &want);
        CHECK_INT(d.state, 0);
        CHECK(fabs(d.dx - 2.3) < (k ? 0.1 : 0.5) && fabs(d.dy + 1.6) < (k ? 0.1 : 0.5));
    }
    kit_image_destroy(&a);
    kit_image_destroy(&b);
}

/* Rows that are given to xncc_track_rows: copies, so that reading others is seen. */
typedef struct rows {
    const scene *scene;
    char *copy[2 * PAIRS];
    int32_t most, calls, fail_at;
} rows;

static xncc_status read_rows(void *argument, size_t pair, int32_t which, int32_t y, int32_t height,
                             xncc_image *view, xncc_error *error)
{
    rows *r = argument;
    const xncc_image *image = which == 1 ? r->scene->pair[pair].image1
                                         : r->scene->pair[pair].image2;
    const size_t row = (size_t)image->width * (size_t)kit_channels(image) *
                       (size_t)kit_sample_size(image->pixel),
                 mask = image->mask ? (size_t)image->width : 0;
    char **copy = &r->copy[2 * pair + (size_t)which - 1];
    CHECK(y >= 0 && height >= 1 && y + height <= image->height && height <= r->most);
    if (++r->calls == r->fail_at) {
        (void)snprintf(error->text, sizeof error->text, "row %d is gone", y);
        return XNCC_ERROR_DEVICE;
    }
    free(*copy);
    *copy = malloc((row + mask) * (size_t)height);
    for (int32_t i = 0; i < height; i++) {
        memcpy(*copy + row * (size_t)i, (const char *)image->data + image->pitch * (y + i), row);
        if (mask)
            memcpy(*copy + row * (size_t)height + mask * (size_t)i,
                   image->mask + image->mask_pitch * (y + i), mask);
    }
    *view = *image;
    view->data = *copy;
    view->pitch = 0;
    view->height = height;
    view->mask = mask ? (const uint8_t *)*copy + row * (size_t)height : NULL;
    view->mask_pitch = 0;
    return XNCC_OK;
}

static xncc_track_source source_of(rows *r, int32_t most)
{
    xncc_track_source s = XNCC_TRACK_SOURCE_INIT;
    const xncc_track_pair *pair = r->scene->pair;
    s.pixel = pair->image1->pixel;
    s.channels = kit_channels(pair->image1);
    s.width1 = pair->image1->width;
    s.height1 = pair->image1->height;
    s.width2 = pair->image2->width;
    s.height2 = pair->image2->height;
    s.rows = most;
    s.pairs = PAIRS;
    s.read = read_rows;
    s.argument = r;
    return s;
}

static void free_rows(rows *r)
{
    for (int i = 0; i < 2 * PAIRS; i++)
        free(r->copy[i]);
}

/* Threads, orders and rows change no bit. */
static void check_same_bits(xncc_context *context, kit_random *random)
{
    static xncc_track_point point[MOST], turned[MOST];
    static xncc_displacement want[MOST], got[MOST];
    const size_t points = kit_shortest() ? MOST / 4 : MOST, bytes = points * sizeof *got;
    for (int k = 0; k < 4; k += kit_short() ? 3 : 1) {
        scene s;
        make_scene(&s, k % 2 ? XNCC_U8 : XNCC_U16, 1, 300, 200, k < 2 ? WHOLE : BOTH, random);
        xncc_track_options o = XNCC_TRACK_OPTIONS_INIT;
        o.chip_width = o.chip_height = 12;
        o.search_x = o.search_y = 5;
        o.back = 1;
        (void)make_points(&s, random, points, point);
        CHECK_STATUS(xncc_track(context, s.pair, PAIRS, &o, point, points, want, &kit_error),
                     XNCC_OK);
        for (int32_t threads = 1; threads <= 5; threads += 2) {
            xncc_context *other = kit_context(XNCC_DEVICE_CPU, threads);
            CHECK_STATUS(xncc_track(other, s.pair, PAIRS, &o, point, points, got, &kit_error),
                         XNCC_OK);
            CHECK(memcmp(got, want, bytes) == 0);
            xncc_context_destroy(other);
        }
        for (size_t i = 0; i < points; i++)
            turned[i] = point[(i * 7 + 3) % points];
        CHECK_STATUS(xncc_track(context, s.pair, PAIRS, &o, turned, points, got, &kit_error),
                     XNCC_OK);
        for (size_t i = 0; i < points; i++)
            CHECK(memcmp(&got[i], &want[(i * 7 + 3) % points], sizeof *got) == 0);
        for (int32_t most = 1; most <= 81; most += 40) {
            rows r = { .scene = &s, .most = most > 26 ? most : 26 };
            xncc_track_source source = source_of(&r, most);
            CHECK_STATUS(xncc_track_rows(context, &source, &o, point, points, got, &kit_error),
                         XNCC_OK);
            CHECK(memcmp(got, want, bytes) == 0);
            CHECK(r.calls > 2 * PAIRS);
            r.fail_at = r.calls + 4;
            CHECK_STATUS(xncc_track_rows(context, &source, &o, point, points, got, &kit_error),
                         XNCC_ERROR_DEVICE);
            CHECK(strstr(kit_error.text, "is gone") != NULL);
            free_rows(&r);
        }
        free_scene(&s);
    }
}

/* Every kernel gives the same bits. */
static void check_kernels(xncc_context *context, kit_random *random)
{
    static xncc_track_point point[MOST];
    static xncc_displacement want[MOST], got[MOST];
    static const int32_t search[] = { 0, 3, 7, 8, 15, 16, 17, 19, 31, 40 };
    for (int k = 0; k < 20; k += kit_shortest() ? 15 : kit_short() ? 5 : 1) {
        scene s;
        make_scene(&s, k % 2 ? XNCC_U8 : XNCC_F32, 1, 150, 140, WHOLE, random);
        xncc_track_options o = XNCC_TRACK_OPTIONS_INIT;
        const char *name[32];
        const size_t points = make_points(&s, random, kit_short() ? 8 : 40, point);
        o.chip_width = kit_between(random, 4, 33);
        o.chip_height = kit_between(random, 2, 33);
        o.search_x = search[k / 2];
        o.search_y = search[(k / 2 + 3) % 10];
        const xncc_problem problem = kit_problem(
            (xncc_problem){ .pixel = s.pair->image1->pixel,
                            .image_width = o.chip_width + 2 * o.search_x,
                            .image_height = o.chip_height + 2 * o.search_y,
                            .templ_width = o.chip_width,
                            .templ_height = o.chip_height });
        const size_t kernels = xncc_kernel_list(context, &problem, name, 32);
        CHECK(kernels > 1);
        for (size_t i = 0; i < kernels; i++) {
            o.kernel = name[i];
            CHECK_STATUS(
                xncc_track(context, s.pair, 1, &o, point, points, i ? got : want, &kit_error),
                XNCC_OK);
            CHECK(i == 0 || memcmp(got, want, points * sizeof *got) == 0);
        }
        free_scene(&s);
    }
}

static void refuse(xncc_context *context, const scene *s, const xncc_track_options *o,
                   const char *word)
{
    const xncc_track_point point = { 20, 20, 0, 0 };
    xncc_displacement d;
    CHECK_STATUS(xncc_track(context, s->pair, 1, o, &point, 1, &d, &kit_error),
                 XNCC_ERROR_ARGUMENT);
    if (!CHECK(strstr(kit_error.text, word) != NULL))
        printf("'%s' is not in: %s\n", word, kit_error.text);
}

static void check_refused_options(xncc_context *context, const scene *s)
{
    const xncc_track_options good = XNCC_TRACK_OPTIONS_INIT;
    xncc_track_options o = good;
#define REFUSE(member, value, word) (o = good, o.member = (value), refuse(context, s, &o, (word)))
    REFUSE(size, 8, "XNCC_TRACK_OPTIONS_INIT");
    REFUSE(method, XNCC_SQDIFF, "sqdiff");
    REFUSE(method, XNCC_COVERAGE, "coverage");
    REFUSE(method, (xncc_method)-1, "?");
    REFUSE(chip_width, 0, "chip of 0");
    REFUSE(chip_height, -3, "x -3");
    REFUSE(chip_width, XNCC_MAX_SIDE, "chip");
    REFUSE(search_x, -1, "search of -1");
    REFUSE(search_y, 4097, "4096");
    REFUSE(fit, (xncc_track_fit)4, "not a fit");
    REFUSE(oversample, 3, "oversampling by 3");
    REFUSE(oversample, 1, "oversampling by 1");
    REFUSE(oversample, 128, "oversampling by 128");
    REFUSE(min_valid, 1.5, "1.5");
    REFUSE(min_valid, NAN, "min_valid");
    REFUSE(back, 2, "back is 2");
    REFUSE(kernel, "none-such", "none-such");
#undef REFUSE
}

static void check_refusals(xncc_context *context, kit_random *random)
{
    scene s, deep, small;
    make_scene(&s, XNCC_U8, 1, 60, 60, WHOLE, random);
    make_scene(&deep, XNCC_U16, 1, 60, 60, WHOLE, random);
    make_scene(&small, XNCC_U8, 1, 50, 60, WHOLE, random);
    const xncc_track_point point = { 30, 30, 0, 0 };
    xncc_displacement d;
    check_refused_options(context, &s);
    const xncc_track_pair mixed = { s.pair->image1, deep.pair->image2 },
                          sizes[] = { s.pair[0], small.pair[0] }, none = { s.pair->image1, NULL };
    CHECK_STATUS(xncc_track(context, &mixed, 1, NULL, &point, 1, &d, &kit_error),
                 XNCC_ERROR_ARGUMENT);
    CHECK(strstr(kit_error.text, "u16") != NULL);
    CHECK_STATUS(xncc_track(context, sizes, 2, NULL, &point, 1, &d, &kit_error),
                 XNCC_ERROR_ARGUMENT);
    CHECK(strstr(kit_error.text, "50 x 60") != NULL);
    CHECK_STATUS(xncc_track(context, &none, 1, NULL, &point, 1, &d, NULL), XNCC_ERROR_ARGUMENT);
    CHECK_STATUS(xncc_track(context, s.pair, 0, NULL, &point, 1, &d, &kit_error),
                 XNCC_ERROR_ARGUMENT);
    CHECK_STATUS(xncc_track(NULL, s.pair, 1, NULL, &point, 1, &d, &kit_error), XNCC_ERROR_ARGUMENT);
    CHECK_STATUS(xncc_track(context, NULL, 1, NULL, &point, 1, &d, &kit_error),
                 XNCC_ERROR_ARGUMENT);
    CHECK_STATUS(xncc_track(context, s.pair, 1, NULL, NULL, 1, &d, &kit_error),
                 XNCC_ERROR_ARGUMENT);
    CHECK_STATUS(xncc_track(context, s.pair, 1, NULL, &point, 1, NULL, &kit_error),
                 XNCC_ERROR_ARGUMENT);
    CHECK_STATUS(xncc_track_rows(context, NULL, NULL, &point, 1, &d, &kit_error),
                 XNCC_ERROR_ARGUMENT);
    CHECK_STATUS(xncc_track(context, s.pair, 1, NULL, NULL, 0, NULL, &kit_error), XNCC_OK);
    CHECK_TEXT(kit_error.text, "");
    xncc_image elsewhere = *s.pair->image2;
    elsewhere.memory = XNCC_DEVICE;
    const xncc_track_pair device = { s.pair->image1, &elsewhere };
    CHECK_STATUS(xncc_track(context, &device, 1, NULL, &point, 1, &d, &kit_error),
                 XNCC_ERROR_UNSUPPORTED);
    rows r = { .scene = &s, .most = 60 };
    xncc_track_source source = source_of(&r, 60);
    source.pixel = XNCC_S8; /* the rows given are not of this type */
    CHECK_STATUS(xncc_track_rows(context, &source, NULL, &point, 1, &d, &kit_error),
                 XNCC_ERROR_ARGUMENT);
    CHECK(strstr(kit_error.text, "u8") != NULL && strstr(kit_error.text, "s8") != NULL);
    source.read = NULL;
    CHECK_STATUS(xncc_track_rows(context, &source, NULL, &point, 1, &d, &kit_error),
                 XNCC_ERROR_ARGUMENT);
    free_rows(&r);
    free_scene(&s);
    free_scene(&deep);
    free_scene(&small);
}

/* Points that are no numbers or far away have no displacement. */
static void check_far_points(xncc_context *context, kit_random *random)
{
    static const double far[] = { NAN, INFINITY, -INFINITY, 1e300, -1e18, 3e9, 4e4 };
    scene s;
    make_scene(&s, XNCC_U8, 1, 60, 60, WHOLE, random);
    for (int i = 0; i < 7 * 4; i++) {
        const double v = far[i / 4];
        const xncc_track_point point = { i % 4 == 0 ? v : 30, i % 4 == 1 ? v : 30,
                                         i % 4 == 2 ? v : 0, i % 4 == 3 ? v : 0 };
        xncc_displacement d;
        CHECK_STATUS(xncc_track(context, s.pair, 1, NULL, &point, 1, &d, &kit_error), XNCC_OK);
        CHECK_INT(d.state, XNCC_TRACK_MISSING);
        CHECK(isnan(d.dx) && isnan(d.dy) && isnan(d.score));
    }
    free_scene(&s);
}

static void cancel(void *context)
{
    xncc_context_cancel(context);
}

/* Cancelled while memory is allocated, for the call or for a chip, and not in the next call. No
 * memory is allocated for small chips of bytes, of words and of floats. */
static void check_cancel(xncc_context *context, kit_random *random)
{
    static xncc_track_point point[MOST];
    static xncc_displacement found[MOST];
    static const xncc_pixel pixels[] = { XNCC_U32, XNCC_U8, XNCC_U16, XNCC_F32 };
    for (int p = kit_shortest() ? 3 : 0; p < 4; p += kit_short() ? 3 : 1) {
        scene s;
        make_scene(&s, pixels[p], 1, 200, 200, WHOLE, random);
        const size_t points = make_points(&s, random, kit_short() ? MOST / 3 : MOST, point);
        for (uint64_t nth = 1; nth < (p ? 6 : 100); nth += nth >= 10 ? 30 : kit_short() ? 5 : 1) {
            (void)xncc_alloc_call(nth, cancel, context);
            CHECK_STATUS(xncc_track(context, s.pair, 1, NULL, point, points, found, &kit_error),
                         XNCC_ERROR_CANCELLED);
            (void)xncc_alloc_call(0, NULL, NULL);
            CHECK_STATUS(xncc_track(context, s.pair, 1, NULL, point, points, found, &kit_error),
                         XNCC_OK);
        }
        free_scene(&s);
    }
}

int main(int argc, char **argv)
{
    kit_start(argc, argv);
    kit_random random = kit_stream(19);
    xncc_context *context = kit_context(XNCC_DEVICE_CPU, 2);
    check_smooth(context);
    check_ties(context, &random);
    check_types(context, &random);
    check_options_of(context, &random);
    check_kernels(context, &random);
    check_same_bits(context, &random);
    check_refusals(context, &random);
    check_far_points(context, &random);
    check_cancel(context, &random);
    check_outliers(&random);
    check_scans(&random);
    xncc_context_destroy(context);
    return kit_finish("track");
}
