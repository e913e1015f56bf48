/* SPDX-License-Identifier: BSD-2-Clause */
/* Pictures of floats and u32 on which windows by the thousand cancel, or whose samples are near the
 * ends of their range: they score as the oracle says, by every kernel, and are found. */
#include "props/float_maps.h"

#include <math.h>
#include <string.h>

static const kit_room room = { 3, KIT_AFTER };

typedef enum hostile {
    STRIPES, /* across in the image, down in the template: no window correlates */
    THIRDS,  /* the same with samples of all bits */
    STEEP,   /* the same, with rows 2^60 apart */
    COPIES,  /* of the template, side by side */
    EQUAL,   /* image and template of one value */
    LABELS,  /* 0 and 1 at random */
    FAINT,   /* labels + 2^-60 times a picture */
    SPIKE,   /* a picture with one sample of 1e30 */
    WIDE,    /* rows far apart, in image and template, that cancel across */
    SPLIT,   /* the same, where the numbers that cancel have different bits */
    FAR,     /* rows that cancel, and rows so faint that only exact sums have them */
    PATCH,   /* few windows of that kind, in noise */
    LEVELS,  /* rows of one value each, the first of them the same */
    ENDS,    /* 0 and almost 2 at random; on the left almost 2, or hardly less */
    FADED,   /* noise of little contrast beside noise of much */
    TINY,    /* samples near the smallest number */
    CROSSED, /* few windows of stripes, in noise */
    SKY,     /* two grey levels: many numerators are 0 */
    HOSTILES
} hostile;

static const char *const hostile_name[HOSTILES] = {
    "stripes", "thirds", "steep", "copies", "equal", "labels", "faint", "spike",   "wide",
    "split",   "far",    "patch", "levels", "ends",  "faded",  "tiny",  "crossed", "sky"
};

/* A number that depends on k alone, within 1 .. 2, with all bits of a float. */
static double one_to_two(int32_t k)
{
    return 1.0 + (double)((uint32_t)k * 2654435761u >> 9) * 0x1p-23;
}

static double hostile_sample(hostile kind, int of_templ, int32_t size, int32_t x, int32_t y,
                             kit_random *random)
{
    const double noise = (double)kit_below(random, 256), sign = x & 1 ? 1.0 : -1.0;
    switch (kind) {
    case STRIPES: return (of_templ ? x : y) & 1;
    case THIRDS: return (of_templ ? x : y) & 1 ? 0.7f : (double)(1.0f / 3.0f);
    case STEEP: return of_templ ? sign * 0.3f : ldexp(one_to_two(y), 20 * (y % 4) - 30);
    case COPIES: {
        const int32_t i = x % size + size * (y % size);
        return one_to_two(i) + ldexp(one_to_two(7 * i + 1), -28);
    }
    case EQUAL: return 0.3f;
    case LABELS: return (double)((int)noise & 1);
    case FAINT: return ((int)noise & 1) + ldexp(one_to_two(x * 31 + y), -60);
    case SPIKE: return !of_templ && x == 50 && y == 40 ? 1e30 : noise / 255.0;
    case PATCH:
        if (!of_templ && (x >= size + 2 || y >= size + 2))
            return noise / 255.0;
        return hostile_sample(FAR, of_templ, size, x, y, random);
    case CROSSED:
        if (!of_templ && (x >= size + 12 || y >= size + 12))
            return noise / 256.0;
        return hostile_sample(STRIPES, of_templ, size, x, y, random);
    case SKY:
        return (of_templ ? (7 * x + 5 * y) % 4 == 0 : noise < 16.0) ? 222.0 / 255.0 : 221.0 / 255.0;
    case LEVELS:
        if (of_templ ? y % 7 == 3 : y < size + 4)
            return of_templ ? ldexp(x & 1, -60) : 1.0;
        return hostile_sample(WIDE, of_templ, size, x, y, random);
    case FAR:
        if (y % 7 == 3)
            return ldexp(of_templ ? sign : x & 1, -60);
        return hostile_sample(WIDE, of_templ, size, x, y, random);
    case WIDE:
        return (of_templ ? sign : 1.0) *
               ldexp(one_to_two(y), of_templ ? 90 * (y % 2) - 45 : 23 * (y % 5) - 50);
    case SPLIT: {
        const double a = one_to_two(y), b = one_to_two(y + 1000), part[] = { a + b, -a, -b, 0.0 };
        return ldexp(of_templ ? part[x % 4] : a, of_templ ? 90 * (y % 2) - 45 : 23 * (y % 5) - 50);
    }
    case FADED: {
        const double v = one_to_two((int32_t)noise + 256 * (x + 997 * y)) - 1.5;
        return of_templ || x < size + 40 ? 0.25 + ldexp(v, -9) : v;
    }
    case ENDS:
        if (!of_templ && x < size + 4)
            return 2.0 - ldexp(noise < 1.0 ? 2.0 : 1.0, -31);
        return noise < 128.0 ? 0.0 : 2.0 - ldexp(1.0, -31);
    default: return ldexp(one_to_two((int32_t)noise), -140);
    }
}

