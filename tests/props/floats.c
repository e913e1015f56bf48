/* SPDX-License-Identifier: BSD-2-Clause */
/* What is promised of floats, for every kernel: floats that hold integers score as the integers do;
 * powers of two as factors, crops and samples that are not finite have the effects that numerics.md
 * says; and pictures on which windows by the thousand cancel score as the oracle says, also those
 * of u32, whose sums are taken in double, too. */
#include "kit/oracle_general.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_KERNELS = 64, METHODS = 6 };

static xncc_context *context;
static const kit_room room = { 3, KIT_AFTER };

/* An image and a template, and where they are compared: as set, within the image. */
typedef struct pair {
    const xncc_image *image, *templ;
    xncc_mode mode;
    xncc_border border;
} pair;

static xncc_template *template_of(const xncc_image *templ)
{
    xncc_template *template = NULL;
    if (xncc_template_create(context, templ, &template, &kit_error) != XNCC_OK)
        kit_give_up("no template: %s", kit_error.text);
    return template;
}

/* The kernels for a pair; the reference, which is slow, only for small templates. */
static size_t kernels_of(pair p, xncc_method method, const char **name)
{
    xncc_template *template = template_of(p.templ);
    xncc_problem problem = kit_problem(
        (xncc_problem){ .pixel = p.image->pixel,
                        .image_width = p.image->width,
                        .image_height = p.image->height,
                        .templ_width = p.templ->width,
                        .templ_height = p.templ->height,
                        .rule.method = method,
                        .rule.mode = p.mode,
                        .rule.border = p.border,
                        .channels = p.image->channels,
                        .image_masked = p.image->mask != NULL,
                        .templ_masked = xncc_template_is_masked(template) });
    const char *all[MOST_KERNELS];
    const size_t count = xncc_kernel_list(context, &problem, all, MOST_KERNELS);
    size_t kept = 0;
    xncc_template_destroy(template);
    for (size_t i = 0; i < count; i++)
        if (p.templ->width * p.templ->height < 200 || strcmp(all[i], "reference") != 0)
            name[kept++] = all[i];
    CHECK(kept > 0);
    return kept;
}

static kit_map map_of(pair p, xncc_method method, const char *kernel)
{
    const int all = p.mode == XNCC_SAME;
    kit_map map = kit_map_create(p.image->width - (all ? 0 : p.templ->width - 1),
                                 p.image->height - (all ? 0 : p.templ->height - 1), 1, KIT_AFTER);
    xncc_template *template = template_of(p.templ);
    const kit_options options = {
        .method = method, .kernel = kernel, .mode = p.mode, .border = p.border
    };
    if (kit_correlate(context, p.image, template, &options, &map.view) != XNCC_OK)
        kit_give_up("%s: %s", kernel ? kernel : "(chosen)", kit_error.text);
    xncc_template_destroy(template);
    return map;
}

/* The map of `p`, by every kernel, must be `want` at (x, y), times 2^power, bit for bit. */
static void check_maps(pair p, xncc_method method, const xncc_map *want, int32_t x, int32_t y,
                       int power, const char *what)
{
    const char *kernel[MOST_KERNELS];
    const size_t kernels = kernels_of(p, method, kernel);
    for (size_t k = 0; k < kernels; k++) {
        kit_map got = map_of(p, method, kernel[k]);
        int same = 1;
        for (int32_t j = 0; j < got.view.height; j++)
            for (int32_t i = 0; i < got.view.width; i++) {
                const float v = ldexpf(kit_map_row(want, y + j)[x + i], power);
                same &= memcmp(&kit_map_row(&got.view, j)[i], &v, sizeof v) == 0;
            }
        if (!CHECK(same))
            kit_fail(__FILE__, __LINE__, "%s: %s x %d, template %dx%d, %s, %s", what,
                     xncc_pixel_name(p.image->pixel), p.image->channels, p.templ->width,
                     p.templ->height, xncc_method_name(method), kernel[k]);
        kit_map_destroy(&got);
    }
}

