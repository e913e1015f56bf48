/* SPDX-License-Identifier: BSD-2-Clause */
/* Tracking with a context of CUDA: every number has the bits that the CPU finds, with images on the
 * host and in device memory, by the kernel of tracking and where the CPU helps.
 *
 *   unit_chips --device cuda [--brief | --time]
 *
 * --brief: a few cases of each kind, for sanitizers of the device. --time: the times of
 * docs/track.md, and that those results have the same bits. */
#include "kit/device.h"
#include "kit/pixels.h"

#include "api/objects.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST = 50000, PAIRS = 2 };

static int brief;
static xncc_context *cpu, *cuda, *any;

/* An image in device memory. Nothing follows its last sample. */
typedef struct there {
    xncc_image view;
    void *pixels, *mask;
} there;

/* The copy begins `shift` samples after the start of its memory. */
static there there_create(const xncc_image *host, int32_t shift, int32_t pad)
{
    const size_t size = (size_t)kit_sample_size(host->pixel), height = (size_t)host->height,
                 row = (size_t)host->width * (size_t)kit_channels(host) * size,
                 pitch = row + (size_t)pad * size, first = (size_t)shift * size,
                 bytes = first + pitch * (height - 1) + row;
    there t = { *host, kit_device_alloc(bytes), NULL };
    char *copy = calloc(1, bytes);
    for (size_t y = 0; y < height; y++)
        memcpy(copy + first + y * pitch,
               (const char *)host->data + (size_t)(host->pitch ? host->pitch : (int64_t)row) * y,
               row);
    if (!t.pixels || !kit_device_upload(t.pixels, copy, bytes))
        kit_give_up("no device memory for an image");
    free(copy);
    t.view.data = (char *)t.pixels + first;
    t.view.pitch = (int64_t)pitch;
    t.view.memory = XNCC_DEVICE;
    if (host->mask) {
        const size_t of_mask = (size_t)host->mask_pitch * (height - 1) + (size_t)host->width;
        t.mask = kit_device_alloc(of_mask);
        if (!t.mask || !kit_device_upload(t.mask, host->mask, of_mask))
            kit_give_up("no device memory for a mask");
        t.view.mask = t.mask;
    }
    return t;
}

static void there_destroy(there *t)
{
    kit_device_free(t->pixels);
    kit_device_free(t->mask);
}

/* Pairs of images, the second one shifted and a bit different, on the host and on the device. */
typedef struct scene {
    kit_image image[2 * PAIRS];
    there twin[2 * PAIRS];
    xncc_track_pair pair[PAIRS], on_device[PAIRS], mixed[PAIRS];
} scene;

/* Copies the first image of a pair to the second one, shifted; every eighth sample stays. */
static void shift_image(const xncc_image *from, const xncc_image *to, kit_random *random)
{
    for (int32_t y = 0; y < to->height; y++)
        for (int32_t x = 0; x < to->width; x++)
            for (int32_t c = 0; c < kit_channels(to); c++) {
                const int32_t ox = x - 3, oy = y + 2;
                if (ox >= 0 && oy < from->height && ox < from->width && kit_below(random, 8) > 0)
                    kit_sample_set(to, x, y, c, kit_sample(from, ox, oy, c));
            }
}

static void place_scene(scene *s, kit_random *random)
{
    for (int i = 0; i < 2 * PAIRS; i++)
        s->twin[i] = there_create(&s->image[i].view, kit_between(random, 0, 5),
                                  kit_between(random, 0, 5));
    for (int p = 0; p < PAIRS; p++) {
        s->pair[p] = (xncc_track_pair){ &s->image[2 * p].view, &s->image[2 * p + 1].view };
        s->on_device[p] = (xncc_track_pair){ &s->twin[2 * p].view, &s->twin[2 * p + 1].view };
        s->mixed[p] = (xncc_track_pair){ &s->twin[2 * p].view, &s->image[2 * p + 1].view };
    }
}

typedef struct look {
    xncc_pixel pixel;
    int32_t channels, width, height;
    kit_fill fill;
    int masked;  /* bits: of images 1, of images 2 */
    int no_data; /* of images 2 */
} look;

