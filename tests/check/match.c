/* SPDX-License-Identifier: BSD-2-Clause */
/* Maps: checks every kernel, method, mode and pixel type over sizes and fills that are hard on
 * arithmetic and on edges. */
#include "check/check.h"
#include "kit/oracle_general.h"
#include "kit/sanitized.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { METHODS = 6, CROP = KIT_FILLS, HOLES = KIT_FILLS };

typedef struct sizes {
    int32_t image_width, image_height, width, height;
} sizes;

/* An image, a template and a mode, and the expected maps. */
typedef struct subject {
    check_run *run;
    kit_image image, templ;
    xncc_template *prepared[CHECK_THREAD_COUNTS];
    xncc_mode mode;
    oracle_sums sums; /* for integer pixels */
    char name[160];
} subject;

/* Float pixels: checks the kernel "reference" against the oracle, which is slow: all elements of a
 * small map, a sample of a large one. */
static void check_exact(const subject *s, const xncc_map *map, const kit_options *options)
{
    double work = (double)map->width * map->height * s->templ.view.width * s->templ.view.height;
    int32_t step = 1 + (int32_t)(work / 2e4);
    oracle_general oracle = oracle_general_make(&s->image.view, &s->templ.view, s->mode,
                                                XNCC_BORDER_CLAMP);
    for (int32_t y = 0; y < map->height; y++)
        for (int32_t x = y % step; x < map->width; x += step) {
            const float want = oracle_exact(&oracle, options, x, y), got = kit_map_row(map, y)[x];
            const int same = (got != got && want != want) || memcmp(&got, &want, sizeof got) == 0;
            CHECK(same);
            if (!same)
                kit_fail(__FILE__, __LINE__, "%s %s: at (%d, %d) it is %.9g, want %.9g", s->name,
                         xncc_method_name(options->method), x, y, (double)got, (double)want);
        }
    oracle_general_free(&oracle);
}

static kit_map expected(const subject *s, xncc_method method, xncc_flat flat)
{
    if (s->image.view.pixel == XNCC_F32) {
        kit_options options = { .method = method, .mode = s->mode, .flat = flat };
        kit_map map = check_reference(s->run, &s->image.view, &s->templ.view, &options);
        check_exact(s, &map.view, &options);
        return map;
    }
    kit_map map = check_map_for(&s->image.view, &s->templ.view, s->mode);
    for (int32_t y = 0; y < map.view.height; y++)
        for (int32_t x = 0; x < map.view.width; x++)
            kit_map_row(&map.view, y)[x] = oracle_score(
                &s->sums, method, flat, (size_t)y * (size_t)map.view.width + (size_t)x);
    return map;
}

static void check_kernel(const subject *s, const char *kernel, const kit_options *options,
                         const xncc_map *want)
{
    check_run *run = s->run;
    uint64_t slot = run->turn % CHECK_THREAD_COUNTS;
    kit_map got = kit_map_create(want->width, want->height, (int32_t)(run->turn / 3 % 3) * 3,
                                 run->turn & 1 ? KIT_AFTER : KIT_BEFORE);
    kit_options forced = *options;
    forced.kernel = kernel;
    char what[256];
    snprintf(what, sizeof what, "%s %s%s %s (context %d)", s->name,
             xncc_method_name(options->method), options->flat == XNCC_FLAT_NAN ? " nan" : "",
             kernel, (int)slot);
    xncc_status status = kit_correlate(run->context[slot], &s->image.view, s->prepared[slot],
                                       &forced, &got.view);
    if (check_ok(status, what)) {
        check_same(&got.view, want, what);
        CHECK(kit_map_padding_intact(&got));
    }
    check_count(run, kernel);
    kit_map_destroy(&got);
}