/* As a pixel type holds a sample: integers of 32 bits hold 0 .. 2. */
static double as_pixel(xncc_pixel pixel, double sample)
{
    return pixel == XNCC_U32 ? floor(ldexp(sample, 31)) : sample;
}

/* What pixels there are, and which of them count. */
typedef enum form {
    PLAIN,
    TEMPL_MASK,
    BOTH_MASKS,
    CHANNELS, /* three, of different scales */
    OVERLAP,  /* windows that leave the image */
    SPOILT,   /* a template mask, and an infinity */
    FORMS
} form;

/* One of `period` pixels, or rows, does not count. */
static void mask_some(kit_image *image, int32_t period, int rows)
{
    kit_image_mask(image, room);
    for (int32_t y = 0; y < image->view.height; y++)
        for (int32_t x = 0; x < image->view.width; x++)
            kit_mask_set(&image->view, x, y, (rows ? y : 3 * y + 7 * x) % period != 1);
}

static kit_image hostile_image(hostile kind, form f, xncc_pixel pixel, int of_templ, int32_t size,
                               int32_t width, int32_t height)
{
    kit_random random = kit_stream(940 + (uint64_t)kind);
    kit_image image = kit_image_create_channels(pixel, f == CHANNELS ? 3 : 1, width, height, room);
    for (int32_t y = 0; y < height; y++)
        for (int32_t x = 0; x < width; x++)
            for (int32_t c = 0; c < image.view.channels; c++)
                kit_sample_set(
                    &image.view, x, y, c,
                    as_pixel(pixel, ldexp(hostile_sample(kind, of_templ, size, x, y + c, &random),
                                          -9 * c)));
    /* whole rows where that keeps what cancels across */
    if (f == BOTH_MASKS || ((f == TEMPL_MASK || f == SPOILT) && of_templ) ||
        (f == CHANNELS && kind == FADED))
        mask_some(&image, of_templ ? 4 : 5, kind != FADED);
    if (f == SPOILT && !of_templ)
        kit_sample_set(&image.view, width / 2, height / 3, 0, (double)INFINITY);
    return image;
}

static void check_hostile(hostile kind, form f, xncc_pixel pixel, int32_t size)
{
    kit_image image = hostile_image(kind, f, pixel, 0, size, 2 * size + 60, 2 * size + 50),
              templ = hostile_image(kind, f, pixel, 1, size, size, size);
    const float_pair p = { .image = &image.view,
                           .templ = &templ.view,
                           .mode = f == OVERLAP ? XNCC_SAME : XNCC_VALID,
                           .border = f == OVERLAP ? XNCC_BORDER_OVERLAP : XNCC_BORDER_CLAMP };
    for (int method = f == PLAIN ? 0 : (int)kind % 2; method < FLOAT_METHODS;
         method += f == PLAIN ? 1 : 2) {
        kit_map map = float_map_of(p, (xncc_method)method, NULL);
        check_float_scores(p, (xncc_method)method, &map.view, 60, hostile_name[kind]);
        check_float_maps(p, (xncc_method)method, &map.view, 0, 0, 0, hostile_name[kind]);
        if (f == PLAIN && method % 2 == (int)kind % 2)
            check_float_matches(p, (xncc_method)method, &map.view, NULL, hostile_name[kind]);
        kit_map_destroy(&map);
    }
    kit_image_destroy(&image);
    kit_image_destroy(&templ);
}

/* The best window is one in doubt: the template's own, whose differences are exactly 0. Beside it
 * are few others. power: how far apart samples are. */