static void make_scene(scene *s, const look *l, kit_random *random)
{
    for (int i = 0; i < 2 * PAIRS; i++) {
        kit_image *image = &s->image[i];
        *image = kit_image_create_channels(l->pixel, l->channels, l->width + i % 2 * 3,
                                           l->height - i % 2 * 2, (kit_room){ 5, KIT_AFTER });
        kit_image_fill(&image->view, l->fill, random);
        if (i % 2)
            shift_image(&s->image[i - 1].view, &image->view, random);
        if (l->masked & (i % 2 ? 2 : 1)) {
            kit_image_mask(image, (kit_room){ 3, KIT_AFTER });
            for (int k = 0; k < 90; k++)
                kit_mask_set(&image->view, kit_between(random, 0, 8),
                             kit_between(random, 0, image->view.height - 1), 0);
        }
        image->view.has_no_data = l->no_data && i % 2;
        image->view.no_data = kit_sample(&image->view, 5, 5, 0);
    }
    place_scene(s, random);
}

static void free_scene(scene *s)
{
    for (int i = 0; i < 2 * PAIRS; i++) {
        kit_image_destroy(&s->image[i]);
        there_destroy(&s->twin[i]);
    }
}

/* Points on and off the pixels, at the edges and outside, with predictions. */
static void make_points(const scene *s, kit_random *random, size_t count, xncc_track_point *point)
{
    const xncc_image *first = s->pair->image1;
    for (size_t i = 0; i < count; i++)
        point[i] = (xncc_track_point){ kit_between(random, -4, 2 * first->width + 4) / 2.0,
                                       kit_between(random, -4, 4 * first->height + 4) / 4.0,
                                       kit_between(random, -12, 20) / 4.0,
                                       kit_between(random, -12, 20) / 4.0 };
}

/* The same bits, or both not a number. */
static int same_double(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b));
}

static void check_same(const xncc_displacement *got, const xncc_displacement *want,
                       const char *what, size_t point)
{
    static const char *const name[] = { "x",      "y",        "dx",       "dy",       "ratio",
                                        "snr",    "curve_xx", "curve_xy", "curve_yy", "cov_xx",
                                        "cov_xy", "cov_yy",   "valid",    "loop",     "residual" };
    const double a[] = { got->x,      got->y,        got->dx,       got->dy,       got->ratio,
                         got->snr,    got->curve_xx, got->curve_xy, got->curve_yy, got->cov_xx,
                         got->cov_xy, got->cov_yy,   got->valid,    got->loop,     got->residual },
                 b[] = { want->x,        want->y,      want->dx,       want->dy,
                         want->ratio,    want->snr,    want->curve_xx, want->curve_xy,
                         want->curve_yy, want->cov_xx, want->cov_xy,   want->cov_yy,
                         want->valid,    want->loop,   want->residual };
    CHECK(1);
    for (int i = 0; i < 15; i++)
        if (!same_double(a[i], b[i]))
            kit_fail(__FILE__, __LINE__, "%s: point %zu: %s is %.17g, not %.17g", what, point,
                     name[i], a[i], b[i]);
    if (!same_double((double)got->score, (double)want->score) ||
        !same_double((double)got->second, (double)want->second))
        kit_fail(__FILE__, __LINE__, "%s: point %zu: the scores are %.9g, %.9g, not %.9g, %.9g",
                 what, point, (double)got->score, (double)got->second, (double)want->score,
                 (double)want->second);
    if (got->whole_dx != want->whole_dx || got->whole_dy != want->whole_dy ||
        got->state != want->state || got->reserved != want->reserved)
        kit_fail(__FILE__, __LINE__, "%s: point %zu: %d, %d, state %u, not %d, %d, state %u", what,
                 point, got->whole_dx, got->whole_dy, got->state, want->whole_dx, want->whole_dy,
                 want->state);
}