/* Some windows of a map must score as the oracle says. */
static void check_against_oracle(pair p, xncc_method method, const xncc_map *map, int windows,
                                 const char *what)
{
    kit_random random = kit_stream(950);
    const kit_options options = { .method = method };
    const int is_float = p.image->pixel == XNCC_F32 || p.image->pixel == XNCC_F64;
    oracle_general oracle = oracle_general_make(p.image, p.templ, p.mode, p.border);
    for (int i = 0; i < windows; i++) {
        int32_t x = kit_between(&random, 0, map->width - 1);
        int32_t y = kit_between(&random, 0, map->height - 1);
        if (i < 6) { /* in the corner, and in the last column */
            x = i < 3 ? i : map->width - 1;
            y = i < 3 ? i : 6 * (i - 3);
        }
        const float want = is_float ? oracle_exact(&oracle, &options, x, y)
                                    : oracle_general_score(&oracle, &options, x, y);
        if (!CHECK(memcmp(&want, &kit_map_row(map, y)[x], sizeof want) == 0))
            kit_fail(__FILE__, __LINE__, "%s: %s, template %dx%d, %s at %d, %d: %a, not %a", what,
                     xncc_pixel_name(p.image->pixel), p.templ->width, p.templ->height,
                     xncc_method_name(method), x, y, (double)kit_map_row(map, y)[x], (double)want);
    }
    oracle_general_free(&oracle);
}

/* ---- integers ---- */

/* A copy with another pixel type, all samples times 2^power. */
static kit_image converted(const xncc_image *from, xncc_pixel pixel, int power)
{
    kit_image to = kit_image_create_channels(pixel, from->channels, from->width, from->height,
                                             room);
    if (from->mask)
        kit_image_mask(&to, room);
    for (int32_t y = 0; y < from->height; y++)
        for (int32_t x = 0; x < from->width; x++) {
            for (int32_t c = 0; c < kit_channels(from); c++)
                kit_sample_set(&to.view, x, y, c, ldexp(kit_sample(from, x, y, c), power));
            if (from->mask)
                kit_mask_set(&to.view, x, y, (uint8_t)kit_mask(from, x, y));
        }
    return to;
}

/* What integers are tried: `bits` bits each, from `least` on. Of the template's samples only the
 * lower `templ_bits` bits are kept. */
typedef struct integer_case {
    xncc_pixel pixel;
    int bits, templ_bits;
    double least;
    int32_t channels, masked;
} integer_case;

/* Noise, and a part that is flat but for some samples of its last rows. */
static kit_image integers(const integer_case *c, int32_t width, int32_t height, kit_random *random)
{
    kit_image image = kit_image_create_channels(c->pixel, c->channels, width, height, room);
    const double most = ldexp(1.0, c->bits) - 1.0;
    for (int32_t y = 0; y < height; y++)
        for (int32_t x = 0; x < width; x++)
            for (int32_t k = 0; k < c->channels; k++) {
                const double noise = (double)kit_below(random, UINT64_C(1) << c->bits);
                const int flat = y >= height / 2 && x < width / 2;
                kit_sample_set(
                    &image.view, x, y, k,
                    c->least + (flat ? most - (y >= height - 9 && (int)noise % 8 == 0) : noise));
            }
    return image;
}

