/* SPDX-License-Identifier: BSD-2-Clause */
/* The set of candidates: kept small while rows arrive, then resolved into matches. */
#include "peaks/peaks.h"

#include "base/memory.h"
#include "peaks/cells.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Can two candidates be too close to both be matches? No two are neighbours, because one of two
 * neighbours precedes the other, so that all of them are two apart at least. */
static int can_be_close(const xncc_search_rule *rule)
{
    return rule->min_distance > 2;
}

/* The number of candidates that must be kept. Accepting a match skips the candidates closer than d
 * to it, which are in a square of side 2d - 1. Since no two are neighbours, such a square has at
 * most d^2 candidates, the match included: the first top - 1 matches leave one of the best
 * (top - 1) * d^2 + 1 candidates for the last. */
static uint64_t kept(const xncc_search_rule *rule, uint64_t positions)
{
    const uint64_t d = can_be_close(rule) ? (uint64_t)rule->min_distance : 1;
    uint64_t per_match = d, all;
    if (!xncc_mul_u64(d, d, &per_match) || !xncc_mul_u64(per_match, rule->top - 1, &all))
        return positions;
    return all < positions ? all + 1 : positions;
}

struct xncc_peaks {
    xncc_search_rule rule;
    uint64_t keep;  /* candidates that can matter, see kept() */
    uint64_t count; /* candidates held, at most max_held() */
    uint64_t room;  /* elements of the array `candidate` */
    xncc_match *candidate;
    float limit; /* what a new candidate must reach: the rule's limit, or the worst of a full set */
    unsigned char *flags; /* per element of a row: 1 if it is a candidate; 8 bytes more */
    float *outside;       /* a row of NaN, which precedes nothing */
    int32_t row_room;     /* elements of these two rows */
};

xncc_status xncc_peaks_create(const xncc_search_rule *rule, uint64_t positions, xncc_peaks **peaks,
                              xncc_error *error)
{
    assert(rule->min_distance >= 1 && rule->top >= 1 && !isnan(rule->limit));
    *peaks = NULL;
    xncc_peaks *p = xncc_alloc(1, sizeof *p);
    if (!p)
        return xncc_fail(error, XNCC_ERROR_MEMORY, "no memory for the peak search");
    p->rule = *rule;
    p->limit = rule->limit;
    p->keep = kept(rule, positions);
    *peaks = p;
    return XNCC_OK;
}

void xncc_peaks_destroy(xncc_peaks *peaks)
{
    if (!peaks)
        return;
    xncc_free(peaks->candidate);
    xncc_free(peaks->flags);
    xncc_free(peaks->outside);
    xncc_free(peaks);
}

static int compare_large(const void *a, const void *b)
{
    return xncc_match_before(a, b, 0) ? -1 : 1;
}

static int compare_small(const void *a, const void *b)
{
    return xncc_match_before(a, b, 1) ? -1 : 1;
}

/* How many matches must be accepted among the candidates so far to know that no further candidate
 * than these can matter. Candidates that come later can replace them. But a match of the final list
 * is closer than d to at most four of them, because they are at least d apart from each other: two
 * in each direction. So if 4 * (top - 1) + 1 are accepted, the final list is complete before the
 * last of them, and what comes after it is never reached. */
static uint64_t enough_of(const xncc_search_rule *rule)
{
    return 4 * ((uint64_t)rule->top - 1) + 1;
}

/* Removes sorted candidates that can no longer matter. */
static xncc_status cut_to_accepted(xncc_peaks *p, xncc_error *error)
{
    const uint64_t enough = enough_of(&p->rule);
    if (!can_be_close(&p->rule) || p->count <= enough || p->count >= UINT32_MAX)
        return XNCC_OK;
    xncc_cells c;
    xncc_status status = xncc_cells_make(&c, enough, p->candidate, p->rule.min_distance, error);
    if (status)
        return status;
    uint64_t accepted = 0;
    for (uint64_t i = 0; i < p->count; i++)
        if (xncc_cells_accept(&c, i) && ++accepted == enough) {
            p->limit = p->candidate[i].score;
            p->count = i + 1; /* ends the loop */
        }
    xncc_cells_free(&c);
    return XNCC_OK;
}

/* Keeps the best candidate of all, for which nothing has to be sorted. */
static void keep_best(xncc_peaks *p)
{
    for (uint64_t i = 1; i < p->count; i++)
        if (xncc_match_before(&p->candidate[i], &p->candidate[0], p->rule.smallest))
            p->candidate[0] = p->candidate[i];
    p->count = 1;
    p->limit = p->candidate[0].score;
}

