/* SPDX-License-Identifier: BSD-2-Clause */
/* Masks, no-data values, channels, borders, modes and all pixel types: compares every kernel that
 * can serve a problem with the oracle of tests/kit/oracle_general.c. Every method in every mode
 * with every border, under every kind of mask, for every pixel type. */
#include "check/general_call.h"
#include "kit/sanitized.h"

#include <stdio.h>
#include <string.h>

static void check_kernel(general_subject *s, const char *kernel, const xncc_map *want)
{
    const uint64_t turn = s->run->turn, slot = turn % CHECK_THREAD_COUNTS;
    const int where = s->run->device == XNCC_DEVICE_CUDA && kit_device_present()
                          ? (int)(turn / 2 % 4)
                          : 0;
    kit_options forced = s->c.options;
    forced.kernel = kernel;
    char what[400];
    snprintf(what, sizeof what, "%s, %s (context %d, image %s, map %s)", s->name, kernel, (int)slot,
             where & 1 ? "device" : "host", where & 2 ? "device" : "host");
    general_check_map(s, &forced, slot, where, want, what);
    check_count(s->run, kernel);
}

/* Work, in window pixels, above which the plain loops are skipped if there is another kernel. */
static const double most_for_reference = 4e6;

static void check_case(check_run *run, const general_case *c)
{
    general_subject s;
    const char *kernel[CHECK_KERNELS];
    const long before = kit_failures();
    size_t kernels = general_make(&s, run, c) ? check_kernels(run, &s.problem, kernel) : 0;
    if (kernels) {
        kit_map want = general_expected(&s, kernel[0]);
        const int sound = kit_failures() ==
                          before; /* otherwise every later check would repeat the failure */
        for (size_t k = 0; k < kernels && sound; k++)
            if (kernels == 1 || run->kernel || strcmp(kernel[k], "reference") != 0 ||
                general_work(c) < most_for_reference)
                check_kernel(&s, kernel[k], &want.view);
        kit_map_destroy(&want);
    }
    general_free(&s);
}

/* On a GPU, creating a plan takes milliseconds, and with sanitizers a millisecond. */
static unsigned tiny_rounds(const check_run *run)
{
    return run->device == XNCC_DEVICE_CUDA ? 1 : kit_short() ? 1 : KIT_SANITIZED ? 2 : 4;
}

/* Every combination of general_combine, on the smallest sizes; in the shortest runs half of them,
 * the other half with the next pixel type. */
static void check_tiny(check_run *run, xncc_pixel pixel)
{
    static const general_sizes size[] = { { 1, 1, 1, 1 },    { 2, 1, 1, 1 },  { 1, 9, 1, 3 },
                                          { 9, 1, 4, 1 },    { 7, 5, 3, 2 },  { 13, 11, 13, 11 },
                                          { 3, 2, 7, 5 },    { 33, 9, 6, 5 }, { 2, 3, 9, 2 },
                                          { 17, 31, 17, 1 }, { 5, 21, 4, 4 }, { 40, 12, 8, 8 },
                                          { 1, 1, 5, 4 } };
    const uint64_t count = sizeof size / sizeof *size;
    for (uint64_t i = 0; i < GENERAL_COMBINATIONS * (run->full ? 16u : tiny_rounds(run)); i++) {
        if (kit_shortest() && (i + (uint64_t)pixel) % 2)
            continue;
        uint64_t at = (i * 5 + i / GENERAL_COMBINATIONS * 3 + (uint64_t)pixel) % count;
        general_case c;
        do {
            c = general_some_case(pixel, 1000 + i, &size[at], 5);
            general_combine(&c, i);
            at = (at + 1) % count;
        } while (general_is_illegal(&c));
        check_case(run, &c);
    }
}

/* Methods that need no sum of the image but X: under a mask of the template the image is then its
 * own byte plane, and all kernels of products read it where it is. */