static void check_integers(const integer_case *c, int32_t size)
{
    kit_random random = kit_stream(900 + (uint64_t)c->pixel + 8 * (uint64_t)size);
    kit_image image = integers(c, 2 * size + 60, 2 * size + 41, &random),
              templ = kit_image_create_channels(c->pixel, c->channels, size, size - 2, room);
    kit_image_copy(&templ.view, &image.view, size, 7);
    for (int32_t i = 0; i < size * (size - 2) && c->templ_bits < c->bits; i++)
        kit_sample_set(
            &templ.view, i % size, i / size, 0,
            fmod(kit_sample(&templ.view, i % size, i / size, 0), ldexp(1.0, c->templ_bits)));
    if (c->masked) {
        kit_image_mask(&templ, room);
        for (int32_t i = 0; i < size * (size - 2); i++)
            kit_mask_set(&templ.view, i % size, i / size, kit_below(&random, 3) > 0);
    }
    const pair p = { .image = &image.view, .templ = &templ.view };
    for (int method = 0; method < METHODS; method++) {
        kit_map map = map_of(p, (xncc_method)method, NULL);
        check_against_oracle(p, (xncc_method)method, &map.view, 20, "integers");
        kit_map_destroy(&map);
    }
    for (int twin = 0; twin < 2; twin++) {
        const xncc_pixel real = twin ? XNCC_F64 : XNCC_F32;
        kit_image image_twin = converted(&image.view, real, 0),
                  templ_twin = converted(&templ.view, real, 0);
        for (int method = 0; method < METHODS; method++) {
            kit_map want = map_of(p, (xncc_method)method, NULL);
            check_maps((pair){ .image = &image_twin.view, .templ = &templ_twin.view },
                       (xncc_method)method, &want.view, 0, 0, 0, xncc_pixel_name(c->pixel));
            kit_map_destroy(&want);
        }
        kit_image_destroy(&image_twin);
        kit_image_destroy(&templ_twin);
    }
    kit_image_destroy(&image);
    kit_image_destroy(&templ);
}

/* ---- factors, crops, samples that are not finite ---- */

/* A picture whose samples need all bits of a float. */
static kit_image picture(xncc_pixel pixel, int32_t width, int32_t height, kit_random *random)
{
    kit_image image = kit_image_create_channels(pixel, 1, width, height, room);
    for (int32_t y = 0; y < height; y++)
        for (int32_t x = 0; x < width; x++)
            kit_sample_set(&image.view, x, y, 0,
                           (kit_between(random, 0, 100) + 100 * sin(x * 0.1) * cos(y * 0.13)) /
                               255.0);
    return image;
}

static kit_image cut(const xncc_image *from, int32_t x, int32_t y, int32_t width, int32_t height)
{
    kit_image to = kit_image_create_channels(from->pixel, 1, width, height, room);
    kit_image_copy(&to.view, from, x, y);
    return to;
}

/* The power of two that a score changes by. */
static int power_of(xncc_method method, int a, int b)
{
    switch (method) {
    case XNCC_CCOEFF:
    case XNCC_CCORR: return a + b;
    case XNCC_SQDIFF: return 2 * a;
    default: return 0;
    }
}

static void check_factors(xncc_pixel pixel, int32_t size)
{
    static const int power[][2] = { { 3, 3 }, { -20, -20 }, { 11, -7 }, { 0, 30 } };
    kit_random random = kit_stream(910 + (uint64_t)pixel);
    kit_image image = picture(pixel, 2 * size + 40, 2 * size + 30, &random),
              templ = cut(&image.view, 9, 5, size, size);
    for (int method = 0; method < METHODS; method++) {
        const xncc_method m = (xncc_method)method;
        const int same_only = m == XNCC_SQDIFF || m == XNCC_SQDIFF_NORMED;
        kit_map want = map_of((pair){ .image = &image.view, .templ = &templ.view }, m, NULL);
        for (size_t i = 0; i < sizeof power / sizeof *power; i++) {
            const int a = power[i][0], b = power[i][1];
            if (same_only && a != b)
                continue;
            kit_image scaled = converted(&image.view, pixel, a),
                      scaled_templ = converted(&templ.view, pixel, b);
            check_maps((pair){ .image = &scaled.view, .templ = &scaled_templ.view }, m, &want.view,
                       0, 0, power_of(m, a, b), "factors");
            kit_image_destroy(&scaled);
            kit_image_destroy(&scaled_templ);
        }
        kit_map_destroy(&want);
    }
    kit_image_destroy(&image);
    kit_image_destroy(&templ);
}

