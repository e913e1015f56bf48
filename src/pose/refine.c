/* SPDX-License-Identifier: BSD-2-Clause */
/* Fits surfaces to exact scores around a pose (exactncc/pose.h). The neighbours of a pose have
 * windows of one size and one centre, so that their scores lie on a regular grid. */
#include "pose/refine.h"

#include "base/first_failure.h"
#include "base/memory.h"
#include "pose/fit.h"
#include "pose/scorer.h"

#include <math.h>
#include <stdlib.h>

/* A pose, which lies on the grid or between its poses: its centre is that of a window, plus a shift
 * of up to half a pixel. */
typedef struct between {
    double angle, scale, shift_x, shift_y;
    xncc_grid_pose pose; /* its angle and its scale are -1 if it is not on the grid */
} between;

typedef struct refiner {
    xncc_pose_scorer scorer;
    const xncc_pose_grid *grid;
    int turns, grows; /* 1: the grid has a range of angles, of scales */
    double angle_step, scale_step;
    double sign; /* of the scores */
} refiner;

enum { MOST_FITS = 4 };

/* Takes the scores of 3 x 3 windows from those of 5 x 5, and of those two pixels away on each axis.
 */
static void take_middle(const double all[XNCC_PROBE_FAR], double score[XNCC_PROBE_WINDOWS],
                        double far[2][2])
{
    for (int i = 0; i < XNCC_PROBE_WINDOWS; i++)
        score[i] = all[(1 + i / 3) * XNCC_PROBE_FAR_SIDE + 1 + i % 3];
    for (int i = 0; i < 2; i++) {
        far[0][i] = all[10 + 4 * i];
        far[1][i] = all[2 + 20 * i];
    }
}

static double in_range(double scale)
{
    return fmin(fmax(scale, XNCC_MIN_SCALE), XNCC_MAX_SCALE);
}

/* The pose that is `turn` steps of the angle and `grow` steps of the scale away, with the same
 * centre. right, down: 1 moves the centre by half a pixel. */
static xncc_pose_spot spot_near(const refiner *r, const between *at, int turn, int grow, int right,
                                int down)
{
    double angle = at->angle + turn * r->angle_step,
           scale = in_range(at->scale + grow * r->scale_step);
    xncc_pose_spot s = { .angle = -1, .scale = -1 };
    if (at->pose.angle >= 0) {
        s.angle = xncc_pose_index(&r->grid->angle, at->pose.angle + turn);
        s.scale = xncc_pose_index(&r->grid->scale, at->pose.scale + grow);
        if (s.scale < 0)
            s.angle = -1;
    }
    if (s.angle >= 0) {
        angle = xncc_pose_value(&r->grid->angle, s.angle);
        scale = xncc_pose_value(&r->grid->scale, s.scale);
    }
    s.place = xncc_pose_place_of(r->scorer.source, angle, scale);
    /* A centre on a pixel asks for an odd side, one between pixels for an even side. */
    s.wider = (s.place.width ^ at->pose.width ^ right) & 1;
    s.higher = (s.place.height ^ at->pose.height ^ down) & 1;
    s.place.width += s.wider;
    s.place.height += s.higher;
    if (at->shift_x != 0.0 || at->shift_y != 0.0) { /* more pixels can count */
        s.place.width += 2;
        s.place.height += 2;
        s.place.shift_x = at->shift_x;
        s.place.shift_y = at->shift_y;
    }
    s.block = (xncc_probe_block){
        .x = at->pose.x - (s.place.width - at->pose.width - right) / 2 - 1,
        .y = at->pose.y - (s.place.height - at->pose.height - down) / 2 - 1,
        .side = XNCC_PROBE_SIDE,
        .wanted = XNCC_PROBE_ALL
    };
    return s;
}

/* The windows of which a fit reads the scores: those that are beside the middle one on at most two
 * of all axes (fit.h). MIDDLE and CROSS are of 3 x 3 windows, STAR is of 5 x 5. */
enum { MIDDLE = 1 << 4, CROSS = 0xba, STAR = 0x477dc4 };