/* combination 0 .. 11: the method and the option for flat windows */
static void check_combination(const subject *s, int combination)
{
    kit_options options = { .method = (xncc_method)(combination % METHODS),
                            .mode = s->mode,
                            .flat = combination < METHODS ? XNCC_FLAT_ZERO : XNCC_FLAT_NAN };
    xncc_problem problem = check_problem(&s->image.view, s->templ.view.width, s->templ.view.height);
    problem.rule.method = options.method;
    problem.rule.mode = options.mode;
    problem.rule.flat = options.flat;
    const char *kernel[CHECK_KERNELS];
    size_t kernels = check_kernels(s->run, &problem, kernel);
    if (!kernels)
        return;
    kit_map want = expected(s, options.method, options.flat);
    const int is_long = check_is_long(&s->image.view, &s->templ.view, s->mode);
    for (size_t k = 0; k < kernels; k++)
        if (!is_long || strcmp(kernel[k], "reference") != 0)
            check_kernel(s, kernel[k], &options, &want.view);
    kit_map_destroy(&want);
}

static void check_subject(subject *s, int all_methods)
{
    check_run *run = s->run;
    int made = 1;
    /* Creating a plan takes a millisecond with CUDA and with sanitizers, so methods are rotated
     * over the subjects. */
    if (run->device == XNCC_DEVICE_CUDA || KIT_SANITIZED)
        all_methods = run->full;
    for (int i = 0; i < CHECK_THREAD_COUNTS; i++)
        made &= check_ok(
            xncc_template_create(run->context[i], &s->templ.view, &s->prepared[i], &kit_error),
            s->name);
    if (s->image.view.pixel != XNCC_F32)
        s->sums = oracle_sums_make(&s->image.view, &s->templ.view, s->mode);
    int other = 1 + (int)(run->turn % (2 * METHODS - 1));
    /* brief: the first method in one mode, another one in the other modes */
    const int brief = check_is_brief(run), first = !brief || s->mode == XNCC_VALID,
              second = !brief || s->mode != XNCC_VALID;
    for (int c = 0; c < 2 * METHODS && made; c++)
        if (all_methods || (c == 0 && first) || (c == other && second))
            check_combination(s, c);
    for (int i = 0; i < CHECK_THREAD_COUNTS; i++)
        xncc_template_destroy(s->prepared[i]);
    oracle_sums_free(&s->sums);
}

/* Noise with a NaN and both infinities. */
static void fill_holes(const xncc_image *image, kit_random *random)
{
    static const double hole[] = { (double)NAN, (double)INFINITY, (double)-INFINITY };
    kit_image_fill(image, KIT_NOISE, random);
    for (int i = 0; i < 3; i++)
        kit_pixel_set(image, kit_between(random, 0, image->width - 1),
                      kit_between(random, 0, image->height - 1), hole[i]);
}

/* image_fill, templ_fill: a kit_fill; HOLES for a float image; CROP for a template that is a crop
 * of the image */
static void check_pair(check_run *run, xncc_pixel pixel, const sizes *z, int image_fill,
                       int templ_fill, int all_methods)
{
    kit_random random = kit_stream(run->turn + (uint64_t)pixel);
    subject s = { .run = run };
    int32_t pad = kit_between(&random, 0, 5);
    s.image = kit_image_create(pixel, z->image_width, z->image_height, pad,
                               kit_next(&random) & 1 ? KIT_BEFORE : KIT_AFTER);
    s.templ = kit_image_create(pixel, z->width, z->height, kit_between(&random, 0, 3),
                               kit_next(&random) & 1 ? KIT_AFTER : KIT_BEFORE);
    if (image_fill == HOLES)
        fill_holes(&s.image.view, &random);
    else
        kit_image_fill(&s.image.view, (kit_fill)image_fill, &random);
    if (templ_fill != CROP)
        kit_image_fill(&s.templ.view, (kit_fill)templ_fill, &random);
    else if (z->width <= z->image_width && z->height <= z->image_height)
        kit_image_copy(&s.templ.view, &s.image.view,
                       kit_between(&random, 0, z->image_width - z->width),
                       kit_between(&random, 0, z->image_height - z->height));
    else
        kit_image_fill(&s.templ.view, KIT_NOISE, &random);
    kit_image_freeze(&s.image);
    kit_image_freeze(&s.templ);
    double macs = (double)z->image_width * z->image_height * z->width * z->height;
    double full = ((double)z->image_width + z->width - 1) *
                  ((double)z->image_height + z->height - 1) * z->width * z->height;
    for (int mode = XNCC_VALID; mode <= XNCC_FULL; mode++) {
        if (mode == XNCC_FULL &&
            full >
                (run->full ? 1e8 : 4e6)) /* nothing new happens beyond the edges of a large image */
            continue;
        if (mode == XNCC_VALID && (z->width > z->image_width || z->height > z->image_height))
            continue;
        if (mode == XNCC_SAME && macs > (run->full ? 4e9 : 3e8))
            continue;
        s.mode = (xncc_mode)mode;
        snprintf(s.name, sizeof s.name, "%s %dx%d (%s, pitch %lld) under %dx%d (%s) %s",
                 xncc_pixel_name(pixel), z->image_width, z->image_height,
                 image_fill == HOLES ? "holes" : kit_fill_name((kit_fill)image_fill),
                 (long long)s.image.view.pitch, z->width, z->height,
                 templ_fill == CROP ? "crop" : kit_fill_name((kit_fill)templ_fill),
                 mode == XNCC_SAME   ? "same"
                 : mode == XNCC_FULL ? "full"
                                     : "valid");
        check_subject(&s, all_methods && mode != XNCC_FULL);
    }
    kit_image_destroy(&s.image);
    kit_image_destroy(&s.templ);
}

