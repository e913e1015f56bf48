/* What a cm_template and a cm_filter hold. Immutable once made. */
#ifndef CM_MODEL_TEMPLATE_H
#define CM_MODEL_TEMPLATE_H

#include "base/error.h"
#include "corrmatch/convolve.h"
#include "corrmatch/template.h"
#include "model/joint.h"

/* The most pixels of a template: X then fits 64 bits for pixels of up to 16 bits (score.h), and 128 bits hold what joint.h needs for
 * those of 32. */
#define CM_MAX_TEMPLATE_PIXELS (UINT64_C(1) << 31)
#define CM_MAX_TEMPLATE_PIXELS_U32 (UINT64_C(1) << 28)

/* What each engine made of the pixels or coefficients; opaque to everyone but the engine in that slot. */
enum { CM_ENGINE_SLOTS = 2 };

struct cm_template {
    cm_context *context; /* borrowed */
    uint64_t serial;     /* from 1; no other template of the context ever has it */
    int32_t width, height;
    cm_pixel pixel;
    int32_t channels;
    void *pixels;        /* host memory, tightly packed; integers biased (cm_pixel_bias), 0 where a pixel does not count */
    uint8_t *mask;       /* 1 where a pixel counts, else 0, tightly packed; NULL: all count */
    uint64_t whole;      /* pixels that count */
    uint64_t sum, sum2;  /* integers of up to 16 bits, one channel: of the biased samples */
    void *prepared[CM_ENGINE_SLOTS];
};

struct cm_filter {
    cm_context *context; /* borrowed */
    int32_t width, height;
    int32_t anchor_x, anchor_y; /* of the turned coefficients: out(x, y) = sum taps(i, j) * I(x - anchor_x + i, y - anchor_y + j) */
    float *taps;                /* host memory, tightly packed, in the order in which they meet the image */
    void *prepared[CM_ENGINE_SLOTS];
};

/* Fills width, height, pixel, pixels (copied from a valid view in host memory) and the sums of an all-zero template.
 * CM_ERROR_MEMORY; CM_ERROR_ARGUMENT when it has more than CM_MAX_TEMPLATE_PIXELS, or none that counts. What was taken is freed by
 * cm_template_clear. */
cm_status cm_template_fill(cm_template *part, const cm_image *pixels, cm_error *error);
void cm_template_clear(cm_template *part);

/* Fills an all-zero filter from width x height coefficients: turned by 180 degrees unless options say correlate, with the anchor of the
 * turned taps. CM_ERROR_ARGUMENT (extents, anchor, a coefficient that is not finite), CM_ERROR_MEMORY. */
cm_status cm_filter_fill(cm_filter *filter, const float *coefficients, int32_t width, int32_t height,
                         const cm_filter_options *options, cm_error *error);
void cm_filter_clear(cm_filter *filter);

/* The rule that scores windows under this template. */
cm_score_rule cm_score_rule_make(const cm_template *part, cm_method method, cm_flat flat);

/* The same for joint.h, of any template. min_valid: as in cm_options, legal. */
cm_joint_rule cm_joint_rule_make(const cm_template *part, cm_method method, cm_flat flat, double min_valid);

#endif