static void check_own_plane(check_run *run, xncc_pixel pixel)
{
    static const general_sizes size[] = { { 64, 48, 8, 8 }, { 48, 40, 16, 5 }, { 272, 30, 9, 9 } };
    for (uint64_t i = 0; i < 6; i++) {
        general_case c = general_some_case(pixel, 57000 + i, &size[i / 2], 1);
        c.channels = 1;
        c.options.method = i & 1 ? XNCC_CCOEFF : XNCC_CCORR;
        c.options.mode = XNCC_VALID;
        c.image_fill = KIT_NOISE;
        c.templ_fill = GENERAL_CROP;
        c.masks = GENERAL_TEMPL;
        check_case(run, &c);
    }
}

/* Sizes around the steps of vectors, tiles and blocks. */
static void check_small(check_run *run, xncc_pixel pixel)
{
    static const general_sizes size[] = {
        { 37, 29, 5, 7 },   { 64, 48, 8, 8 },    { 67, 53, 11, 13 }, { 57, 61, 16, 16 },
        { 51, 47, 31, 29 }, { 129, 35, 32, 12 }, { 130, 40, 33, 3 }, { 71, 73, 71, 1 },
        { 131, 20, 63, 9 }, { 43, 39, 37, 35 },  { 257, 31, 2, 17 }, { 20, 30, 21, 37 }
    };
    const uint64_t count = sizeof size / sizeof *size;
    /* 37 has no factor in common with 385. Any 77 consecutive cases have every method in every
     * place, any 55 every place under every mask. */
    for (uint64_t i = 0; i < (run->full        ? GENERAL_COMBINATIONS
                              : kit_shortest() ? 14u
                              : kit_short()    ? 28u
                                               : 77u);
         i++) {
        uint64_t at = (i + i / count + (uint64_t)pixel) % count;
        general_case c;
        do {
            c = general_some_case(pixel, 20000 + i, &size[at], 3);
            general_combine(&c, i * 37 + (uint64_t)pixel * 77);
            at = (at + 1) % count;
        } while (general_is_illegal(&c) || (!run->full && general_work(&c) > 3e6));
        check_case(run, &c);
    }
    kit_random random = kit_stream(79);
    for (uint64_t i = 0; i < (run->full ? 200u : kit_short() ? 6u : 20u); i++) {
        general_sizes z;
        z.image_width = kit_between(&random, 1, 90);
        z.image_height = kit_between(&random, 1, 60);
        z.width = kit_between(&random, 1, 30);
        z.height = kit_between(&random, 1, 30);
        general_case c = general_some_case(pixel, 25000 + i, &z, 3);
        general_combine(&c, i * 37 + 5 * (uint64_t)pixel);
        if (!general_is_illegal(&c))
            check_case(run, &c);
    }
    check_own_plane(run, pixel);
}

/* Differences of products beyond 64 bits with 16-bit pixels: half of the samples at one end of
 * their range, half at the other. */
static void check_widest(check_run *run, xncc_pixel pixel)
{
    static const general_sizes size = { 503, 403, 500, 400 };
    for (uint64_t i = 0; i < 2; i++) {
        general_case c = general_some_case(pixel, 45000 + i, &size, 1);
        c.channels = 1;
        c.options.method = i ? XNCC_CCOEFF : XNCC_CCOEFF_NORMED;
        c.image_fill = c.templ_fill = KIT_CHECKER;
        c.masks = GENERAL_TEMPL;
        check_case(run, &c);
    }
}

/* Half of the image is 0, and wider than what a kernel processes at a time. There a kernel may skip
 * products, and must not use the sums of the preceding piece for them. */
static void check_empty_half(check_run *run, xncc_pixel pixel)
{
    static const general_sizes size = { 1700, 13, 9, 7 };
    for (uint64_t i = 0; i < 2 * GENERAL_METHODS; i++) {
        general_case c = general_some_case(pixel, 50000 + i, &size, 2);
        c.options.method = (xncc_method)(i % GENERAL_METHODS);
        c.options.mode = XNCC_VALID;
        c.image_fill = GENERAL_HALF;
        c.templ_fill = KIT_NOISE;
        c.masks = i < GENERAL_METHODS ? GENERAL_TEMPL : GENERAL_IMAGE;
        check_case(run, &c);
    }
}