/* Fits the surface around a pose. */
static xncc_status fit_around(const refiner *r, const between *at, xncc_pose_fit *fit,
                              xncc_error *error)
{
    double score[XNCC_FIT_POINTS], *next = score, *middle = score, all[XNCC_PROBE_FAR], far[2][2];
    xncc_pose_spot spot[XNCC_FIT_POINTS / XNCC_PROBE_WINDOWS];
    size_t count = 0;
    for (int j = -r->grows; j <= r->grows; j++)
        for (int i = -r->turns; i <= r->turns; i++, next += XNCC_PROBE_WINDOWS) {
            xncc_pose_spot *s = &spot[count++];
            *s = spot_near(r, at, i, j, 0, 0);
            s->block.wanted = i && j ? MIDDLE : CROSS;
            if (i || j) {
                s->score = next;
                continue;
            }
            middle = next;
            s->block = (xncc_probe_block){ s->block.x - 1, s->block.y - 1, XNCC_PROBE_FAR_SIDE,
                                           STAR };
            s->score = all;
        }
    const xncc_status status = xncc_pose_score_spots(&r->scorer, spot, count, error);
    if (status)
        return status;
    take_middle(all, middle, far);
    for (double *s = score; s < next; s++)
        *s *= r->sign;
    for (int k = 0; k < 4; k++)
        far[k / 2][k % 2] *= r->sign;
    /* The axes are x, y and those of angle and scale that have three values. */
    *fit = xncc_pose_fit_peak(score, (const double(*)[2])far, 2 + r->turns + r->grows);
    return XNCC_OK;
}

/* The poses that look_around tries: two steps of the angle to both sides, at four shifts. */
enum { MOST_LOOKS = 4 * 5 };

/* Where the surface has no peak: moves to the best of the poses between those of the grid, at half
 * pixels and up to two steps of the angle away. The grid has one centre per pose, which can be half
 * a pixel off; its best pose can then be one with a wrong angle. */
static xncc_status look_around(const refiner *r, between *at, xncc_error *error)
{
    const between from = *at;
    const int sides = 2 * r->turns, count = 4 * (2 * sides + 1);
    double best = -INFINITY, score[MOST_LOOKS][XNCC_PROBE_WINDOWS];
    xncc_pose_spot spot[MOST_LOOKS];
    for (int n = 0; n < count; n++) {
        spot[n] = spot_near(r, &from, n / 4 - sides, 0, n % 2, n / 2 % 2);
        spot[n].score = score[n];
    }
    const xncc_status status = xncc_pose_score_spots(&r->scorer, spot, (size_t)count, error);
    for (int n = 0; n < count && !status; n++) {
        const xncc_pose_spot *s = &spot[n];
        for (int k = 0; k < XNCC_PROBE_WINDOWS; k++)
            if (r->sign * score[n][k] > best) {
                best = r->sign * score[n][k];
                *at = (between){ .angle = from.angle + (n / 4 - sides) * r->angle_step,
                                 .scale = from.scale,
                                 .pose = { s->angle, s->scale, s->block.x + k % XNCC_PROBE_SIDE,
                                           s->block.y + k / XNCC_PROBE_SIDE, s->place.width,
                                           s->place.height } };
            }
    }
    return status;
}

/* Moves a pose to the peak of a fit. Returns the largest part of it, in steps. */
static double move(const refiner *r, const xncc_pose_fit *fit, between *at)
{
    const double da = r->turns ? fit->at[2] : 0.0, ds = r->grows ? fit->at[2 + r->turns] : 0.0;
    const double sx = at->shift_x + fit->at[0], sy = at->shift_y + fit->at[1];
    const double whole_x = floor(sx + 0.5), whole_y = floor(sy + 0.5);
    at->pose.x += (int32_t)whole_x;
    at->pose.y += (int32_t)whole_y;
    at->shift_x = sx - whole_x;
    at->shift_y = sy - whole_y;
    at->angle += da * r->angle_step;
    at->scale = in_range(at->scale + ds * r->scale_step);
    at->pose.angle = at->pose.scale = -1;
    return fmax(fmax(fabs(fit->at[0]), fabs(fit->at[1])), fmax(fabs(da), fabs(ds)));
}

static double center_x(const between *at)
{
    return at->pose.x + 0.5 * (at->pose.width - 1) + at->shift_x;
}

static double center_y(const between *at)
{
    return at->pose.y + 0.5 * (at->pose.height - 1) + at->shift_y;
}

static void write_center(const between *at, xncc_pose_match *match)
{
    match->center_x = center_x(at);
    match->center_y = center_y(at);
    match->angle = at->angle;
    match->scale = at->scale;
}

