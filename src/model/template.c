#include "model/template.h"

#include "base/memory.h"
#include "image/image.h"

#include <math.h>
#include <string.h>

static uint64_t pixel_max(cm_pixel pixel)
{
    return pixel == CM_U8 ? 255 : 65535;
}

/* Template pixels are at most 2^31, so sum < 2^47 and sum2 < 2^63. */
static void sum_integers(cm_template *part)
{
    size_t count = (size_t)part->width * (size_t)part->height;
    for (size_t i = 0; i < count; i++) {
        uint64_t v = part->pixel == CM_U8 ? ((const uint8_t *)part->pixels)[i] : ((const uint16_t *)part->pixels)[i];
        part->sum += v;
        part->sum2 += v * v;
    }
}

cm_status cm_template_fill(cm_template *part, const cm_image *pixels, cm_error *error)
{
    size_t row = (size_t)pixels->width * cm_pixel_size(pixels->pixel);
    uint64_t count = (uint64_t)pixels->width * (uint64_t)pixels->height;
    if (count > CM_MAX_TEMPLATE_PIXELS)
        return cm_fail(error, CM_ERROR_ARGUMENT, "template: %d x %d pixels are more than 2^31", pixels->width,
                       pixels->height);
    part->width = pixels->width;
    part->height = pixels->height;
    part->pixel = pixels->pixel;
    part->pixels = cm_alloc((uint64_t)pixels->height, row);
    if (!part->pixels)
        return cm_fail(error, CM_ERROR_MEMORY, "template: no memory for %llu bytes",
                       (unsigned long long)row * (unsigned long long)pixels->height);
    for (int32_t y = 0; y < pixels->height; y++)
        memcpy((char *)part->pixels + (size_t)y * row, cm_image_row(pixels, y), row);
    if (part->pixel != CM_F32)
        sum_integers(part);
    return CM_OK;
}

void cm_template_clear(cm_template *part)
{
    cm_free(part->pixels);
    part->pixels = NULL;
}

/* Subtracting one value from image and template moves neither the coefficient methods nor sqdiff, and spares them the cancellation of
 * a large common offset; the other methods take the pixels as they are. */
static int has_pivot(cm_method method)
{
    return method == CM_CCOEFF_NORMED || method == CM_CCOEFF || method == CM_SQDIFF;
}

static void rule_of_floats(cm_score_rule *rule, const cm_template *part, cm_method method)
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
            double v = cm_centred(pixel[y * width + x], rule->pivot);
            sum += v;
            sum2 += v * v;
        }
        rule->fsum += sum;
        rule->fsum2 += sum2;
    }
    rule->fn = (double)(width * height);
    rule->noise = ldexp((double)(width + height + 8), -52);
    double var = cm_spread(rule->fn, rule->fsum2, rule->fsum, rule->fsum);
    rule->root_var = var <= rule->noise * (rule->fn * rule->fsum2) ? 0.0 : sqrt(var);
    rule->root_sum2 = sqrt(rule->fsum2);
}

cm_score_rule cm_score_rule_make(const cm_template *part, cm_method method, cm_flat flat)
{
    cm_score_rule rule = { .n = (uint64_t)part->width * (uint64_t)part->height };
    rule.nan_flat = flat == CM_FLAT_NAN;
    rule.undefined = rule.nan_flat ? NAN : 0.0f;
    if (part->pixel == CM_F32) {
        rule_of_floats(&rule, part, method);
        return rule;
    }
    rule.sum = part->sum;
    rule.sum2 = part->sum2;
    rule.wide = rule.n * pixel_max(part->pixel) > UINT64_C(3037000499); /* floor(sqrt(2^63)); see score.h */
    rule.root_sum2 = sqrt((double)part->sum2);
    rule.root_var = sqrt(cm_difference(rule.n, part->sum2, part->sum, part->sum, rule.wide));
    return rule;
}

static const char *const method_names[] = { "ccoeff_normed", "ccoeff", "ccorr", "ccorr_normed", "sqdiff",
                                            "sqdiff_normed" };
enum { METHODS = sizeof method_names / sizeof *method_names };

const char *cm_method_name(cm_method method)
{
    return (unsigned)method < METHODS ? method_names[method] : "?";
}

cm_status cm_method_parse(const char *name, cm_method *method)
{
    for (int i = 0; name && method && i < METHODS; i++)
        if (strcmp(name, method_names[i]) == 0) {
            *method = (cm_method)i;
            return CM_OK;
        }
    return CM_ERROR_ARGUMENT;
}

int cm_method_is_distance(cm_method method)
{
    return method == CM_SQDIFF || method == CM_SQDIFF_NORMED;
}

int32_t cm_template_width(const cm_template *part)
{
    return part->width;
}

int32_t cm_template_height(const cm_template *part)
{
    return part->height;
}

cm_pixel cm_template_pixel(const cm_template *part)
{
    return part->pixel;
}
