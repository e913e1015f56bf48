/* SPDX-License-Identifier: BSD-2-Clause */
/* Climbing (climb.h). Candidates share the poses of a level. */
#include "pose/climb.h"

#include "base/first_failure.h"
#include "base/memory.h"
#include "pose/scorer.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>

void xncc_pose_rung_center(const xncc_pose_rung *r, double offset_x, double offset_y,
                           xncc_pose_candidate *c)
{
    c->x = (c->pose.x + 0.5 * c->pose.width) * r->size - 0.5 + offset_x;
    c->y = (c->pose.y + 0.5 * c->pose.height) * r->size - 0.5 + offset_y;
}

/* The window of a pose that is nearest to a centre. Its sides, and the offset of the pose, are set.
 */
static void nearest_window(const xncc_pose_rung *r, double offset_x, double offset_y,
                           const xncc_pose_candidate *at, xncc_pose_candidate *to)
{
    to->pose.x = (int32_t)floor((at->x - offset_x + 0.5) / r->size - 0.5 * to->pose.width + 0.5);
    to->pose.y = (int32_t)floor((at->y - offset_y + 0.5) / r->size - 0.5 * to->pose.height + 0.5);
}

static _Atomic(uint64_t) all_tries, all_pixels;

xncc_pose_work xncc_pose_tries(void)
{
    return (xncc_pose_work){ atomic_exchange(&all_tries, 0), atomic_exchange(&all_pixels, 0) };
}

/* The most poses of a move: on level 0 and above, three scales of seven angles. The most of all
 * moves of a candidate on a level. */
enum { MOST_ATTEMPTS = 21, MOST_SEEN = XNCC_MOST_MOVES * MOST_ATTEMPTS };
_Static_assert((int)MOST_ATTEMPTS <= (int)XNCC_MOST_SPOTS,
               "the poses of a move are scored together");

/* A pose whose nine windows around (wx, wy) have been scored. */
typedef struct seen {
    int32_t angle, scale, wx, wy;
} seen;

/* One candidate on its way. */
typedef struct climb {
    xncc_pose_rung *rung;
    xncc_running *running; /* of the thread; NULL: there is none */
    int sign;              /* of its scores */
    int parts;             /* 1: its poses are scored in parts, by all threads */
    xncc_pose_candidate at, best;
    int moved;            /* 1: the best is not the middle window of the pose of `at` */
    seen *seen;           /* room for MOST_SEEN */
    size_t count, before; /* of `seen`, and of those from the moves before this one */
    uint64_t tries;
} climb;

/* A pose that a move tries, with the middle one of its nine windows. */
typedef struct attempt {
    xncc_pose_candidate to;
    double offset_x, offset_y;
    double score[XNCC_PROBE_WINDOWS];
} attempt;

/* If one of the windows is better than the best, it becomes the best. */
static void choose(climb *c, const attempt *a)
{
    c->tries++;
    for (int32_t i = 0; i < XNCC_PROBE_WINDOWS; i++)
        if (c->sign * a->score[i] > c->sign * c->best.score) {
            xncc_pose_candidate to = a->to;
            to.score = a->score[i];
            to.pose.x += i % XNCC_PROBE_SIDE - 1;
            to.pose.y += i / XNCC_PROBE_SIDE - 1;
            xncc_pose_rung_center(c->rung, a->offset_x, a->offset_y, &to);
            c->best = to;
            c->moved = i != XNCC_PROBE_WINDOWS / 2 || to.pose.angle != c->at.pose.angle ||
                       to.pose.scale != c->at.pose.scale;
        }
}

/* Which of the nine windows of a pose have no score yet. Those that have one are no better than the
 * best. */
static xncc_probe_block unseen(climb *c, const xncc_grid_pose *to)
{
    xncc_probe_block block = { to->x - 1, to->y - 1, XNCC_PROBE_SIDE, XNCC_PROBE_NINE };
    for (size_t k = 0; k < c->before; k++) {
        const seen *s = &c->seen[k];
        if (s->angle != to->angle || s->scale != to->scale)
            continue;
        for (int32_t i = 0; i < XNCC_PROBE_WINDOWS; i++)
            if (abs(block.x + i % XNCC_PROBE_SIDE - s->wx) <= 1 &&
                abs(block.y + i / XNCC_PROBE_SIDE - s->wy) <= 1)
                block.wanted &= ~(UINT32_C(1) << i);
    }
    c->seen[c->count++] = (seen){ to->angle, to->scale, to->x, to->y };
    return block;
}

