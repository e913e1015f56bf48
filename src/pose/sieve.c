/* SPDX-License-Identifier: BSD-2-Clause */
/* Candidates in order, and those that go on (sieve.h). */
#include "pose/sieve.h"

#include "base/memory.h"
#include "pose/places.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef const xncc_pose_candidate *candidate_at;

static int order(double a, double b)
{
    return (a > b) - (a < b);
}

static int compare(candidate_at a, candidate_at b)
{
    const int by_score = order(fabs(b->score), fabs(a->score));
    if (by_score)
        return by_score;
    const int by[] = { order(a->y, b->y), order(a->x, b->x), a->pose.scale - b->pose.scale,
                       a->pose.angle - b->pose.angle, (a > b) - (a < b) };
    for (size_t i = 0; i < sizeof by / sizeof by[0]; i++)
        if (by[i])
            return by[i];
    return 0;
}

static int compare_at(const void *left, const void *right)
{
    return compare(*(const candidate_at *)left, *(const candidate_at *)right);
}

/* Candidates fall into buckets by their scores, the best into the first one. */
enum { LEAST_BUCKETS = 1 << 6, MOST_BUCKETS = 1 << 15, FEW = 12 };

static size_t bucket_of(const xncc_pose_candidate *c, size_t buckets)
{
    return (size_t)((1.0 - fmin(fabs(c->score), 1.0)) * (double)(buckets - 1));
}

/* Puts the candidates of a bucket in order. */
static void sort_bucket(candidate_at *rank, size_t count)
{
    if (count > FEW) {
        qsort(rank, count, sizeof *rank, compare_at);
        return;
    }
    for (size_t i = 1; i < count; i++) {
        const candidate_at c = rank[i];
        size_t k = i;
        for (; k > 0 && compare(c, rank[k - 1]) < 0; k--)
            rank[k] = rank[k - 1];
        rank[k] = c;
    }
}

/* Makes a list of where the candidates are, in order. The caller frees it, after a failure, too. */
static xncc_status put_in_order(candidate_at candidate, size_t count, candidate_at **result,
                                xncc_error *error)
{
    size_t buckets = LEAST_BUCKETS;
    while (buckets < count && buckets < MOST_BUCKETS)
        buckets *= 2;
    size_t *end = xncc_alloc(buckets + 1, sizeof *end);
    candidate_at *rank = *result = xncc_alloc(count, sizeof *rank);
    if (!end || !rank) {
        xncc_free(end);
        return xncc_fail(error, XNCC_ERROR_MEMORY, "poses: no memory for %zu candidates", count);
    }
    for (size_t i = 0; i < count; i++)
        end[bucket_of(&candidate[i], buckets) + 1]++;
    for (size_t b = 0; b < buckets; b++)
        end[b + 1] += end[b];
    for (size_t i = 0; i < count; i++) /* end[b] goes from the bucket's begin to its end */
        rank[end[bucket_of(&candidate[i], buckets)]++] = &candidate[i];
    for (size_t b = 0; b < buckets; b++) {
        const size_t begin = b > 0 ? end[b - 1] : 0;
        sort_bucket(rank + begin, end[b] - begin);
    }
    xncc_free(end);
    return XNCC_OK;
}

/* Is any of the candidates that have a place of a kind near *c? any_pose: 1: whatever its pose; 0:
 * with that kind as its angle, and a scale beside that of *c. */
static int has_of_kind(const xncc_places *places, const candidate_at *rank, candidate_at c,
                       int32_t kind, int any_pose)
{
    int32_t chain[XNCC_PLACES_CHAINS];
    const int chains = xncc_places_near(places, c->x, c->y, kind, chain);
    for (int k = 0; k < chains; k++)
        for (int32_t at = chain[k]; at; at = places->next[at - 1]) {
            const candidate_at o = rank[at - 1];
            if ((any_pose || (o->pose.angle == kind && abs(c->pose.scale - o->pose.scale) <= 1)) &&
                fabs(c->x - o->x) <= places->near && fabs(c->y - o->y) <= places->near)
                return 1;
        }
    return 0;
}

/* Is any of them near *c, if there is one kind of places? */
static int has_near(const xncc_places *places, const candidate_at *rank, candidate_at c)
{
    return has_of_kind(places, rank, c, 0, 1);
}

/* Is any of them also beside *c on the grid? The places are of as many kinds as there are angles.
 */
static int has_beside(const xncc_places *places, const candidate_at *rank, candidate_at c,
                      const xncc_pose_axis *angle)
{
    for (int32_t turn = -1; turn <= 1; turn++) {
        const int32_t kind = xncc_pose_index(angle, c->pose.angle + turn);
        if (kind >= 0 && has_of_kind(places, rank, c, kind, 0))
            return 1;
    }
    return 0;
}

/* The score of the wanted-th best of objects that are apart; 0 if there are fewer. The candidates
 * have no places yet. */