static void check_crops(xncc_pixel pixel, int32_t size)
{
    kit_random random = kit_stream(920 + (uint64_t)pixel);
    kit_image image = picture(pixel, 2 * size + 70, 2 * size + 50, &random),
              templ = cut(&image.view, 9, 5, size, size),
              crop = cut(&image.view, 23, 17, 2 * size + 11, size + 13);
    for (int method = 0; method < METHODS; method++) {
        kit_map want = map_of((pair){ .image = &image.view, .templ = &templ.view },
                              (xncc_method)method, NULL);
        check_maps((pair){ .image = &crop.view, .templ = &templ.view }, (xncc_method)method,
                   &want.view, 23, 17, 0, "crop");
        kit_map_destroy(&want);
    }
    kit_image_destroy(&image);
    kit_image_destroy(&templ);
    kit_image_destroy(&crop);
}

static void check_not_finite(xncc_pixel pixel, int32_t size)
{
    static const int32_t at[][2] = { { 40, 30 }, { 41, 30 }, { 0, 0 }, { 70, 11 } };
    kit_random random = kit_stream(930 + (uint64_t)pixel);
    kit_image image = picture(pixel, 2 * size + 60, 2 * size + 50, &random),
              templ = cut(&image.view, 9, 5, size, size), spoilt = converted(&image.view, pixel, 0);
    for (size_t i = 0; i < sizeof at / sizeof *at; i++)
        kit_sample_set(&spoilt.view, at[i][0], at[i][1], 0,
                       i == 0   ? (double)NAN
                       : i == 2 ? -(double)INFINITY
                                : (double)INFINITY);
    for (int method = 0; method < METHODS; method++) {
        kit_map want = map_of((pair){ .image = &image.view, .templ = &templ.view },
                              (xncc_method)method, NULL);
        for (int32_t y = 0; y < want.view.height; y++)
            for (int32_t x = 0; x < want.view.width; x++)
                for (size_t i = 0; i < sizeof at / sizeof *at; i++)
                    if (at[i][0] >= x && at[i][0] < x + size && at[i][1] >= y &&
                        at[i][1] < y + size)
                        kit_map_row(&want.view, y)[x] = NAN;
        check_maps((pair){ .image = &spoilt.view, .templ = &templ.view }, (xncc_method)method,
                   &want.view, 0, 0, 0, "not finite");
        kit_map_destroy(&want);
    }
    kit_image_destroy(&image);
    kit_image_destroy(&templ);
    kit_image_destroy(&spoilt);
}

/* ---- hostile pictures ---- */

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
    TINY,    /* samples near the smallest number */
    HOSTILES
} hostile;

static const char *const hostile_name[HOSTILES] = { "stripes", "thirds", "steep", "copies",
                                                    "equal",   "labels", "faint", "spike",
                                                    "wide",    "split",  "far",   "patch",
                                                    "levels",  "ends",   "tiny" };

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

/* Whole rows, so that what cancels across still does. */
static void mask_rows(kit_image *image, int32_t period)
{
    kit_image_mask(image, room);
    for (int32_t y = 0; y < image->view.height; y++)
        for (int32_t x = 0; x < image->view.width; x++)
            kit_mask_set(&image->view, x, y, y % period != 1);
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
    if (f == BOTH_MASKS || ((f == TEMPL_MASK || f == SPOILT) && of_templ))
        mask_rows(&image, of_templ ? 4 : 5);
    if (f == SPOILT && !of_templ)
        kit_sample_set(&image.view, width / 2, height / 3, 0, (double)INFINITY);
    return image;
}

