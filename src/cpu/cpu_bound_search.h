/* SPDX-License-Identifier: BSD-2-Clause */
/* A search for several templates of one size with bounds (bounds.h). A template has two passes. The
 * first computes an upper bound per tile of the map. The second computes the scores of the tiles
 * whose bound reaches the worst score that a match can still have; all other windows count as
 * -infinity, which changes no match. A task of either pass is a template in a range of tile rows.
 * Between the passes the tiles with the best bounds tell how good the worst match can be. */
#ifndef XNCC_CPU_BOUND_SEARCH_H
#define XNCC_CPU_BOUND_SEARCH_H

#include "base/first_failure.h"
#include "cpu/cpu_bounds.h"

#include <stdatomic.h>
#include <string.h>

/* A template that is searched for. */
typedef struct xncc_bound_goal {
    size_t number; /* in the group */
    /* The bits of the worst score that a match can still have. It is at least 0, and such floats
     * are in the order of their bits. */
    atomic_uint limit;
    float guess; /* how good the worst match is, by a guess; 0: none was made */
    int vain;    /* 1: it is left to the search without bounds */
} xncc_bound_goal;

/* A search with bounds. */
typedef struct xncc_bound_run {
    const xncc_engine_plan *plan;
    const xncc_templ_run *all; /* the goals are some of these */
    xncc_job job;              /* without a template */
    xncc_bound_goal *goal;
    size_t count;         /* of the goals */
    int32_t across, down; /* tiles of the map */
    uint64_t ranges;      /* of tile rows, per template */
    float *best;          /* per template and tile, see xncc_bounds */
    xncc_peaks **peaks;   /* per task */
    xncc_first_failure failure;
} xncc_bound_run;

/* What a task searches. */
typedef struct xncc_bound_part {
    size_t templ;       /* 0 .. count - 1 */
    int32_t first, end; /* tile rows */
    int32_t slot;
    xncc_job job;
    xncc_peaks *peaks; /* second pass */
    float *rows;       /* second pass: two rows of scores, and the rows of a tile */
} xncc_bound_part;

/* The bounds of a template's tiles. */
static inline float *xncc_bound_best(const xncc_bound_run *run, size_t templ)
{
    return run->best + (ptrdiff_t)templ * run->across * run->down;
}

static inline const xncc_cpu_bound_templ *xncc_bound_templ_of(const xncc_bound_run *run,
                                                              size_t templ)
{
    return &run->plan->bounds->templ[run->goal[templ].number];
}

static inline xncc_bound_part xncc_bound_part_of(const xncc_bound_run *run, uint64_t index,
                                                 int32_t slot)
{
    const uint64_t range = index % run->ranges, down = (uint64_t)run->down;
    const xncc_cpu_bounds *b = run->plan->bounds;
    xncc_bound_part part = { .templ = (size_t)(index / run->ranges),
                             .first = (int32_t)(range * down / run->ranges),
                             .end = (int32_t)((range + 1) * down / run->ranges),
                             .slot = slot,
                             .job = run->job,
                             .rows = (float *)(void *)(b->scratch +
                                                       (uint64_t)slot * b->scratch_step) };
    xncc_job_set_template(&part.job, run->all->group->templ[run->goal[part.templ].number]);
    part.job.shared = xncc_bound_templ_of(run, part.templ)->prepared.shared;
    return part;
}

static inline int32_t xncc_bound_row_end(const xncc_bound_run *run, int32_t tile_row)
{
    return xncc_min_i32((tile_row + 1) * XNCC_BOUND_ROWS, run->plan->map.height);
}

static inline int xncc_bound_stopped(xncc_bound_run *run)
{
    return xncc_is_cancelled(run->job.watch) || xncc_first_failure_status(&run->failure);
}

/* The worst score that a match of a template can still have. */
static inline float xncc_bound_limit(const xncc_bound_run *run, size_t templ)
{
    const unsigned bits = atomic_load(&run->goal[templ].limit);
    float limit;
    memcpy(&limit, &bits, sizeof limit);
    return limit;
}

/* Betters the limit of a template, if this one is better. */
static inline void xncc_bound_raise(const xncc_bound_run *run, size_t templ, float limit)
{
    unsigned bits, old = atomic_load(&run->goal[templ].limit);
    if (!(limit > 0.0f))
        return;
    memcpy(&bits, &limit, sizeof bits);
    while (bits > old && !atomic_compare_exchange_weak(&run->goal[templ].limit, &old, bits)) {
    }
}

/* Computes the scores of tiles x .. end - 1 of a tile row, in the rows of the part. */
void xncc_bound_score(const xncc_bound_run *run, const xncc_bound_part *p, int32_t tile_row,
                      int32_t x, int32_t end);

/* The tasks of a pool (base/pool.h); argument: the run. The tasks between the passes are one per
 * template. */
void xncc_bound_first_pass(void *argument, uint64_t index, int32_t slot);
void xncc_bound_probe(void *argument, uint64_t index, int32_t slot);
void xncc_bound_second_pass(void *argument, uint64_t index, int32_t slot);

#endif
