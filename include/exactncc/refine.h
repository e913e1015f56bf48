/* exactncc: positions of matches to fractions of a pixel. SPDX-License-Identifier: BSD-2-Clause */
#ifndef EXACTNCC_REFINE_H
#define EXACTNCC_REFINE_H

#include "context.h"
#include "rules.h"
#include "template.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A refined match: the peak of the fitted surface (its lowest point for XNCC_SQDIFF and
 * XNCC_SQDIFF_NORMED). */
typedef struct xncc_refined {
    double x; /* the top-left corner of the window in image coordinates, in pixels */
    double y;
    double score; /* the surface's value there; it can slightly exceed the range of the method */
} xncc_refined;

/* Refines matches of xncc_find to fractions of a pixel, in every mode, with every border, masks and
 * no-data values.
 *
 * A quadratic surface is fitted to the scores at the match and its eight neighbours. They are
 * computed from the pixels around the match alone and have the bits of the whole map, so the result
 * depends neither on the device nor on how the matches were found. A neighbour that is flat
 * (xncc_flat) or outside the map has no score.
 *
 * Let s(i, j) be the score at the offset (i, j), negated for XNCC_SQDIFF and XNCC_SQDIFF_NORMED,
 * and c = s(0, 0):
 *
 *     gx  = (s(1,0) - s(-1,0)) / 2                hxx = s(1,0) - 2c + s(-1,0)
 *     gy  = (s(0,1) - s(0,-1)) / 2                hyy = s(0,1) - 2c + s(0,-1)
 *     hxy = (s(1,1) - s(-1,1) - s(1,-1) + s(-1,-1)) / 4
 *
 * The surface at d = (dx, dy) is c + g.d + d.H.d / 2, and its peak is d = -inverse(H) g.
 *
 * - The peak is used if all nine scores exist, none is better than c, c is above a neighbour on
 *   each axis, H is definite, and |dx| <= 1 and |dy| <= 1.
 * - Otherwise each axis is fitted alone: d = -g / h, which is within -0.5 .. 0.5.
 * - An axis keeps its whole number if one of its two neighbours has no score or is better than c,
 *   or if both equal c.
 *
 * If the match itself has no score because its window is flat, the position and the score of the
 * match are returned. docs/subpixel.md has the measured errors and the remaining bias.
 *
 * - image, templ: those given to xncc_find. The image may be in device memory.
 * - rule: that given to xncc_find; NULL means XNCC_MATCH_RULE_INIT. Its member flat must be
 *   XNCC_FLAT_ZERO or XNCC_FLAT_NAN; flat windows have no score with either.
 * - match: `count` matches, in host memory. May be NULL if count is 0.
 * - refined: receives `count` results; in host memory. May be NULL if count is 0.
 *
 * A match costs as much as a map of 3 x 3 and, if its windows extend beyond the image or the image
 * is in device memory, a copy of their pixels. The call allocates memory for (w + 2) x (h + 2)
 * pixels and frees it again.
 *
 * Returns XNCC_OK or:
 * - XNCC_ERROR_ARGUMENT: also for a match that is not a position of the map
 * - XNCC_ERROR_UNSUPPORTED: also for a template with a side above XNCC_MAX_SIDE - 3
 * - XNCC_ERROR_MEMORY, XNCC_ERROR_DEVICE
 * After a failure the content of refined is undefined. Several threads may call it at once with one
 * context, image and template. */
XNCC_API xncc_status xncc_refine(xncc_context *context, const xncc_image *image,
                                 const xncc_template *templ, const xncc_match_rule *rule,
                                 const xncc_match *match, size_t count, xncc_refined *refined,
                                 xncc_error *error);

/* xncc_refine for an image that a stream still writes.
 *
 * - stream: the pixels of an image in device memory are copied to the host on this stream, after
 *   the work that is already in it. Ignored for an image in host memory. xncc_refine uses the
 *   default stream.
 *
 * The call waits for its copies, and so for the earlier work of the stream. */
XNCC_API xncc_status xncc_refine_on_stream(xncc_context *context, const xncc_image *image,
                                           const xncc_template *templ, const xncc_match_rule *rule,
                                           const xncc_match *match, size_t count,
                                           xncc_refined *refined, xncc_stream stream,
                                           xncc_error *error);

#ifdef __cplusplus
}
#endif
#endif
