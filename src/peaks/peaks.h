/* SPDX-License-Identifier: BSD-2-Clause */
/* Peak search: collects candidates from the rows of a map and chooses the matches among them.
 * include/exactncc/rules.h has the rules (xncc_peak_rule). */
#ifndef XNCC_PEAKS_PEAKS_H
#define XNCC_PEAKS_PEAKS_H

#include "base/host_device.h"
#include "base/error.h"
#include "exactncc/find.h"

/* Which positions of a map are matches. */
typedef struct xncc_search_rule {
    int32_t smallest;     /* 1: small scores are good; 0: large ones */
    float limit;          /* the worst score of a match; not NaN */
    int32_t min_distance; /* pixels, at least 1 */
    size_t top;           /* the largest number of matches, 1 .. 2^31 */
} xncc_search_rule;

/* A bounded set of the best candidates so far. One thread at a time may use it. */
typedef struct xncc_peaks xncc_peaks;

/* Makes an empty set. rule: copied. positions: the number of elements of the whole map, which
 * bounds the set. Returns XNCC_OK or XNCC_ERROR_MEMORY; *peaks is then NULL. */
xncc_status xncc_peaks_create(const xncc_search_rule *rule, uint64_t positions, xncc_peaks **peaks,
                              xncc_error *error);

/* Frees a set. NULL is allowed. */
void xncc_peaks_destroy(xncc_peaks *peaks);

/* Adds the candidates of rows of a map. Their coordinates are those of the map.
 * row: the address of element (0, first). pitch: elements from one row to the next. width: elements
 * per row, at least 1. first, count: the rows of the map.
 * above, below: 1 if row first - 1 is readable at row - pitch, and row first + count at row +
 * count * pitch. 0 is allowed only if that row is outside the map.
 * Returns XNCC_OK or XNCC_ERROR_MEMORY. */
xncc_status xncc_peaks_feed(xncc_peaks *peaks, const float *row, ptrdiff_t pitch, int32_t width,
                            int32_t first, int32_t count, int above, int below, xncc_error *error);

/* Adds a candidate without any check. Returns XNCC_OK or XNCC_ERROR_MEMORY. */
xncc_status xncc_peaks_add(xncc_peaks *peaks, xncc_match candidate, xncc_error *error);

/* Adds the candidates of another set with the same rule. Returns XNCC_OK or XNCC_ERROR_MEMORY. */
xncc_status xncc_peaks_merge(xncc_peaks *peaks, const xncc_peaks *other, xncc_error *error);

/* The worst score that a match can still have, as far as the candidates so far tell. It never gets
 * worse. */
float xncc_peaks_limit(const xncc_peaks *peaks);

/* Says that no match is worse than `limit`. */
void xncc_peaks_tighten(xncc_peaks *peaks, float limit);

/* Chooses the matches: writes at most rule.top of them to match, best first, and their number to
 * *found. Nothing may be added to the set afterwards. Returns XNCC_OK or XNCC_ERROR_MEMORY. */
xncc_status xncc_peaks_finish(xncc_peaks *peaks, xncc_match *match, size_t *found,
                              xncc_error *error);

/* Returns 1 if a precedes b: the better score, then the smaller y, then the smaller x. */
static XNCC_HD int xncc_match_before(const xncc_match *a, const xncc_match *b, int smallest)
{
    if (a->score != b->score)
        return smallest ? a->score < b->score : a->score > b->score;
    if (a->y != b->y)
        return a->y < b->y;
    return a->x < b->x;
}

/* Adds (x, y) to the positions of matches. */
static inline void xncc_matches_move(xncc_match *match, size_t count, int32_t x, int32_t y)
{
    for (size_t i = 0; i < count; i++) {
        match[i].x += x;
        match[i].y += y;
    }
}

#endif
