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
    uint64_t full;  /* candidates for which some of them are removed, or the room gets larger */
    xncc_match *candidate;
    float limit; /* what a new candidate must reach: the rule's limit, or the worst of a full set */
    float *outside;   /* a row of NaN, which precedes nothing */
    int32_t row_room; /* its elements */
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

/* Candidates that are so far apart that no match is closer than the minimum distance to two of
 * them. Of those that precede a candidate or are it, `top` of such a kind tell that no further one
 * can matter: each is a match of the final list, or closer than d to a match that precedes it, and
 * these are all different. Candidates that come later do not change that. */
static int32_t far_apart(const xncc_search_rule *rule)
{
    const int32_t d = rule->min_distance;
    return d > INT32_MAX / 2 ? INT32_MAX : 2 * d - 1;
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

/* Orders the candidates from `first` on so that those before `end` are the best of them, and the
 * last one of these the worst. Only the part with that place is divided on, and sorted if it is
 * small, or if parts stay large. */
static void move_to_front(const xncc_peaks *p, uint64_t first, uint64_t end)
{
    enum { SMALL = 16, ROUNDS = 64 };
    uint64_t last = p->count;
    for (int round = 0; last - first > SMALL && round < ROUNDS; round++) {
        const uint64_t next = divide(p->candidate, first, last, p->rule.smallest);
        if (end - 1 < next)
            last = next;
        else
            first = next;
    }
    sort(p, first, last);
}

/* The same, and those before `end` are sorted, best first. */
static void sort_front(const xncc_peaks *p, uint64_t first, uint64_t end)
{
    if (end < p->count)
        move_to_front(p, first, end);
    sort(p, first, end);
}

/* Removes candidates that can no longer matter. They are sorted as far as that has to be known. */
static xncc_status cut_to_accepted(xncc_peaks *p, xncc_error *error)
{
    const uint64_t enough = p->rule.top;
    if (!can_be_close(&p->rule) || p->count <= enough || p->count >= UINT32_MAX)
        return XNCC_OK;
    xncc_cells c;
    xncc_status status = xncc_cells_make(&c, enough, p->candidate, far_apart(&p->rule), error);
    if (status)
        return status;
    uint64_t accepted = 0, sorted = 0;
    for (uint64_t i = 0; i < p->count; i++) {
        if (i == sorted) {
            const uint64_t more = 8 * (sorted + enough);
            sorted = more < p->count ? more : p->count;
            sort_front(p, i, sorted);
        }
        if (xncc_cells_accept(&c, i) && ++accepted == enough) {
            p->limit = p->candidate[i].score;
            p->count = i + 1; /* ends the loop */
        }
    }
    xncc_cells_free(&c);
    return XNCC_OK;
}

/* About how many candidates far apart there is room for: cells of that size across, times the rows
 * of such cells that have a candidate, as far as some of the candidates tell. */
static uint64_t room_far_apart(const xncc_peaks *p)
{
    enum { ROWS = 4096, SOME = 2048 }; /* more rows are counted as fewer */
    const xncc_match *c = p->candidate;
    const int32_t d = far_apart(&p->rule);
    int32_t left = c[0].x, right = left;
    uint64_t rows = 0;
    unsigned char seen[ROWS] = { 0 };
    for (uint64_t i = 0; i < p->count; i += p->count / SOME + 1) {
        left = c[i].x < left ? c[i].x : left;
        right = c[i].x > right ? c[i].x : right;
        rows += !seen[c[i].y / d % ROWS];
        seen[c[i].y / d % ROWS] = 1;
    }
    return ((uint64_t)(right - left) / (uint64_t)d + 1) * rows;
}

/* Candidates of a set that is worth sorting; and per match, of those in strips. */
enum { LEAST = 256, EACH = 128 };

/* What is likely to show that some of a full set cannot matter: candidates that are accepted by
 * their scores, which leave about half of the room unused, or those of strips, which leave less. */
typedef enum telling { NOTHING, SCORES, STRIPS } telling;
static telling what_tells(const xncc_peaks *p)
{
    if (!can_be_close(&p->rule) || p->count < LEAST)
        return NOTHING;
    const uint64_t room = room_far_apart(p), top = p->rule.top;
    return room / 2 >= top                               ? SCORES
           : room >= top && p->count / (2 * EACH) >= top ? STRIPS
                                                         : NOTHING;
}

static int compare_places(const void *a, const void *b)
{
    const uint64_t *one = a, *other = b;
    return *one < *other ? -1 : *one > *other;
}

/* How many of the first `count` candidates are far apart: of those in strips that are far apart,
 * from left to right. place: room for one of each candidate. */
static uint64_t count_in_strips(const xncc_peaks *p, uint64_t count, uint64_t *place)
{
    const uint64_t apart = (uint64_t)far_apart(&p->rule), height = apart / 16 + 1,
                   pitch = apart + height - 1;
    uint64_t used = 0, found = 0, last = 0;
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t y = (uint64_t)p->candidate[i].y;
        if (y % pitch < height)
            place[used++] = y / pitch << 32 | (uint32_t)p->candidate[i].x;
    }
    qsort(place, (size_t)used, sizeof *place, compare_places);
    for (uint64_t i = 0; i < used; i++)
        if (i == 0 || place[i] >> 32 > last >> 32 || place[i] - last >= apart) {
            last = place[i];
            found++;
        }
    return found;
}

