/* SPDX-License-Identifier: BSD-2-Clause */
/* exhaustive [--full]
 *
 * Small worlds, every case of them: templates of one and of two pixels against every window, the
 * formula of three pixels in exact arithmetic, the largest sums of few small pixels, and the sine
 * table. --full: larger worlds; minutes. */
#include "kit/pixels.h"
#include "kit/sanitized.h"

#include "math/float_float.h"
#include "pose/turn.h"
#include "template/template.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned __int128 u128;

static int full;
static xncc_context *context;

enum { KERNELS = 32 };

/* The kernels of the CPU that can serve a problem. */
static size_t kernels_for(const xncc_image *image, const xncc_template *templ, const char **name)
{
    xncc_problem problem = XNCC_PROBLEM_INIT;
    if (xncc_problem_set(&problem, image, templ, &kit_error))
        kit_give_up("%s", kit_error.text);
    const size_t count = xncc_kernel_list(context, &problem, name, KERNELS);
    CHECK(count > 0 && count <= KERNELS);
    return count;
}

static xncc_template *template_of(const xncc_image *pixels)
{
    xncc_template *templ = NULL;
    if (xncc_template_create(context, pixels, &templ, &kit_error))
        kit_give_up("%s", kit_error.text);
    return templ;
}

static void correlate(const xncc_image *image, const xncc_template *templ, xncc_method method,
                      const char *kernel, const xncc_map *map)
{
    const kit_options o = { .method = method, .kernel = kernel };
    CHECK_STATUS(kit_correlate(context, image, templ, &o, map), XNCC_OK);
}

/* ---- two pixels ---- */

/* Row a holds a, 0, a, 1, ..., a, 255, so that every pair is a window; windows at odd places are
 * pairs, too. */
enum { VALUES = 256, PAIRS = 2 * VALUES - 1 };

static int sign(int64_t v)
{
    return (v > 0) - (v < 0);
}

/* Whether a float is a rounding of the quotient of two numbers that are exact to 2^-60. The formula
 * has at most five roundings to 2^-53. */
static int is_quotient(float got, long double value)
{
    const long double spread = 6.0L * 0x1p-53L;
    return got == (float)value || got == (float)(value * (1.0L - spread)) ||
           got == (float)(value * (1.0L + spread));
}

/* The score of the window (a, b) under the template (c, d), from the definition for two pixels. */
static int is_score(xncc_method method, float got, int64_t a, int64_t b, int64_t c, int64_t d)
{
    const int64_t x = a * c + b * d, q = a * a + b * b, t = c * c + d * d, n = q - 2 * x + t;
    switch (method) {
    case XNCC_CCOEFF_NORMED: return got == (float)(sign(a - b) * sign(c - d));
    case XNCC_CCOEFF: return got == 0.5f * (float)((a - b) * (c - d));
    case XNCC_CCORR: return got == (float)x;
    case XNCC_SQDIFF: return got == (float)n;
    case XNCC_CCORR_NORMED:
        return q && t ? is_quotient(got, (long double)x / sqrtl((long double)(q * t)))
                      : got == 0.0f;
    default:
        return q && t ? is_quotient(got, (long double)n / sqrtl((long double)(q * t)))
                      : got == (n ? 1.0f : 0.0f);
    }
}

static long wrong_pairs(xncc_method method, const xncc_map *map, const uint8_t *pixels, int64_t c,
                        int64_t d)
{
    long wrong = 0;
    for (int32_t y = 0; y < map->height; y++) {
        const float *row = kit_map_row(map, y);
        const uint8_t *at = pixels + (size_t)y * (PAIRS + 1);
        for (int32_t x = 0; x < PAIRS; x++)
            wrong += !is_score(method, row[x], at[x], at[x + 1], c, d);
    }
    return wrong;
}

/* A template (c, d) by one kernel, all methods. */
static void check_pair(const xncc_image *image, const char *kernel, int c, int d)
{
    static float data[PAIRS * VALUES];
    const uint8_t pixels[2] = { (uint8_t)c, (uint8_t)d };
    const xncc_image view = { .data = pixels, .width = 2, .height = 1, .pixel = XNCC_U8 };
    const xncc_map map = { .data = data, .width = PAIRS, .height = VALUES };
    xncc_template *templ = template_of(&view);
    for (int method = XNCC_CCOEFF_NORMED; method <= XNCC_SQDIFF_NORMED; method++) {
        correlate(image, templ, (xncc_method)method, kernel, &map);
        if (!CHECK_INT(wrong_pairs((xncc_method)method, &map, image->data, c, d), 0))
            kit_fail(__FILE__, __LINE__, "template %d %d, method %d, kernel %s", c, d, method,
                     kernel ? kernel : "of the library's choice");
    }
    xncc_template_destroy(templ);
}

