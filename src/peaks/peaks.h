/* Peak search: candidates out of bands of a map, and the choice among them (the rule stands in
 * include/exactncc/find.h). */
#ifndef XNCC_PEAKS_PEAKS_H
#define XNCC_PEAKS_PEAKS_H

#include "base/host_device.h"
#include "base/error.h"
#include "exactncc/find.h"

typedef struct xncc_peak_rule {
    int32_t smallest;     /* 1: small scores are good */
    float limit;          /* the worst score that counts */
    int32_t min_distance; /* >= 1 */
    size_t top;           /* 1 .. 2^31 */
} xncc_peak_rule;

/* A bounded set of the best candidates seen so far. One thread at a time. */
typedef struct xncc_peaks xncc_peaks;

/* positions: how many elements the whole map has; the set never holds more. XNCC_ERROR_MEMORY. */
xncc_status xncc_peaks_create(const xncc_peak_rule *rule, uint64_t positions, xncc_peaks **peaks,
                              xncc_error *error);
void xncc_peaks_destroy(xncc_peaks *peaks);

/* Looks at rows of a map: row is the address of element (0, first), pitch in elements. above and
 * below say whether the map rows first - 1 and first + count are readable at row - pitch and row +
 * count * pitch; where they are not, they must lie outside the map. Coordinates of candidates are
 * those of the map. XNCC_ERROR_MEMORY. */
xncc_status xncc_peaks_feed(xncc_peaks *peaks, const float *row, ptrdiff_t pitch, int32_t width,
                            int32_t first, int32_t count, int above, int below, xncc_error *error);

/* Takes a candidate as it is. XNCC_ERROR_MEMORY. */
xncc_status xncc_peaks_add(xncc_peaks *peaks, xncc_match candidate, xncc_error *error);

/* Adds everything that another set with the same rule holds. XNCC_ERROR_MEMORY. */
xncc_status xncc_peaks_merge(xncc_peaks *peaks, const xncc_peaks *other, xncc_error *error);

/* The matches, best first: at most rule.top of them into match, their number into *found. The set
 * may not be fed after. XNCC_ERROR_MEMORY. */
xncc_status xncc_peaks_finish(xncc_peaks *peaks, xncc_match *match, size_t *found,
                              xncc_error *error);

/* 1 when a comes before b: the better score, then the smaller y, then the smaller x. */
static XNCC_HD int xncc_match_before(const xncc_match *a, const xncc_match *b, int smallest)
{
    if (a->score != b->score)
        return smallest ? a->score < b->score : a->score > b->score;
    if (a->y != b->y)
        return a->y < b->y;
    return a->x < b->x;
}

#endif
