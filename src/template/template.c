/* SPDX-License-Identifier: BSD-2-Clause */
/* Templates: the copy of the pixels, their sums, and the rules for scoring windows. */
#include "template/template.h"

#include "base/float_env.h"
#include "base/memory.h"
#include "image/image.h"
#include "image/samples.h"
#include "math/method.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Defines a function that sums the samples and their squares. A template has at most 2^31 pixels of
 * at most 16 bits, so sum < 2^47 and sum2 < 2^63. Samples are stored with the bias, so every
 * integer type reads as the unsigned type of its size. */
#define DEFINE_SUM(name, type)                                                                     \
    static void name(xncc_template *templ)                                                         \
    {                                                                                              \
        const type *pixel = templ->pixels;                                                         \
        const size_t count = (size_t)templ->width * (size_t)templ->height;                         \
        uint64_t sum = 0, sum2 = 0;                                                                \
        for (size_t i = 0; i < count; i++) {                                                       \
            const uint32_t v = pixel[i];                                                           \
            sum += v;                                                                              \
            sum2 += v * v; /* below 2^32 */                                                        \
        }                                                                                          \
        templ->sum = sum;                                                                          \
        templ->sum2 = sum2;                                                                        \
    }
DEFINE_SUM(sum_bytes, uint8_t)
DEFINE_SUM(sum_words, uint16_t)

/* Copies a row and adds the bias. */
static void copy_row(xncc_template *templ, const xncc_image *pixels, int32_t y)
{
    const size_t row = (size_t)xncc_image_row_bytes(pixels);
    xncc_flip_bias(templ->pixel, xncc_image_row(pixels, y), (char *)templ->pixels + (size_t)y * row,
                   (size_t)templ->width * (size_t)templ->channels);
}

/* The mask of a row of pixels of one byte, without a no-data value. Sets the samples of those that
 * do not count to 0, and returns how many count. The compiler makes vectors of it. */
static uint32_t mask_bytes(uint8_t *restrict pixel, uint8_t *restrict mask,
                           const uint8_t *restrict from, size_t width)
{
    uint32_t count = 0;
    for (size_t x = 0; x < width; x++) {
        const uint8_t counts = from[x] != 0;
        mask[x] = counts;
        pixel[x] = (uint8_t)(pixel[x] & -counts);
        count += counts;
    }
    return count;
}

/* The same for all pixels. */
static uint32_t mask_row(xncc_template *templ, const xncc_image *pixels, int32_t y)
{
    const size_t width = (size_t)templ->width,
                 bytes = (size_t)templ->channels * xncc_pixel_size(templ->pixel);
    uint8_t *mask = templ->mask + (size_t)y * width,
            *pixel = (uint8_t *)templ->pixels + (size_t)y * width * bytes;
    if (bytes == 1 && !pixels->has_no_data)
        return mask_bytes(pixel, mask, xncc_image_mask_row(pixels, y), width);
    uint32_t count = 0;
    for (size_t x = 0; x < width; x++) {
        mask[x] = (uint8_t)xncc_pixel_counts(pixels, templ->channels, xncc_image_row(pixels, y),
                                             xncc_image_mask_row(pixels, y), (int64_t)x);
        if (!mask[x])
            memset(pixel + x * bytes, 0, bytes);
        count += mask[x];
    }
    return count;
}

/* Makes the mask, sets the samples of pixels that do not count to 0, and counts the others. If all
 * count, there is no mask. */
static xncc_status apply_mask(xncc_template *templ, const xncc_image *pixels, xncc_error *error)
{
    templ->mask = xncc_alloc((uint64_t)templ->height, (size_t)templ->width);
    if (!templ->mask)
        return xncc_fail(error, XNCC_ERROR_MEMORY,
                         "template: no memory for its mask of %d x %d bytes", templ->width,
                         templ->height);
    uint64_t count = 0;
    for (int32_t y = 0; y < templ->height; y++)
        count += mask_row(templ, pixels, y);
    if (count == templ->whole) {
        xncc_free(templ->mask);
        templ->mask = NULL;
    }
    templ->whole = count;
    if (count == 0)
        return xncc_fail(
            error, XNCC_ERROR_ARGUMENT,
            "template: none of its pixels counts; check its mask and its no-data value");
    return XNCC_OK;
}

