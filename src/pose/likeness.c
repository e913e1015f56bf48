/* SPDX-License-Identifier: BSD-2-Clause */
/* The NCC of two poses of a level (likeness.h), by all threads in strips of rows. */
#include "pose/likeness.h"

#include <math.h>
#include <stdatomic.h>

/* A strip has at most so many pixels, or one row. */
enum { STRIP_PIXELS = 1 << 13 };

/* Over the pixels that count in both poses: their number, the sums, those of squares and of
 * products. */
enum { COUNT, SUM_A, SUM_B, SUM_AA, SUM_BB, SUM_AB, SUMS };

/* Two poses of a level, in windows of one size. */
typedef struct pair {
    const xncc_pose_source *source;
    xncc_pose_place at, off;
    int32_t rows;    /* of a strip */
    uint64_t strips; /* of the poses */
    _Atomic(uint64_t) pixels, sum[SUMS];
} pair;

/* Adds a row of the poses. */
static void add_row(const xncc_pose_pixels *a, const xncc_pose_pixels *b, size_t at,
                    uint64_t sum[SUMS])
{
    const uint8_t *row = (const uint8_t *)a->pixels + at, *mask = a->mask + at,
                  *other = (const uint8_t *)b->pixels + at, *other_mask = b->mask + at;
    uint32_t n = 0, u_sum = 0, v_sum = 0, uu = 0, vv = 0, uv = 0; /* sides are at most 2^14 */
    for (int32_t x = 0; x < a->width; x++) {
        const uint32_t both = mask[x] & other_mask[x], u = both * row[x], v = both * other[x];
        n += both;
        u_sum += u;
        v_sum += v;
        uu += u * u;
        vv += v * v;
        uv += u * v;
    }
    const uint32_t of_row[SUMS] = { n, u_sum, v_sum, uu, vv, uv };
    for (int k = 0; k < SUMS; k++)
        sum[k] += of_row[k];
}

/* Adds the rows first .. end - 1 of the poses. */
static void add_strip(pair *p, int32_t first, int32_t end)
{
    uint8_t pixels[2][XNCC_MAX_POSE_SIDE], mask[2][XNCC_MAX_POSE_SIDE];
    const xncc_pose_pixels a = { .width = p->at.width, .pixels = pixels[0], .mask = mask[0] },
                           b = { .width = p->at.width, .pixels = pixels[1], .mask = mask[1] };
    uint64_t sum[SUMS] = { 0 };
    const uint64_t count = xncc_pose_resample_rows(p->source, &p->at, first, end, &a);
    (void)xncc_pose_resample_rows(p->source, &p->off, first, end, &b);
    for (int32_t y = 0; y < end - first; y++)
        add_row(&a, &b, (size_t)y * (size_t)a.width, sum);
    atomic_fetch_add(&p->pixels, count);
    for (int k = 0; k < SUMS; k++)
        atomic_fetch_add(&p->sum[k], sum[k]);
}

static void strip_task(void *argument, uint64_t index, int32_t slot)
{
    (void)slot;
    pair *p = argument; /* of level 1 */
    for (; index >= p->strips; p++)
        index -= p->strips;
    const int32_t first = (int32_t)index * p->rows, height = p->at.height;
    add_strip(p, first, first + p->rows < height ? first + p->rows : height);
}

/* The pose at the beginning of a grid, and the one half a step away on every axis. */
static xncc_status set_pair(pair *p, const xncc_pose_source *s, const xncc_pose_grid *g,
                            xncc_error *error)
{
    p->source = s;
    p->at = p->off = xncc_pose_place_of(s, g->angle.first, g->scale.first);
    if (g->angle.count > 1)
        p->off.angle += 0.5 * g->angle.step;
    if (g->scale.count > 1)
        p->off.scale = fmin(p->off.scale + 0.5 * g->scale.step, XNCC_MAX_SCALE);
    p->off.shift_x = p->off.shift_y = 0.5;
    p->rows = p->at.width < STRIP_PIXELS ? STRIP_PIXELS / p->at.width : 1;
    p->strips = (uint64_t)((p->at.height - 1) / p->rows + 1);
    return xncc_pose_place_check(s, &p->at, error);
}

static double ncc_of(const pair *p)
{
    const double n = (double)p->sum[COUNT], x = (double)p->sum[SUM_A], y = (double)p->sum[SUM_B],
                 aa = (double)p->sum[SUM_AA], bb = (double)p->sum[SUM_BB],
                 ab = (double)p->sum[SUM_AB], var = (n * aa - x * x) * (n * bb - y * y);
    return var > 0.0 ? (n * ab - x * y) / sqrt(var) : 0.0;
}

xncc_status xncc_pose_likeness_of(const xncc_pose_job *job, const xncc_templ_levels *levels,
                                  const xncc_pose_grid *grid, int32_t count,
                                  xncc_pose_likeness *likeness, xncc_error *error)
{
    pair pairs[XNCC_MOST_LEVELS] = { { 0 } };
    uint64_t tasks = 0;
    for (int32_t l = 1; l < count; l++) {
        pair *p = &pairs[l];
        const xncc_status status = set_pair(p, &levels->level[l], &grid[l], error);
        if (status)
            return status;
        tasks += p->strips;
    }
    xncc_pool_run(job->pool, tasks, strip_task, &pairs[1]);
    for (int32_t l = 1; l < count; l++)
        likeness[l] = (xncc_pose_likeness){ ncc_of(&pairs[l]), pairs[l].pixels };
    return XNCC_OK;
}
