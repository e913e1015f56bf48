/* exactncc: the rules of matching: methods, modes, borders, scores, and which positions match.
 * SPDX-License-Identifier: BSD-2-Clause */
#ifndef EXACTNCC_RULES_H
#define EXACTNCC_RULES_H

#include "status.h"
#include <math.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How a window of the image is compared with the template.
 *
 * Let I be the pixels of the window and T those of the template. All sums are over the pixels that
 * count in both. These are all of them, unless there are masks, no-data values or the border
 * XNCC_BORDER_OVERLAP.
 *
 *     n    = the number of these pixels
 *     S    = sum of I        Q     = sum of I^2        X = sum of I*T
 *     sumT = sum of T        sumT2 = sum of T^2
 *
 * The scores:
 *
 *     CCOEFF_NORMED  (n*X - S*sumT) / ( sqrt(n*Q - S^2) * sqrt(n*sumT2 - sumT^2) )
 *     CCOEFF         (n*X - S*sumT) / n
 *     CCORR          X
 *     CCORR_NORMED   X / ( sqrt(Q) * sqrt(sumT2) )
 *     SQDIFF         Q - 2*X + sumT2
 *     SQDIFF_NORMED  (Q - 2*X + sumT2) / ( sqrt(Q) * sqrt(sumT2) )
 *     COVERAGE       n / (the number of the template's pixels that count)
 *
 * - CCOEFF_NORMED is NCC, also called ZNCC. Its range is -1 .. 1, as is that of CCORR_NORMED.
 * - CCORR is plain correlation.
 * - For SQDIFF and SQDIFF_NORMED a small score is good, for all other methods a large one.
 * - COVERAGE has the range 0 .. 1 and ignores min_valid (xncc_match_rule).
 *
 * Where a denominator is 0, the window or the template is flat. CCOEFF_NORMED and CCORR_NORMED are
 * then 0. SQDIFF_NORMED is 0 if its numerator is 0, and 1 otherwise. With XNCC_FLAT_NAN all three
 * are NaN.
 *
 * Several channels give one score. Each channel has its own S, Q, X, sumT and sumT2; n counts
 * pixels. X, Q, sumT2 and the differences n*X - S*sumT, n*Q - S^2 and n*sumT2 - sumT^2 are added
 * over the channels before anything is divided. OpenCV's matchTemplate does the same: its means are
 * per channel.
 *
 * Integer pixel types are exact. Numerators and the arguments of the roots are exact integers at
 * every size. They are rounded to double, the formula is evaluated in IEEE-754 double precision in
 * the order written, and the result is rounded to float. Every kernel on every device returns the
 * same bits. Therefore:
 *
 * - |score| <= 1 for CCOEFF_NORMED and CCORR_NORMED.
 * - A window equal to the template scores exactly 1 with these two methods, unless a denominator
 *   is 0.
 * - In mode XNCC_VALID the map of a crop is the crop of the map.
 *
 * XNCC_F32 and XNCC_F64 are exact in the same sense. A finite float is an integer times a power of
 * two, so numerators and the arguments of the roots are exact numbers, whatever the magnitudes.
 * Each is rounded once to 53 bits with an exponent of any size, the formula is evaluated in that
 * arithmetic, and the result is rounded once to float: beyond the largest float it is an infinity,
 * and an exact 0 is +0. Therefore:
 *
 * - Floats that hold integers give the bits of the integer image.
 * - Multiplying the image by 2^a and the template by 2^b changes no bit of CCOEFF_NORMED and
 *   CCORR_NORMED.
 * - A window in which a NaN or an infinity counts scores NaN and is never a match. One that counts
 *   in the template makes every score NaN.
 *
 * Sources. The names are those of OpenCV (TM_CCOEFF_NORMED and so on; Bradski, "The OpenCV
 * Library", 2000). NCC: Lewis, "Fast Normalized Cross-Correlation", 1995. Sums over the pixels that
 * count in both: Padfield, "Masked Object Registration in the Fourier Domain", 2012. */
typedef enum xncc_method {
    XNCC_CCOEFF_NORMED = 0,
    XNCC_CCOEFF = 1,
    XNCC_CCORR = 2,
    XNCC_CCORR_NORMED = 3,
    XNCC_SQDIFF = 4,
    XNCC_SQDIFF_NORMED = 5,
    XNCC_COVERAGE = 6
} xncc_method;

/* Returns the name of a method in lower case ("ccoeff_normed"), or "?" if the value is not a
 * method. The string is constant and must not be freed. Any thread may call it. */
XNCC_API const char *xncc_method_name(xncc_method method);

/* Finds a method by its name, as xncc_method_name spells it, and writes it to *method. Returns
 * XNCC_OK or, for an unknown name or a null pointer, XNCC_ERROR_ARGUMENT; *method is then
 * unchanged. Any thread may call it. */
XNCC_API xncc_status xncc_method_parse(const char *name, xncc_method *method, xncc_error *error);

/* Returns 1 for the methods where a small score is good (XNCC_SQDIFF and XNCC_SQDIFF_NORMED), and 0
 * for the others. Any thread may call it. */
XNCC_API int xncc_method_is_distance(xncc_method method);

/* Which windows a map has a score for. The image is W x H pixels, the template w x h.
 *
 * - XNCC_VALID: the windows that are entirely inside the image. The map is (W-w+1) x (H-h+1); its
 *   element (x, y) is for the window whose top-left pixel is (x, y). The template must not be
 *   larger than the image.
 * - XNCC_SAME: one window centred on each pixel of the image. The map is W x H; its element (x, y)
 *   is for the window whose top-left pixel is (x - w/2, y - h/2), with integer division.
 * - XNCC_FULL: every window that shares a pixel with the image. The map is (W+w-1) x (H+h-1); its
 *   element (x, y) is for the window whose top-left pixel is (x - w + 1, y - h + 1).
 *
 * In the modes XNCC_SAME and XNCC_FULL the pixels outside the image come from the border, and the
 * template may be larger than the image. */
typedef enum xncc_mode { XNCC_VALID = 0, XNCC_SAME = 1, XNCC_FULL = 2 } xncc_mode;

/* The pixels outside the image, in the modes XNCC_SAME and XNCC_FULL. If the image has a mask or a
 * no-data value, a repeated pixel counts if its original does; the zeros of XNCC_BORDER_ZERO count.
 * Convolution offers only XNCC_BORDER_CLAMP and XNCC_BORDER_ZERO. */
typedef enum xncc_border {
    /* The nearest pixel of the image. */
    XNCC_BORDER_CLAMP = 0,
    /* 0. */
    XNCC_BORDER_ZERO = 1,
    /* The image mirrored at its edge pixel, which is not repeated: c b | a b c d. The period is
     * 2 * (W - 1). */
    XNCC_BORDER_MIRROR = 2,
    /* The image repeated periodically. */
    XNCC_BORDER_WRAP = 3,
    /* None: only the pixels of a window that are inside the image count. */
    XNCC_BORDER_OVERLAP = 4
} xncc_border;

/* The score of a window where a normed method would divide by 0 (xncc_method). */
typedef enum xncc_flat {
    XNCC_FLAT_ZERO = 0, /* 0; for XNCC_SQDIFF_NORMED 0 or 1 */
    XNCC_FLAT_NAN = 1   /* NaN */
} xncc_flat;

/* What a score is, and where. Set by XNCC_MATCH_RULE_INIT: NCC of every window inside the image. */
typedef struct xncc_match_rule {
    uint32_t size; /* sizeof(xncc_match_rule) */
    xncc_method method;
    xncc_mode mode;
    xncc_border border; /* in mode XNCC_VALID, where no window leaves the image, any */
    xncc_flat flat;
    uint32_t reserved; /* 0 */
    /* The fraction of the template's counting pixels that must also count in the window, 0 .. 1. A
     * window with fewer, or with none, scores NaN and is never a match. This matters only with
     * masks, no-data values and XNCC_BORDER_OVERLAP. (Few pixels correlate well by chance: the NCC
     * of two pixels is 1 or -1 unless they are equal.) */
    double min_valid;
} xncc_match_rule;

/* Method, mode, border and flat as above; min_valid is 0.5. */
#define XNCC_MATCH_RULE_INIT                                                                       \
    {                                                                                              \
        sizeof(xncc_match_rule), XNCC_CCOEFF_NORMED, XNCC_VALID, XNCC_BORDER_CLAMP,                \
            XNCC_FLAT_ZERO, 0, 0.5                                                                 \
    }

/* As a number of matches: as many as there is room for. */
#define XNCC_ALL SIZE_MAX

/* Where a member allows it: the library computes the value. */
#define XNCC_AUTO (-1)

/* Which positions of a map are matches. Set by XNCC_PEAK_RULE_INIT: scores of at least 0, as many
 * as the array holds.
 *
 * The result is fully determined and the same on every device:
 *
 * 1. Positions are ordered by score, best first: largest first, or for XNCC_SQDIFF and
 *    XNCC_SQDIFF_NORMED smallest first. Equal scores are ordered by y, then by x, smallest first.
 * 2. A position is a candidate if its score is not NaN and within the limits below and, if the
 *    minimum distance exceeds 1, if it precedes each of its eight neighbours in that order.
 * 3. Candidates are accepted in that order. A candidate that is closer than the minimum distance to
 *    an accepted one is skipped. The distance of two positions is the larger of |dx| and |dy|.
 *
 * The limits exclude bad scores, not good ones: a min_score above 0 for XNCC_SQDIFF or
 * XNCC_SQDIFF_NORMED and a max_score below infinity for another method are
 * XNCC_ERROR_ARGUMENT. */
typedef struct xncc_peak_rule {
    uint32_t size; /* sizeof(xncc_peak_rule) */
    /* The minimum distance of two matches in pixels; not negative. Up to 1, every position can be a
     * match. XNCC_AUTO: half the shorter side of the template, rounded down, but at least 1. */
    int32_t min_distance;
    size_t top;        /* the largest number of matches; XNCC_ALL: the capacity of the array */
    float min_score;   /* the smallest score of a match; not a NaN; -INFINITY: no limit */
    float max_score;   /* the largest score of a match; not a NaN; INFINITY: no limit */
    uint64_t reserved; /* 0 */
} xncc_peak_rule;

/* min_distance XNCC_AUTO, top XNCC_ALL, min_score 0, max_score INFINITY. */
#define XNCC_PEAK_RULE_INIT                                                                        \
    {                                                                                              \
        sizeof(xncc_peak_rule), XNCC_AUTO, XNCC_ALL, 0.0f, INFINITY, 0                             \
    }

/* A match: the position and the score of a window. */
typedef struct xncc_match {
    int32_t x;   /* the window's top-left pixel in image coordinates; except in mode XNCC_VALID */
    int32_t y;   /* it can be outside the image */
    float score; /* the map's value */
} xncc_match;

/* The extents of a map in elements, and the top-left pixel of the window of its element (0, 0) in
 * image coordinates. */
typedef struct xncc_extent {
    int32_t width, height, x0, y0;
} xncc_extent;

/* Computes the extents of a map.
 *
 * - image_width, image_height, templ_width, templ_height: pixels, 1 .. XNCC_MAX_SIDE.
 * - extent: receives the result. In mode XNCC_FULL the sides can exceed XNCC_MAX_SIDE, which no
 *   xncc_map allows.
 *
 * Returns XNCC_OK, or XNCC_ERROR_ARGUMENT for a null pointer, a side out of range, an unknown mode,
 * or in mode XNCC_VALID a template larger than the image; *extent is then unchanged. Any thread may
 * call it. */
XNCC_API xncc_status xncc_map_measure(xncc_mode mode, int32_t image_width, int32_t image_height,
                                      int32_t templ_width, int32_t templ_height,
                                      xncc_extent *extent, xncc_error *error);

#ifdef __cplusplus
}
#endif
#endif