/* Returns 1 if a refined pose belongs to the pose of the grid that it started from. */
static int is_near(const between *at, const between *start, const xncc_pose_grid *grid)
{
    return fabs(center_x(at) - center_x(start)) <= 3.0 &&
           fabs(center_y(at) - center_y(start)) <= 3.0 &&
           fabs(at->angle - start->angle) <= 4.0 * grid->angle.step &&
           fabs(at->scale - start->scale) <= 4.0 * grid->scale.step;
}

/* Refines from `start`, by up to MOST_FITS fits. The first has the steps of the grid, the others
 * half of them. */
static xncc_status refine_from(refiner *r, const between *start, xncc_pose_match *match,
                               xncc_error *error)
{
    between at = *start;
    for (int i = 0; i < MOST_FITS; i++) {
        xncc_pose_fit fit;
        xncc_status status = fit_around(r, &at, &fit, error);
        if (!status && !fit.found && i == 0) {
            status = look_around(r, &at, error);
            if (!status)
                status = fit_around(r, &at, &fit, error);
        }
        if (status)
            return status;
        if (!fit.found)
            break;
        const double moved = move(r, &fit, &at);
        if (!is_near(&at, start, r->grid))
            return XNCC_OK;
        write_center(&at, match);
        match->fit_score = r->sign * fit.score;
        if (i > 0 && moved < 0.1)
            break;
        if (i == 0) {
            r->angle_step *= 0.5;
            r->scale_step *= 0.5;
        }
    }
    return XNCC_OK;
}

typedef struct refine_run {
    const xncc_pose_job *job;
    xncc_pose_store *poses; /* per template; NULL: there are no probes, or parts is 1 */
    const xncc_pose_hit *hit;
    const xncc_pose_hit **order; /* the hits in the order in which they are refined */
    xncc_pose_match *match;
    size_t count, each;    /* matches, and those of a task */
    xncc_running *running; /* per thread; NULL as above */
    int parts;             /* 1: one match after the other, in parts */
    xncc_first_failure failure;
} refine_run;

static xncc_status refine_hit(const refine_run *run, const xncc_pose_hit *hit, int32_t slot,
                              xncc_pose_match *match, xncc_error *error)
{
    const xncc_pose_job *job = run->job;
    xncc_pose_store *poses = run->poses ? &run->poses[hit->templ] : NULL;
    const xncc_pose_subject *subject = &job->subject[hit->templ];
    const xncc_pose_grid *grid = &subject->grid;
    between start = { .angle = xncc_pose_value(&grid->angle, hit->pose.angle),
                      .scale = xncc_pose_value(&grid->scale, hit->pose.scale),
                      .pose = hit->pose };
    refiner r = { .scorer = { .job = job,
                              .source = poses ? &poses->source : &subject->inner,
                              .poses = poses,
                              .running = poses ? &run->running[slot] : NULL,
                              .parts = run->parts },
                  .grid = grid,
                  .turns = grid->angle.count > 1,
                  .grows = grid->scale.count > 1,
                  .angle_step = fmin(grid->angle.step,
                                     xncc_pose_angle_step(&subject->source, start.scale)),
                  .scale_step = fmin(grid->scale.step, xncc_pose_scale_step(&subject->source)),
                  .sign = hit->score < 0.0f ? -1.0 : 1.0 };
    if ((r.turns && r.angle_step != grid->angle.step) ||
        (r.grows && r.scale_step != grid->scale.step))
        start.pose.angle = start.pose.scale = -1; /* its neighbours are not on the grid */
    *match = (xncc_pose_match){ .score = hit->score,
                                .templ = hit->templ,
                                .x = hit->pose.x,
                                .y = hit->pose.y,
                                .width = hit->pose.width,
                                .height = hit->pose.height,
                                .grid_angle = start.angle,
                                .grid_scale = start.scale,
                                .fit_score = (double)hit->score };
    write_center(&start, match);
    xncc_status status = xncc_check_cancelled(&job->watch, error);
    if (!status && job->options->refine)
        status = refine_from(&r, &start, match, error);
    if (grid->angle.circular) {
        const double turn = floor((match->angle - grid->angle.first) / 360.0);
        match->angle -= 360.0 * turn;
    }
    return status;
}

/* Where there are many matches: so many that fetching the next one's pixels ahead pays, and so many
 * tasks for each thread. */
enum { MATCHES_PER_TASK = 4, TASKS_PER_THREAD = 4 };