static void run(xncc_context *context, const xncc_track_pair *pair, size_t pairs,
                const xncc_track_options *o, const xncc_track_point *point, size_t count,
                const xncc_displacement *want, const char *what)
{
    xncc_displacement *got = malloc(count * sizeof *got);
    memset(got, 0x5a, count * sizeof *got);
    CHECK_STATUS(xncc_track(context, pair, pairs, o, point, count, got, &kit_error), XNCC_OK);
    for (size_t i = 0; i < count; i++)
        check_same(&got[i], &want[i], what, i);
    free(got);
}

/* Tracks with every context and wherever the images are. */
static void compare(const scene *s, size_t pairs, const xncc_track_options *o, kit_random *random,
                    size_t count, const char *kind)
{
    xncc_track_point *point = malloc(count * sizeof *point);
    xncc_displacement *want = malloc(count * sizeof *want);
    char what[200];
    make_points(s, random, count, point);
    CHECK_STATUS(xncc_track(cpu, s->pair, pairs, o, point, count, want, &kit_error), XNCC_OK);
    (void)snprintf(what, sizeof what, "%s, chip %d x %d, search %d x %d, fit %d, method %d", kind,
                   o->chip_width, o->chip_height, o->search_x, o->search_y, (int)o->fit,
                   (int)o->method);
    run(cuda, s->on_device, pairs, o, point, count, want, what);
    run(cuda, s->mixed, pairs, o, point, count, want, what);
    if (!brief) {
        run(cuda, s->pair, pairs, o, point, count, want, what);
        run(any, s->on_device, pairs, o, point, count, want, what);
        run(any, s->pair, pairs, o, point, count, want, what);
    }
    free(point);
    free(want);
}

/* Does the kernel of tracking serve a problem? */
static int is_served(const xncc_track_options *o, xncc_pixel pixel)
{
    const xncc_engine *engine = cuda->engine[xncc_slot(XNCC_DEVICE_CUDA)];
    xncc_problem p = XNCC_PROBLEM_INIT;
    p.pixel = pixel;
    p.templ_width = o->chip_width;
    p.templ_height = o->chip_height;
    p.image_width = o->chip_width + 2 * o->search_x;
    p.image_height = o->chip_height + 2 * o->search_y;
    p.rule.method = o->method;
    p.rule.flat = XNCC_FLAT_NAN;
    return engine->ops->can_read_chips(engine, &p);
}

static xncc_track_options options_of(int32_t chip_width, int32_t chip_height, int32_t search_x,
                                     int32_t search_y)
{
    xncc_track_options o = XNCC_TRACK_OPTIONS_INIT;
    o.chip_width = chip_width;
    o.chip_height = chip_height;
    o.search_x = search_x;
    o.search_y = search_y;
    return o;
}

/* Chips and searches by their extents: each size once, and oblong ones. */
static void check_extents(kit_random *random)
{
    static const int32_t search[] = { 0, 1, 2, 3, 4, 7, 8, 9, 12, 15, 16, 19, 20, 24, 31, 40 };
    for (int k = 0; k < 128; k += brief ? 37 : 1) {
        const look l = { k % 3 == 2 ? XNCC_U16 : XNCC_U8, 1, 210, 190, KIT_NOISE, 0, 0 };
        scene s;
        make_scene(&s, &l, random);
        xncc_track_options o = options_of(k + 1, k % 2 ? k + 1 : 1 + k * 53 % 90, search[k % 16],
                                          search[k / 3 % 16]);
        o.method = k % 4 == 3 ? XNCC_CCORR_NORMED : XNCC_CCOEFF_NORMED;
        o.fit = (xncc_track_fit)(k / 2 % 4);
        o.oversample = 2 << (k % 6);
        o.back = k % 5 == 0;
        compare(&s, 1, &o, random, brief ? 3 : 9, xncc_pixel_name(l.pixel));
        free_scene(&s);
    }
}

