/* SPDX-License-Identifier: BSD-2-Clause */
/* Tracking in several passes and in deformed images: against an oracle; the same bits with any
 * number of threads and images that are read by rows; what is gained; and what is refused. */
#include "passes_oracle.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { POINTS = 24, WIDTH = PASS_WIDTH, HEIGHT = PASS_HEIGHT };

/* How far the second image's content is from where it was. */
static int32_t moved_x(int32_t x, int32_t y)
{
    return 11 + x / 40 - y / 60;
}

static int32_t moved_y(int32_t x, int32_t y)
{
    return -9 + x / 70 + y / 50;
}

typedef struct scene {
    kit_image image[2];
    xncc_track_pair pair;
} scene;

/* masked: some pixels of both images do not count. */
static void make_scene(scene *s, int masked, kit_random *random)
{
    for (int i = 0; i < 2; i++) {
        s->image[i] = kit_image_create(XNCC_U8, WIDTH, HEIGHT, 3, KIT_AFTER);
        kit_image_fill(&s->image[i].view, KIT_NOISE, random);
    }
    for (int32_t y = 0; y < HEIGHT; y++)
        for (int32_t x = 0; x < WIDTH; x++) {
            const int32_t fx = x - moved_x(x, y), fy = y - moved_y(x, y);
            if (fx >= 0 && fy >= 0 && fx < WIDTH && fy < HEIGHT)
                kit_pixel_set(&s->image[1].view, x, y, kit_pixel(&s->image[0].view, fx, fy));
        }
    for (int32_t i = 0; i < WIDTH * HEIGHT && masked; i++)
        if (i % WIDTH < 40 && i / WIDTH > 90)
            kit_pixel_set(&s->image[0].view, i % WIDTH, i / WIDTH, 0);
    s->image[0].view.has_no_data = masked;
    s->pair = (xncc_track_pair){ &s->image[0].view, &s->image[1].view };
}

static void free_scene(scene *s)
{
    kit_image_destroy(&s->image[0]);
    kit_image_destroy(&s->image[1]);
}

static void make_points(int kind, kit_random *random, xncc_track_point *point)
{
    const double shift = kind % 3 ? 3 : 0;
    for (int i = 0; i < POINTS; i++) {
        /* spread over the image, or only in a part of it, which needs few nodes */
        const int part = kind % 4 == 3;
        const double x = kit_between(random, 0, 4 * (part ? 60 : WIDTH)) / 4.0 - 0.125,
                     y = part ? kit_between(random, 120, 150) / 2.0
                              : kit_between(random, -20, 2 * HEIGHT + 20) / 2.0;
        point[i] = (xncc_track_point){ x, y, shift, -2 };
        if (kind % 3 == 2)
            point[i].dx = kit_between(random, 0, 40) / 4.0;
    }
    if (kind % 5 == 4) {
        point[3].x = NAN;
        point[5].y = INFINITY;
        point[7].dx = NAN;
        point[9].dy = -INFINITY;
        point[11].x = -1e9;
        point[13].dx = 1e300;
    }
}

