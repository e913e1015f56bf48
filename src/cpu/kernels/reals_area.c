/* SPDX-License-Identifier: BSD-2-Clause */
/* Matching of floats, rectangle by rectangle (reals.h). A map that one transform serves is a single
 * rectangle, whose work the threads share: they transform rows of the image, then columns, and then
 * each scores some rows of the map. */
#include "cpu/kernels/reals_run.h"

#include <math.h>
#include <string.h>

/* ---- a run ---- */

static void run_begin(xncc_reals_run *r, const xncc_reals_variant *variant, const xncc_job *job,
                      const xncc_area *area, void *scratch)
{
    const xncc_template *templ = job->templ;
    *r = (xncc_reals_run){ .variant = variant,
                           .isa = variant->isa,
                           .job = job,
                           .shared = job->shared,
                           .area = area,
                           .kept_power = -1 };
    (void)xncc_reals_scratch_layout(variant, job->problem, job->blocks, scratch, &r->m);
    xncc_stage *stage = &r->m.stage;
    stage->job = job;
    stage->left = (int64_t)job->x0 + area->x;
    stage->top = (int64_t)job->y0 + area->y;
    stage->width = area->width + templ->width - 1;
    stage->height = area->height + templ->height - 1;
    stage->pitch = xncc_reals_line_width(job->problem, job->blocks);
    r->stride = xncc_reals_stride(job->problem, job->blocks);
    r->factor = variant->fft
                    ? xncc_fft_real_error(&job->blocks->fft)
                    : 1.01 * 0x1p-53 * ((double)templ->width + (double)templ->height + 6.0);
    r->of_rows = variant->fft ? xncc_fft_rows_error(&job->blocks->fft) : 0.0;
    if (job->blocks->exact.nx)
        r->of_slices = (xncc_reals_transforms){
            .fft = variant->exact,
            .blocking = &job->blocks->exact,
            .table = variant->fft ? r->shared->table : r->m.table,
            .factor = xncc_fft_real_error(&job->blocks->exact),
            .of_rows = xncc_fft_rows_error(&job->blocks->exact)
        };
    memset(r->m.line, 0, (size_t)stage->pitch * sizeof(double));
}

/* Where the sums come from. If all pixels of the rectangle count, those that depend on the template
 * alone are constants. */
static void resolve_sources(xncc_reals_run *r, xncc_counts counts)
{
    if (counts == XNCC_COUNTS_ALL)
        r->m.stage.count = NULL;
    for (int s = 0; s < XNCC_SUMS; s++)
        r->source[s] = xncc_sum_source_in(&r->shared->recipe, (xncc_sum_id)s,
                                          counts == XNCC_COUNTS_ALL);
}

/* Scores that follow from the number of pixels that count: XNCC_COVERAGE, or NaN everywhere. */
static void score_from_counts(const xncc_reals_run *r, int nothing)
{
    const xncc_method method = r->job->problem->rule.method;
    const double *N = xncc_reals_is_stored(r, XNCC_SUM_N) ? r->m.sum[XNCC_SUM_N] : NULL;
    for (int32_t y = 0; y < r->area->height; y++)
        for (int32_t x = 0; x < r->area->width; x++) {
            const uint64_t n = nothing ? 0
                               : N     ? (uint64_t)N[(ptrdiff_t)y * r->stride + x]
                                       : r->job->general.whole;
            float score = NAN;
            (void)xncc_general_score_from_count(method, &r->job->general, n, &score);
            r->area->out[y * r->area->pitch + x] = method == XNCC_COVERAGE ? score : NAN;
        }
}

/* Settles the windows in doubt if they are few. Returns 1 if all are settled. doubts: 1 if there
 * are some. */
static int settle_few(xncc_reals_run *r, int doubts)
{
    if (r->bad)
        xncc_reals_mark_bad(r);
    return (!doubts && !r->bad) || xncc_is_cancelled(r->job->watch) || xncc_reals_settle_few(r);
}

/* ---- by all threads ---- */

/* The most bands of rows of the image. */
enum { MOST_BANDS = XNCC_FFT_MAX_SIDE / XNCC_REALS_BAND_ROWS };

/* What a band of rows was found to hold. */
typedef struct found {
    int32_t bad; /* 1: a sample is not finite */
    xncc_reals_grid grid;
} found;

enum { MOST_PARTS = 256 };

/* A map that the threads fill together. Its parts are some of its rows, and some columns of the
 * transform. */