/* Divides the candidates first .. end - 1, of which there are at least three: no one before the
 * returned place comes after one from there on. Neither part is empty. */
static uint64_t divide(xncc_match *c, uint64_t first, uint64_t end, int smallest)
{
    const xncc_match a = c[first], b = c[first + (end - first) / 2], d = c[end - 1];
    const int ab = xncc_match_before(&a, &b, smallest), bd = xncc_match_before(&b, &d, smallest),
              ad = xncc_match_before(&a, &d, smallest);
    const xncc_match middle = ab == bd ? b : ab == ad ? d : a;
    uint64_t i = first, j = end - 1;
    for (;; i++, j--) {
        while (xncc_match_before(&c[i], &middle, smallest))
            i++;
        while (xncc_match_before(&middle, &c[j], smallest))
            j--;
        if (i >= j)
            return j + 1;
        const xncc_match moved = c[i];
        c[i] = c[j];
        c[j] = moved;
    }
}

static void sort(const xncc_peaks *p, uint64_t first, uint64_t end)
{
    if (end - first > 1)
        qsort(p->candidate + first, (size_t)(end - first), sizeof *p->candidate,
              p->rule.smallest ? compare_small : compare_large);
}

/* Moves the best p->keep candidates to the front, the worst of them to the last place of these.
 * Only the part with that place is divided on, and sorted if it is small, or if parts stay large.
 */
static void keep_front(xncc_peaks *p)
{
    enum { SMALL = 16, ROUNDS = 64 };
    uint64_t first = 0, end = p->count;
    for (int round = 0; end - first > SMALL && round < ROUNDS; round++) {
        const uint64_t next = divide(p->candidate, first, end, p->rule.smallest);
        if (p->keep - 1 < next)
            end = next;
        else
            first = next;
    }
    sort(p, first, end);
}

/* Removes what cannot matter from a full set. If matches can be close to each other, the rest is
 * sorted, best first. */
static xncc_status resolve(xncc_peaks *p, xncc_error *error)
{
    if (p->keep == 1) {
        keep_best(p);
        return XNCC_OK;
    }
    if (can_be_close(&p->rule))
        sort(p, 0, p->count);
    else if (p->count >= p->keep)
        keep_front(p);
    if (p->count >= p->keep) {
        p->count = p->keep;
        p->limit = p->candidate[p->keep - 1].score;
    }
    return cut_to_accepted(p, error);
}

/* The largest room of a set: at most twice what can matter, and for large sets a quarter more. It
 * is then reduced often enough to stay small and to have a sharp limit, and rarely enough for the
 * sorting to cost little. */
static uint64_t max_held(const xncc_peaks *p)
{
    enum { FEW = 64 };
    return p->keep + p->keep / 4 + (p->keep < FEW ? p->keep : FEW);
}

static xncc_status grow(xncc_peaks *p, xncc_error *error)
{
    uint64_t room = p->room ? p->room * 2 : 256;
    if (room > max_held(p))
        room = max_held(p);
    xncc_match *larger = xncc_alloc(room, sizeof *larger);
    if (!larger)
        return xncc_fail(error, XNCC_ERROR_MEMORY,
                         "no memory for %llu candidates; ask for fewer matches or a higher score",
                         (unsigned long long)room);
    if (p->count)
        memcpy(larger, p->candidate, (size_t)p->count * sizeof *larger);
    xncc_free(p->candidate);
    p->candidate = larger;
    p->room = room;
    return XNCC_OK;
}

/* How many matches the rectangle around the candidates has room for. */
static uint64_t room_for_matches(const xncc_peaks *p)
{
    const xncc_match *c = p->candidate;
    int32_t left = c[0].x, right = left, top = c[0].y, bottom = top;
    for (uint64_t i = 1; i < p->count; i++) {
        left = c[i].x < left ? c[i].x : left;
        right = c[i].x > right ? c[i].x : right;
        top = c[i].y < top ? c[i].y : top;
        bottom = c[i].y > bottom ? c[i].y : bottom;
    }
    const int64_t d = p->rule.min_distance;
    return (uint64_t)(((right - left) / d + 1) * ((bottom - top) / d + 1));
}

/* Returns 1 if sorting a full set is likely to show that some of it cannot matter. Matches that are
 * accepted by their scores leave about half of the room unused. */
static int is_worth_sorting(const xncc_peaks *p)
{
    enum { LEAST = 256 };
    return p->room >= max_held(p) || (p->room >= LEAST && can_be_close(&p->rule) &&
                                      room_for_matches(p) / 2 >= enough_of(&p->rule));
}