/* Sums of floats are added in pairs of doubles, several of them, so that none waits for the one
 * before it. */
enum { PAIRS = 4, AT_ONCE = 2 * PAIRS };
typedef double pair __attribute__((vector_size(2 * sizeof(double))));
typedef float float_pair __attribute__((vector_size(2 * sizeof(float))));

/* Samples i and i + 1 of those at `from`, `step` apart. pixel, step: constants. */
static inline pair load_pair(xncc_pixel pixel, const void *from, int64_t step, int64_t i)
{
    if (pixel == XNCC_F32 && step == 1) {
        float_pair v;
        memcpy(&v, (const float *)from + i, sizeof v);
        return __builtin_convertvector(v, pair);
    }
    return (pair){ xncc_sample_value(pixel, from, i * step),
                   xncc_sample_value(pixel, from, (i + 1) * step) };
}

static double total_of(const pair sum[PAIRS])
{
    pair total = sum[0];
    for (int k = 1; k < PAIRS; k++)
        total += sum[k];
    return total[0] + total[1];
}

/* The sum of the samples of a channel, of which those of pixels that do not count are 0. Clears
 * templ->finite if one is not finite. pixel, channels: those of the template, constants. */
static inline double sum_samples(xncc_template *templ, xncc_pixel pixel, int32_t channels,
                                 int32_t channel)
{
    const int64_t count = (int64_t)templ->width * templ->height;
    const char *from = (const char *)templ->pixels + (size_t)channel * xncc_pixel_size(pixel);
    pair sum[PAIRS] = { { 0.0 } }, zero[PAIRS] = { { 0.0 } }; /* NaN if a sample is not finite */
    int64_t i = 0;
    for (; i + AT_ONCE <= count; i += AT_ONCE)
        for (int k = 0; k < PAIRS; k++) {
            const pair v = load_pair(pixel, from, channels, i + 2 * k);
            sum[k] += v;
            zero[k] += v * 0.0;
        }
    for (; i < count; i++) {
        const double v = xncc_sample_value(pixel, from, i * channels);
        sum[0][0] += v;
        zero[0][0] += v * 0.0;
    }
    templ->finite &= total_of(zero) == 0.0;
    return total_of(sum);
}

/* The mean of the samples of a channel that count, rounded to float for XNCC_F32. */
static double channel_pivot(xncc_template *templ, int32_t channel)
{
    const xncc_pixel pixel = templ->pixel;
    const double sum = pixel == XNCC_F32 && templ->channels == 1
                           ? sum_samples(templ, XNCC_F32, 1, 0)
                       : pixel == XNCC_F64 && templ->channels == 1
                           ? sum_samples(templ, XNCC_F64, 1, 0)
                           : sum_samples(templ, pixel, templ->channels, channel);
    const double mean = sum / (double)templ->whole;
    return pixel == XNCC_F32 ? (double)(float)mean : mean;
}

/* The sums of samples less the pivot: over rows, and then over the rows' sums. */
static xncc_float_templ sum_floats(const xncc_template *templ, double pivot)
{
    const int32_t width = templ->width;
    xncc_float_templ of = { 0.0, 0.0 };
    for (int32_t y = 0; y < templ->height; y++) {
        const float *row = (const float *)templ->pixels + (ptrdiff_t)y * width;
        pair sum[PAIRS] = { { 0.0 } }, sum2[PAIRS] = { { 0.0 } };
        int32_t x = 0;
        for (; x + AT_ONCE <= width; x += AT_ONCE)
            for (int k = 0; k < PAIRS; k++) {
                const pair v = load_pair(XNCC_F32, row, 1, x + 2 * k) - pivot;
                sum[k] += v;
                sum2[k] += v * v;
            }
        for (; x < width; x++) {
            const double v = xncc_centred(row[x], pivot);
            sum[0][0] += v;
            sum2[0][0] += v * v;
        }
        of.sum += total_of(sum);
        of.sum2 += total_of(sum2);
    }
    return of;
}

