/* What a xncc_template and a xncc_filter hold. Immutable once made. */
#ifndef XNCC_TEMPLATE_TEMPLATE_H
#define XNCC_TEMPLATE_TEMPLATE_H

#include "base/error.h"
#include "exactncc/convolve.h"
#include "exactncc/template.h"
#include "math/general_score.h"

/* The most pixels of a template: X then fits 64 bits for pixels of up to 16 bits (score.h), and 128
 * bits hold what general.h needs for those of 32. */
#define XNCC_MAX_TEMPLATE_PIXELS (UINT64_C(1) << 31)
#define XNCC_MAX_TEMPLATE_PIXELS_U32 (UINT64_C(1) << 28)

/* What each engine made of the pixels or coefficients; opaque to everyone but the engine in that
 * slot. */
enum { XNCC_ENGINE_SLOTS = 2 };

struct xncc_template {
    xncc_context *context; /* borrowed */
    uint64_t serial;       /* from 1; no other template of the context ever has it */
    int32_t width, height;
    xncc_pixel pixel;
    int32_t channels;
    void *pixels; /* host memory, tightly packed; integers biased (xncc_pixel_bias), 0 where a pixel
                     does not count */
    uint8_t *mask;      /* 1 where a pixel counts, else 0, tightly packed; NULL: all count */
    uint64_t whole;     /* pixels that count */
    uint64_t sum, sum2; /* integers of up to 16 bits, one channel: of the biased samples */
    void *prepared[XNCC_ENGINE_SLOTS];
};

struct xncc_filter {
    xncc_context *context; /* borrowed */
    int32_t width, height;
    int32_t anchor_x, anchor_y; /* of the turned coefficients: out(x, y) = sum taps(i, j) * I(x -
                                   anchor_x + i, y - anchor_y + j) */
    float *taps; /* host memory, tightly packed, in the order in which they meet the image */
    void *prepared[XNCC_ENGINE_SLOTS];
};

/* Fills width, height, pixel, pixels (copied from a valid view in host memory) and the sums of an
 * all-zero template. XNCC_ERROR_MEMORY; XNCC_ERROR_ARGUMENT when it has more than
 * XNCC_MAX_TEMPLATE_PIXELS, or none that counts. What was taken is freed by xncc_template_clear. */
xncc_status xncc_template_fill(xncc_template *templ, const xncc_image *pixels, xncc_error *error);
void xncc_template_clear(xncc_template *templ);

/* Fills an all-zero filter from width x height coefficients: turned by 180 degrees unless options
 * say correlate, with the anchor of the turned taps. XNCC_ERROR_ARGUMENT (extents, anchor, a
 * coefficient that is not finite), XNCC_ERROR_MEMORY. */
xncc_status xncc_filter_fill(xncc_filter *filter, const float *coefficients, int32_t width,
                             int32_t height, const xncc_filter_options *options, xncc_error *error);
void xncc_filter_clear(xncc_filter *filter);

/* The rule that scores windows under this template. */
xncc_score_rule xncc_score_rule_make(const xncc_template *templ, xncc_method method,
                                     xncc_flat flat);

/* The same for general.h, of any template. min_valid: as in xncc_options, legal. */
xncc_general_rule xncc_general_rule_make(const xncc_template *templ, xncc_method method,
                                         xncc_flat flat, double min_valid);

#endif