/* Random extents, on what is hard: few values, flat parts, the largest sums. */
static void check_fills(kit_random *random)
{
    static const kit_fill fill[] = { KIT_BLOCKS,   KIT_MAX,  KIT_CHECKER,
                                     KIT_GRADIENT, KIT_FLAT, KIT_ZERO };
    for (int k = 0; k < 60; k += brief ? 17 : 1) {
        const look l = { k / 6 % 2 ? XNCC_U16 : XNCC_U8, 1, 150, 140, fill[k % 6], 0, 0 };
        scene s;
        make_scene(&s, &l, random);
        xncc_track_options o = options_of(kit_between(random, 1, 48), kit_between(random, 1, 48),
                                          kit_between(random, 0, 18), kit_between(random, 0, 18));
        o.method = k % 2 ? XNCC_CCORR_NORMED : XNCC_CCOEFF_NORMED;
        o.fit = (xncc_track_fit)(k / 3 % 4);
        compare(&s, 1, &o, random, brief ? 2 : 6, kit_fill_name(l.fill));
        free_scene(&s);
    }
}

/* Chips that take all of a block's memory, and some that do not fit it. */
static void check_large(kit_random *random)
{
    static const int32_t large[][3] = { { 128, 128, 16 }, { 64, 64, 40 },  { 32, 32, 64 },
                                        { 20, 200, 20 },  { 200, 20, 20 }, { 16, 16, 90 } };
    int served = 0;
    for (int k = 0; k < 12; k += brief ? 11 : 1) {
        const look l = { k % 2 ? XNCC_U16 : XNCC_U8, 1, 400, 380, KIT_NOISE, 0, 0 };
        const xncc_track_options o = options_of(large[k / 2][0], large[k / 2][1], large[k / 2][2],
                                                large[k / 2][2]);
        scene s;
        make_scene(&s, &l, random);
        served += is_served(&o, l.pixel);
        compare(&s, 1, &o, random, brief ? 2 : 5, "large");
        free_scene(&s);
    }
    printf("of the large chips, the kernel serves %d\n", served);
}

/* What the kernel of tracking leaves to the CPU. */
static void check_helped(kit_random *random)
{
    static const xncc_pixel pixels[] = { XNCC_F32, XNCC_S8, XNCC_S16, XNCC_U32,
                                         XNCC_F64, XNCC_U8, XNCC_U16 };
    for (int k = 0; k < 28; k += brief ? 9 : 1) {
        const look l = { pixels[k % 7], 1 + (k % 7 == 5), 90, 70, KIT_NOISE, k / 7, k / 7 == 2 };
        const xncc_track_pass pass = { sizeof pass, 24, 20, 6, 6, 12, 12, 1, 2.0 };
        scene s;
        make_scene(&s, &l, random);
        xncc_track_options o = options_of(9, 8, 5, 4);
        o.back = k % 2;
        o.deform = k % 3 == 2;
        o.coarse = &pass;
        o.coarse_count = k % 4 == 1;
        o.method = (xncc_method)(k % 4);
        compare(&s, k % 2 ? PAIRS : 1, &o, random, 12, xncc_pixel_name(l.pixel));
        free_scene(&s);
    }
}

/* Several passes on the device, forward and back, and a named kernel, which is the CPU's. */
static void check_passes(kit_random *random)
{
    const xncc_track_pass pass[2] = { { sizeof *pass, 48, 48, 16, 16, 24, 24, 1, 2.0 },
                                      { sizeof *pass, 24, 20, 6, 6, 12, 12, 1, 2.0 } };
    const look l = { XNCC_U8, 1, 300, 260, KIT_NOISE, 0, 0 };
    scene s;
    make_scene(&s, &l, random);
    xncc_track_options o = options_of(12, 12, 4, 4);
    o.coarse = pass;
    o.coarse_count = 2;
    o.back = 1;
    compare(&s, 1, &o, random, brief ? 9 : 200, "passes");
    o.deform = 2;
    compare(&s, 1, &o, random, brief ? 3 : 60, "deformed");
    o.coarse_count = 0;
    o.deform = 0;
    o.kernel = "reference";
    compare(&s, 1, &o, random, 5, "a kernel of the CPU");
    free_scene(&s);
}