/* Removes all but the best candidates, if they tell that the others cannot matter. */
static xncc_status cut_to_strips(xncc_peaks *p, xncc_error *error)
{
    const uint64_t best = EACH * (uint64_t)p->rule.top;
    uint64_t *place = xncc_alloc(best, sizeof *place);
    if (!place)
        return xncc_fail(error, XNCC_ERROR_MEMORY, "no memory for the places of %llu candidates",
                         (unsigned long long)best);
    move_to_front(p, 0, best);
    if (count_in_strips(p, best, place) >= p->rule.top) {
        p->count = best;
        p->limit = p->candidate[best - 1].score;
    }
    xncc_free(place);
    return XNCC_OK;
}

/* Removes what cannot matter from a full set. */
static xncc_status resolve(xncc_peaks *p, telling by, xncc_error *error)
{
    if (p->keep == 1) {
        keep_best(p);
        return XNCC_OK;
    }
    if (p->count >= p->keep) {
        move_to_front(p, 0, p->keep);
        p->count = p->keep;
        p->limit = p->candidate[p->keep - 1].score;
    }
    return by == STRIPS ? cut_to_strips(p, error) : cut_to_accepted(p, error);
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

/* Makes room in a full set: removes what cannot matter and, if that leaves it more than half full,
 * enlarges it. If it leaves little, the set is full soon, for a sharper limit. */
static xncc_status make_room(xncc_peaks *p, xncc_error *error)
{
    xncc_status status = XNCC_OK;
    const telling by = what_tells(p);
    const int sorts = by != NOTHING || p->room >= max_held(p);
    if (sorts)
        status = resolve(p, by, error);
    if (!status && (p->count == p->room || (p->count > p->room / 2 && p->room < max_held(p))))
        status = grow(p, error);
    const uint64_t soon = 2 * p->count > LEAST ? 2 * p->count : LEAST;
    p->full = sorts && soon < p->room ? soon : p->room;
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

static inline xncc_status add(xncc_peaks *p, xncc_match candidate, xncc_error *error)
{
    const xncc_status status = p->count == p->full ? make_room(p, error) : XNCC_OK;
    if (!status)
        p->candidate[p->count++] = candidate;
    return status;
}

xncc_status xncc_peaks_add(xncc_peaks *peaks, xncc_match candidate, xncc_error *error)
{
    return add(peaks, candidate, error);
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

/* The columns of a row that are searched together, if one of them is within the limit; and how many
 * flagged ones of these are looked at one by one. */
enum { COLUMNS = 64, FEW = 6 };

/* Flags the columns from `first` on that are within the limit and precede their neighbours in the
 * row, of those that have two. The loop has no branches, so that the compiler can vectorize it. */
static inline void flag_peaks(const float *restrict h, int32_t first, int32_t end, int32_t width,
                              float limit, int smallest, unsigned char *restrict flag)
{
    const int32_t last = end < width ? end : width - 1;
    flag[0] = flag[end - 1 - first] = 1;
    for (int32_t x = first > 0 ? first : 1; x < last; x++)
        flag[x - first] = (unsigned char)(reaches(h[x], limit, smallest) &
                                          !ties(h[x - 1], h[x], smallest) &
                                          !beats(h[x + 1], h[x], smallest));
}

/* Takes the flags of columns away that do not precede their neighbours above and below, of those
 * that have two neighbours in the row. */
static inline void clear_beaten(const rows *r, int32_t first, int32_t end, int32_t width,
                                int smallest, unsigned char *restrict flag)
{
    const float *restrict u = r->above, *restrict h = r->here, *restrict b = r->below;
    const int32_t last = end < width ? end : width - 1;
    for (int32_t x = first > 0 ? first : 1; x < last; x++) {
        const float v = h[x];
        const int better = ties(u[x - 1], v, smallest) | ties(u[x], v, smallest) |
                           ties(u[x + 1], v, smallest) | beats(b[x - 1], v, smallest) |
                           beats(b[x], v, smallest) | beats(b[x + 1], v, smallest);
        flag[x - first] = (unsigned char)(flag[x - first] & !better);
    }
}

/* Returns how many of some columns are flagged: the sum of bytes that are 0 or 1. */
static inline int count_flags(const unsigned char *flag)
{
    uint64_t sums = 0; /* a byte each, at most COLUMNS / 8 */
    for (int32_t x = 0; x < COLUMNS; x += 8) {
        uint64_t eight;
        memcpy(&eight, flag + x, sizeof eight);
        sums += eight;
    }
    return (int)(sums * UINT64_C(0x0101010101010101) >> 56);
}

/* Flags every column that is within the limit. */
static inline void flag_reaching(const float *here, int32_t count, float limit, int smallest,
                                 unsigned char *flag)
{
    for (int32_t x = 0; x < count; x++)
        flag[x] = (unsigned char)reaches(here[x], limit, smallest);
}

/* Returns 1 if a score of some columns is within the limit. Most have none. */
static inline int some_reach(const float *here, int32_t count, float limit, int smallest)
{
    int any = 0;
    for (int32_t x = 0; x < count; x++)
        any |= reaches(here[x], limit, smallest);
    return any;
}

/* Makes the row of NaN, at least `width` long. */
static xncc_status make_outside(xncc_peaks *p, int32_t width, xncc_error *error)
{
    if (width <= p->row_room)
        return XNCC_OK;
    xncc_free(p->outside);
    p->row_room = 0;
    p->outside = xncc_alloc((uint64_t)width, sizeof(float));
    if (!p->outside)
        return xncc_fail(error, XNCC_ERROR_MEMORY, "no memory for a row of the peak search");
    for (int32_t x = 0; x < width; x++)
        p->outside[x] = NAN;
    p->row_room = width;
    return XNCC_OK;
}

/* Adds the candidates of row y from column `first` on. smallest: that of the rule, a constant for
 * the compiler. */
static inline xncc_status feed_columns(xncc_peaks *p, const rows *r, int32_t first, int32_t end,
                                       int32_t width, int32_t y, int smallest, xncc_error *error)
{
    const int each = p->rule.min_distance == 1; /* a candidate need not precede its neighbours */
    unsigned char flags[COLUMNS + 8] = { 0 };
    if (each)
        flag_reaching(r->here + first, end - first, p->limit, smallest, flags);
    else
        flag_peaks(r->here, first, end, width, p->limit, smallest, flags);
    const int many = !each && count_flags(flags) > FEW;
    if (many)
        clear_beaten(r, first, end, width, smallest, flags);
    for (int32_t x = first; x < end; x++) {
        uint64_t eight;
        memcpy(&eight, flags + (x - first), sizeof eight);
        if (eight == 0) {
            x += 7;
            continue;
        }
        if (!flags[x - first] || !reaches(r->here[x], p->limit, smallest) ||
            (!each && (!many || x == 0 || x == width - 1) &&
             !is_candidate(r, x, width, p->limit, smallest)))
            continue;
        const xncc_status status = add(p, (xncc_match){ x, y, r->here[x] }, error);
        if (status)
            return status;
    }
    return XNCC_OK;
}

static inline xncc_status feed_row(xncc_peaks *p, const rows *r, int32_t width, int32_t y,
                                   int smallest, xncc_error *error)
{
    xncc_status status = XNCC_OK;
    for (int32_t first = 0; first < width && !status; first += COLUMNS) {
        const int32_t end = width - first < COLUMNS ? width : first + COLUMNS;
        if (some_reach(r->here + first, end - first, p->limit, smallest))
            status = feed_columns(p, r, first, end, width, y, smallest, error);
    }
    return status;
}

xncc_status xncc_peaks_feed(xncc_peaks *peaks, const float *row, ptrdiff_t pitch, int32_t width,
                            int32_t first, int32_t count, int above, int below, xncc_error *error)
{
    assert(width >= 1 && first >= 0 && count >= 0 && pitch >= width);
    xncc_status status = make_outside(peaks, width, error);
    for (int32_t i = 0; i < count && !status; i++) {
        const float *here = row + i * pitch;
        rows r = { i > 0 || above ? here - pitch : peaks->outside, here,
                   i + 1 < count || below ? here + pitch : peaks->outside };
        status = peaks->rule.smallest ? feed_row(peaks, &r, width, first + i, 1, error)
                                      : feed_row(peaks, &r, width, first + i, 0, error);
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

static void make_heap(xncc_match *heap, uint64_t count, int smallest)
{
    for (uint64_t i = count / 2; i-- > 0;)
        sift_down(heap, count, i, smallest);
}

/* Removes the candidates that are too close to an accepted match, and returns how many are left. */
static uint64_t remove_close(const xncc_cells *c, xncc_match *candidate, uint64_t count)
{
    uint64_t left = 0;
    for (uint64_t i = 0; i < count; i++)
        if (!xncc_cells_is_close(c, &candidate[i]))
            candidate[left++] = candidate[i];
    return left;
}

/* Takes the best candidates one by one from a heap: the few that are needed are far from all. Where
 * many are too close to a match, the others are looked at together. */
xncc_status xncc_peaks_finish(xncc_peaks *peaks, xncc_match *match, size_t *found,
                              xncc_error *error)
{
    enum { SHARE = 16 };
    xncc_match *const heap = peaks->candidate;
    const int smallest = peaks->rule.smallest;
    uint64_t left = peaks->count, close = 0;
    const uint64_t most = left < peaks->rule.top ? left : peaks->rule.top;
    xncc_cells c;
    *found = 0;
    const xncc_status status = xncc_cells_make(&c, most, match, peaks->rule.min_distance, error);
    if (status)
        return status;
    make_heap(heap, left, smallest);
    while (left > 0 && *found < most) {
        match[*found] = heap[0];
        if (xncc_cells_accept(&c, *found))
            (*found)++;
        else
            close++;
        heap[0] = heap[--left];
        if (close <= left / SHARE) {
            sift_down(heap, left, 0, smallest);
        } else {
            left = remove_close(&c, heap, left);
            make_heap(heap, left, smallest);
            close = 0;
        }
    }
    xncc_cells_free(&c);
    return XNCC_OK;
}
