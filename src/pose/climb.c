/* SPDX-License-Identifier: BSD-2-Clause */
/* Climbing (climb.h). Candidates share the poses of a level. */
#include "pose/climb.h"

#include "base/first_failure.h"
#include "base/memory.h"
#include "pose/places.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* Sets the centre of a candidate from its window. */
static void set_center(const xncc_pose_rung *r, double offset_x, double offset_y,
                       xncc_pose_candidate *c)
{
    c->x = (c->wx + 0.5 * c->width) * r->size - 0.5 + offset_x;
    c->y = (c->wy + 0.5 * c->height) * r->size - 0.5 + offset_y;
}

void xncc_pose_rung_center(const xncc_pose_rung *r, xncc_pose_candidate *c)
{
    double x, y;
    xncc_pose_store_offset(&r->poses, c->angle, c->scale, &x, &y);
    set_center(r, x, y, c);
}

/* The window of a pose that is nearest to a centre. */
static void nearest_window(const xncc_pose_rung *r, const xncc_stored_pose *p,
                           const xncc_pose_candidate *at, xncc_pose_candidate *to)
{
    to->width = p->probe.of.width;
    to->height = p->probe.of.height;
    to->wx = (int32_t)floor((at->x - p->offset_x + 0.5) / r->size - 0.5 * to->width + 0.5);
    to->wy = (int32_t)floor((at->y - p->offset_y + 0.5) / r->size - 0.5 * to->height + 0.5);
}

static _Atomic(uint64_t) all_tries, all_pixels;

xncc_pose_work xncc_pose_tries(void)
{
    return (xncc_pose_work){ atomic_exchange(&all_tries, 0), atomic_exchange(&all_pixels, 0) };
}

/* One candidate on its way. */
typedef struct climb {
    xncc_pose_rung *rung;
    int sign; /* of its scores */
    xncc_pose_candidate at, best;
    int moved; /* 1: the best is not the middle window of the pose of `at` */
    uint64_t tries;
} climb;

/* Tries the nine windows of a pose near `at`. If one is better than the best, it becomes the best.
 */
static xncc_status try_pose(climb *c, int32_t angle, int32_t scale, xncc_error *error)
{
    xncc_pose_rung *r = c->rung;
    xncc_pose_candidate to = { .angle = angle, .scale = scale };
    const xncc_stored_pose *pose;
    double score[XNCC_PROBE_WINDOWS];
    const xncc_status status = xncc_pose_store_take(&r->poses, angle, scale, 0, 0, &pose, error);
    if (status)
        return status;
    nearest_window(r, pose, &c->at, &to);
    const int32_t wx = to.wx, wy = to.wy;
    xncc_pose_probe_scores(&pose->probe, r->poses.loops, r->image, wx - 1, wy - 1, XNCC_PROBE_SIDE,
                           score);
    c->tries++;
    for (int32_t i = 0; i < XNCC_PROBE_WINDOWS; i++)
        if (c->sign * score[i] > c->sign * c->best.score) {
            to.score = score[i];
            to.wx = wx + i % XNCC_PROBE_SIDE - 1;
            to.wy = wy + i / XNCC_PROBE_SIDE - 1;
            set_center(r, pose->offset_x, pose->offset_y, &to);
            c->best = to;
            c->moved = i != XNCC_PROBE_WINDOWS / 2 || angle != c->at.angle || scale != c->at.scale;
        }
    xncc_pose_store_give(pose);
    return XNCC_OK;
}

/* How many steps of the angle a move tries to both sides. The first one on a level tries more,
 * since the level above has wider steps and hides peaks that are close together. On level 0,
 * windows of even and of odd sides lie half a pixel apart, so that the scores of neighbouring
 * angles go up and down. */
enum { FIRST_REACH = 3, LAST_REACH = 2 };

