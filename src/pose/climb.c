/* SPDX-License-Identifier: BSD-2-Clause */
/* Climbing (climb.h). Poses are resampled when a candidate first needs them, and shared. */
#include "pose/climb.h"

#include "base/first_failure.h"
#include "base/memory.h"
#include "pose/turn.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct xncc_probe_slot {
    _Atomic(xncc_pose_probe *) probe;
};

static size_t slots(const xncc_pose_rung *r)
{
    return (size_t)r->grid.angle.count * (size_t)r->grid.scale.count;
}

xncc_status xncc_pose_rung_open(xncc_pose_rung *rung, xncc_error *error)
{
    rung->slot = xncc_alloc(slots(rung), sizeof *rung->slot);
    return rung->slot
               ? XNCC_OK
               : xncc_fail(error, XNCC_ERROR_MEMORY, "poses: no memory for %zu poses", slots(rung));
}

static void free_probe(xncc_pose_probe *probe)
{
    if (probe)
        xncc_pose_probe_clear(probe);
    xncc_free(probe);
}

void xncc_pose_rung_clear(xncc_pose_rung *rung)
{
    for (size_t i = 0; rung->slot && i < slots(rung); i++)
        free_probe(atomic_load(&rung->slot[i].probe));
    xncc_free(rung->slot);
    rung->slot = NULL;
}

static xncc_status make_probe(const xncc_pose_rung *r, int32_t angle, int32_t scale,
                              xncc_pose_probe *probe, xncc_error *error)
{
    xncc_pose_pixels pixels;
    const xncc_pose_place place = xncc_pose_place_of(
        &r->source, xncc_pose_value(&r->grid.angle, angle), xncc_pose_value(&r->grid.scale, scale));
    xncc_status status = xncc_pose_resample(&r->source, &place, &pixels, error);
    if (!status)
        status = xncc_pose_probe_make(&pixels, probe, error);
    xncc_pose_pixels_clear(&pixels);
    return status;
}

/* Returns the probe of a pose. Of several threads that make it at once, one keeps its own. */
static xncc_status get_probe(const xncc_pose_rung *r, int32_t angle, int32_t scale,
                             const xncc_pose_probe **probe, xncc_error *error)
{
    struct xncc_probe_slot *slot =
        &r->slot[(size_t)scale * (size_t)r->grid.angle.count + (size_t)angle];
    xncc_pose_probe *there = atomic_load(&slot->probe);
    *probe = there;
    if (there)
        return XNCC_OK;
    xncc_pose_probe *made = xncc_alloc(1, sizeof *made);
    if (!made)
        return xncc_fail(error, XNCC_ERROR_MEMORY, "poses: no memory for a pose");
    const xncc_status status = make_probe(r, angle, scale, made, error);
    if (status) {
        free_probe(made);
        return status;
    }
    if (atomic_compare_exchange_strong(&slot->probe, &there, made)) {
        *probe = made;
        return XNCC_OK;
    }
    free_probe(made);
    *probe = there;
    return XNCC_OK;
}

/* The offset from the centre of a level's template to that of the template, in pixels of level 0 of
 * the image. */
static void turned_offset(const xncc_pose_rung *r, int32_t angle, int32_t scale, double *x,
                          double *y)
{
    const xncc_turn turn = xncc_turn_of(xncc_pose_value(&r->grid.angle, angle));
    const double s = xncc_pose_value(&r->grid.scale, scale) * 0x1p-30;
    *x = s * ((double)turn.cos * r->offset_x + (double)turn.sin * r->offset_y);
    *y = s * ((double)turn.cos * r->offset_y - (double)turn.sin * r->offset_x);
}

void xncc_pose_rung_center(const xncc_pose_rung *r, xncc_pose_candidate *c)
{
    double x, y;
    const double size = ldexp(1.0, r->level);
    turned_offset(r, c->angle, c->scale, &x, &y);
    c->x = (c->wx + 0.5 * c->width) * size - 0.5 + x;
    c->y = (c->wy + 0.5 * c->height) * size - 0.5 + y;
}

/* The window of a pose that is nearest to a centre. */
static void nearest_window(const xncc_pose_rung *r, const xncc_pose_probe *p,
                           const xncc_pose_candidate *at, xncc_pose_candidate *to)
{
    double x, y;
    const double size = ldexp(1.0, -r->level);
    turned_offset(r, to->angle, to->scale, &x, &y);
    to->width = p->of.width;
    to->height = p->of.height;
    to->wx = (int32_t)floor((at->x - x + 0.5) * size - 0.5 * to->width + 0.5);
    to->wy = (int32_t)floor((at->y - y + 0.5) * size - 0.5 * to->height + 0.5);
}

/* Tries the nine windows of a pose near a centre. If one is better than *best, it becomes *best.
 * *moved: set to 1 if that is not the middle one. */