static void check_oracle(xncc_context *context, kit_random *random)
{
    xncc_track_point point[POINTS];
    xncc_displacement got[POINTS], want[POINTS];
    for (int k = 0; k < 30; k += kit_short() ? 3 : 1) {
        xncc_track_options o = XNCC_TRACK_OPTIONS_INIT;
        xncc_track_pass pass[3] = { XNCC_TRACK_PASS_INIT, XNCC_TRACK_PASS_INIT,
                                    XNCC_TRACK_PASS_INIT };
        scene s;
        make_scene(&s, k % 4 == 1, random);
        make_points(k, random, point);
        for (int i = 0; i < 3; i++) {
            pass[i].chip_width = kit_between(random, 25, k % 7 ? 60 : 150) - 10 * i;
            pass[i].chip_height = kit_between(random, 30, k % 7 == 1 ? HEIGHT : 60) - 10 * i;
            pass[i].search_x = i ? kit_between(random, 0, 6) : 14;
            pass[i].search_y = i ? kit_between(random, 0, 6) : 9;
            /* displacements that are whole or halves may be predicted halfway between two pixels:
             * there, only weights without rounding have one answer */
            const int exact = k % 4 == XNCC_TRACK_WHOLE || k % 4 == XNCC_TRACK_OVERSAMPLED;
            pass[i].step_x = exact ? 8 << k % 3 : kit_between(random, 6, 40);
            pass[i].step_y = exact ? 8 << (k + i) % 3 : kit_between(random, 6, 40);
            pass[i].median = (k + i) % 3 > 0;
            pass[i].limit = (k + i) % 4 ? 2 : INFINITY;
        }
        o.coarse = pass;
        o.coarse_count = (size_t)kit_between(random, 1, 3);
        o.chip_width = o.chip_height = 11;
        o.search_x = o.search_y = 3;
        o.fit = (xncc_track_fit)(k % 4);
        o.back = k % 2;
        const xncc_track_pair pair[2] = { s.pair, s.pair };
        const size_t pairs = k % 2 ? 2 : 1;
        CHECK_STATUS(xncc_track(context, pair, pairs, &o, point, POINTS, got, &kit_error), XNCC_OK);
        const oracle_call call = { pair, pairs, &o, point, POINTS };
        oracle_passes(context, &call, want);
        if (!CHECK(memcmp(got, want, sizeof got) == 0))
            for (int i = 0; i < POINTS; i++)
                if (memcmp(&got[i], &want[i], sizeof *got) != 0)
                    printf("case %d, point %d: (%g, %g) state %u, not (%g, %g) state %u\n", k, i,
                           got[i].dx, got[i].dy, got[i].state, want[i].dx, want[i].dy,
                           want[i].state);
        free_scene(&s);
    }
}

/* Two images of a smooth field: blobs at random places, the second time moved by a vortex. */
static void move(double x, double y, double *dx, double *dy)
{
    const double rx = x - 95, ry = y - 75, k = 0.07 / (1 + (rx * rx + ry * ry) / 6000);
    *dx = 3 - ry * k;
    *dy = -2 + rx * k;
}

static void make_blobs(scene *s, xncc_pixel pixel, int masked, kit_random *random)
{
    static double v[2][HEIGHT][WIDTH];
    memset(v, 0, sizeof v);
    for (int k = 0; k < 2500; k++) {
        const double x = kit_between(random, -800, 19800) / 100.0,
                     y = kit_between(random, -800, 15800) / 100.0,
                     peak = kit_between(random, 60, 160);
        double dx, dy;
        move(x, y, &dx, &dy);
        for (int i = 0; i < 2; i++)
            for (int32_t py = (int32_t)y - 14; py < (int32_t)y + 14; py++)
                for (int32_t px = (int32_t)x - 14; px < (int32_t)x + 14; px++)
                    if (px >= 0 && py >= 0 && px < WIDTH && py < HEIGHT) {
                        const double ex = px - x - i * dx, ey = py - y - i * dy;
                        v[i][py][px] += peak * exp(-(ex * ex + ey * ey) / 1.4);
                    }
    }
    for (int i = 0; i < 2; i++) {
        s->image[i] = kit_image_create(pixel, WIDTH, HEIGHT, 3, KIT_AFTER);
        for (int32_t k = 0; k < WIDTH * HEIGHT; k++) {
            const int32_t x = k % WIDTH, y = k / WIDTH;
            const double out = rint(fmin(v[i][y][x], 255)) + kit_between(random, 0, 3),
                         most = fmin(out, 255);
            kit_pixel_set(&s->image[i].view, x, y,
                          pixel == XNCC_S8 || pixel == XNCC_S16 ? most - 128 : most);
            if (masked && (x - 60) * (x - 60) + (y - 40) * (y - 40) < 90)
                kit_pixel_set(&s->image[i].view, x, y, 77);
        }
        s->image[i].view.has_no_data = masked;
        s->image[i].view.no_data = 77;
    }
    s->pair = (xncc_track_pair){ &s->image[0].view, &s->image[1].view };
}

static int same(double a, double b, double most)
{
    return a == b || (isnan(a) && isnan(b)) || fabs(a - b) <= most;
}

