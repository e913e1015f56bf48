/* exactncc: one list of the matches of several templates. SPDX-License-Identifier: BSD-2-Clause */
#ifndef EXACTNCC_MERGE_H
#define EXACTNCC_MERGE_H

#include "find.h"

#ifdef __cplusplus
extern "C" {
#endif

/* When two matches are taken for the same object, so that only the better one is kept. */
typedef enum xncc_merge_rule {
    /* The centres of their windows are closer than the limit. */
    XNCC_MERGE_DISTANCE = 0,
    /* The area that their windows share, divided by the area of their union (IoU), exceeds the
     * limit. */
    XNCC_MERGE_OVERLAP = 1
} xncc_merge_rule;

/* A match of one of several templates. */
typedef struct xncc_candidate {
    xncc_match match;
    int32_t templ;  /* the number of the template, in any numbering; breaks ties, smallest first */
    int32_t width;  /* the width of that template, in pixels, 1 .. XNCC_MAX_SIDE */
    int32_t height; /* the height of that template, in pixels, 1 .. XNCC_MAX_SIDE */
} xncc_candidate;

/* Options of xncc_matches_merge. */
typedef struct xncc_merge_options {
    /* Says whether large or small scores are good. The scores of the templates must be comparable,
     * so they should come from a normed method. XNCC_COVERAGE is not allowed. */
    xncc_method method;
    /* When two matches are the same. */
    xncc_merge_rule rule;
    /* The limit of the rule. XNCC_MERGE_DISTANCE: pixels, 0 .. 2^31, compared with the larger of
     * |dx| and |dy|; 0 removes nothing. XNCC_MERGE_OVERLAP: 0 .. 1; 1 removes nothing, 0 removes
     * every window that shares a pixel with a better one. */
    double limit;
    /* The largest number of matches to keep; 0: all. */
    size_t top;
} xncc_merge_options;

/* Merges the matches of several templates, or of several searches of one image, into one list by
 * non-maximum suppression:
 *
 * 1. Candidates whose score is NaN are removed.
 * 2. The others are ordered by score, best first. Equal scores are ordered by y, x, template
 *    number, width and height, smallest first.
 * 3. They are accepted in that order. A candidate that the rule takes for the same object as an
 *    accepted one is removed.
 *
 * Distances are compared exactly. The overlap is the quotient of two exact integers, rounded to
 * double.
 *
 * - candidate: an array of `count` candidates in host memory, reordered in place. Its first *kept
 *   elements are the result; the order of the others is not specified. May be NULL if count is 0.
 *   Coordinates must be within -XNCC_MAX_SIDE .. XNCC_MAX_SIDE.
 * - options: NULL means XNCC_CCOEFF_NORMED, XNCC_MERGE_OVERLAP with the limit 0.5, and all matches.
 * - kept: receives the number of matches in the result; 0 after a failure.
 *
 * Returns XNCC_OK, or XNCC_ERROR_ARGUMENT for a null pointer or a value out of range; the array is
 * then unchanged. There is no context, so there is no error text. The call keeps no memory. Its
 * time is proportional to count * *kept, plus sorting. Any thread may call it. */
XNCC_API xncc_status xncc_matches_merge(xncc_candidate *candidate, size_t count,
                                        const xncc_merge_options *options, size_t *kept);

#ifdef __cplusplus
}
#endif
#endif