/* Asks for the pixels under a match. */
static void fetch(const refine_run *run, const xncc_grid_pose *h)
{
    enum { AROUND = 8 };
    if (run->poses)
        xncc_probe_fetch(run->job->image, h->x - AROUND, h->y - AROUND, h->width + 2 * AROUND,
                         h->height + 2 * AROUND);
}

static void refine_task(void *argument, uint64_t index, int32_t slot)
{
    refine_run *run = argument;
    const size_t first = (size_t)index * run->each, left = run->count - first,
                 end = first + (left < run->each ? left : run->each);
    xncc_error error = { "" };
    fetch(run, &run->order[first]->pose);
    for (size_t i = first; i < end && !xncc_first_failure_status(&run->failure); i++) {
        const xncc_pose_hit *hit = run->order[i];
        if (i + 1 < end)
            fetch(run, &run->order[i + 1]->pose);
        const xncc_status status = refine_hit(run, hit, slot, &run->match[hit - run->hit], &error);
        xncc_first_failure_note(&run->failure, status, &error);
    }
}

static int by_pose(const void *left, const void *right)
{
    const xncc_pose_hit *a = *(const xncc_pose_hit *const *)left,
                        *b = *(const xncc_pose_hit *const *)right;
    const int32_t by[] = { a->templ - b->templ, a->pose.scale - b->pose.scale,
                           a->pose.angle - b->pose.angle };
    for (size_t i = 0; i < sizeof by / sizeof by[0]; i++)
        if (by[i])
            return by[i];
    return (a > b) - (a < b);
}

/* Those with one pose are refined one after the other, so that it stays in the processor's caches.
 */
static xncc_status line_up(refine_run *run, xncc_error *error)
{
    run->order = xncc_alloc((uint64_t)run->count + 1, sizeof *run->order);
    if (!run->order)
        return xncc_fail(error, XNCC_ERROR_MEMORY, "poses: no memory for %zu matches", run->count);
    for (size_t i = 0; i < run->count; i++)
        run->order[i] = &run->hit[i];
    qsort(run->order, run->count, sizeof *run->order, by_pose);
    return XNCC_OK;
}

/* Opens a store for each template. */
static xncc_status open_stores(refine_run *run, xncc_error *error)
{
    const xncc_pose_job *job = run->job;
    run->poses = xncc_alloc(job->count, sizeof *run->poses);
    if (!run->poses)
        return xncc_fail(error, XNCC_ERROR_MEMORY, "poses: no memory for %zu templates",
                         job->count);
    xncc_status status = XNCC_OK;
    for (size_t t = 0; t < job->count && !status; t++) {
        run->poses[t].source = job->subject[t].inner;
        run->poses[t].grid = job->subject[t].grid;
        run->poses[t].parities = 4;
        status = xncc_pose_store_open(&run->poses[t], error);
    }
    return status;
}

/* Are the templates of all matches large? */
static int wants_parts(const xncc_pose_job *job, const xncc_pose_hit *hit, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!xncc_pose_wants_parts(job, &job->subject[hit[i].templ].source, count))
            return 0;
    return count > 0;
}

xncc_status xncc_pose_refine(const xncc_pose_job *job, const xncc_pose_hit *hit, size_t count,
                             xncc_pose_match *match, xncc_error *error)
{
    refine_run run = {
        .job = job, .hit = hit, .match = match, .count = count, .failure.error = error
    };
    const int probes = job->probes && job->options->refine;
    const int32_t threads = xncc_pool_threads(job->pool);
    xncc_status status = line_up(&run, error);
    run.parts = probes && wants_parts(job, hit, count);
    if (!status && probes && !run.parts)
        status = xncc_running_open(threads, job->subject->source.loops->running, &run.running,
                                   error);
    if (!status && run.running)
        status = open_stores(&run, error);
    if (!status) {
        const size_t many = (size_t)threads * TASKS_PER_THREAD * MATCHES_PER_TASK;
        run.each = count < many ? 1 : MATCHES_PER_TASK;
        xncc_pool_run_on(job->pool, run.parts ? 1 : threads, (count + run.each - 1) / run.each,
                         refine_task, &run);
        status = xncc_first_failure_status(&run.failure);
    }
    for (size_t t = 0; run.poses && t < job->count; t++)
        xncc_pose_store_clear(&run.poses[t]);
    xncc_free(run.poses);
    xncc_free(run.running);
    xncc_free(run.order);
    return status;
}