static void check_copy(xncc_pixel pixel, int power)
{
    kit_random random = kit_stream(960);
    kit_image image = kit_image_create_channels(pixel, 1, 300, 170, room),
              templ = kit_image_create_channels(pixel, 1, 7, 6, room);
    for (int32_t y = 0; y < image.view.height; y++)
        for (int32_t x = 0; x < image.view.width; x++)
            kit_sample_set(
                &image.view, x, y, 0,
                as_pixel(pixel, ldexp(1.0 + (double)kit_below(&random, 1 << 30) * 0x1p-30 + 0x1p-50,
                                      (int)kit_below(&random, 2) * power - 1)));
    for (int32_t y = 0; y < templ.view.height; y++)
        for (int32_t x = 0; x < templ.view.width; x++)
            kit_sample_set(&templ.view, x, y, 0, kit_sample(&image.view, 201 + x, 93 + y, 0));
    const float_pair p = { .image = &image.view, .templ = &templ.view };
    const xncc_method method[] = { XNCC_SQDIFF, XNCC_SQDIFF_NORMED, XNCC_CCOEFF_NORMED };
    for (int i = 0; i < 3; i++) {
        kit_map map = float_map_of(p, method[i], NULL);
        check_float_matches(p, method[i], &map.view, NULL, "copy");
        kit_map_destroy(&map);
    }
    kit_image_destroy(&image);
    kit_image_destroy(&templ);
}

static void raise_rows(const xncc_image *image, int power)
{
    for (int32_t y = 0; y < image->height; y += 7)
        for (int32_t x = 0; x < image->width; x++)
            kit_sample_set(image, x, y, 0, ldexp(kit_sample(image, x, y, 0), power));
}

/* Many windows of which no bound tells the score. only: a kernel; NULL: every kernel. power: how
 * far some rows are raised. */
static void check_found(hostile of_image, hostile of_templ, xncc_pixel pixel, int32_t side,
                        const char *only, int power)
{
    kit_image image = hostile_image(of_image, PLAIN, pixel, 0, 6, side, side),
              templ = hostile_image(of_templ, PLAIN, pixel, 1, 6, 6, 6);
    raise_rows(&image.view, power);
    const float_pair p = { .image = &image.view, .templ = &templ.view };
    kit_map map = float_map_of(p, XNCC_CCOEFF_NORMED, only);
    check_float_scores(p, XNCC_CCOEFF_NORMED, &map.view, 400, hostile_name[of_image]);
    if (!only)
        check_float_maps(p, XNCC_CCOEFF_NORMED, &map.view, 0, 0, 0, hostile_name[of_image]);
    check_float_matches(p, XNCC_CCOEFF_NORMED, &map.view, only, hostile_name[of_image]);
    kit_map_destroy(&map);
    kit_image_destroy(&image);
    kit_image_destroy(&templ);
}

/* So many slices of so large a transform that their products are computed in groups. */
static void check_large(void)
{
    kit_image image = hostile_image(FAR, PLAIN, XNCC_F64, 0, 770, 804, 803),
              templ = hostile_image(FAR, PLAIN, XNCC_F64, 1, 770, 770, 770);
    const float_pair p = { .image = &image.view, .templ = &templ.view };
    raise_rows(&image.view, 340);
    raise_rows(&templ.view, 340);
    kit_map map = float_map_of(p, XNCC_CCOEFF_NORMED, "fft-portable");
    check_float_scores(p, XNCC_CCOEFF_NORMED, &map.view, 3, "large");
    kit_map_destroy(&map);
    kit_image_destroy(&image);
    kit_image_destroy(&templ);
}

/* One plan for two templates, of which the second has other signs in its faint rows, and for an
 * image whose second rectangle of three has fewer bits, so that it is cut into other slices. */
