/* exactncc: the matches of an image that is searched in parts.
 * SPDX-License-Identifier: BSD-2-Clause */
#ifndef EXACTNCC_JOIN_H
#define EXACTNCC_JOIN_H

#include "plan.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Chooses the matches of an image among the candidates of its parts, as step 3 of xncc_peak_rule
 * does. So an image can be searched in bands, by several processes or machines, and the list is
 * that of one search of the whole image, bit for bit. Its parts are not those of exactncc/parts.h,
 * which one call searches.
 *
 * A part is a crop of the image. It contributes the candidates at the positions that it owns; each
 * position must be owned by one part. To search a part, set the minimum distance d (as XNCC_AUTO
 * resolves it) to the smaller of d and 2, so that nothing is skipped yet. If d exceeds 1, the crop
 * must contain the windows of the owned positions and of their eight neighbours. Leave out matches
 * that the part does not own, and those whose window reaches beyond an edge of the crop that is no
 * edge of the image; add the crop's offset to the others. The best top * d * d candidates of a part
 * are enough, with d at least 1.
 *
 * - problem: the sizes and the rule of the whole search. Only the method, the mode and the sizes of
 *   image and template matter.
 * - peaks: the rule of the whole search; NULL means XNCC_PEAK_RULE_INIT.
 * - candidate: an array of `count` candidates in host memory, in any order, with coordinates of the
 *   whole image. A score of NaN or beyond the limits of the rule is left out. May be NULL if count
 *   is 0.
 * - match, capacity, found: as for xncc_find.
 *
 * Returns XNCC_OK, XNCC_ERROR_ARGUMENT (also for a candidate outside of the map) or
 * XNCC_ERROR_MEMORY. Any thread may call it. */
XNCC_API xncc_status xncc_join(const xncc_problem *problem, const xncc_peak_rule *peaks,
                               const xncc_match *candidate, size_t count, xncc_match *match,
                               size_t capacity, size_t *found, xncc_error *error);

#ifdef __cplusplus
}
#endif
#endif