static void check_deformed(xncc_context *context, kit_random *random)
{
    xncc_track_point point[POINTS];
    xncc_displacement got[POINTS], want[POINTS];
    for (int k = 0; k < 8; k += kit_short() ? 3 : 1) {
        xncc_track_options o = XNCC_TRACK_OPTIONS_INIT;
        xncc_track_pass pass = XNCC_TRACK_PASS_INIT;
        scene s;
        make_blobs(&s, XNCC_U8, k % 4 == 1, random);
        make_points(k, random, point);
        pass.chip_width = pass.chip_height = 40;
        pass.search_x = 9;
        pass.step_x = 21;
        o.coarse = &pass;
        o.coarse_count = k % 2 ? 1 : 0;
        o.chip_width = kit_between(random, 14, 24);
        o.chip_height = kit_between(random, 14, 24);
        o.search_x = 7;
        o.search_y = 6;
        o.fit = k % 3 ? XNCC_TRACK_GAUSSIAN : XNCC_TRACK_QUADRATIC;
        o.back = k % 4 == 2;
        o.deform = 1 + k % 3;
        o.deform_step_x = kit_between(random, 8, 25);
        o.deform_step_y = k % 4 == 3 ? 6 : kit_between(random, 8, k % 7 ? 25 : 150);
        const xncc_track_pair pair[2] = { s.pair, s.pair };
        const oracle_call call = { pair, k == 5 ? 2 : 1, &o, point, POINTS };
        CHECK_STATUS(xncc_track(context, pair, call.pairs, &o, point, POINTS, got, &kit_error),
                     XNCC_OK);
        oracle_passes(context, &call, want);
        for (int i = 0; i < POINTS; i++)
            if (!CHECK(got[i].state == want[i].state && same(got[i].dx, want[i].dx, 1e-9) &&
                       same(got[i].dy, want[i].dy, 1e-9) &&
                       same((double)got[i].score, (double)want[i].score, 0) &&
                       got[i].whole_dx == want[i].whole_dx && got[i].whole_dy == want[i].whole_dy &&
                       same(got[i].cov_xx, want[i].cov_xx, 0) &&
                       same(got[i].valid, want[i].valid, 0) &&
                       same(got[i].loop, want[i].loop, 1e-6)))
                printf("case %d, point %d: (%.12g, %.12g) %g, state %u, not (%.12g, %.12g) %g, "
                       "state %u\n",
                       k, i, got[i].dx, got[i].dy, (double)got[i].score, got[i].state, want[i].dx,
                       want[i].dy, (double)want[i].score, want[i].state);
        free_scene(&s);
    }
}

/* The mean distance from the truth in the middle of the image. */
static double error_of(const xncc_displacement *d, size_t count)
{
    double sum = 0, n = 0;
    for (size_t i = 0; i < count; i++) {
        double dx, dy;
        move(d[i].x, d[i].y, &dx, &dy);
        if (d[i].x < 30 || d[i].y < 30 || d[i].x > WIDTH - 30 || d[i].y > HEIGHT - 30)
            continue;
        sum += hypot(d[i].dx - dx, d[i].dy - dy);
        n++;
    }
    return sum / n;
}

/* Deformation makes displacements truer, for every type of pixel in the same way. */
static void check_gain(xncc_context *context)
{
    static const xncc_pixel pixels[] = { XNCC_U8,  XNCC_S8,  XNCC_U16, XNCC_S16,
                                         XNCC_U32, XNCC_F32, XNCC_F64 };
    xncc_track_point point[POINTS];
    xncc_displacement plain[POINTS], got[POINTS], first[POINTS];
    for (int i = 0; i < POINTS; i++)
        point[i] = (xncc_track_point){ 30 + i % 6 * 26, 30 + i / 6 * 30, 0, 0 };
    for (int p = 0; p < (kit_short() ? 2 : 7); p++) {
        kit_random random = kit_stream(77);
        scene s;
        make_blobs(&s, pixels[p], 0, &random);
        xncc_track_options o = XNCC_TRACK_OPTIONS_INIT;
        o.fit = XNCC_TRACK_GAUSSIAN;
        o.search_x = o.search_y = 9;
        CHECK_STATUS(xncc_track(context, &s.pair, 1, &o, point, POINTS, plain, &kit_error),
                     XNCC_OK);
        o.deform = 3;
        CHECK_STATUS(xncc_track(context, &s.pair, 1, &o, point, POINTS, got, &kit_error), XNCC_OK);
        if (!CHECK(error_of(got, POINTS) < 0.04 &&
                   error_of(got, POINTS) < 0.4 * error_of(plain, POINTS)))
            printf("%s: an error of %g, not deformed %g\n", xncc_pixel_name(pixels[p]),
                   error_of(got, POINTS), error_of(plain, POINTS));
        if (p == 0 || p == 2)
            memcpy(first, got, sizeof got);
        if (p == 1 || p == 4) /* s8 as u8; u32 as u16, neither of which is cut off at 255 */
            CHECK(memcmp(first, got, sizeof got) == 0);
        free_scene(&s);
    }
}