static void check_kept(void)
{
    enum { SIZE = 36, WIDTH = 90, HEIGHT = 600, BEGIN = 180, END = 430 };
    kit_image image = hostile_image(FAR, PLAIN, XNCC_F64, 0, SIZE, WIDTH, HEIGHT),
              templ[] = { hostile_image(FAR, PLAIN, XNCC_F64, 1, SIZE, SIZE, SIZE),
                          hostile_image(FAR, PLAIN, XNCC_F64, 1, SIZE, SIZE, SIZE) };
    xncc_context *const several = float_context;
    xncc_template *template[2];
    for (int32_t x = 0; x < WIDTH; x++)
        for (int32_t y = BEGIN; y < END; y++)
            if (y % 7 != 3)
                kit_sample_set(&image.view, x, y, 0, one_to_two(y));
    for (int32_t x = 0; x < SIZE; x++)
        for (int32_t y = 3; y < SIZE; y += 7)
            kit_sample_set(&templ[1].view, x, y, 0,
                           kit_sample(&templ[1].view, x, y, 0) * (x % 3 ? 1.0 : -1.0));
    float_context = kit_context(XNCC_DEVICE_CPU, 1);
    for (int i = 0; i < 2; i++)
        template[i] = float_template_of(&templ[i].view);
    xncc_problem problem = XNCC_PROBLEM_INIT;
    xncc_preference preference = XNCC_PREFERENCE_INIT;
    xncc_plan *plan = NULL;
    preference.kernel = "fft-portable";
    CHECK(xncc_problem_set(&problem, &image.view, template[0], &kit_error) == XNCC_OK);
    problem.rule.method = XNCC_CCOEFF;
    if (xncc_plan_create(float_context, &problem, &preference, &plan, &kit_error) != XNCC_OK)
        kit_give_up("no plan: %s", kit_error.text);
    kit_map map = kit_map_create(WIDTH - SIZE + 1, HEIGHT - SIZE + 1, 1, KIT_AFTER);
    for (int i = 0; i < 3; i++) {
        const float_pair p = { .image = &image.view, .templ = &templ[i % 2].view };
        CHECK(xncc_plan_correlate(plan, &image.view, template[i % 2], &map.view, NULL,
                                  &kit_error) == XNCC_OK);
        check_float_scores(p, XNCC_CCOEFF, &map.view, 60, "kept");
    }
    kit_map_destroy(&map);
    xncc_plan_destroy(plan);
    for (int i = 0; i < 2; i++) {
        xncc_template_destroy(template[i]);
        kit_image_destroy(&templ[i]);
    }
    xncc_context_destroy(float_context);
    float_context = several;
    kit_image_destroy(&image);
}

/* A kernel's map, NULL: the fastest one's, scores in some windows as the oracle says, and is that
 * of every kernel. */
static void check_map(float_pair p, xncc_method method, const char *kernel, int windows,
                      const char *what)
{
    kit_map map = float_map_of(p, method, kernel);
    check_float_scores(p, method, &map.view, windows, what);
    check_float_maps(p, method, &map.view, 0, 0, 0, what);
    kit_map_destroy(&map);
}

/* A picture of which the samples that exact sums look at first (reals_cut.c) have no bits: slices
 * are chosen that turn out to be too wide. */
static void check_unsure(void)
{
    enum { SIZE = 36, WIDTH = 90, HEIGHT = 130, SEEN = 32 };
    kit_image image = hostile_image(FAR, PLAIN, XNCC_F64, 0, SIZE, WIDTH, HEIGHT),
              templ = hostile_image(FAR, PLAIN, XNCC_F64, 1, SIZE, SIZE, SIZE);
    for (int32_t y = 0; y < HEIGHT; y++)
        for (int32_t x = 0; x < SEEN; x++)
            kit_sample_set(&image.view, x + y * 97 % (WIDTH - SEEN + 1), y, 0, 0.0);
    const float_pair p = { .image = &image.view, .templ = &templ.view };
    check_map(p, XNCC_CCOEFF, "fft-portable", 60, "unsure");
    kit_image_destroy(&image);
    kit_image_destroy(&templ);
}

/* All windows cancel, samples of a row have one slice, and all products of slices of 23 bits have
 * one sign and are as large as they can be: slices so wide would have sums that are no doubles. */