/* So high that the blocks of a kernel that walks down the map process more rows than they begin
 * with, on any device; under sanitizers no device is used. */
static void check_tall(check_run *run, xncc_pixel pixel)
{
    const general_sizes size = { 40, kit_shortest() ? 2700 : 10700, 9, 11 };
    static const struct {
        general_masks masks;
        int32_t channels;
        xncc_method method;
    } some[] = { { GENERAL_TEMPL, 1, XNCC_CCOEFF_NORMED }, { GENERAL_IMAGE, 1, XNCC_CCOEFF_NORMED },
                 { GENERAL_BOTH, 1, XNCC_CCOEFF_NORMED },  { GENERAL_NONE, 1, XNCC_SQDIFF },
                 { GENERAL_NONE, 2, XNCC_CCORR_NORMED },   { GENERAL_NONE, 3, XNCC_CCOEFF_NORMED },
                 { GENERAL_NONE, 4, XNCC_CCOEFF } };
    for (uint64_t i = 0; i < sizeof some / sizeof *some; i++) {
        general_case c = general_some_case(pixel, 55000 + i, &size, 1);
        c.channels = some[i].channels;
        c.options.method = some[i].method;
        c.options.mode = XNCC_VALID;
        c.image_fill = KIT_NOISE;
        c.templ_fill = GENERAL_CROP;
        c.masks = some[i].masks;
        check_case(run, &c);
    }
}

/* Sums of products beyond 32 bits, templates that kernels process in pieces, long rows, windows
 * mostly outside the image, and many channels. */
static void check_large(check_run *run, xncc_pixel pixel)
{
    static const struct {
        general_sizes size;
        xncc_mode mode;
        int32_t channels; /* 0: drawn at random */
    } some[] = {
        { { 120, 90, 61, 59 }, XNCC_VALID, 0 },
        { { 186, 184, 182, 182 }, XNCC_VALID, 0 },
        { { 303, 203, 300, 200 }, XNCC_VALID, 0 },
        { { 3011, 9, 16, 7 }, XNCC_VALID, 0 },
        { { 262, 259, 257, 257 }, XNCC_VALID, 0 },
        { { 40, 310, 9, 301 }, XNCC_VALID, 0 },
        { { 1203, 6, 1200, 5 }, XNCC_VALID, 0 },
        { { 259, 264, 259, 257 }, XNCC_VALID, 1 },
        { { 50, 44, 61, 59 }, XNCC_SAME, 0 },
        { { 31, 22, 61, 59 }, XNCC_FULL, 0 },
        { { 13, 9, 182, 182 }, XNCC_SAME, 0 },
        { { 184, 183, 181, 181 }, XNCC_VALID, 1 }, /* the largest that still fits 62 bits */
        { { 9, 7, 300, 200 }, XNCC_SAME, 0 },
        { { 611, 5, 9, 11 }, XNCC_FULL, 0 },
        { { 13, 11, 5, 4 }, XNCC_FULL, XNCC_MAX_CHANNELS },
        { { 21, 8, 9, 3 }, XNCC_SAME, 17 }
    };
    static const int fill[][2] = { { KIT_MAX, KIT_MAX },
                                   { KIT_NOISE, GENERAL_CROP },
                                   { KIT_NEAR_FLAT, GENERAL_CROP },
                                   { KIT_CHECKER, KIT_CHECKER } };
    static const general_masks masks[] = { GENERAL_TEMPL, GENERAL_BOTH, GENERAL_IMAGE,
                                           GENERAL_NO_DATA };
    const uint64_t each = run->full ? 28 : kit_short() ? 1 : 2;
    for (uint64_t i = 0; i < sizeof some / sizeof *some * each; i++) {
        const uint64_t at = i / each, turn = i + at + (uint64_t)pixel;
        general_case c = general_some_case(pixel, 40000 + i, &some[at].size, 2);
        c.channels = some[at].channels ? some[at].channels : c.channels;
        c.options.method = (xncc_method)((i * 3 + (uint64_t)pixel) % GENERAL_METHODS);
        c.options.mode = some[at].mode;
        c.options.border = (xncc_border)((turn * 2 + 1) % 5);
        c.image_fill = fill[turn % 4][0];
        c.templ_fill = fill[turn % 4][1];
        c.masks = masks[(i / 2 + (uint64_t)pixel) % 4];
        check_case(run, &c);
    }
    check_widest(run, pixel);
    check_empty_half(run, pixel);
    if (pixel == XNCC_U8 || pixel == XNCC_S8)
        check_tall(run, pixel);
}