/* A small search around what a coarse pass predicts finds what is far away. */
static void check_far(xncc_context *context, kit_random *random)
{
    scene s;
    xncc_track_options o = XNCC_TRACK_OPTIONS_INIT;
    xncc_track_pass pass = XNCC_TRACK_PASS_INIT;
    xncc_track_point point[POINTS];
    xncc_displacement found[POINTS];
    int right = 0;
    make_scene(&s, 0, random);
    for (int i = 0; i < POINTS; i++)
        point[i] = (xncc_track_point){ 30 + i % 6 * 22, 30 + i / 6 * 26, 0, 0 };
    o.chip_width = o.chip_height = 11;
    o.search_x = o.search_y = 3;
    o.coarse = &pass;
    o.coarse_count = 1;
    pass.chip_width = pass.chip_height = 32;
    pass.step_x = pass.step_y = 16;
    CHECK_STATUS(xncc_track(context, &s.pair, 1, &o, point, POINTS, found, &kit_error), XNCC_OK);
    for (int i = 0; i < POINTS; i++) {
        const int32_t x = (int32_t)(found[i].x + found[i].whole_dx),
                      y = (int32_t)(found[i].y + found[i].whole_dy);
        right += found[i].whole_dx == moved_x(x, y) && found[i].whole_dy == moved_y(x, y);
    }
    CHECK(right >= POINTS * 3 / 4);
    free_scene(&s);
}

/* Threads, rows and the order of the points change no bit. */
typedef struct rows {
    const xncc_track_pair *pair;
    uint8_t copy[2][(HEIGHT + 8) * WIDTH];
    int32_t calls;
} rows;

/* The rows are a copy, and those after them are of other values, so that reading them is seen. */
static xncc_status read_rows(void *argument, size_t pair, int32_t which, int32_t y, int32_t height,
                             xncc_image *view, xncc_error *error)
{
    rows *r = argument;
    (void)pair;
    r->calls++;
    const xncc_image *image = which == 1 ? r->pair->image1 : r->pair->image2;
    uint8_t *copy = r->copy[which - 1];
    (void)error;
    memset(copy, 0xa5, sizeof r->copy[0]);
    for (int32_t i = 0; i < height * WIDTH; i++)
        copy[i] = (uint8_t)kit_pixel(image, i % WIDTH, y + i / WIDTH);
    *view = *image;
    view->data = copy;
    view->pitch = 0;
    view->height = height;
    return XNCC_OK;
}