static void check_coherent(void)
{
    enum { SIZE = 37, WIDTH = 50, HEIGHT = 50, APART = -4 * 23 };
    const double digit = 0x1p22 - 1.0, of_image[] = { digit, ldexp(digit, APART) },
                 of_templ[] = { digit, digit - 2.0 };
    kit_image image = kit_image_create_channels(XNCC_F64, 1, WIDTH, HEIGHT, room),
              templ = kit_image_create_channels(XNCC_F64, 1, SIZE, SIZE, room);
    for (int32_t y = 0; y < HEIGHT; y++)
        for (int32_t x = 0; x < WIDTH; x++)
            kit_sample_set(&image.view, x, y, 0, of_image[y % 2]);
    for (int32_t y = 0; y < SIZE; y++)
        for (int32_t x = 0; x < SIZE; x++)
            kit_sample_set(&templ.view, x, y, 0, of_templ[x % 2]);
    const float_pair p = { .image = &image.view, .templ = &templ.view };
    check_map(p, XNCC_CCOEFF_NORMED, NULL, 60, "coherent");
    kit_image_destroy(&image);
    kit_image_destroy(&templ);
}

/* All windows cancel, and modulo the largest primes below 2^23 (cpu/kernels/reals_moduli.h) most
 * samples of the image have the largest residue: sums of the products of one half of a window are
 * no doubles unless they are reduced, after some rows of the template or after a part of them. */
static void check_halves(int32_t width, int32_t height)
{
    enum { APART = -98 };
    const double half = 0x1p22 - 8.0;
    kit_image image = kit_image_create_channels(XNCC_F64, 1, width + 20, height + 15, room),
              templ = kit_image_create_channels(XNCC_F64, 1, width, height, room);
    for (int32_t y = 0; y < image.view.height; y++)
        for (int32_t x = 0; x < image.view.width; x++)
            kit_sample_set(&image.view, x, y, 0, x % 4 ? half : ldexp(one_to_two(y), APART));
    for (int32_t y = 0; y < height; y++)
        for (int32_t x = 0; x < width; x++)
            kit_sample_set(&templ.view, x, y, 0,
                           (x % 4 == 1 ? ldexp(one_to_two(x), APART) : half) *
                               (y < height / 2 ? 1.0 : -1.0));
    const float_pair p = { .image = &image.view, .templ = &templ.view };
    check_map(p, XNCC_CCOEFF_NORMED, NULL, 60, "halves");
    kit_image_destroy(&image);
    kit_image_destroy(&templ);
}

/* Windows of which a bound of the image's term decides all, some in some rows, or none, since most
 * rows are fainter than a few others by a power of two: with windows inside of the image, which are
 * also summed alone, and with others. */
static void check_fainter(xncc_pixel pixel)
{
    enum { SIZE = 6, WIDTH = 90, HEIGHT = 120, STEP = 3 };
    static const xncc_method methods[] = { XNCC_CCOEFF_NORMED, XNCC_CCORR_NORMED };
    for (int power = 15; power <= 39; power += STEP) {
        kit_image image = hostile_image(FAR, PLAIN, pixel, 0, SIZE, WIDTH, HEIGHT),
                  templ = hostile_image(FAR, PLAIN, pixel, 1, SIZE, SIZE, SIZE);
        const float_pair p = { .image = &image.view,
                               .templ = &templ.view,
                               .mode = power % 2 ? XNCC_SAME : XNCC_VALID,
                               .border = XNCC_BORDER_MIRROR };
        for (int32_t y = 0; y < HEIGHT; y++)
            for (int32_t x = 0; x < WIDTH && y % 29 != 8; x++)
                kit_sample_set(&image.view, x, y, 0,
                               ldexp(kit_sample(&image.view, x, y, 0), -power));
        for (int m = 0; m < 2; m++)
            check_map(p, methods[m], NULL, 60, "fainter");
        kit_image_destroy(&image);
        kit_image_destroy(&templ);
    }
}

/* Doubles near the ends of their range, whose squares are beyond it. */
typedef enum range {
    SMALLEST,
    LARGEST,
    SCATTERED,
    FEW,
    FADING,  /* over all of the range, from column to column */
    CANCELS, /* rows of one value each, far apart; the template's rows cancel */
    LEVER,   /* rows far apart, of which the large ones cancel and meet zeros of the template */
    LOST,    /* all that counts are products with samples of the template that are too small */
    RANGES
} range;

/* Four columns of the template that cancel, in doubles only if nothing is rounded. */
static double cancelling(int32_t x, int32_t y)
{
    const double a = one_to_two(y), b = one_to_two(y + 1000), part[] = { a + b, -a, -b, 0.0 };
    return part[x % 4];
}