/* Tries the windows of a pose near `at`. */
static xncc_status try_pose(climb *c, attempt *a, xncc_error *error)
{
    xncc_pose_rung *r = c->rung;
    const xncc_stored_pose *pose;
    const xncc_status status = xncc_pose_store_take(&r->poses, a->to.pose.angle, a->to.pose.scale,
                                                    0, 0, &pose, error);
    if (status)
        return status;
    a->to.pose.width = pose->probe.of.width;
    a->to.pose.height = pose->probe.of.height;
    a->offset_x = pose->offset_x;
    a->offset_y = pose->offset_y;
    nearest_window(r, a->offset_x, a->offset_y, &c->at, &a->to);
    const xncc_probe_block block = unseen(c, &a->to.pose);
    if (block.wanted) {
        xncc_pose_probe_scores(&pose->probe, r->poses.source.loops, r->image, c->running, &block,
                               a->score);
        choose(c, a);
    }
    xncc_pose_store_give(pose);
    return XNCC_OK;
}

/* The same for several poses, in parts. */
static xncc_status try_parts(climb *c, attempt *a, size_t count, xncc_error *error)
{
    xncc_pose_rung *r = c->rung;
    const xncc_pose_store *store = &r->poses;
    xncc_pose_spot spot[MOST_ATTEMPTS];
    for (size_t i = 0; i < count; i++) {
        xncc_grid_pose *to = &a[i].to.pose;
        const xncc_pose_place place = xncc_pose_place_of(
            &store->source, xncc_pose_value(&store->grid.angle, to->angle),
            xncc_pose_value(&store->grid.scale, to->scale));
        to->width = place.width;
        to->height = place.height;
        xncc_pose_store_offset(store, to->angle, to->scale, &a[i].offset_x, &a[i].offset_y);
        nearest_window(r, a[i].offset_x, a[i].offset_y, &c->at, &a[i].to);
        spot[i] = (xncc_pose_spot){ .place = place, .block = unseen(c, to), .score = a[i].score };
    }
    const xncc_status status = xncc_pose_score_parts(r->job, &store->source, r->image, spot, count,
                                                     error);
    for (size_t i = 0; i < count && !status; i++)
        choose(c, &a[i]);
    return status;
}

/* How many steps of the angle a move tries to both sides. The first one on a level tries more,
 * since the level above has wider steps and hides peaks that are close together. On level 0,
 * windows of even and of odd sides lie half a pixel apart, so that the scores of neighbouring
 * angles go up and down. */
enum { FIRST_REACH = 3, LAST_REACH = 2 };

/* Lists the poses that a move tries, and returns their number. */
static size_t list_attempts(const climb *c, int reach, attempt a[MOST_ATTEMPTS])
{
    const xncc_pose_grid *grid = &c->rung->poses.grid;
    const int grows = grid->scale.count > 1;
    size_t count = 0;
    for (int j = -grows; j <= grows; j++)
        for (int i = -reach; i <= reach; i++) {
            const int32_t angle = xncc_pose_index(&grid->angle, c->at.pose.angle + i),
                          scale = xncc_pose_index(&grid->scale, c->at.pose.scale + j);
            if (angle >= 0 && scale >= 0)
                a[count++].to = (xncc_pose_candidate){ .pose = { .angle = angle, .scale = scale } };
        }
    return count;
}