/* Every window of two bytes under many templates, or under all. */
static void check_pairs(void)
{
    static uint8_t pixels[VALUES * (PAIRS + 1)];
    const xncc_image image = {
        .data = pixels, .width = PAIRS + 1, .height = VALUES, .pixel = XNCC_U8
    };
    const char *name[KERNELS];
    for (int i = 0; i < VALUES * VALUES; i++) {
        pixels[2 * i] = (uint8_t)(i / VALUES);
        pixels[2 * i + 1] = (uint8_t)(i % VALUES);
    }
    const int step = full ? 1 : KIT_SANITIZED ? 8191 : 521;
    for (int i = 0; i < VALUES * VALUES; i += step)
        check_pair(&image, NULL, i / VALUES, i % VALUES);
    const xncc_image part = { .data = pixels, .width = 2, .height = 1, .pixel = XNCC_U8 };
    xncc_template *templ = template_of(&part);
    const size_t count = kernels_for(&image, templ, name);
    static const int extreme[][2] = { { 0, 0 }, { 0, 255 }, { 255, 255 }, { 254, 255 } };
    for (size_t k = 0; k < count; k++)
        for (size_t i = 0; i < sizeof extreme / sizeof *extreme; i++)
            check_pair(&image, name[k], extreme[i][0], extreme[i][1]);
    xncc_template_destroy(templ);
}

/* ---- two floats of any size: the score is 1, -1 or 0 ---- */