static double at_end(range kind, int32_t x, int32_t y, kit_random *random)
{
    const double v = one_to_two((int32_t)kit_below(random, 1 << 20));
    const int power = kit_between(random, -300, 600);
    switch (kind) {
    case SMALLEST: return ldexp(v, -1000);
    case LARGEST: return ldexp(v, 900);
    case SCATTERED: return ldexp(v, power);
    case FADING: return ldexp(v, 1000 - 14 * x);
    case CANCELS:
        return ldexp(one_to_two(y) + ldexp(one_to_two(y + 500), -28), 300 * (y % 4) - 300);
    case LEVER:
        if (x >= 50)
            return ldexp(v, 600);
        return y % 2 ? v : ldexp(x % 2 ? -one_to_two(y) : one_to_two(y), 60);
    case LOST: return y % 2 ? v : 0.0;
    default: return power == 600 ? ldexp(v, 600) : v;
    }
}

/* A sample of the template, where the image has `copied`. */
static double templ_at_end(range kind, int32_t size, int32_t x, int32_t y, double copied)
{
    switch (kind) {
    case CANCELS: return x < size / 4 * 4 ? cancelling(x, y) : 0.0;
    case LEVER: return y % 2 ? 0.0 : copied;
    case LOST: return y % 2 ? ldexp(one_to_two(31 * x + y), 600) : -copied;
    default: return copied;
    }
}

/* channels: 1 or 2, the second one smaller by far */
static void check_ends(range kind, int32_t size, int32_t channels, xncc_mode mode)
{
    kit_random random = kit_stream(960 + (uint64_t)kind);
    const int32_t columns = kind == FADING ? 110 : 30;
    kit_image image = kit_image_create_channels(XNCC_F64, channels, size + columns, size + 25,
                                                room);
    for (int32_t y = 0; y < image.view.height; y++)
        for (int32_t x = 0; x < image.view.width; x++)
            for (int32_t c = 0; c < channels; c++)
                kit_sample_set(&image.view, x, y, c, ldexp(at_end(kind, x, y, &random), -320 * c));
    kit_image templ = kit_image_create_channels(XNCC_F64, channels, size, size, room);
    kit_image_copy(&templ.view, &image.view, 11, 9);
    for (int32_t i = 0; i < size * size && kind >= CANCELS; i++)
        kit_sample_set(&templ.view, i % size, i / size, 0,
                       templ_at_end(kind, size, i % size, i / size,
                                    kit_sample(&templ.view, i % size, i / size, 0)));
    const float_pair p = {
        .image = &image.view, .templ = &templ.view, .mode = mode, .border = XNCC_BORDER_MIRROR
    };
    for (int method = 0; method < FLOAT_METHODS; method++)
        check_map(p, (xncc_method)method, NULL, 40, "ends of the range");
    kit_image_destroy(&image);
    kit_image_destroy(&templ);
}

/* Templates that are prepared in several bands, the last of which has fewer rows: by one thread and
 * by several. */
static void check_bands(xncc_pixel pixel, form f)
{
    enum { SIDE = 260, MAP = 24 };
    static const char *const kernels[] = { "fft-portable", "direct-portable" };
    kit_image image = hostile_image(THIRDS, f, pixel, 0, SIDE, SIDE + MAP - 1, SIDE + MAP - 1),
              templ = hostile_image(THIRDS, f, pixel, 1, SIDE, SIDE, SIDE);
    const float_pair p = { .image = &image.view, .templ = &templ.view };
    xncc_context *const both = float_context, *const alone = kit_context(XNCC_DEVICE_CPU, 1);
    for (int k = 0; k < 2; k++)
        for (int m = 0; m < 2; m++) {
            const xncc_method method = m ? XNCC_SQDIFF_NORMED : XNCC_CCOEFF_NORMED;
            kit_map map = float_map_of(p, method, kernels[k]);
            float_context = alone;
            kit_map other = float_map_of(p, method, kernels[k]);
            float_context = both;
            check_float_scores(p, method, &map.view, 8, "bands");
            for (int32_t y = 0; y < MAP; y++)
                CHECK(memcmp(kit_map_row(&map.view, y), kit_map_row(&other.view, y),
                             MAP * sizeof(float)) == 0);
            kit_map_destroy(&map);
            kit_map_destroy(&other);
        }
    xncc_context_destroy(alone);
    kit_image_destroy(&image);
    kit_image_destroy(&templ);
}