/* Moves to the best neighbour, until there is none. */
static xncc_status climb_one(climb *c, int moves, xncc_error *error)
{
    const xncc_pose_grid *grid = &c->rung->poses.grid;
    const int turns = grid->angle.count > 1, grows = grid->scale.count > 1;
    c->best.score = 0.0;
    c->moved = 1;
    for (int n = 0; n < moves && c->moved; n++) {
        const int reach = turns * (n == 0 ? FIRST_REACH : c->rung->level == 0 ? LAST_REACH : 1);
        c->moved = 0;
        for (int j = -grows; j <= grows; j++)
            for (int i = -reach; i <= reach; i++) {
                const int32_t angle = xncc_pose_index(&grid->angle, c->at.angle + i),
                              scale = xncc_pose_index(&grid->scale, c->at.scale + j);
                if (angle < 0 || scale < 0)
                    continue;
                const xncc_status status = try_pose(c, angle, scale, error);
                if (status)
                    return status;
            }
        c->at = c->best;
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

/* A candidate, and the pose from which it climbs. */
typedef struct climber {
    uint32_t pose, candidate;
} climber;

typedef struct climb_run {
    xncc_pose_rung *rung;
    int moves;
    xncc_pose_candidate *candidate;
    climber *climber;
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
    uint64_t tries = 0;
    for (size_t i = first; i < first + CANDIDATES_PER_TASK && i < run->count; i++) {
        xncc_pose_candidate *c = &run->candidate[run->climber[i].candidate];
        if (xncc_first_failure_status(&run->failure))
            break;
        xncc_status status = xncc_check_cancelled(&run->rung->job->watch, &error);
        climb way = { .rung = run->rung, .sign = c->score < 0.0 ? -1 : 1, .at = *c, .best = *c };
        if (!status)
            status = climb_one(&way, run->moves, &error);
        *c = way.at;
        tries += way.tries;
        xncc_first_failure_note(&run->failure, status, &error);
    }
    const xncc_pose_source *templ = &run->rung->poses.source;
    atomic_fetch_add(&all_tries, tries);
    atomic_fetch_add(&all_pixels, tries * (uint64_t)templ->width * (uint64_t)templ->height);
}

static int by_pose(const void *left, const void *right)
{
    const climber *a = left, *b = right;
    return a->pose == b->pose ? (a->candidate > b->candidate) - (a->candidate < b->candidate)
                              : (a->pose > b->pose) - (a->pose < b->pose);
}

/* Moves the candidates to the grid of the level. Those with one pose climb one after the other, so
 * that the poses around it stay in the processor's caches. */
static void line_up(climb_run *run, const xncc_pose_grid *above)
{
    const xncc_pose_grid *to = &run->rung->poses.grid;
    for (size_t i = 0; i < run->count; i++) {
        xncc_pose_candidate *c = &run->candidate[i];
        c->angle = nearest_index(&to->angle, xncc_pose_value(&above->angle, c->angle));
        c->scale = nearest_index(&to->scale, xncc_pose_value(&above->scale, c->scale));
        run->climber[i].pose = (uint32_t)c->scale * (uint32_t)to->angle.count + (uint32_t)c->angle;
        run->climber[i].candidate = (uint32_t)i;
    }
    qsort(run->climber, run->count, sizeof *run->climber, by_pose);
}

xncc_status xncc_pose_climb(xncc_pose_rung *rung, const xncc_pose_grid *above, int moves,
                            xncc_pose_candidate *candidate, size_t count, xncc_error *error)
{
    climb_run run = {
        .rung = rung, .moves = moves, .candidate = candidate, .count = count, .failure.error = error
    };
    if (count == 0)
        return XNCC_OK;
    run.climber = xncc_alloc(count, sizeof *run.climber);
    if (!run.climber)
        return xncc_fail(error, XNCC_ERROR_MEMORY, "poses: no memory for %zu candidates", count);
    line_up(&run, above);
    xncc_pose_run(rung->job, (count - 1) / CANDIDATES_PER_TASK + 1, climb_task, &run);
    xncc_free(run.climber);
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

/* Is any of the candidates that have a place within a cell's side of *c, and within so many steps?
 */
static int has_near(const xncc_places *places, const xncc_pose_candidate *candidate,
                    const xncc_pose_candidate *c, const xncc_pose_axis *angle, int32_t steps)
{
    for (int k = 0; k < 9; k++)
        for (int32_t at = xncc_places_near(places, c->x, c->y, k); at; at = places->next[at - 1]) {
            const xncc_pose_candidate *o = &candidate[at - 1];
            const int32_t apart = abs(c->angle - o->angle);
            if (fabs(c->x - o->x) <= places->cell && fabs(c->y - o->y) <= places->cell &&
                abs(c->scale - o->scale) <= steps &&
                (apart <= steps || (angle->circular && angle->count - apart <= steps)))
                return 1;
        }
    return 0;
}

/* The score of the wanted-th best of objects that are apart; 0 if there are fewer. The candidates
 * are in order, and have no places yet. */
static double wanted_score(xncc_places *places, const xncc_pose_candidate *candidate, size_t count,
                           const xncc_pose_rung *r, const xncc_pose_sieve *sieve)
{
    size_t objects = 0;
    for (size_t i = 0; i < count; i++) {
        if (has_near(places, candidate, &candidate[i], &r->poses.grid.angle, INT32_MAX))
            continue;
        if (++objects == sieve->wanted)
            return fabs(candidate[i].score);
        xncc_places_put(places, i, candidate[i].x, candidate[i].y);
    }
    return 0.0;
}

xncc_status xncc_pose_thin(const xncc_pose_rung *r, xncc_pose_candidate *candidate, size_t *count,
                           const xncc_pose_sieve *sieve, xncc_error *error)
{
    xncc_places places;
    size_t kept = 0;
    const xncc_status status = xncc_places_open(&places, *count, sieve->apart, error);
    if (status)
        return status;
    if (*count > 1)
        qsort(candidate, *count, sizeof *candidate, compare);
    const double limit = fmax(sieve->limit,
                              sieve->part * wanted_score(&places, candidate, *count, r, sieve));
    xncc_places_empty(&places, 1.5 * r->size);
    for (size_t i = 0; i < *count && kept < sieve->most && fabs(candidate[i].score) >= limit; i++) {
        if (has_near(&places, candidate, &candidate[i], &r->poses.grid.angle, 1))
            continue;
        candidate[kept] = candidate[i];
        xncc_places_put(&places, kept, candidate[i].x, candidate[i].y);
        kept++;
    }
    xncc_places_close(&places);
    *count = kept;
    return XNCC_OK;
}