/* A few cases that reach every kernel and every code path in it. */
static void check_brief(check_run *run, xncc_pixel pixel)
{
    static const general_sizes size[] = {
        { 33, 19, 6, 5 }, { 70, 37, 31, 9 }, { 60, 40, 17, 33 }, { 9, 8, 11, 5 }
    };
    /* the kernels are instances for bytes, for two bytes, and for the rest */
    const uint64_t step = pixel == XNCC_U8 || pixel == XNCC_U16 ? 1 : 2;
    for (uint64_t i = 0; i < 6; i += step) {
        general_case c = general_some_case(pixel, 60000 + i, &size[i % 4], 3);
        general_combine(&c, i * 37 + (uint64_t)pixel * 11);
        if (general_is_illegal(&c))
            c.options.mode = XNCC_FULL;
        check_case(run, &c);
    }
    general_check_find(run, pixel);
    check_run walking;
    if ((pixel == XNCC_U8 || pixel == XNCC_S8) && check_walking(run, &walking))
        check_tall(&walking, pixel);
}

/* High enough for several rectangles of any kernel, one above the other. */
static void check_threads(check_run *run, xncc_pixel pixel)
{
    static const general_sizes size = { 70, 300, 6, 5 };
    for (uint64_t i = 0; i < 6; i++) {
        general_case c = general_some_case(pixel, 65000 + i, &size, 2);
        general_combine(&c, i * 37 + (uint64_t)pixel * 11);
        check_case(run, &c);
    }
}

/* A width of each class that the tensor kernels have instances for, with channels and with a masked
 * image, maps and matches; and for u32 and f64 the kernels of doubles, which serve one channel
 * without masks. */
static void check_widths(check_run *run, xncc_pixel pixel)
{
    static const int32_t widths[] = { 10, 17, 26, 32, 33, 34, 41, 42, 47, 48, 57, 58, 61 };
    const int bytes = pixel == XNCC_U8 || pixel == XNCC_U16;
    for (uint64_t i = 0; i < 2 * sizeof widths / sizeof *widths; i++) {
        /* doubles are summed in groups of rows under high templates */
        const int32_t width = widths[i / 2], height = !bytes && i % 2 ? 70 : 6;
        const general_sizes size = { width + 23, height + 15, width, height };
        general_case c = general_some_case(pixel, 62000 + i, &size, 1);
        c.channels = bytes && i % 2 ? 4 : 1;
        c.options.method = XNCC_CCOEFF_NORMED;
        c.options.mode = XNCC_VALID;
        c.image_fill = KIT_NOISE;
        c.templ_fill = GENERAL_CROP;
        c.masks = bytes && i % 2 == 0 ? GENERAL_IMAGE : GENERAL_NONE;
        check_case(run, &c);
    }
    if (bytes)
        general_check_find_widths(run, pixel);
}

void check_general(check_run *run)
{
    static const struct {
        const char *name;
        void (*check)(check_run *run, xncc_pixel pixel);
    } group[] = { { "tiny", check_tiny },    { "small", check_small },
                  { "large", check_large },  { "find", general_check_find },
                  { "brief", check_brief },  { "threads", check_threads },
                  { "widths", check_widths } };
    for (int p = XNCC_U8; p <= XNCC_F64; p++)
        for (size_t i = 0; i < sizeof group / sizeof *group; i++)
            if (check_wants(run, (xncc_pixel)p) && (check_in_group(run, group[i].name)) &&
                (run->group || i < 4))
                group[i].check(run, (xncc_pixel)p);
    if (check_in_group(run, "refusals"))
        general_check_refusals(run);
}