int main(int argc, char **argv)
{
    static const xncc_pixel reals[] = { XNCC_F32, XNCC_F64 };
    static const hostile wide[] = { THIRDS, COPIES, EQUAL, ENDS },
                         some[] = { THIRDS, COPIES, FAR, SPLIT };
    kit_start(argc, argv);
    const char *group = kit_option(argc, argv, "group", "");
    const int is_hostile = strcmp(group, "hostile") == 0, is_masked = strcmp(group, "masked") == 0,
              is_large = strcmp(group, "large") == 0;
    const xncc_device device = kit_device_option(argc, argv);
    float_context = kit_context(device, 2);
    for (int i = 0; i < 2 && is_hostile; i++)
        for (int32_t size = 6; size <= 36; size += 30)
            for (int kind = 0; kind < HOSTILES; kind++)
                if (!kit_short() || kind % 4 == 2 * i + size / 36)
                    check_hostile((hostile)kind, PLAIN, reals[i], size);
    for (int power = 0; power <= 600 && is_hostile; power += 200) {
        check_copy(XNCC_F64, power);
        if (power < 300)
            check_copy(XNCC_F32, power / 2);
    }
    if (is_hostile) {
        check_copy(XNCC_U32, 1);
        check_found(EQUAL, THIRDS, XNCC_F32, 400, NULL, 0);
        check_found(THIRDS, THIRDS, XNCC_F64, 400, NULL, 0);
        for (int i = 0; i < 2; i++) /* a twentieth of the windows */
            check_found(SKY, SKY, reals[i], 600, NULL, 0);
    }
    if (is_hostile && device == XNCC_DEVICE_CUDA) /* the exact sums of a whole band settle all */
        check_found(THIRDS, THIRDS, XNCC_F64, 1600, "float-fused", 230);
    for (int32_t size = 8; size <= 32 && is_hostile; size *= 2) /* windows of whole vectors */
        check_hostile(SPIKE, PLAIN, size == 16 ? XNCC_F64 : XNCC_F32, size);
    for (int kind = 0; kind < RANGES && is_hostile; kind++) {
        check_ends((range)kind, 6, 1, XNCC_SAME);
        check_ends((range)kind, 22, 1, XNCC_VALID);
        if (kind != SMALLEST && kind < CANCELS)
            check_ends((range)kind, 22, 2, XNCC_VALID);
    }
    for (int k = 0; k < 4 && is_hostile; k++)
        for (int32_t size = 6; size <= 36; size += 30)
            if (!kit_short() || (k % 2 == 0) == (size == 6))
                check_hostile(wide[k], PLAIN, XNCC_U32, size);
    for (int k = 0; k < 4 && is_masked; k++)
        for (int f = PLAIN + 1; f < FORMS; f++)
            if (!kit_short() || k % 2 == f % 2)
                check_hostile(some[k], (form)f, reals[k % 2], k < 2 ? 6 : 34);
    for (int f = PLAIN + 1; f < FORMS && is_masked; f++)
        for (int i = 0; i < 2; i++) {
            check_hostile(FADED, (form)f, reals[i], 27 + 6 * f);
            check_hostile(some[i], (form)f, reals[f % 2], 14);
            check_hostile(CROSSED, (form)f, reals[i], 8 + 8 * i);
        }
    for (int k = 0; k < 4 && is_masked; k++)
        for (int f = PLAIN + 1; f < SPOILT; f++)
            if (!kit_short() || k % 2 == f % 2)
                check_hostile(wide[k], (form)f, XNCC_U32, k < 2 ? 6 : 34);
    if (is_hostile && device == XNCC_DEVICE_CPU) { /* a GPU cuts nothing into slices */
        check_kept();
        check_unsure();
        check_coherent();
        check_halves(24, 180);
        check_halves(180, 4);
        check_fainter(XNCC_F32);
        check_fainter(XNCC_F64);
    }
    if (is_large)
        check_large();
    for (int f = PLAIN; f < FORMS && is_large; f++)
        if (f != OVERLAP && (f == PLAIN || !kit_shortest()))
            check_bands(reals[f % 2], (form)f);
    xncc_context_destroy(float_context);
    return kit_finish("float_hostile");
}