/* Makes what a template of floats has besides its pixels. */
static xncc_status add_floats(xncc_template *templ, xncc_error *error)
{
    templ->pivot = xncc_alloc((uint64_t)templ->channels, sizeof *templ->pivot);
    if (!templ->pivot)
        return xncc_fail(error, XNCC_ERROR_MEMORY, "template: no memory for %d numbers",
                         templ->channels);
    for (int32_t c = 0; c < templ->channels; c++)
        templ->pivot[c] = channel_pivot(templ, c);
    if (templ->pixel == XNCC_F32 && templ->channels == 1) {
        templ->floats[0] = sum_floats(templ, 0.0);
        templ->floats[1] = sum_floats(templ, templ->pivot[0]);
    }
    return XNCC_OK;
}

xncc_status xncc_template_fill(xncc_template *templ, const xncc_image *pixels, xncc_error *error)
{
    assert(pixels->memory == XNCC_HOST && !templ->pixels && !templ->mask);
    size_t row = (size_t)xncc_image_row_bytes(pixels);
    uint64_t count = (uint64_t)pixels->width * (uint64_t)pixels->height;
    if (count > XNCC_MAX_TEMPLATE_PIXELS)
        return xncc_fail(error, XNCC_ERROR_ARGUMENT, "template: %d x %d pixels are more than 2^31",
                         pixels->width, pixels->height);
    templ->width = pixels->width;
    templ->height = pixels->height;
    templ->pixel = pixels->pixel;
    templ->channels = xncc_image_channels(pixels);
    templ->whole = count;
    templ->pixels = xncc_alloc((uint64_t)pixels->height, row);
    if (!templ->pixels)
        return xncc_fail(error, XNCC_ERROR_MEMORY, "template: no memory for %llu bytes",
                         (unsigned long long)row * (unsigned long long)pixels->height);
    for (int32_t y = 0; y < pixels->height; y++)
        copy_row(templ, pixels, y);
    xncc_status status = xncc_image_is_masked(pixels) ? apply_mask(templ, pixels, error) : XNCC_OK;
    templ->finite = 1;
    if (!status && xncc_pixel_is_float(templ->pixel))
        status = add_floats(templ, error);
    if (!status && xncc_pixel_digits(templ->pixel) <= 2 && !xncc_pixel_is_float(templ->pixel) &&
        templ->channels == 1) {
        if (xncc_pixel_digits(templ->pixel) == 1)
            sum_bytes(templ);
        else
            sum_words(templ);
    }
    return status;
}

void xncc_template_clear(xncc_template *templ)
{
    xncc_free(templ->pixels);
    xncc_free(templ->mask);
    xncc_free(templ->pivot);
}

/* The error of sums over rows, and then over the rows' sums, relative to the sum of the sizes of
 * what is added (Higham, "Accuracy and Stability of Numerical Algorithms", section 3.1). Samples
 * less a pivot, and their products, are rounded before they are added. */
static double relative_error(const xncc_template *templ)
{
    return ldexp(1.01 * ((double)templ->width + (double)templ->height + 12.0), -53);
}

/* Fills a rule for float pixels. The pivot is the mean if the score ignores it, which avoids the
 * cancellation of a large common offset, else 0. */
static void rule_of_floats(xncc_score_rule *rule, const xncc_template *templ, xncc_method method)
{
    const int centred = xncc_method_ignores_offset(method);
    rule->pivot = centred ? templ->pivot[0] : 0.0;
    rule->fsum = templ->floats[centred].sum;
    rule->fsum2 = templ->floats[centred].sum2;
    rule->fn = (double)rule->n;
    rule->relative = relative_error(templ);
}

