/* SPDX-License-Identifier: BSD-2-Clause */
/* The structs behind xncc_template and xncc_filter, and the rules for scoring windows under a
 * template. Both structs are immutable once they are made, but for a number that is kept when it is
 * first asked for. */
#ifndef XNCC_TEMPLATE_TEMPLATE_H
#define XNCC_TEMPLATE_TEMPLATE_H

#include "base/error.h"
#include "exactncc/convolve.h"
#include "exactncc/template.h"
#include "math/general_score.h"

/* The largest number of pixels of a template. With it X fits 64 bits for samples of up to 16 bits
 * (math/score.h). The lower limit for XNCC_U32 makes all sums fit 128 bits
 * (math/general_score.h). */
#define XNCC_MAX_TEMPLATE_PIXELS (UINT64_C(1) << 31)
#define XNCC_MAX_TEMPLATE_PIXELS_U32 (UINT64_C(1) << 28)

/* Engines of a context. Each has a slot in the arrays `prepared` below for its own form of the
 * pixels or coefficients, which only that engine reads. */
enum { XNCC_ENGINE_SLOTS = 2 };

/* sumT and sumT2 of samples of XNCC_F32, of which something is subtracted. */
typedef struct xncc_float_templ {
    double sum, sum2;
} xncc_float_templ;

struct xncc_template {
    xncc_context *context; /* borrowed */
    uint64_t serial;       /* from 1; unique among all templates that the context ever had */
    int32_t width, height; /* pixels */
    xncc_pixel pixel;      /* the type of a sample */
    int32_t channels;      /* samples per pixel, at least 1 */
    void *pixels;          /* in host memory, tightly packed. Integers are biased (xncc_pixel_bias).
                              Samples of pixels that do not count are 0 */
    uint8_t *mask;         /* per pixel 1 if it counts, else 0; tightly packed. NULL: all count */
    uint64_t whole;        /* the number of pixels that count */
    int32_t finite;        /* 0: a sample that counts is a NaN or an infinity */
    double *pivot;         /* per channel the mean of the samples that count, rounded to float for
                              XNCC_F32. NULL: the samples are integers */
    xncc_float_templ floats[2]; /* one channel of XNCC_F32: of samples less 0, and less the pivot */
    uint64_t sum, sum2;   /* sumT and sumT2 of the biased samples; only for one channel of integers
                             of up to 16 bits */
    uint64_t independent; /* the bits of what xncc_template_independent returns, for atomic access;
                             0: not known yet */
    void *prepared[XNCC_ENGINE_SLOTS];
};

struct xncc_filter {
    xncc_context *context; /* borrowed */
    int32_t width, height; /* coefficients */
    /* The anchor in taps: out(x, y) = sum of taps(i, j) * I(x + i - anchor_x, y + j - anchor_y) */
    int32_t anchor_x, anchor_y;
    float *taps; /* the coefficients in host memory, tightly packed, in the order in which they meet
                    the image: rotated by 180 degrees for convolution */
    void *prepared[XNCC_ENGINE_SLOTS];
};

/* Fills a template, whose fields from width on must be zero, from a legal view in host memory,
 * which is copied. Returns XNCC_OK, XNCC_ERROR_MEMORY, or XNCC_ERROR_ARGUMENT if the view has more
 * than XNCC_MAX_TEMPLATE_PIXELS pixels or none that counts. After a failure, too,
 * xncc_template_clear must free what was allocated. */
xncc_status xncc_template_fill(xncc_template *templ, const xncc_image *pixels, xncc_error *error);

/* The independent pixels of a template (xncc_chance.pixels). The first call computes them. Any
 * thread may call it. */
double xncc_template_independent(const xncc_template *templ);

/* 1 if both templates have a mask, and the same one. */
int xncc_template_has_mask_of(const xncc_template *templ, const xncc_template *other);

/* Frees the pixels, the mask and the pivots. */
void xncc_template_clear(xncc_template *templ);

/* Fills a filter, whose fields from width on must be zero, from width x height coefficients. They
 * are rotated by 180 degrees, with the anchor, unless the options say correlate. Returns XNCC_OK,
 * XNCC_ERROR_MEMORY, or XNCC_ERROR_ARGUMENT for extents or an anchor out of range or a coefficient
 * that is not finite. */
xncc_status xncc_filter_fill(xncc_filter *filter, const float *coefficients, int32_t width,
                             int32_t height, const xncc_filter_options *options, xncc_error *error);

/* The rule that scores windows under this template (math/score.h). For templates that need
 * math/general_score.h only n and the choice for flat windows are filled. */
xncc_score_rule xncc_score_rule_make(const xncc_template *templ, xncc_method method,
                                     xncc_flat flat);

/* The rule for math/general_score.h, for any template. min_valid: 0 .. 1, as in xncc_match_rule.
 * Its pivots are 0. */
xncc_general_rule xncc_general_rule_make(const xncc_template *templ, xncc_flat flat,
                                         double min_valid);

/* Sets the pivots of a rule for floats. */
void xncc_general_rule_set_pivots(xncc_general_rule *rule, const xncc_template *templ,
                                  xncc_method method);

#endif