/* More chips than are on the device at a time, and images that are not copied in one call. */
static void check_many(kit_random *random)
{
    const look l = { XNCC_U8, 1, 1900, 1300, KIT_NOISE, 0, 0 };
    scene s;
    make_scene(&s, &l, random);
    xncc_track_options o = options_of(8, 8, 3, 3);
    compare(&s, 1, &o, random, MOST, "many");
    o.fit = XNCC_TRACK_OVERSAMPLED;
    o.search_x = o.search_y = 6;
    compare(&s, 1, &o, random, MOST / 3, "many, oversampled");
    free_scene(&s);
}

static xncc_status read_rows(void *argument, size_t pair, int32_t which, int32_t y, int32_t height,
                             xncc_image *view, xncc_error *error)
{
    const xncc_track_pair *pairs = argument;
    const xncc_image *image = which == 1 ? pairs[pair].image1 : pairs[pair].image2;
    (void)error;
    *view = *image;
    view->data = (const char *)image->data + image->pitch * y;
    view->height = height;
    return XNCC_OK;
}

/* Images that are read by rows, as the tool reads them. */
static void check_rows(kit_random *random)
{
    const look l = { XNCC_U8, 1, 300, 400, KIT_NOISE, 0, 0 };
    static xncc_track_point point[300];
    static xncc_displacement want[300], got[300];
    scene s;
    make_scene(&s, &l, random);
    xncc_track_options o = options_of(16, 16, 8, 8);
    o.back = 1;
    const size_t count = brief ? 10 : 300;
    make_points(&s, random, count, point);
    CHECK_STATUS(xncc_track(cpu, s.pair, 1, &o, point, count, want, &kit_error), XNCC_OK);
    for (int32_t rows = 1; rows <= 500; rows += brief ? 400 : 83)
        for (int device = 0; device < 2; device++) {
            const xncc_track_pair *pair = device ? s.on_device : s.pair;
            xncc_track_source source = XNCC_TRACK_SOURCE_INIT;
            source.width1 = pair->image1->width;
            source.height1 = pair->image1->height;
            source.width2 = pair->image2->width;
            source.height2 = pair->image2->height;
            source.rows = rows;
            source.read = read_rows;
            source.argument = (void *)(uintptr_t)pair;
            CHECK_STATUS(xncc_track_rows(cuda, &source, &o, point, count, got, &kit_error),
                         XNCC_OK);
            for (size_t i = 0; i < count; i++)
                check_same(&got[i], &want[i], "rows", i);
        }
    free_scene(&s);
}

/* The kernel serves what docs/track.md says. */
static void check_served(void)
{
    enum { OF_AN_H200 = 227 << 10 };
    xncc_machine machine = { .cpu.absent = 1 };
    xncc_track_options o = XNCC_TRACK_OPTIONS_INIT;
    CHECK_STATUS(xncc_context_machine(cuda, &machine, &kit_error), XNCC_OK);
    const int tensor = machine.cuda.major >= 8;
    CHECK_INT(is_served(&o, XNCC_U8), tensor);
    CHECK_INT(is_served(&o, XNCC_U16), tensor);
    CHECK(!is_served(&o, XNCC_F32) && !is_served(&o, XNCC_S8));
    o.method = XNCC_CCORR_NORMED;
    CHECK_INT(is_served(&o, XNCC_U8), tensor);
    o.method = XNCC_CCORR;
    CHECK(!is_served(&o, XNCC_U8));
    o = options_of(64, 64, 16, 16);
    CHECK_INT(is_served(&o, XNCC_U8), tensor);
    if (tensor && machine.cuda.shared_optin >= OF_AN_H200) {
        o = options_of(128, 128, 32, 32);
        CHECK(is_served(&o, XNCC_U8));
        o = options_of(128, 128, 16, 16);
        CHECK(is_served(&o, XNCC_U16));
        o = options_of(64, 64, 40, 40);
        CHECK(is_served(&o, XNCC_U8) && is_served(&o, XNCC_U16));
        o = options_of(32, 32, 64, 64);
        CHECK(is_served(&o, XNCC_U8));
    }
    o = options_of(32, 32, 1000, 1000);
    CHECK(!is_served(&o, XNCC_U8));
}