typedef struct together {
    xncc_reals_run *all; /* the map as one rectangle, in the memory of the thread that leads */
    int32_t parts;
    int sharp;
    xncc_reals_errors error;                    /* of the sums, once they are sharpened */
    uint8_t many[MOST_PARTS], open[MOST_PARTS]; /* 1: parts with many doubts, to be sharpened; and
                                                   with many that are left to be settled */
    found found[MOST_BANDS];
} together;

static int32_t bands_of(const together *t)
{
    return xncc_ceil_div(t->all->m.stage.height, XNCC_REALS_BAND_ROWS);
}

/* The rows of a band as a rectangle without windows. */
static void begin_band(const together *t, int32_t slot, int32_t band, xncc_reals_run *r)
{
    const int32_t first = band * XNCC_REALS_BAND_ROWS;
    xncc_reals_run_in(t->all, slot, r);
    r->m.stage.top += first;
    r->m.stage.height = xncc_min_i32(XNCC_REALS_BAND_ROWS, t->all->m.stage.height - first);
}

static void find_grid(void *argument, uint64_t index, int32_t slot)
{
    together *t = argument;
    xncc_reals_run r;
    begin_band(t, slot, (int32_t)index, &r);
    t->found[index].grid = xncc_reals_find_grid(&r);
}

static void transform_rows(void *argument, uint64_t index, int32_t slot)
{
    together *t = argument;
    const xncc_reals_scratch *all = &t->all->m;
    const int32_t first = (int32_t)index * XNCC_REALS_BAND_ROWS;
    xncc_reals_run r;
    begin_band(t, slot, (int32_t)index, &r);
    for (int32_t y = 0; y < r.m.stage.height && !xncc_is_cancelled(r.job->watch); y++) {
        const xncc_reals_found line = xncc_reals_read_line(&r, y, 0, r.pivot[0], 1, r.m.line);
        all->row_square[0][first + y] = line.square;
        t->found[index].bad |= line.bad;
        r.variant->fft->reals_in(r.shared->table, &r.job->blocks->fft, r.m.line,
                                 xncc_reals_array_row(&r, all->array[0], first + y));
    }
}

static void convolve_columns(void *argument, uint64_t index, int32_t slot)
{
    const together *t = argument;
    const xncc_reals_run *all = t->all;
    xncc_reals_run r;
    xncc_reals_run_in(all, slot, &r);
    char *const array[2] = { all->m.array[0], NULL }, *const spectrum[2] = {
        r.shared->plane[0][XNCC_REALS_PLANE_VALUE], NULL
    };
    r.variant->fft->convolve(r.shared->table, &r.job->blocks->fft, r.job->watch,
                             (xncc_fft_source){ .rows = all->m.stage.height,
                                                .wanted = all->area->height,
                                                .templ_rows = r.job->templ->height,
                                                .part = (int32_t)index,
                                                .parts = t->parts },
                             array, spectrum, r.m.buffer);
}

/* Is a sample of some rows of the image not finite? */
static int are_bad(const together *t, int32_t first, int32_t end)
{
    int bad = 0;
    for (int32_t band = first / XNCC_REALS_BAND_ROWS; band * XNCC_REALS_BAND_ROWS < end; band++)
        bad |= t->found[band].bad;
    return bad;
}

static int32_t rows_of_part(const together *t)
{
    return xncc_ceil_div(t->all->area->height, t->parts);
}

/* Begins up to `rows` rows of the map from row y on. Returns 0 if there are none. */
static int begin_rows(const together *t, int32_t y, int32_t rows, int32_t slot, xncc_area *area,
                      xncc_reals_run *r)
{
    if (!xncc_reals_rows_in(t->all, slot, y, rows, area, r))
        return 0;
    r->bad = are_bad(t, y, y + r->m.stage.height);
    r->m.array[0] = xncc_reals_array_row(r, t->all->m.array[0], y);
    return 1;
}

static void score_part(void *argument, uint64_t index, int32_t slot)
{
    together *t = argument;
    const int32_t rows = rows_of_part(t);
    xncc_area area;
    xncc_reals_run r;
    if (!begin_rows(t, (int32_t)index * rows, rows, slot, &area, &r))
        return;
    const int doubts = xncc_reals_score(&r);
    t->many[index] = r.many != 0;
    t->open[index] = !r.many && !settle_few(&r, doubts);
}