/* Does a short run have this pair of fills with size i? */
static int is_in_short_run(int i, int image, int templ)
{
    return i % 6 == (image + 2 * templ) % 6 &&
           (!kit_shortest() || (i / 3 + image + templ) % 3 == 0);
}

/* Every image fill with every template fill: the arithmetic, on the smallest sizes. */
static void check_tiny(check_run *run, xncc_pixel pixel)
{
    static const sizes size[] = { { 1, 1, 1, 1 },    { 2, 1, 1, 1 },    { 1, 9, 1, 3 },
                                  { 9, 1, 4, 1 },    { 7, 5, 3, 2 },    { 13, 11, 13, 11 },
                                  { 31, 17, 1, 17 }, { 17, 31, 17, 1 }, { 3, 2, 7, 5 },
                                  { 33, 9, 6, 5 },   { 173, 9, 6, 5 } };
    /* The last one is for the integer kernels that small maps do not reach. */
    const size_t count = sizeof size / sizeof *size - (pixel == XNCC_F32 && !run->full);
    for (size_t i = 0; i < count; i++)
        for (int image = 0; image < (pixel == XNCC_F32 ? KIT_FILLS + 1 : KIT_FILLS); image++)
            for (int templ = 0; templ <= CROP; templ++)
                if (run->full || (kit_short() ? is_in_short_run((int)i, image, templ)
                                              : (int)i % 3 == (image + templ) % 3))
                    check_pair(run, pixel, &size[i], image, templ, 1);
}

/* Sizes around the steps of vectors, tiles and blocks. */
static void check_small(check_run *run, xncc_pixel pixel)
{
    static const sizes size[] = { { 37, 29, 5, 7 },   { 64, 48, 8, 8 },    { 67, 53, 11, 13 },
                                  { 97, 61, 16, 16 }, { 101, 67, 31, 29 }, { 129, 65, 32, 32 },
                                  { 130, 40, 33, 3 }, { 71, 73, 71, 1 },   { 131, 20, 63, 9 },
                                  { 83, 79, 67, 65 }, { 257, 31, 2, 17 },  { 20, 30, 41, 37 },
                                  { 197, 29, 5, 7 },  { 191, 36, 31, 29 }, { 230, 20, 63, 9 } };
    static const int pair[][2] = { { KIT_NOISE, CROP },          { KIT_MAX, KIT_MAX },
                                   { KIT_CHECKER, CROP },        { KIT_BLOCKS, KIT_NOISE },
                                   { KIT_ONE_OFF, KIT_ONE_OFF }, { KIT_NEAR_FLAT, CROP },
                                   { KIT_GRADIENT, CROP },       { KIT_FLAT, KIT_NOISE } };
    int pairs = sizeof pair / sizeof *pair;
    for (size_t i = 0; i < sizeof size / sizeof *size; i++)
        for (int p = 0; p < pairs; p++)
            if (!kit_short() || p % 4 == (int)i % 4)
                check_pair(run, pixel, &size[i], pair[p][0], pair[p][1],
                           run->full || p == (int)i % pairs);
    if (pixel == XNCC_F32)
        check_pair(run, pixel, &size[2], HOLES, KIT_NOISE, 1);
    kit_random random = kit_stream(77);
    for (int i = 0; i < (run->full ? 200 : kit_shortest() ? 4 : 12); i++) {
        sizes z = { kit_between(&random, 1, 150), kit_between(&random, 1, 90),
                    kit_between(&random, 1, 40), kit_between(&random, 1, 40) };
        check_pair(run, pixel, &z, KIT_NOISE, i & 1 ? CROP : KIT_NOISE, run->full);
    }
}

