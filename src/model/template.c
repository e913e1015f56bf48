#include "model/template.h"

#include "base/memory.h"
#include "image/image.h"

#include <math.h>
#include <string.h>

/* Biased sample i; stored so, every type reads as an unsigned one. */
static uint64_t xncc_template_sample(const xncc_template *part, int64_t i)
{
    int digits = xncc_pixel_digits(part->pixel);
    return xncc_sample(digits == 1 ? XNCC_U8 : digits == 2 ? XNCC_U16 : XNCC_U32, part->pixels, i);
}

/* Template pixels are at most 2^31, so sum < 2^47 and sum2 < 2^63. */
static void sum_integers(xncc_template *part)
{
    size_t count = (size_t)part->width * (size_t)part->height;
    for (size_t i = 0; i < count; i++) {
        uint64_t v = xncc_template_sample(part, (int64_t)i);
        part->sum += v;
        part->sum2 += v * v;
    }
}

/* The row with the bias added, which turns the highest bit of a signed sample. */
static void copy_row(xncc_template *part, const xncc_image *pixels, int32_t y)
{
    const void *from = xncc_image_row(pixels, y);
    size_t row = (size_t)xncc_image_row_bytes(pixels),
           samples = (size_t)part->width * (size_t)part->channels;
    char *to = (char *)part->pixels + (size_t)y * row;
    memcpy(to, from, row);
    for (size_t i = 0; i < samples && part->pixel == XNCC_S8; i++)
        ((uint8_t *)to)[i] = (uint8_t)xncc_sample(XNCC_S8, from, (int64_t)i);
    for (size_t i = 0; i < samples && part->pixel == XNCC_S16; i++)
        ((uint16_t *)(void *)to)[i] = (uint16_t)xncc_sample(XNCC_S16, from, (int64_t)i);
}

/* Keeps which pixels count, and makes the others 0. */
static xncc_status apply_mask(xncc_template *part, const xncc_image *pixels, xncc_error *error)
{
    size_t width = (size_t)part->width,
           bytes = (size_t)part->channels * xncc_pixel_size(part->pixel);
    part->mask = xncc_alloc((uint64_t)part->height, width);
    if (!part->mask)
        return xncc_fail(error, XNCC_ERROR_MEMORY,
                         "template: no memory for its mask of %d x %d bytes", part->width,
                         part->height);
    uint64_t count = 0;
    for (int32_t y = 0; y < part->height; y++)
        for (size_t x = 0; x < width; x++) {
            size_t at = (size_t)y * width + x;
            part->mask[at] = (uint8_t)xncc_pixel_counts(pixels, part->channels,
                                                        xncc_image_row(pixels, y),
                                                        xncc_image_mask_row(pixels, y), (int64_t)x);
            if (!part->mask[at])
                memset((char *)part->pixels + at * bytes, 0, bytes);
            count += part->mask[at];
        }
    if (count == part->whole) {
        xncc_free(part->mask);
        part->mask = NULL;
    }
    part->whole = count;
    if (count == 0)
        return xncc_fail(
            error, XNCC_ERROR_ARGUMENT,
            "template: none of its pixels counts; look at its mask and its no-data value");
    return XNCC_OK;
}

xncc_status xncc_template_fill(xncc_template *part, const xncc_image *pixels, xncc_error *error)
{
    size_t row = (size_t)xncc_image_row_bytes(pixels);
    uint64_t count = (uint64_t)pixels->width * (uint64_t)pixels->height;
    if (count > XNCC_MAX_TEMPLATE_PIXELS)
        return xncc_fail(error, XNCC_ERROR_ARGUMENT, "template: %d x %d pixels are more than 2^31",
                         pixels->width, pixels->height);
    part->width = pixels->width;
    part->height = pixels->height;
    part->pixel = pixels->pixel;
    part->channels = xncc_image_channels(pixels);
    part->whole = count;
    part->pixels = xncc_alloc((uint64_t)pixels->height, row);
    if (!part->pixels)
        return xncc_fail(error, XNCC_ERROR_MEMORY, "template: no memory for %llu bytes",
                         (unsigned long long)row * (unsigned long long)pixels->height);
    for (int32_t y = 0; y < pixels->height; y++)
        copy_row(part, pixels, y);
    xncc_status status = xncc_image_is_masked(pixels) ? apply_mask(part, pixels, error) : XNCC_OK;
    if (!status && xncc_pixel_digits(part->pixel) <= 2 && !xncc_pixel_is_float(part->pixel) &&
        part->channels == 1)
        sum_integers(part);
    return status;
}

void xncc_template_clear(xncc_template *part)
{
    xncc_free(part->pixels);
    xncc_free(part->mask);
    part->pixels = NULL;
    part->mask = NULL;
}

/* Subtracting one value from image and template moves neither the coefficient methods nor sqdiff,
 * and spares them the cancellation of a large common offset; the other methods take the pixels as
 * they are. */
static int has_pivot(xncc_method method)
{
    return method == XNCC_CCOEFF_NORMED || method == XNCC_CCOEFF || method == XNCC_SQDIFF;
}