static xncc_status try_pose(const xncc_pose_rung *r, const xncc_pose_candidate *at, int sign,
                            xncc_pose_candidate *to, xncc_pose_candidate *best, int *moved,
                            xncc_error *error)
{
    const xncc_pose_probe *probe;
    double score[XNCC_PROBE_WINDOWS];
    const xncc_status status = get_probe(r, to->angle, to->scale, &probe, error);
    if (status || probe->of.count == 0)
        return status;
    nearest_window(r, probe, at, to);
    const int32_t wx = to->wx, wy = to->wy;
    xncc_pose_probe_scores(probe, r->loop, r->image, wx - 1, wy - 1, XNCC_PROBE_SIDE, score);
    for (int32_t i = 0; i < XNCC_PROBE_WINDOWS; i++)
        if (sign * score[i] > sign * best->score) {
            *best = *to;
            best->score = score[i];
            best->wx = wx + i % XNCC_PROBE_SIDE - 1;
            best->wy = wy + i / XNCC_PROBE_SIDE - 1;
            *moved = i != XNCC_PROBE_WINDOWS / 2 || to->angle != at->angle ||
                     to->scale != at->scale;
        }
    return XNCC_OK;
}

/* How many steps of the angle a move tries to both sides. The first one on a level tries more,
 * since the level above has wider steps and hides peaks that are close together. On level 0,
 * windows of even and of odd sides lie half a pixel apart, so that the scores of neighbouring
 * angles go up and down. */
enum { FIRST_REACH = 3, LAST_REACH = 2 };

/* Moves to the best neighbour, until there is none. */
static xncc_status climb_one(const xncc_pose_rung *r, int moves, xncc_pose_candidate *c,
                             xncc_error *error)
{
    const int sign = c->score < 0.0 ? -1 : 1;
    const int turns = r->grid.angle.count > 1, grows = r->grid.scale.count > 1;
    xncc_pose_candidate best = *c;
    best.score = 0.0;
    for (int n = 0, moved = 1; n < moves && moved; n++) {
        const xncc_pose_candidate at = *c;
        const int reach = turns * (n == 0 ? FIRST_REACH : r->level == 0 ? LAST_REACH : 1);
        moved = 0;
        for (int j = -grows; j <= grows; j++)
            for (int i = -reach; i <= reach; i++) {
                xncc_pose_candidate to = at;
                to.angle = xncc_pose_index(&r->grid.angle, at.angle + i);
                to.scale = xncc_pose_index(&r->grid.scale, at.scale + j);
                if (to.angle < 0 || to.scale < 0)
                    continue;
                const xncc_status status = try_pose(r, &at, sign, &to, &best, &moved, error);
                if (status)
                    return status;
            }
        *c = best;
        if (best.score != 0.0)
            xncc_pose_rung_center(r, c);
    }
    return XNCC_OK;
}

/* The index on an axis that is nearest to a value. */
static int32_t nearest_index(const xncc_pose_axis *axis, double value)
{
    if (axis->count == 1)
        return 0;
    const int32_t i = (int32_t)floor((value - axis->first) / axis->step + 0.5);
    if (axis->circular)
        return xncc_pose_index(axis, i);
    return i < 0 ? 0 : i >= axis->count ? axis->count - 1 : i;
}

typedef struct climb_run {
    const xncc_pose_rung *rung;
    const xncc_pose_grid *above;
    int moves;
    xncc_pose_candidate *candidate;
    size_t count;
    xncc_first_failure failure;
} climb_run;

enum { CANDIDATES_PER_TASK = 4 };

static void climb_task(void *argument, uint64_t index, int32_t slot)
{
    (void)slot;
    climb_run *run = argument;
    const size_t first = (size_t)index * CANDIDATES_PER_TASK;
    xncc_error error = { "" };
    for (size_t i = first; i < first + CANDIDATES_PER_TASK && i < run->count; i++) {
        xncc_pose_candidate *c = &run->candidate[i];
        if (xncc_first_failure_status(&run->failure))
            return;
        const xncc_pose_grid *to = &run->rung->grid;
        c->angle = nearest_index(&to->angle, xncc_pose_value(&run->above->angle, c->angle));
        c->scale = nearest_index(&to->scale, xncc_pose_value(&run->above->scale, c->scale));
        xncc_status status = xncc_check_cancelled(&run->rung->job->watch, &error);
        if (!status)
            status = climb_one(run->rung, run->moves, c, &error);
        xncc_first_failure_note(&run->failure, status, &error);
    }
}

xncc_status xncc_pose_climb(const xncc_pose_rung *rung, const xncc_pose_grid *above, int moves,
                            xncc_pose_candidate *candidate, size_t count, xncc_error *error)
{
    climb_run run = { .rung = rung,
                      .above = above,
                      .moves = moves,
                      .candidate = candidate,
                      .count = count,
                      .failure.error = error };
    if (count > 0)
        xncc_pose_run(rung->job, (count - 1) / CANDIDATES_PER_TASK + 1, climb_task, &run);
    return xncc_first_failure_status(&run.failure);
}

