/* exactncc: matching in one call: a map of scores, or the best matches.
 * SPDX-License-Identifier: BSD-2-Clause */
#ifndef EXACTNCC_FIND_H
#define EXACTNCC_FIND_H

#include "template.h"

#ifdef __cplusplus
extern "C" {
#endif

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

/* Options of xncc_correlate. All zero: NCC of every window inside the image. */
typedef struct xncc_options {
    xncc_method method;
    xncc_mode mode;
    xncc_border border; /* ignored in mode XNCC_VALID */
    xncc_flat flat;
    /* The fraction of the template's counting pixels that must also count in the window, 0 .. 1; 0
     * means 0.5. A window with fewer, or with none, scores NaN and is never a match. This matters
     * only with masks, no-data values and XNCC_BORDER_OVERLAP. (Few pixels correlate well by
     * chance: the NCC of two pixels is 1 or -1 unless they are equal.) */
    double min_valid;
    /* The name of the kernel to use (docs/guide.md lists them), or the beginning of several names
     * up to a hyphen; or a list of these with commas between and no blanks, such as
     * "shared,tex-tex", of which the first that can serve the request is used; NULL: the fastest.
     * If none can, the call fails with XNCC_ERROR_UNSUPPORTED and the error text names the limits.
     * A name that no kernel has is XNCC_ERROR_ARGUMENT. */
    const char *kernel;
} xncc_options;

/* A match: the position and the score of a window. */
typedef struct xncc_match {
    int32_t x;   /* the window's top-left pixel in image coordinates; except in mode XNCC_VALID */
    int32_t y;   /* it can be outside the image */
    float score; /* the map's value */
} xncc_match;

/* Options of xncc_find. All zero: NCC of every window inside the image, scores of at least 0, as
 * many matches as the array holds.
 *
 * The result is fully determined and the same on every device:
 *
 * 1. Positions are ordered by score, best first: largest first, or for XNCC_SQDIFF and
 *    XNCC_SQDIFF_NORMED smallest first. Equal scores are ordered by y, then by x, smallest first.
 * 2. A position is a candidate if its score is not NaN and within the limit below and, if the
 *    minimum distance exceeds 1, if it precedes each of its eight neighbours in that order.
 * 3. Candidates are accepted in that order. A candidate that is closer than the minimum distance to
 *    an accepted one is skipped. The distance of two positions is the larger of |dx| and |dy|.
 *
 * Flat windows score as with XNCC_FLAT_ZERO. */
typedef struct xncc_find_options {
    xncc_method method;
    xncc_mode mode;
    xncc_border border; /* ignored in mode XNCC_VALID */
    double min_valid;   /* as in xncc_options */
    const char *kernel; /* as in xncc_options */
    size_t top;         /* the largest number of matches; 0: the capacity of the array */
    /* The smallest score of a match; not a NaN. 0 is a limit too; -INFINITY: no limit. Ignored for
     * XNCC_SQDIFF and XNCC_SQDIFF_NORMED. */
    float min_score;
    /* XNCC_SQDIFF and XNCC_SQDIFF_NORMED: the largest score of a match; not a NaN. 0: no limit.
     * Ignored for the other methods. */
    float max_score;
    /* The minimum distance of two matches in pixels, not negative. 1: every position can be a
     * match. 0: half the shorter side of the template, rounded down, but at least 1. */
    int32_t min_distance;
} xncc_find_options;

/* Computes the score of every window of an image.
 *
 * - context: the engines to use. It must be the context of the template.
 * - image: in host or device memory, with the pixel type and the channels of the template.
 * - options: NULL means all zero.
 * - map: receives the scores. In host or device memory, independently of the image. Its extents
 *   must be those of the mode (xncc_map_extent).
 *
 * Device memory requires a context with a CUDA device. The call returns when the map is complete.
 * It allocates its workspace and frees it again; xncc_plan_correlate keeps it between calls.
 *
 * Returns XNCC_OK, XNCC_ERROR_ARGUMENT, XNCC_ERROR_MEMORY, XNCC_ERROR_UNSUPPORTED (a kernel that
 * cannot serve the request) or XNCC_ERROR_DEVICE. After a failure the content of the map is
 * undefined. Several threads may call it at once with one context. */
XNCC_API xncc_status xncc_correlate(xncc_context *context, const xncc_image *image,
                                    const xncc_template *templ, const xncc_options *options,
                                    const xncc_map *map);

/* Finds the best matches of a template in an image, best first.
 *
 * - context, image, templ: as for xncc_correlate.
 * - options: NULL means all zero.
 * - match: receives at most `capacity` matches; in host memory. May be NULL if capacity is 0.
 * - found: receives the number of matches. 0 is a success: no position met the limits. 0 after a
 *   failure.
 *
 * Statuses, memory and threads as for xncc_correlate. */
XNCC_API xncc_status xncc_find(xncc_context *context, const xncc_image *image,
                               const xncc_template *templ, const xncc_find_options *options,
                               xncc_match *match, size_t capacity, size_t *found);

/* Computes the extents of a map.
 *
 * - image_width, image_height, template_width, template_height: pixels, 1 .. XNCC_MAX_SIDE.
 * - width, height: receive the extents of the map, in elements. In mode XNCC_FULL they can exceed
 *   XNCC_MAX_SIDE, which no xncc_map allows.
 * - x0, y0: receive the top-left pixel of the window of the map's element (0, 0), in image
 *   coordinates.
 *
 * Returns XNCC_OK, or XNCC_ERROR_ARGUMENT for a null pointer, a side out of range, an unknown mode,
 * or in mode XNCC_VALID a template larger than the image; the results are then unchanged. There is
 * no context, so there is no error text. Any thread may call it. */
XNCC_API xncc_status xncc_map_extent(xncc_mode mode, int32_t image_width, int32_t image_height,
                                     int32_t template_width, int32_t template_height,
                                     int32_t *width, int32_t *height, int32_t *x0, int32_t *y0);

#ifdef __cplusplus
}
#endif
#endif