static void check_refusals(kit_random *random)
{
    const look l = { XNCC_U8, 1, 90, 80, KIT_NOISE, 0, 0 };
    const xncc_track_point point = { 40, 40, 0, 0 };
    xncc_displacement d;
    scene s;
    make_scene(&s, &l, random);
    CHECK_STATUS(xncc_track(cpu, s.on_device, 1, NULL, &point, 1, &d, &kit_error),
                 XNCC_ERROR_UNSUPPORTED);
    CHECK(strstr(kit_error.text, "device memory") != NULL);
    CHECK_STATUS(xncc_track(cuda, s.on_device, 1, NULL, NULL, 0, NULL, &kit_error), XNCC_OK);
    free_scene(&s);
}

static double seconds(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The fastest and the median of some calls, in milliseconds, after one that is not measured. */
static void time_calls(const scene *s, int device, const xncc_track_options *o,
                       const xncc_track_point *point, size_t count, xncc_displacement *found)
{
    enum { CALLS = 15 };
    double t[CALLS];
    for (int i = -1; i < CALLS; i++) {
        const double begin = seconds();
        CHECK_STATUS(xncc_track(cuda, device ? s->on_device : s->pair, 1, o, point, count, found,
                                &kit_error),
                     XNCC_OK);
        double taken = 1e3 * (seconds() - begin);
        for (int k = 0; k < i; k++)
            if (t[k] > taken) {
                const double other = t[k];
                t[k] = taken;
                taken = other;
            }
        if (i >= 0)
            t[i] = taken;
    }
    printf("%6zu chips of %d x %d, search %d, images on the %s: %.2f ms, median %.2f\n", count,
           o->chip_width, o->chip_height, o->search_x, device ? "device" : "host", t[0],
           t[CALLS / 2]);
}

/* The table of docs/track.md: chips on a grid of two images of 4096 x 4096. */
static void measure(kit_random *random)
{
    static const int32_t size[][3] = { { 32, 16, 100000 }, { 32, 16, 20000 }, { 16, 4, 100000 },
                                       { 64, 16, 100000 }, { 32, 32, 20000 }, { 32, 16, 100 } };
    const look l = { XNCC_U8, 1, 4096, 4096, KIT_NOISE, 0, 0 };
    scene s;
    make_scene(&s, &l, random);
    for (int k = 0; k < 6; k++) {
        const size_t count = (size_t)size[k][2], across = (size_t)ceil(sqrt((double)count));
        const xncc_track_options o = options_of(size[k][0], size[k][0], size[k][1], size[k][1]);
        xncc_track_point *point = malloc(count * sizeof *point);
        xncc_displacement *found = calloc(count, sizeof *found),
                          *want = calloc(count, sizeof *want);
        for (size_t i = 0; i < count; i++)
            point[i] = (xncc_track_point){ 50 + (double)(i % across) * 3990 / (double)across,
                                           50 + (double)(i / across) * 3990 / (double)across, 0,
                                           0 };
        CHECK_STATUS(xncc_track(cpu, s.pair, 1, &o, point, count, want, &kit_error), XNCC_OK);
        for (int device = 1; device >= 0; device--) {
            time_calls(&s, device, &o, point, count, found);
            for (size_t i = 0; i < count; i++)
                check_same(&found[i], &want[i], "timed", i);
        }
        free(point);
        free(found);
        free(want);
    }
    free_scene(&s);
}

int main(int argc, char **argv)
{
    kit_start(argc, argv);
    kit_random random = kit_stream(0);
    brief = kit_flag(argc, argv, "brief");
    cuda = kit_context(kit_device_option(argc, argv), 0);
    cpu = kit_context(XNCC_DEVICE_CPU, 0);
    any = kit_context(XNCC_DEVICE_AUTO, 0);
    if (kit_flag(argc, argv, "time")) {
        measure(&random);
        return kit_finish("chips");
    }
    check_served();
    check_extents(&random);
    check_fills(&random);
    check_large(&random);
    check_helped(&random);
    check_passes(&random);
    check_rows(&random);
    check_refusals(&random);
    if (!brief)
        check_many(&random);
    xncc_context_destroy(cuda);
    xncc_context_destroy(cpu);
    xncc_context_destroy(any);
    return kit_finish("chips");
}