/* Scores a part again if it has many windows in doubt. The sums are those of the leading thread. */
static void score_sharp_part(void *argument, uint64_t index, int32_t slot)
{
    together *t = argument;
    const int32_t rows = rows_of_part(t), y = (int32_t)index * rows;
    xncc_area area;
    xncc_reals_run r;
    if (!t->many[index] || !begin_rows(t, y, rows, slot, &area, &r))
        return;
    r.m.arrays[XNCC_SHARP_SUMS] = xncc_reals_array_row(&r, t->all->m.arrays[XNCC_SHARP_SUMS], y);
    t->open[index] = !settle_few(&r, xncc_reals_score_sharp(&r, t->sharp, &t->error));
}

/* Settles the windows of a part that has many in doubt. */
static void settle_part(void *argument, uint64_t index, int32_t slot)
{
    const together *t = argument;
    const int32_t rows = rows_of_part(t);
    xncc_area area;
    xncc_reals_run r;
    if (!t->open[index] || !begin_rows(t, (int32_t)index * rows, rows, slot, &area, &r))
        return;
    xncc_reals_settle_rest(&r);
}

static int has_some(const together *t, const uint8_t *of_parts)
{
    int some = 0;
    for (int32_t i = 0; i < t->parts; i++)
        some |= of_parts[i];
    return some;
}

/* Sums of products of all rows of the map, transformed back but for the rows. */
static void transform(together *t)
{
    xncc_reals_run *all = t->all;
    const int32_t rows = all->m.stage.height;
    xncc_job_run(all->job, bands_of(t), transform_rows, t);
    all->norm[0] = xncc_reals_band(all->m.row_square[0], rows, rows);
    all->band[0] = xncc_reals_band(all->m.row_square[0], rows, all->job->templ->height);
    xncc_job_run(all->job, t->parts, convolve_columns, t);
}

/* The grid of all samples. */
static xncc_reals_grid grid_of(together *t)
{
    if (t->all->shared->grid > 0.0)
        xncc_job_run(t->all->job, bands_of(t), find_grid, t);
    xncc_reals_grid grid = t->found[0].grid;
    for (int32_t i = 1; i < bands_of(t); i++)
        grid = xncc_reals_merge_grids(&grid, &t->found[i].grid);
    return grid;
}

/* The scores of the whole map, all of whose pixels count. */
static void fill_together(xncc_reals_run *all)
{
    const xncc_job *job = all->job;
    const xncc_team *team = job->team;
    together t = { .all = all, .parts = team ? xncc_min_i32(team->threads, MOST_PARTS) : 1 };
    all->grid = grid_of(&t);
    xncc_reals_choose_pivot(all, 0);
    transform(&t);
    all->common = t.parts;
    xncc_job_run(job, t.parts, score_part, &t);
    if (has_some(&t, t.many) && !xncc_is_cancelled(job->watch)) {
        t.sharp = xncc_reals_sharpen_map(all, &t.error);
        xncc_job_run(job, t.parts, score_sharp_part, &t);
    }
    if (has_some(&t, t.open) && !xncc_is_cancelled(job->watch) && !xncc_reals_settle_together(all))
        xncc_job_run(job, t.parts, settle_part, &t);
}

void xncc_reals_area(const xncc_cpu_kernel *self, const xncc_job *job, void *scratch,
                     const xncc_area *area)
{
    xncc_reals_run r;
    run_begin(&r, self->variant, job, area, scratch);
    const xncc_counts counts = xncc_problem_image_varies(job->problem)
                                   ? xncc_stage_counts(&r.m.stage)
                                   : XNCC_COUNTS_ALL;
    resolve_sources(&r, counts);
    if (job->problem->rule.method != XNCC_COVERAGE &&
        (!job->templ->finite || counts == XNCC_COUNTS_NONE)) {
        score_from_counts(&r, 1);
        return;
    }
    xncc_reals_count_pixels(&r);
    if (job->problem->rule.method == XNCC_COVERAGE) {
        score_from_counts(&r, 0);
        return;
    }
    if (r.variant->fft && job->blocks->fft.common) {
        fill_together(&r);
        return;
    }
    r.grid = xncc_reals_find_grid(&r);
    if (!settle_few(&r, xncc_reals_score(&r)) && !xncc_is_cancelled(job->watch) &&
        !xncc_reals_settle_together(&r))
        xncc_reals_settle_rest(&r);
}