/* Moves to the best neighbour, until there is none. */
static xncc_status climb_one(climb *c, int moves, xncc_error *error)
{
    const int turns = c->rung->poses.grid.angle.count > 1;
    c->best.score = 0.0;
    c->moved = 1;
    for (int n = 0; n < moves && c->moved; n++) {
        const int reach = turns * (n == 0 ? FIRST_REACH : c->rung->level == 0 ? LAST_REACH : 1);
        attempt a[MOST_ATTEMPTS];
        xncc_status status = XNCC_OK;
        const size_t count = list_attempts(c, reach, a);
        c->moved = 0;
        c->before = c->count;
        if (c->parts)
            status = try_parts(c, a, count, error);
        for (size_t i = 0; i < count && !c->parts && !status; i++)
            status = try_pose(c, &a[i], error);
        if (status)
            return status;
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
    int moves, parts;
    xncc_pose_candidate *candidate;
    climber *climber;      /* room for 2 * count */
    xncc_running *running; /* per thread */
    size_t count;
    xncc_first_failure failure;
} climb_run;

enum { CANDIDATES_PER_TASK = 4 };

/* Asks for the pixels under a candidate. */
static void fetch(const xncc_pose_rung *r, const xncc_pose_candidate *c)
{
    const xncc_pose_source *s = &r->poses.source;
    const double w = s->width, h = s->height,
                 side = sqrt(w * w + h * h) * xncc_pose_value(&r->poses.grid.scale, c->pose.scale);
    xncc_probe_fetch(r->image, (int32_t)(c->x / r->size - 0.5 * side) - 1,
                     (int32_t)(c->y / r->size - 0.5 * side) - 1, (int32_t)side + 3,
                     (int32_t)side + 3);
}

static void climb_task(void *argument, uint64_t index, int32_t slot)
{
    climb_run *run = argument;
    const size_t first = (size_t)index * CANDIDATES_PER_TASK, left = run->count - first,
                 end = first + (left < CANDIDATES_PER_TASK ? left : CANDIDATES_PER_TASK);
    xncc_error error = { "" };
    seen list[MOST_SEEN];
    uint64_t tries = 0;
    fetch(run->rung, &run->candidate[run->climber[first].candidate]);
    for (size_t i = first; i < end; i++) {
        xncc_pose_candidate *c = &run->candidate[run->climber[i].candidate];
        if (i + 1 < end)
            fetch(run->rung, &run->candidate[run->climber[i + 1].candidate]);
        if (xncc_first_failure_status(&run->failure))
            break;
        xncc_status status = xncc_check_cancelled(&run->rung->job->watch, &error);
        climb way = { .rung = run->rung,
                      .running = run->running ? &run->running[slot] : NULL,
                      .sign = c->score < 0.0 ? -1 : 1,
                      .parts = run->parts,
                      .at = *c,
                      .best = *c,
                      .seen = list };
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

/* Poses are numbers of two digits. */
enum { DIGIT_BITS = 10, DIGITS = 1 << DIGIT_BITS };
_Static_assert(XNCC_MOST_POSES <= DIGITS * DIGITS, "a pose has two digits");

/* Sorts by a digit of the pose. Those with the same one stay in their order. */
static void sort_by_digit(const climber *from, size_t count, int shift, climber *to)
{
    size_t end[DIGITS + 1] = { 0 };
    for (size_t i = 0; i < count; i++)
        end[(from[i].pose >> shift & (DIGITS - 1)) + 1]++;
    for (size_t k = 0; k < DIGITS; k++)
        end[k + 1] += end[k];
    for (size_t i = 0; i < count; i++) /* end[k] goes from the digit's begin to its end */
        to[end[from[i].pose >> shift & (DIGITS - 1)]++] = from[i];
}

/* Moves the candidates to the grid of the level. Those with one pose climb one after the other, so
 * that the poses around it stay in the processor's caches. */
static void line_up(climb_run *run, const xncc_pose_grid *above)
{
    const xncc_pose_grid *to = &run->rung->poses.grid;
    for (size_t i = 0; i < run->count; i++) {
        xncc_grid_pose *c = &run->candidate[i].pose;
        c->angle = nearest_index(&to->angle, xncc_pose_value(&above->angle, c->angle));
        c->scale = nearest_index(&to->scale, xncc_pose_value(&above->scale, c->scale));
        run->climber[i].pose = (uint32_t)c->scale * (uint32_t)to->angle.count + (uint32_t)c->angle;
        run->climber[i].candidate = (uint32_t)i;
    }
    climber *spare = run->climber + run->count;
    sort_by_digit(run->climber, run->count, 0, spare);
    sort_by_digit(spare, run->count, DIGIT_BITS, run->climber);
}

xncc_status xncc_pose_climb(xncc_pose_rung *rung, const xncc_pose_grid *above, int moves,
                            xncc_pose_candidate *candidate, size_t count, xncc_error *error)
{
    climb_run run = {
        .rung = rung, .moves = moves, .candidate = candidate, .count = count, .failure.error = error
    };
    if (count == 0)
        return XNCC_OK;
    run.climber = xncc_alloc(2 * (uint64_t)count, sizeof *run.climber);
    if (!run.climber)
        return xncc_fail(error, XNCC_ERROR_MEMORY, "poses: no memory for %zu candidates", count);
    line_up(&run, above);
    const size_t tasks = (count - 1) / CANDIDATES_PER_TASK + 1;
    const int32_t threads = xncc_pool_threads(rung->job->pool);
    run.parts = xncc_pose_wants_parts(rung->job, &rung->poses.source, count);
    xncc_status status = XNCC_OK;
    if (!run.parts)
        status = xncc_running_open(threads, rung->poses.source.loops->running, &run.running, error);
    if (!status)
        xncc_pool_run_on(rung->job->pool, run.parts ? 1 : threads, tasks, climb_task, &run);
    xncc_free(run.running);
    xncc_free(run.climber);
    return status ? status : xncc_first_failure_status(&run.failure);
}