static float awkward(int i)
{
    static const uint32_t mantissa[8] = { 0,        1,        0x7fffff, 0x400000,
                                          0x2aaaaa, 0x555555, 0x000800, 0x7ff800 };
    static const uint32_t exponent[16] = { 0,   1,   2,   24,  60,  100, 126, 127,
                                           128, 129, 150, 180, 200, 230, 253, 254 };
    const uint32_t bits = (uint32_t)(i & 128) << 24 | exponent[i >> 3 & 15] << 23 | mantissa[i & 7];
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

static void check_float_pair(const xncc_image *image, const char *kernel, int i, int j)
{
    static float data[PAIRS * VALUES];
    const float pixels[2] = { awkward(i), awkward(j) };
    const int rises = (pixels[0] > pixels[1]) - (pixels[0] < pixels[1]);
    const xncc_image view = { .data = pixels, .width = 2, .height = 1, .pixel = XNCC_F32 };
    const xncc_map map = { .data = data, .width = PAIRS, .height = VALUES };
    xncc_template *templ = template_of(&view);
    long wrong = 0;
    correlate(image, templ, XNCC_CCOEFF_NORMED, kernel, &map);
    for (int32_t y = 0; y < VALUES; y++) {
        const float *at = (const float *)image->data + (size_t)y * (PAIRS + 1);
        for (int32_t x = 0; x < PAIRS; x++) {
            const int window = (at[x] > at[x + 1]) - (at[x] < at[x + 1]);
            wrong += kit_map_row(&map, y)[x] != (float)(window * rises);
        }
    }
    if (!CHECK_INT(wrong, 0))
        kit_fail(__FILE__, __LINE__, "template %a %a, kernel %s", (double)pixels[0],
                 (double)pixels[1], kernel);
    xncc_template_destroy(templ);
}

static void check_float_pairs(void)
{
    static float pixels[VALUES * (PAIRS + 1)];
    const xncc_image image = {
        .data = pixels, .width = PAIRS + 1, .height = VALUES, .pixel = XNCC_F32
    };
    const xncc_image part = { .data = pixels + 2, .width = 2, .height = 1, .pixel = XNCC_F32 };
    const char *name[KERNELS];
    for (int i = 0; i < VALUES * VALUES; i++) {
        pixels[2 * i] = awkward(i / VALUES);
        pixels[2 * i + 1] = awkward(i % VALUES);
    }
    xncc_template *templ = template_of(&part);
    const size_t count = kernels_for(&image, templ, name);
    const int step = full ? 61 : KIT_SANITIZED ? 32749 : 16381;
    for (size_t k = 0; k < count; k++)
        for (int i = 1; i < VALUES * VALUES; i += step)
            check_float_pair(&image, name[k], i / VALUES, i % VALUES);
    xncc_template_destroy(templ);
}

/* ---- one pixel ---- */

/* Every value of a type under one value: no contrast, and products and squares that are exact. */
static void check_single(xncc_pixel pixel, int32_t values, int32_t least, int32_t c,
                         const char *kernel)
{
    kit_image image = kit_image_create(pixel, values, 1, 0, KIT_AFTER),
              one = kit_image_create(pixel, 1, 1, 0, KIT_AFTER);
    kit_map map = kit_map_create(values, 1, 0, KIT_AFTER);
    static const xncc_method method[] = { XNCC_CCOEFF_NORMED, XNCC_CCORR, XNCC_SQDIFF,
                                          XNCC_CCORR_NORMED, XNCC_SQDIFF_NORMED };
    for (int32_t i = 0; i < values; i++)
        kit_pixel_set(&image.view, i, 0, least + i);
    kit_pixel_set(&one.view, 0, 0, c);
    xncc_template *templ = template_of(&one.view);
    for (size_t m = 0; m < sizeof method / sizeof *method; m++) {
        long wrong = 0;
        correlate(&image.view, templ, method[m], kernel, &map.view);
        for (int32_t i = 0; i < values; i++) {
            const int64_t a = least + i, d = a - c;
            const float got = kit_map_row(&map.view, 0)[i];
            if (m == 4 && a && c)
                wrong += !is_quotient(got, (long double)(d * d) / (long double)llabs(a * c));
            else
                wrong += got != (m == 0   ? 0.0f
                                 : m == 1 ? (float)(double)(a * c)
                                 : m == 2 ? (float)(double)(d * d)
                                 : m == 3 ? (float)(sign(a) * sign(c))
                                          : (d ? 1.0f : 0.0f));
        }
        if (!CHECK_INT(wrong, 0))
            kit_fail(__FILE__, __LINE__, "%s under %d, method %d", xncc_pixel_name(pixel), c,
                     (int)method[m]);
    }
    xncc_template_destroy(templ);
    kit_image_destroy(&image);
    kit_image_destroy(&one);
    kit_map_destroy(&map);
}

static void check_singles(void)
{
    const int step = full ? 1 : KIT_SANITIZED ? 127 : 17;
    for (int32_t c = 0; c < 256; c += c < 255 && c + step > 255 ? 255 - c : step) {
        check_single(XNCC_U8, 256, 0, c, NULL);
        check_single(XNCC_S8, 256, -128, c - 128, NULL);
    }
    const int wide = full ? 64 : 8191;
    for (int32_t c = 0; c < 65536; c += c < 65535 && c + wide > 65535 ? 65535 - c : wide) {
        check_single(XNCC_U16, 65536, 0, c, NULL);
        check_single(XNCC_S16, 65536, -32768, c - 32768, NULL);
    }
}

/* ---- the formula in exact arithmetic ---- */

/* Whether f is num / sqrt(v) rounded once to float, num above 0: the squares of the midpoints to
 * its neighbours enclose num^2 / v. All numbers are small enough for 128 bits. */
static int is_rounded_once(float f, uint64_t num, uint64_t v)
{
    int exponent;
    const double mantissa = frexp((double)f, &exponent); /* 1/2 .. 1 */
    const uint64_t twice = (uint64_t)ldexp(mantissa, FLT_MANT_DIG + 1);
    const int shift = FLT_MANT_DIG + 1 - exponent; /* f = twice / 2^shift */
    /* below a power of two the neighbour is half as far */
    const uint64_t four = 2 * twice, under = mantissa == 0.5 ? four - 1 : four - 2, over = four + 2;
    const u128 middle = (u128)num * num << (2 * (shift + 1));
    return f > 0.0f && (u128)under * under * v <= middle && middle <= (u128)over * over * v;
}

typedef struct world {
    int values; /* pixels are 0 .. values - 1 */
    int pixels;
    long problems, undecided;
} world;

typedef struct sums {
    uint64_t pixel[4], sum, sum2;
} sums;

static sums sums_of(const world *w, uint64_t number)
{
    sums s = { { 0 }, 0, 0 };
    for (int i = 0; i < w->pixels; i++, number /= (uint64_t)w->values) {
        s.pixel[i] = number % (uint64_t)w->values;
        s.sum += s.pixel[i];
        s.sum2 += s.pixel[i] * s.pixel[i];
    }
    return s;
}

static xncc_score_rule rule_of(const world *w, const sums *t)
{
    xncc_template templ;
    memset(&templ, 0, sizeof templ);
    templ.width = w->pixels;
    templ.height = 1;
    templ.pixel = XNCC_U8;
    templ.sum = t->sum;
    templ.sum2 = t->sum2;
    return xncc_score_rule_make(&templ, XNCC_CCOEFF_NORMED, XNCC_FLAT_ZERO);
}

/* ccoeff_normed of a window: rounded once from the exact value; and by float-float arithmetic the
 * same, unless that is not certain. Cauchy and Schwarz, and the bound of score.h, hold. */
static int score_is_right(world *w, const xncc_score_rule *rule, xncc_float_float unit,
                          const sums *a, const sums *t)
{
    uint64_t x = 0;
    for (int i = 0; i < w->pixels; i++)
        x += a->pixel[i] * t->pixel[i];
    const uint64_t n = (uint64_t)w->pixels, most = n * (uint64_t)(w->values - 1);
    const int64_t num = (int64_t)(n * x) - (int64_t)(a->sum * t->sum);
    const uint64_t size = (uint64_t)llabs(num), va = n * a->sum2 - a->sum * a->sum,
                   vt = n * t->sum2 - t->sum * t->sum;
    const float got = xncc_score_integer(XNCC_CCOEFF_NORMED, rule, a->sum, a->sum2, x);
    float quick;
    w->problems++;
    int right = size * size <= va * vt && n * x <= most * most && va <= most * most / 4;
    if (va * vt == 0 || num == 0)
        right &= got == 0.0f;
    else
        right &= (got > 0) == (num > 0) && fabsf(got) <= 1.0f &&
                 is_rounded_once(fabsf(got), size, va * vt);
    if (xncc_ff_score(XNCC_CCOEFF_NORMED, rule, unit, 1, a->sum, a->sum2, x, &quick))
        right &= quick == got;
    else
        w->undecided++;
    return right;
}

/* Every window under every template. */
static void check_world(int values, int pixels)
{
    world w = { values, pixels, 0, 0 };
    uint64_t count = 1;
    long wrong = 0;
    for (int i = 0; i < pixels; i++)
        count *= (uint64_t)values;
    for (uint64_t j = 0; j < count; j++) {
        const sums t = sums_of(&w, j);
        const xncc_score_rule rule = rule_of(&w, &t);
        const xncc_float_float unit = xncc_ff_unit(XNCC_CCOEFF_NORMED, &rule);
        for (uint64_t i = 0; i < count; i++) {
            const sums a = sums_of(&w, i);
            wrong += !score_is_right(&w, &rule, unit, &a, &t);
        }
    }
    printf("%d pixels of %d values: %ld problems, %ld not certain in pairs of floats\n", pixels,
           values, w.problems, w.undecided);
    CHECK_INT(wrong, 0);
}

/* The largest variance of n pixels 0 .. m is m^2 floor(n/2) ceil(n/2), which is at most a quarter
 * of the (n m)^2 that score.h allows for. */
static void check_largest(void)
{
    for (int values = 2; values <= 4; values++)
        for (int pixels = 1; pixels <= 4; pixels++) {
            const world w = { values, pixels, 0, 0 };
            const uint64_t n = (uint64_t)pixels, m = (uint64_t)values - 1;
            uint64_t count = 1, most = 0;
            for (int i = 0; i < pixels; i++)
                count *= (uint64_t)values;
            for (uint64_t i = 0; i < count; i++) {
                const sums s = sums_of(&w, i);
                const uint64_t v = n * s.sum2 - s.sum * s.sum;
                most = v > most ? v : most;
            }
            CHECK_INT(most, m * m * (n / 2) * ((n + 1) / 2));
        }
}

/* ---- the largest sums, by every kernel ---- */

static void check_sums(xncc_pixel pixel, int32_t width, int32_t height, double a, double c)
{
    kit_image image = kit_image_create(pixel, width + 2, height + 1, 1, KIT_AFTER),
              part = kit_image_create(pixel, width, height, 0, KIT_AFTER);
    kit_map map = kit_map_create(3, 2, 0, KIT_AFTER);
    const char *name[KERNELS];
    for (int32_t y = 0; y <= height; y++)
        for (int32_t x = 0; x < width + 2; x++)
            kit_pixel_set(&image.view, x, y, a);
    for (int32_t y = 0; y < height; y++)
        for (int32_t x = 0; x < width; x++)
            kit_pixel_set(&part.view, x, y, c);
    xncc_template *templ = template_of(&part.view);
    const size_t count = kernels_for(&image.view, templ, name);
    const double n = (double)width * height; /* all products below are exact in double */
    const float want[] = { (float)(n * a * c), (float)(n * (a - c) * (a - c)), 0.0f };
    static const xncc_method method[] = { XNCC_CCORR, XNCC_SQDIFF, XNCC_CCOEFF_NORMED };
    for (size_t k = 0; k < count; k++)
        for (int m = 0; m < 3; m++) {
            correlate(&image.view, templ, method[m], name[k], &map.view);
            for (int i = 0; i < 6; i++)
                if (!CHECK_FLOAT(kit_map_row(&map.view, i / 3)[i % 3], want[m]))
                    kit_fail(__FILE__, __LINE__, "%s %d x %d, %g and %g, kernel %s",
                             xncc_pixel_name(pixel), width, height, a, c, name[k]);
        }
    xncc_template_destroy(templ);
    kit_image_destroy(&image);
    kit_image_destroy(&part);
    kit_map_destroy(&map);
}

/* Sides around n 255^2 = 2^31 and 2^32, and for 16 bits around n 65535 = 3037000499 (score.h). */
static void check_all_sums(void)
{
    static const int32_t bytes[][2] = { { 181, 182 }, { 182, 182 }, { 257, 257 }, { 258, 257 } };
    static const int32_t words[][2] = { { 2, 1 }, { 215, 215 }, { 216, 215 } };
    for (int i = 0; i < 4; i++) {
        check_sums(XNCC_U8, bytes[i][0], bytes[i][1], 255, 255);
        check_sums(XNCC_U8, bytes[i][0], bytes[i][1], 255, 0);
        check_sums(XNCC_S8, bytes[i][0], bytes[i][1], -128, -128);
        check_sums(XNCC_S8, bytes[i][0], bytes[i][1], -128, 127);
    }
    for (int i = 0; i < 3; i++) {
        check_sums(XNCC_U16, words[i][0], words[i][1], 65535, 65535);
        check_sums(XNCC_U16, words[i][0], words[i][1], 0, 65535);
        check_sums(XNCC_S16, words[i][0], words[i][1], -32768, -32768);
        check_sums(XNCC_S16, words[i][0], words[i][1], -32768, 32767);
    }
}

/* ---- sine and cosine ---- */

/* An angle in units of 2^-32 turns, exact in double as degrees times 2^32 / 360 is rounded back. */
static int turn_is_right(uint32_t units)
{
    const xncc_turn t = xncc_turn_of((double)units * (360.0 / 4294967296.0));
    const long double pi = 3.14159265358979323846264338327950288L;
    const long double angle = (long double)units * (pi / 2147483648.0L);
    const long double one = (long double)(INT64_C(1) << XNCC_TURN_BITS), near = 0.5L + 0x1p-20L;
    return fabsl(cosl(angle) * one - (long double)t.cos) <= near &&
           fabsl(sinl(angle) * one - (long double)t.sin) <= near;
}

/* All 2^32 angles are made of those of an eighth of a turn; --full takes each of these. */
static void check_turns(void)
{
    const uint32_t eighth = UINT32_C(1) << 29, step = full ? 1 : KIT_SANITIZED ? 65537 : 4093;
    long wrong = 0, angles = 0;
    for (uint32_t u = 0; u <= eighth; u += step, angles++)
        wrong += !turn_is_right(u);
    for (uint64_t u = 0; u <= UINT32_MAX; u += full ? 65537u : 196611u, angles++)
        wrong += !turn_is_right((uint32_t)u);
    for (uint32_t corner = 0; corner < 8; corner++)
        for (uint32_t u = 0; u < 128; u++, angles++)
            wrong += !turn_is_right(corner * eighth + u - 64);
    printf("%ld angles\n", angles);
    CHECK_INT(wrong, 0);
}

int main(int argc, char **argv)
{
    kit_start(argc, argv);
    full = kit_flag(argc, argv, "full");
    context = kit_context(XNCC_DEVICE_CPU, full ? 0 : 1);
    check_pairs();
    check_float_pairs();
    check_singles();
    check_world(2, 4);
    check_world(3, 4);
    check_world(full ? 32 : KIT_SANITIZED ? 6 : 12, 3);
    check_largest();
    check_all_sums();
    check_turns();
    xncc_context_destroy(context);
    return kit_finish("exhaustive");
}
