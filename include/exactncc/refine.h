/* exactncc: positions of matches to fractions of a pixel. SPDX-License-Identifier: BSD-2-Clause */
#ifndef EXACTNCC_REFINE_H
#define EXACTNCC_REFINE_H

#include "find.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Where the fitted surface has its peak (its lowest point for the sqdiff methods), and its value
 * there, which may lie a little beyond what the method can score. */
typedef struct xncc_refined {
    double x; /* pixels, as in xncc_match: the top-left corner of the window */
    double y;
    double score;
} xncc_refined;

/* Refines each of `count` matches of xncc_find, from the scores at the position and its eight
 * neighbours, which are computed from the pixels around the match alone, in every mode, with every
 * border, masks and no-data values. Those scores have the bits of the whole map, so the result does
 * not depend on the device, nor on how the matches were found.
 *
 * With s(i, j) the score at the offset (i, j), all of them negated for the sqdiff methods, c = s(0,
 * 0) and gx = (s(1,0) - s(-1,0)) / 2    hxx = s(1,0) - 2c + s(-1,0)    hxy = (s(1,1) - s(-1,1) -
 * s(1,-1) + s(-1,-1)) / 4 gy = (s(0,1) - s(0,-1)) / 2    hyy = s(0,1) - 2c + s(0,-1) the surface is
 * c + g.d + d.H.d / 2, and its peak d = -inverse(H) g is added to the position. That is taken where
 * it stands on firm ground: the nine scores exist, none is better than c, H is definite, and d
 * leaves no pixel of the neighbourhood (|dx|, |dy| <= 1). Elsewhere each axis has a parabola of its
 * own, d = -g / h, in -0.5 .. 0.5; and an axis where one of the two neighbours lies outside the map
 * or has no value (flat windows, NaN), is better than c, or where all three are equal, keeps its
 * whole number. docs/subpixel.md has the errors that were measured, and the bias that remains.
 *
 * options are those given to xncc_find and may be NULL: method, mode, border and min_valid count,
 * the rest is not looked at. Image and template must be those of xncc_find. match and refined have
 * count elements each, in host memory, and may be NULL when count is 0; the image may lie in device
 * memory. Nothing is kept; while it runs it takes memory for (w + 2) x (h + 2) pixels. The cost of
 * a match is that of a map of 3 x 3 and, where its windows reach beyond the image or the image lies
 * in device memory, of copying their pixels. XNCC_ERROR_ARGUMENT (also: a match that is no position
 * of the map), XNCC_ERROR_MEMORY, XNCC_ERROR_UNSUPPORTED (also: a template with a side above
 * XNCC_MAX_SIDE - 3), XNCC_ERROR_DEVICE; after a failure the content of refined is undefined.
 * Several threads may call it at once with one context, image and template. */
XNCC_API xncc_status xncc_refine(xncc_context *context, const xncc_image *image,
                                 const xncc_template *templ, const xncc_find_options *options,
                                 const xncc_match *match, size_t count, xncc_refined *refined);

#ifdef __cplusplus
}
#endif
#endif