static void check_hostile(hostile kind, form f, xncc_pixel pixel, int32_t size)
{
    kit_image image = hostile_image(kind, f, pixel, 0, size, 2 * size + 60, 2 * size + 50),
              templ = hostile_image(kind, f, pixel, 1, size, size, size);
    const pair p = { .image = &image.view,
                     .templ = &templ.view,
                     .mode = f == OVERLAP ? XNCC_SAME : XNCC_VALID,
                     .border = f == OVERLAP ? XNCC_BORDER_OVERLAP : XNCC_BORDER_CLAMP };
    for (int method = f == PLAIN ? 0 : (int)kind % 2; method < METHODS;
         method += f == PLAIN ? 1 : 2) {
        kit_map map = map_of(p, (xncc_method)method, NULL);
        check_against_oracle(p, (xncc_method)method, &map.view, 60, hostile_name[kind]);
        check_maps(p, (xncc_method)method, &map.view, 0, 0, 0, hostile_name[kind]);
        kit_map_destroy(&map);
    }
    kit_image_destroy(&image);
    kit_image_destroy(&templ);
}

static void raise_rows(const xncc_image *image)
{
    for (int32_t y = 0; y < image->height; y += 7)
        for (int32_t x = 0; x < image->width; x++)
            kit_sample_set(image, x, y, 0, ldexp(kit_sample(image, x, y, 0), 300));
}

/* So many slices of so large a transform that their products are computed in groups. */
static void check_large(void)
{
    kit_image image = hostile_image(FAR, PLAIN, XNCC_F64, 0, 770, 804, 803),
              templ = hostile_image(FAR, PLAIN, XNCC_F64, 1, 770, 770, 770);
    const pair p = { .image = &image.view, .templ = &templ.view };
    raise_rows(&image.view);
    raise_rows(&templ.view);
    kit_map map = map_of(p, XNCC_CCOEFF_NORMED, "fft-portable");
    check_against_oracle(p, XNCC_CCOEFF_NORMED, &map.view, 3, "large");
    kit_map_destroy(&map);
    kit_image_destroy(&image);
    kit_image_destroy(&templ);
}

/* Doubles near the ends of their range, whose squares are beyond it. */
typedef enum range { SMALLEST, LARGEST, SCATTERED, FEW, RANGES } range;

static double at_end(range kind, kit_random *random)
{
    const double v = one_to_two((int32_t)kit_below(random, 1 << 20));
    const int power = kit_between(random, -300, 600);
    switch (kind) {
    case SMALLEST: return ldexp(v, -1000);
    case LARGEST: return ldexp(v, 900);
    case SCATTERED: return ldexp(v, power);
    default: return power == 600 ? ldexp(v, 600) : v;
    }
}