/* Makes room in a full set: removes what cannot matter and, if that leaves it more than half full,
 * enlarges it. */
static xncc_status make_room(xncc_peaks *p, xncc_error *error)
{
    xncc_status status = XNCC_OK;
    if (is_worth_sorting(p))
        status = resolve(p, error);
    if (!status && (p->count == p->room || (p->count > p->room / 2 && p->room < max_held(p))))
        status = grow(p, error);
    return status;
}

float xncc_peaks_limit(const xncc_peaks *peaks)
{
    return peaks->limit;
}

void xncc_peaks_tighten(xncc_peaks *peaks, float limit)
{
    if (peaks->rule.smallest ? limit < peaks->limit : limit > peaks->limit)
        peaks->limit = limit;
}

xncc_status xncc_peaks_add(xncc_peaks *peaks, xncc_match candidate, xncc_error *error)
{
    if (peaks->count == peaks->room) {
        xncc_status status = make_room(peaks, error);
        if (status)
            return status;
    }
    peaks->candidate[peaks->count++] = candidate;
    return XNCC_OK;
}

xncc_status xncc_peaks_merge(xncc_peaks *peaks, const xncc_peaks *other, xncc_error *error)
{
    for (uint64_t i = 0; i < other->count; i++) {
        xncc_status status = xncc_peaks_add(peaks, other->candidate[i], error);
        if (status)
            return status;
    }
    return XNCC_OK;
}

/* A row of the map and its neighbours, which determine whether a position precedes its
 * neighbours. */
typedef struct rows {
    const float *above, *here, *below;
} rows;

/* Returns 1 if a score is within the limit. */
static inline int reaches(float v, float limit, int smallest)
{
    return smallest ? v <= limit : v >= limit;
}
/* Returns 1 if a neighbour below or to the right precedes v: it must be strictly better. A NaN
 * precedes nothing. */
static inline int beats(float neighbour, float v, int smallest)
{
    return smallest ? neighbour < v : neighbour > v;
}
/* Returns 1 if a neighbour above or to the left precedes v: an equal score is enough. */
static inline int ties(float neighbour, float v, int smallest)
{
    return smallest ? neighbour <= v : neighbour >= v;
}

/* Returns 1 if position x precedes its neighbours and is within the limit. */
static inline int is_candidate(const rows *r, int32_t x, int32_t width, float limit, int smallest)
{
    float v = r->here[x];
    int left = x > 0, right = x + 1 < width;
    return reaches(v, limit, smallest) && !ties(r->above[x], v, smallest) &&
           !beats(r->below[x], v, smallest) &&
           (!left || (!ties(r->above[x - 1], v, smallest) && !ties(r->here[x - 1], v, smallest) &&
                      !beats(r->below[x - 1], v, smallest))) &&
           (!right || (!ties(r->above[x + 1], v, smallest) && !beats(r->here[x + 1], v, smallest) &&
                       !beats(r->below[x + 1], v, smallest)));
}

/* Flags the candidates of a row. The inner columns have no branches, so that the compiler can
 * vectorize the loop. */
static inline void flag_row(const rows *r, int32_t width, float limit, int smallest,
                            unsigned char *restrict flag)
{
    const float *restrict u = r->above, *restrict h = r->here, *restrict b = r->below;
    for (int32_t x = 1; x + 1 < width; x++) {
        float v = h[x];
        int better = ties(u[x - 1], v, smallest) | ties(u[x], v, smallest) |
                     ties(u[x + 1], v, smallest) | ties(h[x - 1], v, smallest) |
                     beats(h[x + 1], v, smallest) | beats(b[x - 1], v, smallest) |
                     beats(b[x], v, smallest) | beats(b[x + 1], v, smallest);
        flag[x] = (unsigned char)(reaches(v, limit, smallest) & !better);
    }
    flag[0] = (unsigned char)is_candidate(r, 0, width, limit, smallest);
    flag[width - 1] = (unsigned char)is_candidate(r, width - 1, width, limit, smallest);
}

/* Flags every position that is within the limit. */
static inline void flag_reaching(const float *here, int32_t width, float limit, int smallest,
                                 unsigned char *flag)
{
    for (int32_t x = 0; x < width; x++)
        flag[x] = (unsigned char)reaches(here[x], limit, smallest);
}

/* Returns 1 if a score of a row is within the limit. Most rows of most maps have none. */
static inline int row_reaches(const float *here, int32_t width, float limit, int smallest)
{
    int any = 0;
    for (int32_t x = 0; x < width; x++)
        any |= reaches(here[x], limit, smallest);
    return any;
}