static void rule_of_floats(xncc_score_rule *rule, const xncc_template *part, xncc_method method)
{
    const float *pixel = part->pixels;
    size_t width = (size_t)part->width, height = (size_t)part->height;
    if (has_pivot(method)) {
        double total = 0.0;
        for (size_t i = 0; i < width * height; i++)
            total += (double)pixel[i];
        rule->pivot = (double)(float)(total / (double)(width * height));
    }
    for (size_t y = 0; y < height; y++) {
        double sum = 0.0, sum2 = 0.0;
        for (size_t x = 0; x < width; x++) {
            double v = xncc_centred(pixel[y * width + x], rule->pivot);
            sum += v;
            sum2 += v * v;
        }
        rule->fsum += sum;
        rule->fsum2 += sum2;
    }
    rule->fn = (double)(width * height);
    rule->noise = ldexp((double)(width + height + 8), -52);
    double var = xncc_spread(rule->fn, rule->fsum2, rule->fsum, rule->fsum);
    rule->root_var = var <= rule->noise * (rule->fn * rule->fsum2) ? 0.0 : sqrt(var);
    rule->root_sum2 = sqrt(rule->fsum2);
}

xncc_score_rule xncc_score_rule_make(const xncc_template *part, xncc_method method, xncc_flat flat)
{
    xncc_score_rule rule = { .n = (uint64_t)part->width * (uint64_t)part->height };
    rule.nan_flat = flat == XNCC_FLAT_NAN;
    rule.undefined = rule.nan_flat ? NAN : 0.0f;
    if (part->channels > 1 || part->pixel == XNCC_U32 || part->pixel == XNCC_F64)
        return rule; /* such windows are joint.h's */
    if (part->pixel == XNCC_F32) {
        rule_of_floats(&rule, part, method);
        return rule;
    }
    rule.sum = part->sum;
    rule.sum2 = part->sum2;
    rule.wide = rule.n * xncc_pixel_max(part->pixel) >
                UINT64_C(3037000499); /* floor(sqrt(2^63)); see score.h */
    rule.root_sum2 = sqrt((double)part->sum2);
    rule.root_var = sqrt(xncc_difference(rule.n, part->sum2, part->sum, part->sum, rule.wide));
    return rule;
}

/* The mean of a channel's samples that count, as a float for floats. */
static double channel_pivot(const xncc_template *part, int32_t channel)
{
    double total = 0.0;
    size_t count = (size_t)part->width * (size_t)part->height;
    for (size_t i = 0; i < count; i++)
        total += xncc_sample_value(part->pixel, part->pixels,
                                   (int64_t)i * part->channels +
                                       channel); /* 0 where it does not count */
    double mean = total / (double)part->whole;
    return part->pixel == XNCC_F32 ? (double)(float)mean : mean;
}

xncc_joint_rule xncc_joint_rule_make(const xncc_template *part, xncc_method method, xncc_flat flat,
                                     double min_valid)
{
    xncc_joint_rule rule = { .whole = part->whole,
                             .bias = xncc_pixel_bias(part->pixel),
                             .nan_flat = flat == XNCC_FLAT_NAN };
    rule.undefined = rule.nan_flat ? NAN : 0.0f;
    double least = ceil((min_valid == 0.0 ? 0.5 : min_valid) *
                        (double)part->whole); /* at most 2^31 */
    rule.least = least < 1.0 ? 1 : (uint64_t)least;
    rule.noise = ldexp((double)part->width + (double)part->height + (double)part->channels + 7.0,
                       -52); /* of one channel: as score.h has it */
    for (int32_t c = 0; c < part->channels && xncc_pixel_is_float(part->pixel) && has_pivot(method);
         c++)
        rule.pivot[c] = channel_pivot(part, c);
    return rule;
}

static const char *const method_names[] = { "ccoeff_normed", "ccoeff", "ccorr",
                                            "ccorr_normed",  "sqdiff", "sqdiff_normed",
                                            "coverage" };
enum { METHODS = sizeof method_names / sizeof *method_names };

const char *xncc_method_name(xncc_method method)
{
    return (unsigned)method < METHODS ? method_names[method] : "?";
}

xncc_status xncc_method_parse(const char *name, xncc_method *method)
{
    for (int i = 0; name && method && i < METHODS; i++)
        if (strcmp(name, method_names[i]) == 0) {
            *method = (xncc_method)i;
            return XNCC_OK;
        }
    return XNCC_ERROR_ARGUMENT;
}

int xncc_method_is_distance(xncc_method method)
{
    return method == XNCC_SQDIFF || method == XNCC_SQDIFF_NORMED;
}

int32_t xncc_template_width(const xncc_template *part)
{
    return part->width;
}

int32_t xncc_template_height(const xncc_template *part)
{
    return part->height;
}

xncc_pixel xncc_template_pixel(const xncc_template *part)
{
    return part->pixel;
}

int32_t xncc_template_channels(const xncc_template *part)
{
    return part->channels;
}

int32_t xncc_template_masked(const xncc_template *part)
{
    return part->mask != NULL;
}