/* channels: 1 or 2, the second one smaller by far */
static void check_ends(range kind, int32_t size, int32_t channels)
{
    kit_random random = kit_stream(960 + (uint64_t)kind);
    kit_image image = kit_image_create_channels(XNCC_F64, channels, size + 30, size + 25, room);
    for (int32_t y = 0; y < image.view.height; y++)
        for (int32_t x = 0; x < image.view.width; x++)
            for (int32_t c = 0; c < channels; c++)
                kit_sample_set(&image.view, x, y, c, ldexp(at_end(kind, &random), -320 * c));
    kit_image templ = kit_image_create_channels(XNCC_F64, channels, size, size, room);
    kit_image_copy(&templ.view, &image.view, 11, 9);
    const pair p = { .image = &image.view, .templ = &templ.view };
    for (int method = 0; method < METHODS; method++) {
        kit_map map = map_of(p, (xncc_method)method, NULL);
        check_against_oracle(p, (xncc_method)method, &map.view, 40, "ends of the range");
        check_maps(p, (xncc_method)method, &map.view, 0, 0, 0, "ends of the range");
        kit_map_destroy(&map);
    }
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
    const pair p = { .image = &image.view, .templ = &templ.view };
    xncc_context *const both = context, *const alone = kit_context(XNCC_DEVICE_CPU, 1);
    for (int k = 0; k < 2; k++)
        for (int m = 0; m < 2; m++) {
            const xncc_method method = m ? XNCC_SQDIFF_NORMED : XNCC_CCOEFF_NORMED;
            kit_map map = map_of(p, method, kernels[k]);
            context = alone;
            kit_map other = map_of(p, method, kernels[k]);
            context = both;
            check_against_oracle(p, method, &map.view, 8, "bands");
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
    static const integer_case integer[] = {
        { XNCC_U8, 8, 8, 0.0, 1, 0 },    { XNCC_S16, 16, 16, -32768.0, 1, 0 },
        { XNCC_U16, 16, 16, 0.0, 1, 1 }, { XNCC_U8, 8, 8, 0.0, 3, 0 },
        { XNCC_U16, 12, 12, 0.0, 2, 1 }, { XNCC_U32, 22, 22, 0.0, 1, 0 },
        { XNCC_U32, 18, 18, 5e6, 1, 0 }, { XNCC_U32, 17, 17, 3e5, 1, 0 },
        { XNCC_U32, 24, 24, 0.0, 1, 0 }, { XNCC_U32, 24, 1, 0.0, 1, 0 },
    };
    kit_start(argc, argv);
    const char *group = kit_option(argc, argv, "group", "");
    context = kit_context(kit_device_option(argc, argv), 2);
    for (int32_t size = 5; size <= 39 && strcmp(group, "integers") == 0; size += 34) {
        for (size_t i = 0; i < sizeof integer / sizeof *integer; i++)
            if (!kit_short() || (int)i % 2 == size / 39)
                check_integers(&integer[i], size);
    }
    for (size_t i = 0; i < 2; i++)
        for (int32_t size = 6; size <= 36; size += 30) {
            if (strcmp(group, "statements") == 0) {
                check_factors(reals[i], size);
                check_crops(reals[i], size);
                check_not_finite(reals[i], size);
            }
            for (int kind = 0; kind < HOSTILES && strcmp(group, "hostile") == 0; kind++)
                if (!kit_short() || kind % 4 == 2 * (int)i + size / 36)
                    check_hostile((hostile)kind, PLAIN, reals[i], size);
        }
    for (int kind = 0; kind < RANGES && strcmp(group, "hostile") == 0; kind++)
        for (int32_t size = 6; size <= 22; size += 16)
            check_ends((range)kind, size, kind == SMALLEST ? 1 : 1 + size / 22);
    static const hostile wide[] = { THIRDS, COPIES, EQUAL, ENDS };
    for (size_t k = 0; k < 4 && strcmp(group, "hostile") == 0; k++)
        for (int32_t size = 6; size <= 36; size += 30)
            if (!kit_short() || (k % 2 == 0) == (size == 6))
                check_hostile(wide[k], PLAIN, XNCC_U32, size);
    static const hostile some[] = { THIRDS, COPIES, FAR, SPLIT };
    for (int k = 0; k < 4 && strcmp(group, "masked") == 0; k++)
        for (int f = PLAIN + 1; f < FORMS; f++)
            if (!kit_short() || k % 2 == f % 2)
                check_hostile(some[k], (form)f, reals[k % 2], k < 2 ? 6 : 34);
    for (int k = 0; k < 4 && strcmp(group, "masked") == 0; k++)
        for (int f = PLAIN + 1; f < SPOILT; f++)
            if (!kit_short() || k % 2 == f % 2)
                check_hostile(wide[k], (form)f, XNCC_U32, k < 2 ? 6 : 34);
    if (strcmp(group, "large") == 0)
        check_large();
    for (int f = PLAIN; f < FORMS && strcmp(group, "large") == 0; f++)
        if (f != OVERLAP && (f == PLAIN || !kit_shortest()))
            check_bands(reals[f % 2], (form)f);
    xncc_context_destroy(context);
    return kit_finish("floats");
}
