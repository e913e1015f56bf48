/* Peak search: candidates out of bands of a map, and the choice among them (the rule stands in include/corrmatch/find.h). */
#ifndef CM_PEAKS_PEAKS_H
#define CM_PEAKS_PEAKS_H

#include "base/both.h"
#include "base/error.h"
#include "corrmatch/find.h"

typedef struct cm_peak_rule {
    int32_t smallest;     /* 1: small scores are good */
    float limit;          /* the worst score that counts */
    int32_t min_distance; /* >= 1 */
    size_t top;           /* 1 .. 2^31 */
} cm_peak_rule;

/* A bounded set of the best candidates seen so far. One thread at a time. */
typedef struct cm_peaks cm_peaks;

/* positions: how many elements the whole map has; the set never holds more. CM_ERROR_MEMORY. */
cm_status cm_peaks_create(const cm_peak_rule *rule, uint64_t positions, cm_peaks **peaks, cm_error *error);
void cm_peaks_destroy(cm_peaks *peaks);

/* Looks at rows of a map: row is the address of element (0, first), pitch in elements. above and below say whether the map rows first - 1
 * and first + count are readable at row - pitch and row + count * pitch; where they are not, they must lie outside the map.
 * Coordinates of candidates are those of the map. CM_ERROR_MEMORY. */
cm_status cm_peaks_feed(cm_peaks *peaks, const float *row, ptrdiff_t pitch, int32_t width, int32_t first, int32_t count,
                        int above, int below, cm_error *error);

/* Takes a candidate as it is. CM_ERROR_MEMORY. */
cm_status cm_peaks_add(cm_peaks *peaks, cm_match candidate, cm_error *error);

/* Adds everything that another set with the same rule holds. CM_ERROR_MEMORY. */
cm_status cm_peaks_merge(cm_peaks *peaks, const cm_peaks *other, cm_error *error);

/* The matches, best first: at most rule.top of them into match, their number into *found. The set may not be fed after.
 * CM_ERROR_MEMORY. */
cm_status cm_peaks_finish(cm_peaks *peaks, cm_match *match, size_t *found, cm_error *error);

/* 1 when a comes before b: the better score, then the smaller y, then the smaller x. */
static CM_BOTH int cm_match_before(const cm_match *a, const cm_match *b, int smallest)
{
    if (a->score != b->score)
        return smallest ? a->score < b->score : a->score > b->score;
    if (a->y != b->y)
        return a->y < b->y;
    return a->x < b->x;
}

#endif
