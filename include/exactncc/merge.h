/* exactncc: one list of the matches of several templates. SPDX-License-Identifier: BSD-2-Clause */
#ifndef EXACTNCC_MERGE_H
#define EXACTNCC_MERGE_H

#include "find.h"

#ifdef __cplusplus
extern "C" {
#endif

/* When two matches are the same thing, so that the better one stands for both. */
typedef enum xncc_merge_rule {
    XNCC_MERGE_DISTANCE = 0, /* their windows' centres are closer than the limit */
    XNCC_MERGE_OVERLAP =
        1 /* the intersection of their windows over their union (IoU) is above the limit */
} xncc_merge_rule;

/* A match of one of several templates. */
typedef struct xncc_candidate {
    xncc_match match;
    int32_t
        templ; /* which template, in any numbering of the caller's; ties go to the smaller number */
    int32_t width; /* of that template, in pixels: match and extents make the window */
    int32_t height;
} xncc_candidate;

typedef struct xncc_merge_options {
    xncc_method method; /* says whether large or small scores are good; the templates' scores must
                         be comparable, so one of the normed */
    xncc_merge_rule rule;
    double limit; /* XNCC_MERGE_DISTANCE: pixels, as the larger of |dx| and |dy|; 0 .. 2^31.
                     XNCC_MERGE_OVERLAP: 0 .. 1 */
    size_t top;   /* how many at most; 0: all */
} xncc_merge_options;

/* Merges the matches of several templates (or of several searches of one scene) into one list, by
 * non-maximum suppression:
 * 1. The candidates are ordered best first, then by y, then by x, then by part, then by width, then
 * by height, smallest first.
 * 2. They are taken in that order; one that is the same thing as one already taken is passed over.
 * One whose score is NaN is dropped. Distances are compared exactly (twice a centre is a whole
 * number). The overlap is the quotient, in double, of two areas that are exact whole numbers. A
 * limit of 0 pixels, or an overlap of 1, drops nothing; an overlap of 0 drops every window that
 * shares a pixel with a better one.
 *
 * The array is reordered in place: the first *kept of its `count` elements are the result, in
 * order; the others stand behind them in no order that is promised. It lies in host memory and may
 * be NULL when count is 0. options may be NULL: XNCC_CCOEFF_NORMED, an overlap above 0.5, all of
 * them. No memory is kept; the time grows as count * *kept. XNCC_ERROR_ARGUMENT: a null pointer, an
 * option out of its range, extents outside 1 .. XNCC_MAX_SIDE, coordinates beyond
 * +-XNCC_MAX_SIDE; *kept is 0 then and the array is as it was. There is no context, so there is no
 * text. Any thread. */
XNCC_API xncc_status xncc_matches_merge(xncc_candidate *candidate, size_t count,
                                        const xncc_merge_options *options, size_t *kept);

#ifdef __cplusplus
}
#endif
#endif