static int order(double a, double b)
{
    return (a > b) - (a < b);
}

static int compare(const void *left, const void *right)
{
    const xncc_pose_candidate *a = left, *b = right;
    const int by[] = { order(fabs(b->score), fabs(a->score)), order(a->y, b->y), order(a->x, b->x),
                       a->scale - b->scale, a->angle - b->angle };
    for (size_t i = 0; i < sizeof by / sizeof by[0]; i++)
        if (by[i])
            return by[i];
    return 0;
}

/* Candidates by their place, in cells of a size. */
typedef struct place_table {
    const xncc_pose_candidate *candidate;
    double cell;
    size_t mask;           /* 2^k - 1; there are 2^k chains */
    int32_t *first, *next; /* of a chain; one more than the index, 0 at its end */
} place_table;

static xncc_status open_table(place_table *t, const xncc_pose_candidate *candidate, size_t count,
                              xncc_error *error)
{
    t->candidate = candidate;
    t->mask = 63;
    while (t->mask < count)
        t->mask = 2 * t->mask + 1;
    t->first = xncc_alloc(t->mask + 1 + count, sizeof *t->first);
    t->next = t->first ? t->first + t->mask + 1 : NULL;
    return t->first
               ? XNCC_OK
               : xncc_fail(error, XNCC_ERROR_MEMORY, "poses: no memory for %zu candidates", count);
}

static void empty_table(place_table *t, double cell)
{
    memset(t->first, 0, (t->mask + 1) * sizeof *t->first);
    t->cell = cell;
}

static size_t chain_of(const place_table *t, int64_t x, int64_t y)
{
    const uint64_t mixed = ((uint64_t)x * UINT64_C(0x9e3779b97f4a7c15)) ^
                           ((uint64_t)y * UINT64_C(0xc2b2ae3d27d4eb4f));
    return (size_t)(mixed >> 20) & t->mask;
}

static void put(place_table *t, size_t i)
{
    const xncc_pose_candidate *c = &t->candidate[i];
    const size_t chain = chain_of(t, (int64_t)floor(c->x / t->cell),
                                  (int64_t)floor(c->y / t->cell));
    t->next[i] = t->first[chain];
    t->first[chain] = (int32_t)i + 1;
}

/* Is any candidate of the table within a cell's size of *c, and within so many steps? */
static int has_near(const place_table *t, const xncc_pose_candidate *c, const xncc_pose_axis *angle,
                    int32_t steps)
{
    const int64_t x = (int64_t)floor(c->x / t->cell), y = (int64_t)floor(c->y / t->cell);
    for (int k = 0; k < 9; k++)
        for (int32_t at = t->first[chain_of(t, x + k % 3 - 1, y + k / 3 - 1)]; at;
             at = t->next[at - 1]) {
            const xncc_pose_candidate *o = &t->candidate[at - 1];
            const int32_t apart = abs(c->angle - o->angle);
            if (fabs(c->x - o->x) <= t->cell && fabs(c->y - o->y) <= t->cell &&
                abs(c->scale - o->scale) <= steps &&
                (apart <= steps || (angle->circular && angle->count - apart <= steps)))
                return 1;
        }
    return 0;
}

/* The score of the wanted-th best of objects that are apart; 0 if there are fewer. The candidates
 * are in order. */
static double wanted_score(place_table *t, size_t count, const xncc_pose_rung *r,
                           const xncc_pose_sieve *sieve)
{
    size_t objects = 0;
    empty_table(t, sieve->apart);
    for (size_t i = 0; i < count; i++) {
        if (has_near(t, &t->candidate[i], &r->grid.angle, INT32_MAX))
            continue;
        if (++objects == sieve->wanted)
            return fabs(t->candidate[i].score);
        put(t, i);
    }
    return 0.0;
}

xncc_status xncc_pose_thin(const xncc_pose_rung *r, xncc_pose_candidate *candidate, size_t *count,
                           const xncc_pose_sieve *sieve, xncc_error *error)
{
    place_table table;
    size_t kept = 0;
    const xncc_status status = open_table(&table, candidate, *count, error);
    if (status)
        return status;
    if (*count > 1)
        qsort(candidate, *count, sizeof *candidate, compare);
    const double limit = fmax(sieve->limit, sieve->part * wanted_score(&table, *count, r, sieve));
    empty_table(&table, 1.5 * ldexp(1.0, r->level));
    for (size_t i = 0; i < *count && kept < sieve->most && fabs(candidate[i].score) >= limit; i++) {
        if (has_near(&table, &candidate[i], &r->grid.angle, 1))
            continue;
        candidate[kept] = candidate[i];
        put(&table, kept++);
    }
    xncc_free(table.first);
    *count = kept;
    return XNCC_OK;
}