/* Sums beyond 32 bits, their products beyond 64 bits, long rows, and templates that kernels process
 * in pieces. */
static void check_large(check_run *run, xncc_pixel pixel)
{
    static const sizes size[] = { { 193, 187, 182, 182 },   { 270, 263, 257, 257 },
                                  { 16411, 9, 16, 7 },      { 16390, 3, 1, 1 },
                                  { 219, 131, 61, 59 },     { 310, 207, 300, 200 },
                                  { 20011, 21, 3, 19 },     { 40, 600, 9, 301 },
                                  { 275, 265, 259, 257 },   { 320, 311, 310, 305 },
                                  { 2151, 9, 2100, 5 },     { 4300, 5, 2051, 3 },
                                  { 560, 80, 520, 9 },      { 40, 2530, 9, 2500 },
                                  { 510, 1010, 500, 1000 }, { 40, 10700, 9, 11 } };
    static const int pair[][2] = { { KIT_MAX, KIT_MAX },
                                   { KIT_NOISE, CROP },
                                   { KIT_NEAR_FLAT, CROP },
                                   { KIT_CHECKER, KIT_CHECKER } };
    for (size_t i = 0; i < sizeof size / sizeof *size; i++)
        for (int p = 0; p < 4; p++)
            if (run->full || (pixel == XNCC_F32 ? p == 1
                              : kit_short()     ? p == (int)i % 4
                                                : i < 10 || p == 1 || p == (int)i % 4))
                check_pair(run, pixel, &size[i], pair[p][0], pair[p][1], run->full);
    if (pixel == XNCC_U8)
        check_pair(run, pixel, &(sizes){ 3459, 3454, 3452, 3452 }, KIT_CHECKER, CROP,
                   0); /* beyond 63 bits */
}

static void check_brief(check_run *run, xncc_pixel pixel)
{
    static const sizes size[] = { { 33, 9, 6, 5 },
                                  { 131, 67, 31, 29 },
                                  { 260, 40, 64, 33 },
                                  { 150, 120, 70, 90 },
                                  { 71, 60, 71, 60 } };
    for (size_t i = 0; i < sizeof size / sizeof *size; i++)
        check_pair(run, pixel, &size[i], i & 1 ? KIT_BLOCKS : KIT_NOISE, CROP, 0);
    check_run walking;
    if (pixel == XNCC_U8 && check_walking(run, &walking))
        check_pair(&walking, pixel, &(sizes){ 40, 10700, 9, 11 }, KIT_NOISE, CROP, 0);
}

/* High enough for several rectangles of any kernel, one above the other. */
static void check_threads(check_run *run, xncc_pixel pixel)
{
    check_pair(run, pixel, &(sizes){ 300, 160, 5, 7 }, KIT_NOISE, CROP, 0);
    check_pair(run, pixel, &(sizes){ 70, 300, 17, 9 }, KIT_BLOCKS, CROP, 0);
}

void check_match(check_run *run)
{
    for (int p = XNCC_U8; p <= XNCC_F32; p++) {
        if (!check_wants(run, (xncc_pixel)p))
            continue;
        if (check_is_brief(run))
            check_brief(run, (xncc_pixel)p);
        if (check_is_threads(run))
            check_threads(run, (xncc_pixel)p);
        if (check_in_group(run, "tiny"))
            check_tiny(run, (xncc_pixel)p);
        if (check_in_group(run, "small"))
            check_small(run, (xncc_pixel)p);
        if (check_in_group(run, "large"))
            check_large(run, (xncc_pixel)p);
    }
}