/* Flags the candidates of a row as the rule has them. */
static void flag(const xncc_peaks *p, const rows *r, int32_t width)
{
    if (p->rule.min_distance > 1) {
        if (p->rule.smallest)
            flag_row(r, width, p->limit, 1, p->flags);
        else
            flag_row(r, width, p->limit, 0, p->flags);
    } else if (p->rule.smallest) {
        flag_reaching(r->here, width, p->limit, 1, p->flags);
    } else {
        flag_reaching(r->here, width, p->limit, 0, p->flags);
    }
}

/* Makes the rows of flags and of NaN, at least `width` long. */
static xncc_status make_rows(xncc_peaks *p, int32_t width, xncc_error *error)
{
    if (width <= p->row_room)
        return XNCC_OK;
    xncc_free(p->flags);
    xncc_free(p->outside);
    p->row_room = 0;
    p->flags = xncc_alloc((uint64_t)width + 8, 1);
    p->outside = xncc_alloc((uint64_t)width, sizeof(float));
    if (!p->flags || !p->outside)
        return xncc_fail(error, XNCC_ERROR_MEMORY, "no memory for a row of the peak search");
    for (int32_t x = 0; x < width; x++)
        p->outside[x] = NAN;
    p->row_room = width;
    return XNCC_OK;
}

/* Adds the flagged positions of row y. */
static xncc_status take_flagged(xncc_peaks *p, const float *here, int32_t width, int32_t y,
                                xncc_error *error)
{
    for (int32_t x = 0; x < width; x++) {
        uint64_t eight;
        memcpy(&eight, p->flags + x, sizeof eight); /* there are eight bytes after the flags */
        if (eight == 0) {
            x += 7;
            continue;
        }
        if (!p->flags[x] || !reaches(here[x], p->limit, p->rule.smallest))
            continue;
        xncc_status status = xncc_peaks_add(p, (xncc_match){ x, y, here[x] }, error);
        if (status)
            return status;
    }
    return XNCC_OK;
}

xncc_status xncc_peaks_feed(xncc_peaks *peaks, const float *row, ptrdiff_t pitch, int32_t width,
                            int32_t first, int32_t count, int above, int below, xncc_error *error)
{
    assert(width >= 1 && first >= 0 && count >= 0 && pitch >= width);
    xncc_status status = make_rows(peaks, width, error);
    for (int32_t i = 0; i < count && !status; i++) {
        const float *here = row + i * pitch;
        if (!row_reaches(here, width, peaks->limit, peaks->rule.smallest))
            continue;
        rows r = { i > 0 || above ? here - pitch : peaks->outside, here,
                   i + 1 < count || below ? here + pitch : peaks->outside };
        flag(peaks, &r, width);
        memset(peaks->flags + width, 0, 8);
        status = take_flagged(peaks, here, width, first + i, error);
    }
    return status;
}

/* Moves element `at` of a heap down to its place. No element of a heap precedes its parent. */
static void sift_down(xncc_match *heap, uint64_t count, uint64_t at, int smallest)
{
    for (uint64_t child = 2 * at + 1; child < count; child = 2 * at + 1) {
        child += child + 1 < count && xncc_match_before(&heap[child + 1], &heap[child], smallest);
        if (!xncc_match_before(&heap[child], &heap[at], smallest))
            return;
        const xncc_match moved = heap[at];
        heap[at] = heap[child];
        heap[child] = moved;
        at = child;
    }
}

/* Takes the best candidates one by one from a heap: the few that are needed are far from all. */
xncc_status xncc_peaks_finish(xncc_peaks *peaks, xncc_match *match, size_t *found,
                              xncc_error *error)
{
    xncc_match *const heap = peaks->candidate;
    const int smallest = peaks->rule.smallest;
    uint64_t left = peaks->count;
    const uint64_t most = left < peaks->rule.top ? left : peaks->rule.top;
    xncc_cells c;
    *found = 0;
    const xncc_status status = xncc_cells_make(&c, most, match, peaks->rule.min_distance, error);
    if (status)
        return status;
    for (uint64_t i = left / 2; i-- > 0;)
        sift_down(heap, left, i, smallest);
    while (left > 0 && *found < most) {
        match[*found] = heap[0];
        *found += (size_t)xncc_cells_accept(&c, *found);
        heap[0] = heap[--left];
        sift_down(heap, left, 0, smallest);
    }
    xncc_cells_free(&c);
    return XNCC_OK;
}