static double wanted_score(xncc_places *places, const candidate_at *rank, size_t count,
                           size_t wanted)
{
    size_t objects = 0;
    for (size_t i = 0; i < count; i++) {
        if (has_near(places, rank, rank[i]))
            continue;
        if (++objects == wanted)
            return fabs(rank[i]->score);
        xncc_places_put(places, i, rank[i]->x, rank[i]->y, 0);
    }
    return 0.0;
}

/* Objects stand out if the next best place scores at most NEXT_SCORE times the last of them, and
 * lacks so much more to 1 that what the last one lacks is at most NEXT_LACK of it. Where objects
 * are still missing, the last place is one of the background, whose scores are close together. */
#define NEXT_SCORE 0.99
#define NEXT_LACK 0.85

/* Moves the `wanted` best candidates that are apart, the objects, to the front, and gives them
 * places. Returns their number, or 0 if there are fewer or they do not stand out. */
static size_t find_objects(xncc_places *places, candidate_at *rank, size_t count,
                           const xncc_pose_sieve *sieve)
{
    size_t objects = 0;
    double last = 0.0, next = 0.0;
    for (size_t i = 0; i < count; i++) {
        const candidate_at c = rank[i];
        if (has_near(places, rank, c))
            continue;
        if (objects == sieve->wanted) {
            next = fabs(c->score);
            break;
        }
        rank[objects] = c;
        last = fabs(c->score);
        xncc_places_put(places, objects++, c->x, c->y, 0);
    }
    const int apart = last >= sieve->limit && next <= NEXT_SCORE * last &&
                      1.0 - last <= NEXT_LACK * (1.0 - next);
    return objects == sieve->wanted && apart ? objects : 0;
}

xncc_status xncc_pose_leave(xncc_pose_candidate *candidate, size_t first, size_t *count,
                            double reach, const xncc_pose_sieve *sieve, xncc_error *error)
{
    xncc_places places = { 0 };
    candidate_at *rank;
    xncc_status status = put_in_order(candidate, first, &rank, error);
    if (!status)
        status = xncc_places_open(&places, first, sieve->apart, error);
    const size_t objects = status ? 0 : find_objects(&places, rank, first, sieve);
    if (objects > 0) {
        size_t kept = first;
        xncc_places_empty(&places, reach);
        for (size_t i = 0; i < objects; i++)
            xncc_places_put(&places, i, rank[i]->x, rank[i]->y, 0);
        for (size_t i = first; i < *count; i++)
            if (has_near(&places, rank, &candidate[i]))
                candidate[kept++] = candidate[i];
        *count = kept;
    }
    xncc_places_close(&places);
    xncc_free(rank);
    return status;
}

/* Leaves those from `limit` on that go on, and returns their number. */
static size_t keep(const xncc_pose_rung *r, candidate_at *rank, size_t count, size_t most,
                   double limit, xncc_places *places)
{
    size_t kept = 0;
    for (size_t i = 0; i < count && kept < most && fabs(rank[i]->score) >= limit; i++) {
        const candidate_at c = rank[i];
        if (has_beside(places, rank, c, &r->poses.grid.angle))
            continue;
        rank[kept] = c;
        xncc_places_put(places, kept, c->x, c->y, c->pose.angle);
        kept++;
    }
    return kept;
}

/* Moves the candidates that were kept to the front. */
static xncc_status gather(xncc_pose_candidate *candidate, const candidate_at *rank, size_t count,
                          xncc_error *error)
{
    if (count == 0)
        return XNCC_OK;
    xncc_pose_candidate *kept = xncc_alloc(count, sizeof *kept);
    if (!kept)
        return xncc_fail(error, XNCC_ERROR_MEMORY, "poses: no memory for %zu candidates", count);
    for (size_t i = 0; i < count; i++)
        kept[i] = *rank[i];
    memcpy(candidate, kept, count * sizeof *kept);
    xncc_free(kept);
    return XNCC_OK;
}

xncc_status xncc_pose_thin(const xncc_pose_rung *r, xncc_pose_candidate *candidate, size_t *count,
                           const xncc_pose_sieve *sieve, xncc_error *error)
{
    xncc_places places = { 0 };
    if (*count == 0)
        return XNCC_OK;
    candidate_at *rank;
    xncc_status status = put_in_order(candidate, *count, &rank, error);
    if (!status)
        status = xncc_places_open(&places, *count, sieve->apart, error);
    if (!status) {
        double limit = sieve->limit;
        if (sieve->part > 0.0)
            limit = fmax(limit, sieve->part * wanted_score(&places, rank, *count, sieve->wanted));
        xncc_places_empty(&places, 1.5 * r->size);
        *count = keep(r, rank, *count, sieve->most, limit, &places);
        status = gather(candidate, rank, *count, error);
    }
    xncc_places_close(&places);
    xncc_free(rank);
    return status;
}