static void check_same_bits(xncc_context *context, int32_t deform, kit_random *random)
{
    scene s;
    xncc_track_point point[POINTS], turned[POINTS];
    xncc_displacement got[POINTS], want[POINTS];
    xncc_track_options o = XNCC_TRACK_OPTIONS_INIT;
    xncc_track_pass pass[2] = { XNCC_TRACK_PASS_INIT, XNCC_TRACK_PASS_INIT };
    make_scene(&s, 1, random);
    make_points(1, random, point);
    o.chip_width = o.chip_height = 15;
    o.search_x = o.search_y = 3;
    o.coarse = pass;
    o.coarse_count = 2;
    pass[1].chip_width = pass[1].chip_height = 24;
    pass[1].step_x = pass[1].step_y = 12;
    o.deform = deform;
    o.back = 1;
    CHECK_STATUS(xncc_track(context, &s.pair, 1, &o, point, POINTS, want, &kit_error), XNCC_OK);
    xncc_context *one = kit_context(XNCC_DEVICE_CPU, 1);
    for (int i = 0; i < POINTS; i++)
        turned[i] = point[(i * 7 + 3) % POINTS];
    CHECK_STATUS(xncc_track(one, &s.pair, 1, &o, turned, POINTS, got, &kit_error), XNCC_OK);
    for (int i = 0; i < POINTS; i++)
        CHECK(memcmp(&got[i], &want[(i * 7 + 3) % POINTS], sizeof *got) == 0);
    xncc_context_destroy(one);
    static rows r;
    r.pair = &s.pair;
    r.calls = 0;
    xncc_track_source source = XNCC_TRACK_SOURCE_INIT;
    source.width1 = source.width2 = WIDTH;
    source.height1 = source.height2 = HEIGHT;
    source.rows = deform ? 60 : 100;
    source.read = read_rows;
    source.argument = &r;
    CHECK_STATUS(xncc_track_rows(context, &source, &o, point, POINTS, got, &kit_error), XNCC_OK);
    CHECK(memcmp(got, want, sizeof got) == 0);
    CHECK(r.calls > 6 + 2 * deform); /* more than one band in a pass */
    free_scene(&s);
}

static void refuse(xncc_context *context, const scene *s, const xncc_track_options *o,
                   const char *word)
{
    const xncc_track_point point = { 60, 60, 0, 0 };
    xncc_displacement d;
    CHECK_STATUS(xncc_track(context, &s->pair, 1, o, &point, 1, &d, &kit_error),
                 XNCC_ERROR_ARGUMENT);
    if (!CHECK(strstr(kit_error.text, word) != NULL))
        printf("'%s' is not in: %s\n", word, kit_error.text);
}

static void check_refusals(xncc_context *context, kit_random *random)
{
    const xncc_track_pass good = XNCC_TRACK_PASS_INIT;
    xncc_track_pass pass[2] = { good, good };
    xncc_track_options o = XNCC_TRACK_OPTIONS_INIT;
    scene s;
    make_scene(&s, 0, random);
    o.coarse = pass;
    o.coarse_count = 2;
#define REFUSE(member, value, word)                                                                \
    (pass[1] = good, pass[1].member = (value), refuse(context, &s, &o, (word)))
    REFUSE(size, 8, "XNCC_TRACK_PASS_INIT");
    REFUSE(chip_width, 0, "chip of 0");
    REFUSE(chip_width, WIDTH + 1, "has 190 x 150");
    REFUSE(chip_height, HEIGHT + 1, "smaller chips");
    REFUSE(search_x, -1, "search of -1");
    REFUSE(search_y, 4097, "4096");
    REFUSE(step_x, 0, "0 and 32 pixels apart");
    REFUSE(step_y, -5, "-5");
    REFUSE(median, 2, "median is 2");
    REFUSE(limit, 0, "limit 0");
    REFUSE(limit, NAN, "limit");
#undef REFUSE
    pass[1] = good;
    o.deform = 65;
    refuse(context, &s, &o, "65 deformations");
    o.deform = -1;
    refuse(context, &s, &o, "-1 deformations");
    o.deform = 1;
    o.deform_step_x = 0;
    refuse(context, &s, &o, "0 and 16 pixels apart");
    o.deform_step_x = 1;
    o.deform_step_y = -3;
    refuse(context, &s, &o, "-3");
    o.deform_step_y = 8;
    o.reserved = 1;
    refuse(context, &s, &o, "reserved");
    o.reserved = 0;
    o.coarse_count = 65;
    refuse(context, &s, &o, "65 coarse passes");
    o.coarse_count = 1;
    o.coarse = NULL;
    refuse(context, &s, &o, "options->coarse is a null pointer");
    free_scene(&s);
}

int main(int argc, char **argv)
{
    kit_start(argc, argv);
    kit_random random = kit_stream(64);
    xncc_context *context = kit_context(XNCC_DEVICE_CPU, 2);
    check_oracle(context, &random);
    check_far(context, &random);
    check_same_bits(context, 0, &random);
    check_same_bits(context, 2, &random);
    check_deformed(context, &random);
    check_gain(context);
    check_refusals(context, &random);
    xncc_context_destroy(context);
    return kit_finish("passes");
}