xncc_score_rule xncc_score_rule_make(const xncc_template *templ, xncc_method method, xncc_flat flat)
{
    xncc_score_rule rule = { .n = (uint64_t)templ->width * (uint64_t)templ->height };
    rule.nan_flat = flat == XNCC_FLAT_NAN;
    rule.undefined = rule.nan_flat ? NAN : 0.0f;
    if (templ->channels > 1 || xncc_pixel_is_wide(templ->pixel) || templ->pixel == XNCC_F64)
        return rule; /* general_score.h scores such windows */
    if (templ->pixel == XNCC_F32) {
        rule_of_floats(&rule, templ, method);
        return rule;
    }
    rule.sum = templ->sum;
    rule.sum2 = templ->sum2;
    rule.needs_u128 = rule.n * xncc_pixel_max(templ->pixel) >
                      UINT64_C(3037000499); /* floor(sqrt(2^63)); see score.h */
    rule.root_sum2 = sqrt((double)templ->sum2);
    rule.root_var = sqrt(
        xncc_difference(rule.n, templ->sum2, templ->sum, templ->sum, rule.needs_u128));
    return rule;
}

xncc_general_rule xncc_general_rule_make(const xncc_template *templ, xncc_flat flat,
                                         double min_valid)
{
    xncc_general_rule rule = { .whole = templ->whole,
                               .bias = xncc_pixel_bias(templ->pixel),
                               .nan_flat = flat == XNCC_FLAT_NAN };
    rule.undefined = rule.nan_flat ? NAN : 0.0f;
    double least = ceil(min_valid * (double)templ->whole); /* at most 2^31 */
    rule.least = !templ->finite ? UINT64_MAX : least < 1.0 ? 1 : (uint64_t)least;
    rule.relative = relative_error(templ);
    return rule;
}

void xncc_general_rule_set_pivots(xncc_general_rule *rule, const xncc_template *templ,
                                  xncc_method method)
{
    for (int32_t c = 0; c < templ->channels && xncc_pixel_is_float(templ->pixel) &&
                        xncc_method_ignores_offset(method);
         c++)
        rule->pivot[c] = templ->pivot[c];
}

#define NAME(method, name) [method] = name,
static const char *const method_names[] = { XNCC_EACH_SCORE_METHOD(
                                                NAME)[XNCC_COVERAGE] = "coverage" };
enum { METHODS = sizeof method_names / sizeof *method_names };

const char *xncc_method_name(xncc_method method)
{
    return (unsigned)method < METHODS ? method_names[method] : "?";
}

int xncc_template_has_mask_of(const xncc_template *templ, const xncc_template *other)
{
    if (!templ->mask || !other->mask || templ->width != other->width ||
        templ->height != other->height)
        return 0;
    return templ->whole == other->whole &&
           memcmp(templ->mask, other->mask, (size_t)templ->width * (size_t)templ->height) == 0;
}

xncc_status xncc_method_parse(const char *name, xncc_method *method, xncc_error *error)
{
    XNCC_ENTER;
    if (!name || !method)
        return xncc_fail_null(error, name ? "method" : "name");
    for (int i = 0; i < METHODS; i++)
        if (strcmp(name, method_names[i]) == 0) {
            *method = (xncc_method)i;
            return xncc_done(XNCC_OK, error);
        }
    return xncc_fail(error, XNCC_ERROR_ARGUMENT,
                     "'%.64s' is not a method; take ccoeff_normed, ccoeff, ccorr, ccorr_normed, "
                     "sqdiff, sqdiff_normed or coverage",
                     name);
}

int xncc_method_is_distance(xncc_method method)
{
    return xncc_method_of_difference(method);
}

int32_t xncc_template_width(const xncc_template *templ)
{
    return templ->width;
}

int32_t xncc_template_height(const xncc_template *templ)
{
    return templ->height;
}

xncc_pixel xncc_template_pixel(const xncc_template *templ)
{
    return templ->pixel;
}

int32_t xncc_template_channels(const xncc_template *templ)
{
    return templ->channels;
}

int32_t xncc_template_is_masked(const xncc_template *templ)
{
    return templ->mask != NULL;
}
